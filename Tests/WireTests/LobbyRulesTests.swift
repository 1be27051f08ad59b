import Rules
import TableModel
import Testing

@testable import Wire

@Test func tablesOfManyKindsOfRules_areEachToldTheirOwn() throws {
    // More kinds than are remembered, each of them twice and one of them the default.
    let kinds = try (0..<12).map {
        try HouseRules([("bettingSeconds", .integer($0 == 3 ? HouseRules().bettingSeconds : 40 + $0))])
    }
    let tables = (kinds + kinds.reversed()).enumerated().map { index, rules in
        TableSummary(name: "t\(index)", seats: 7, freeSeats: 7, players: [], watchers: 0, rules: rules, isLocked: false)
    }
    let line = ServerMessage.ok(id: nil, .lobby(revision: 1, total: tables.count, tables)).encoded()
    let read = try line.dropLast().withUnsafeBufferPointer { try ServerMessage(line: $0) }
    guard case .ok(_, .lobby(_, _, let told)) = read else {
        Issue.record("\(read)")
        return
    }
    #expect(told == tables)
    var memory = RulesMemory()
    for rules in kinds + kinds { #expect(memory.fields(of: rules).map(\.0) == rules.written { _ in false }.map(\.0)) }
}
