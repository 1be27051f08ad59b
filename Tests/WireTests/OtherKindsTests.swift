import CommandLineKit
import Foundation
import Rules
import TableModel
import TestKit
import Testing

@testable import Wire

/// A client of this version at a server of a later one: it applies and checks what it does not know.
struct OtherKindsTests {
    @Test func whatIsNotKnown_isAppliedAndChecked_asTheServerHasIt() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 9)
        var seen = 0
        for _ in 0..<Thorough.count(300, most: 3000, quick: 200) {
            let (old, new) = (RandomTable.any(&generator), RandomTable.any(&generator))
            let line = ServerMessage.snapshot(table: "main", epoch: "e", revision: 1, old).encoded().dropLast()
            guard case .snapshot("main", "e", 1, let read, _) = try event(Array(line)) else { throw Failure() }
            #expect(read == old && read.check == old.check, "seed \(Seed.value)")
            let diff = ServerMessage.diff(from: 1, to: 2, check: new.check, old.difference(to: new)).encoded().dropLast()
            guard case .diff(_, _, let check, let difference, _) = try event(Array(diff)) else { throw Failure() }
            let next = try read.applying(difference)
            #expect(next == new && next.check == check, "seed \(Seed.value)")
            for case .other in next.entries { seen += 1 }
        }
        #expect(seen > 100)
    }

    /// As other languages do it: parsed, and written without spaces and with sorted keys.
    @Test func theCheckValue_isThatOfTheTextThatAnybodyWouldWrite() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 10)
        var (checked, tries) = (0, 0)
        while checked < 20 || tries < Thorough.count(100, most: 1000) {
            tries += 1
            let table = RandomTable.any(&generator)
            let line = ServerMessage.snapshot(table: "main", epoch: "e", revision: 1, table).encoded()
            // Control characters, which no name at a table has, are written in more than one way.
            guard !line.contains(UInt8(ascii: "\\")) else { continue }
            checked += 1
            let items = try #require(try JSONTree(text(line.dropLast()))["items"]?.members)
            let sum = items.shuffled(using: &generator).reduce(UInt32(0)) { sum, item in
                let member = JSONTree.object([item]).sorted.description.dropFirst().dropLast()
                return sum &+ Array(member.utf8).withUnsafeBufferPointer(CRC32.value)
            }
            #expect(sum == table.check, "seed \(Seed.value)")
        }
    }

    /// Spaces, the order of keys and escapes are the writer's; what is checked is one text for a state.
    @Test func howAnUnknownContentIsWritten_doesNotMatter() throws {
        let lines = [
            #"{"type":"diff","from":1,"to":2,"items":{"later":{"a":[1,"é"],"b":{"c":null,"d":0.5}}}}"#,
            #"{"type":"diff","from":1,"to":2,"items": {"later" :{ "b" : {"d":0.5,"c":null}, "\u0061":[1, "\u00e9"] } }}"#,
        ]
        let tables = try lines.map { line in
            guard case .diff(_, _, _, let difference, _) = try event(line) else { throw Failure() }
            return try TableSnapshot().applying(difference)
        }
        #expect(tables[0] == tables[1] && tables[0].check == tables[1].check)
    }

    @Test func anUnknownRule_isKeptForTheCheck_andTheOthersAreUnderstood() throws {
        let line =
            #"{"type":"snapshot","table":"main","epoch":"e","rev":1,"items":{"rules":{"betStep":5,"digest":"00","jokers":[1,2],"maximumBet":500,"minimumBet":10,"soft17":"hit"}}}"#
        guard case .snapshot(_, _, _, let table, _) = try event(line) else { throw Failure() }
        #expect(table.rules?.soft17 == .hit && table.tableRules?.others == [.init(key: "jokers", value: "[1,2]")])
        #expect(text(ServerMessage.snapshot(table: "main", epoch: "e", revision: 1, table).encoded().dropLast()) == line)
    }

    /// A round's end takes what the page names, and nothing that is not known. That lies behind the rules, by name.
    @Test func clearing_leavesWhatIsNotKnown() throws {
        let names = try ["alarm", "clocks", "dealers"].map { try #require(OtherName($0.utf8)) }
        let hand = HandIdentifier(seat: 1, number: 1)
        let table = TableSnapshot(
            names.reversed().map { .other($0, "1") } + [
                .clock(Clock(deadline: 1)), .card(1, .dealer, nil), .bet(hand, 5), .insuranceResult(2, 5), .phase(.settled),
                .player(1, Player(name: "ann", chips: 1)), .rules(TableRules(HouseRules(), digest: "")),
            ])
        let kept: [TableItem] = [.phase, .rules] + names.map { .other($0) } + [.player(1)]
        #expect(table.cleared().entries.map(\.item) == kept)
    }

    @Test(arguments: ["a", "j1", "aB", "1ab", "ab_", "ab ", "abcdefghijklmnopq", "é"])
    func whatIsNoName_isRefused(_ name: String) {
        #expect(OtherName(name.utf8) == nil)
        #expect(throws: ProtocolError.self) { try event(#"{"type":"diff","from":1,"to":2,"items":{"\#(name)":1}}"#) }
    }

    private struct Failure: Error {}
}

extension JSONTree {
    /// The same with the keys of every object in order.
    fileprivate var sorted: JSONTree {
        switch content {
        case .object(let members):
            .object(
                members.map { Member($0.key, $0.value.sorted) }
                    .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }
}
