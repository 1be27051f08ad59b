import Foundation
import Records
import Rules
import TableEngine
import TableModel
import TestKit
import Testing
import Wire

@testable import ServerCore

/// A table as a client has it that knows nothing but lines.
private struct Mirror {
    var table: String?
    var epoch = ""
    var revision = 0
    /// Whether lines were kept from it that a `watch` has to bring.
    var hasGap = false
    var snapshot: TableSnapshot?

    mutating func take(_ message: ServerMessage) throws {
        switch message {
        case .snapshot(let table, let epoch, let revision, let snapshot, _):
            (self.table, self.epoch, self.revision, self.snapshot) = (table, epoch, revision, snapshot)
            hasGap = false
        case .diff(let from, let to, let check, let difference, _):
            if hasGap && from != revision { return }
            try #require(from == revision && to > from)
            snapshot = try snapshot?.applying(difference)
            try #require(check == nil || check == snapshot?.check)
            revision = to
            hasGap = false
        default: break
        }
    }
}

/// Peers that come, go, and ask for anything at any time.
private struct Crowd {
    var random: SeededGenerator
    var server: VirtualServer
    var mirrors: [ConnectionID: Mirror] = [:]
    var next: ConnectionID = 1
    var asked = 0
    var answered = 0
    /// The last request, and its connection.
    var last: (line: String, connection: ConnectionID)?
    /// The state before the last request, where refusals are judged.
    fileprivate var before: State?
    var judgesRefusals = false

    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0 where mirrors.count < 6:
            mirrors[next] = Mirror()
            server.connect(next)
            next += 1
        case 1:
            if let gone = mirrors.keys.sorted().randomElement(using: &random) {
                mirrors[gone] = nil
                server.cut(gone)
            }
        case 5:
            guard let slow = mirrors.keys.sorted().randomElement(using: &random) else { break }
            if server.congested.contains(slow) { server.drain(slow) } else { server.congested.insert(slow) }
        case 6: try loseLines()
        case 2...4: server.advance(Int64.random(in: 1...25_000, using: &random))
        default:
            if let connection = mirrors.keys.sorted().randomElement(using: &random) {
                asked += 1
                var line = server.shard.filled(line(of: connection), from: connection)
                if Int.random(in: 0..<8, using: &random) == 0 { line = withExtremeNumber(line) }
                last = (line, connection)
                if judgesRefusals { before = state }
                server.receive(line, from: connection)
            }
        }
        try hear()
        before = nil
    }

    private static let extremes =
        [
            Int.min, -1, 0, 1, 2, 4, 5, 7, 8, 50, 51, 99, 100, 101, 300, 1 << 31, 1 << 32, 1_000_000_000, 1_000_000_000_000,
            1 << 53,
            1 << 53 + 1, Int.max,
        ].map(String.init) + ["9223372036854775808", "18446744073709551615", "-9223372036854775809", "1e400", "-0", "1.5"]

    /// One of its numbers, the id's excepted, at the edge of a range, of an integer or of JSON.
    private mutating func withExtremeNumber(_ line: String) -> String {
        let numbers = line.matches(of: /"(?!id")\w+":(\d+)/).map(\.output.1)
        guard let number = numbers.randomElement(using: &random), let extreme = Self.extremes.randomElement(using: &random) else {
            return line
        }
        return line.replacingCharacters(in: number.startIndex..<number.endIndex, with: extreme)
    }

    /// Everybody loses what is said for a while, and then asks for it.
    private mutating func loseLines() throws {
        for _ in 0..<Int.random(in: 0...12, using: &random) { server.advance(Int64.random(in: 1...9_000, using: &random)) }
        for output in server.take() {
            if case .closed(let connection) = output, mirrors.removeValue(forKey: connection) != nil { server.cut(connection) }
        }
        for connection in mirrors.keys.sorted() {
            guard var mirror = mirrors[connection], let table = mirror.table else { continue }
            mirror.hasGap = true
            mirrors[connection] = mirror
            asked += 1
            let message = ClientMessage.watch(table: table, known: KnownTable(epoch: mirror.epoch, revision: mirror.revision))
            server.receive(text(Request(id: .number(asked), message)), from: connection)
            try hear()
        }
    }

    /// What a request may change beside connections.
    fileprivate typealias State = (records: Int, tables: [Table], ledger: Ledger, timers: [TimerID: Int64])

    private var state: State {
        let timers = server.timers.filter { if case .connection = $0.key { false } else { $0.key != .lobby } }
        return (server.records.count, server.shard.hostedTables.map(\.engine), server.ledger, timers)
    }

    /// Sends the last request again, now and then on another connection of its player.
    mutating func sendAgain(_ place: String) throws {
        guard let (line, connection) = last.take(), let session = server.shard.sessions[connection], !session.isClosing else {
            return
        }
        var again = connection
        if let name = session.account?.name.text, session.account?.state.isGuest == false, Bool.random(using: &random) {
            (again, next) = (next, next + 1)
            mirrors[again] = Mirror()
            server.connect(again, as: name)
            try hear()
        }
        let before = state
        server.receive(line, from: again)
        try hear()
        answered = asked
        try #require(before == state, "\(place): \(line)")
    }

    private mutating func line(of connection: ConnectionID) -> String {
        let id = RequestID.number(asked)
        let name = "p\(Int.random(in: 1...4, using: &random))"
        let seat = Bool.random(using: &random) ? Int.random(in: 1...7, using: &random) : nil
        let account = server.shard.sessions[connection]?.account
        let own = account?.table?.engine.seats(of: account?.id ?? PlayerID(0)).randomElement(using: &random)
        let message: ClientMessage =
            switch Int.random(in: 0..<28, using: &random) {
            case 0...2:
                .login(name: name, secret: Bool.random(using: &random) ? secret(of: name) : nil, isBot: false, version: 1)
            case 3...5: .sit(table: ["low", "high", nil].randomElement(using: &random) ?? nil, seat: seat)
            case 6: .watch(table: ["low", "high"].randomElement(using: &random))
            case 7...11: .bet(amount: Int.random(in: 0...30, using: &random) * 5, seat: own, round: 0)
            case 12: .leave
            case 13: .sitOut()
            case 14: .sitOut(false)
            case 16: .options(ConnectionOptions(pedantic: Bool.random(using: &random), silence: 300))
            case 17: .chat(text: "good luck")
            case 18: .lobby(follow: Bool.random(using: &random))
            case 15: Int.random(in: 0..<4, using: &random) == 0 ? .logout : .ping
            default: .act(Action.allCases.randomElement(using: &random) ?? .hit, seat: own, hand: nil, amount: nil, turn: 0)
            }
        return text(Request(id: id, message)).replacing(#""round":0"#, with: #""round":"now""#)
            .replacing(#""turn":0"#, with: #""turn":"now""#)
    }

    private func text(_ request: Request) -> String {
        String(decoding: request.encoded().dropLast(), as: UTF8.self)
    }

    private mutating func hear() throws {
        for output in server.take() {
            switch output {
            case .closed(let connection):
                if mirrors.removeValue(forKey: connection) != nil { server.cut(connection) }
            case .line(let connection, let text):
                let message = try Array(text.utf8).withUnsafeBufferPointer { try ServerMessage(line: $0) }
                switch message {
                case .ok(let id, _): if id == .number(asked) { answered += 1 }
                case .error(let refusal):
                    guard refusal.id == .number(asked) else { break }
                    answered += 1
                    if let before { try #require(before == state, "\(last?.line ?? ""): \(refusal)") }
                default: break
                }
                try mirrors[connection]?.take(message)
            }
        }
    }
}

private let ruleSets: [HouseRules] = {
    var all = [HouseRules()]
    all += HouseRules.presetNames.compactMap { try? HouseRules(preset: $0) }
    let unusual: [[(String, RuleValue)]] = [
        [("seatsPerPlayer", .integer(3)), ("surrender", .text("early")), ("doubleForLess", .flag(true)), ("decks", .integer(1))],
        [
            ("holeCard", .text("original")), ("surrender", .text("late")), ("charlie", .integer(5)),
            ("continuousShuffle", .flag(true)),
        ],
        [
            ("midShoeEntry", .flag(false)), ("resplitAces", .flag(true)), ("hitSplitAces", .flag(true)),
            ("penetration", .number(0.3)),
        ],
    ]
    all += unusual.compactMap { try? HouseRules($0) }
    precondition(all.count == 10, "the test's own rules are right")
    return all
}()

@Test(arguments: ruleSets.indices)
func whateverPeersDo_chipsAreConserved_viewsEqualTheTable_andEachRequestHasOneReply(_ index: Int) throws {
    let server = VirtualServer.small(
        rules: ruleSets[index], seed: Seed.value &+ UInt64(index), tables: ["low", "high"], requests: .unreached)
    var crowd = Crowd(random: SeededGenerator(seed: Seed.value &+ UInt64(index)), server: server)
    let steps = Thorough.count(1500, most: 4000)
    // Further until enough rounds were played.
    for step in 0..<20 * steps where step < steps || server.shard.rounds <= steps / 400 {
        try crowd.step()
        var place: String { "step \(step), rules \(index), BJ_SEED=\(Seed.value)" }
        try #require(server.ledger.imbalance == 0, "\(place): \(server.ledger)")
        try #require(
            server.shard.hostedTables.allSatisfy { $0.shown == TableSnapshot($0.engine) }, "\(place): shown is what there is")
        try #require(crowd.asked == crowd.answered, "\(place)")
        for (_, mirror) in crowd.mirrors {
            guard let table = mirror.table, let snapshot = mirror.snapshot, let shown = server.shard.shown(table) else {
                continue
            }
            guard mirror.revision == shown.revision else { continue }
            try #require(snapshot == shown.snapshot, "\(place)")
        }
    }
    #expect(server.shard.rounds > steps / 400, "the crowd played, BJ_SEED=\(Seed.value)")
}

@Test(arguments: ruleSets.indices)
func aRequestThatIsSentAgain_changesNothing_andARefusedOneNeither(_ index: Int) throws {
    let seed = Seed.value &+ UInt64(index) &* 104_729
    let server = VirtualServer.small(rules: ruleSets[index], seed: seed, tables: ["low", "high"], requests: .unreached)
    var crowd = Crowd(random: SeededGenerator(seed: seed), server: server)
    crowd.judgesRefusals = true
    let steps = Thorough.count(1000, most: 4000)
    for step in 0..<20 * steps where step < steps || server.shard.rounds == 0 {
        try crowd.step()
        try crowd.sendAgain("step \(step), rules \(index), BJ_SEED=\(Seed.value)")
    }
    #expect(server.shard.rounds > 0, "the crowd played, BJ_SEED=\(Seed.value)")
}

/// The records replay to the state of the shard.
func expectEqual(_ saved: SavedState, _ server: VirtualServer, _ place: String) throws {
    try #require(saved.ledger == 0, "\(place)")
    try #require(saved.tables.keys.sorted() == server.shard.hostedTables.map(\.name).sorted(), "\(place)")
    for table in server.shard.hostedTables {
        try #require(saved.tables[table.name]?.table == table.engine, "\(place): \(table.name)")
    }
    var known: [PlayerID: AccountState] = [:]
    for account in server.shard.accounts.values where account.isOpen { known[account.id] = account.state }
    for account in server.shard.dormant.accounts { known[account.id] = account }
    try #require(saved.accounts == known, "\(place)")
    try #require(saved.bank == server.ledger.bank, "\(place)")
}

/// Every card, decision, payout and chip of the records is recomputed.
func audit(_ records: [UInt8]) throws {
    var auditor = try Auditor(SavedState(house: "0123456789abcdef"))
    for (number, line) in records.split(separator: 10).enumerated() {
        let place = RecordPlace(sequence: 1, line: number + 1)
        try line.withUnsafeBufferPointer { try auditor.audit(Record(line: $0), at: place) }
    }
    _ = try auditor.summary()
}
