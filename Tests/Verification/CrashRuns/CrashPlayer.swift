import ClientCore
import Foundation
import LoadGenerator
import RecoveryJudge
import Rules
import Sockets
import TableModel
import Wire

/// A player who plays fast and does a little of everything. Pure: the seed and the table decide.
package struct CrashPlayer: Sendable {
    package enum Move: Equatable {
        case rest
        case send([ClientMessage])
        /// Closes the connection, and comes back after that many milliseconds.
        case hangUp(Int64)
    }

    package let name: String
    package let secret: AccountSecret
    /// The table to sit down at.
    private(set) var home: String
    /// Tables of which a player who leaves chooses the next one; none: always the same.
    var homes: [String] = []
    private var random: SeededRandom

    package init(number: Int, home: String, seed: UInt64) {
        random = SeededRandom(seed: seed, stream: UInt64(number) + 1)
        name = "crash\(number)"
        secret = AccountSecret(using: &random)
        self.home = home
    }

    /// A client of this player, who watches the table first.
    /// - Parameter last: the last id that was used.
    package func options(after last: Int) -> SessionOptions {
        var options = SessionOptions(name: name)
        options.firstID = last
        options.credential = .secret(secret)
        options.isBot = true
        options.initialPlacement = .watch(table: home)
        options.contributes = true
        options.pass = CrashTables.pass
        options.retries = .max
        return options
    }

    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    /// - Parameters:
    ///   - table: as shown; nil before a snapshot.
    ///   - seats: the player's seats, in order.
    package mutating func move(at table: TableSnapshot?, seats: [Int]) -> Move {
        guard let table, let first = seats.first, let player = table.player(first) else { return awaySeat() }
        for seat in seats { if let choice = table.choice(seat) { return answer(choice, seat, table) } }
        guard let round = table.round, round.phase == .waiting || round.phase == .betting, let rules = table.rules else {
            return onlooker(first)
        }
        let open = seats.first { table.bet(HandIdentifier(seat: $0, number: 1)) == nil }
        guard let seat = open else { return withBet(seats, round.number, rules) }
        if player.presence == .sittingOut { return below(3) > 0 ? .send([.sitOut(false)]) : .rest }
        // The house gives new chips at the seat where nothing is bet.
        if player.chips < rules.minimumBet { return .send([.sit(table: home, seat: seat, pass: CrashTables.pass)]) }
        switch below(100) {
        case 0..<80: return .send([bet(player.chips, seat, round.number, rules)])
        case 80..<83: return .send([.sitOut()])
        case 83..<86: return .send([bet(player.chips, seat, round.number, rules), .sitOut()])
        case 86..<90: return .send([.leave])
        case 90..<92: return .send([.logout])
        case 92..<94:
            // A further one has to be named, and may be taken.
            return .send([.sit(table: home, seat: below(3) > 0 ? 1 + below(rules.seats) : nil, pass: CrashTables.pass)])
        case 94..<96: return .send([.bet(amount: rules.minimumBet - 1, seat: seat, round: round.number)])
        case 96..<98: return .hangUp(Int64(below(60)))
        default: return .rest
        }
    }

    private mutating func bet(_ chips: Int, _ seat: Int, _ round: Int, _ rules: HouseRules) -> ClientMessage {
        let most = min(chips, rules.maximumBet, below(8) == 0 ? 500 : 60)
        let steps = max(0, most - rules.minimumBet) / rules.betStep
        let amount = rules.minimumBet + below(steps + 1) * rules.betStep
        return .bet(amount: amount, seat: seat, round: below(100) == 0 ? round + 1 : round)
    }

    private mutating func awaySeat() -> Move {
        switch below(100) {
        case 0..<70: .send([.sit(table: home, seat: below(3) == 0 ? 1 + below(7) : nil, pass: CrashTables.pass)])
        case 70..<75: .send([.bet(amount: 10, seat: 1, round: 0)])
        case 75..<78: .send([.leave])
        case 78..<82: .send([.logout])
        case 82..<85: .hangUp(Int64(below(60)))
        case 85..<97 where !homes.isEmpty: changeTable()
        default: .rest
        }
    }

    /// For one that another server may have.
    private mutating func changeTable() -> Move {
        home = homes[below(homes.count)]
        return .send([.watch(table: home, pass: CrashTables.pass)])
    }

    private mutating func answer(_ choice: Choice, _ seat: Int, _ table: TableSnapshot) -> Move {
        let total = table.total(HandIdentifier(seat: seat, number: choice.hand))?.points ?? 0
        var options = choice.options.map(\.action)
        if total >= 17, below(10) > 0 { options.removeAll { $0 == .hit || $0 == .double } }
        if below(3) > 0, options.contains(.split) { options = [.split] }
        guard !options.isEmpty else { return .rest }
        let action = options[below(options.count)]
        let act = ClientMessage.act(
            action, seat: seat, hand: below(2) == 0 ? choice.hand : nil, amount: nil, turn: choice.turn)
        switch below(100) {
        case 0..<2: return .send([.leave])
        case 2..<4: return .hangUp(Int64(below(60)))
        case 4..<8: return .send([act, .act(.stand, seat: seat, hand: nil, amount: nil, turn: choice.turn + 1)])
        case 8..<10: return .rest
        default: return .send([act])
        }
    }

    private mutating func withBet(_ seats: [Int], _ round: Int, _ rules: HouseRules) -> Move {
        switch below(100) {
        case 0..<4: .send([.bet(amount: 0, seat: seats[0], round: round)])
        case 4..<8: .send([.bet(amount: rules.minimumBet, seat: seats[0], round: round)])
        case 8..<9: .send([.leave])
        case 9..<10: .send([.logout])
        case 10..<11: .hangUp(Int64(below(60)))
        default: .rest
        }
    }

    private mutating func onlooker(_ seat: Int) -> Move {
        switch below(200) {
        case 0: .send([.leave])
        case 1: .send([.sitOut()])
        case 2: .hangUp(Int64(below(60)))
        case 3: .send([.act(.hit, seat: seat, hand: nil, amount: nil, turn: 1)])
        case 4: .send([.logout])
        case 5: .send([.leave, .sit(table: home, seat: nil, pass: CrashTables.pass)])
        default: .rest
        }
    }
}

/// Tables of mixed rules. Decisions have long clocks: after a restart only requests move a round on.
package enum CrashTables {
    /// Keeps other players away from the tables that are judged.
    package static let pass = "crash"

    /// Rules of the tables that are judged.
    package static let variants: [[(String, RuleValue)]] = [
        [],
        [("surrender", .text("late")), ("seatsPerPlayer", .integer(2)), ("decks", .integer(2))],
        [("holeCard", .text("none")), ("double", .text("9-11")), ("maxHands", .integer(2))],
        [
            ("decks", .integer(1)), ("soft17", .text("hit")), ("surrender", .text("early")), ("penetration", .number(0.6)),
            ("assist", .flag(true)),
            ("doubleAfterSplit", .flag(false)),
        ],
        [
            ("blackjackPays", .text("6:5")), ("charlie", .integer(5)), ("resplitAces", .flag(true)),
            ("hitSplitAces", .flag(true)), ("continuousShuffle", .flag(true)), ("doubleForLess", .flag(true)),
        ],
    ]

    static func name(_ index: Int) -> String { "judged-\(index + 1)" }

    /// The server's configuration file.
    static func configuration(tables: Int) -> String {
        let clocks = #""bettingSeconds": 1, "decisionSeconds": 60, "insuranceSeconds": 60"#
        let entries = (0..<tables).map { index in
            let variant = variants[index % variants.count].map { "\"\($0)\": \($1)" }
            return
                #"{"name": "\#(name(index))", "pass": "\#(pass)", "rules": {\#(([clocks] + variant).joined(separator: ", "))}}"#
        }
        return "{\"timeBank\": \"24h\", \"tables\": [\n  \(entries.joined(separator: ",\n  "))\n]}\n"
    }
}

/// Requests that were sent again, and are unanswered: the client does not know of them.
package struct RepeatedRequests {
    private var ids: [RequestID] = []

    package init() {}

    package mutating func add(_ request: Request) { if let id = request.id { ids.append(id) } }

    /// Whether a message answers one of them.
    package mutating func take(_ message: ServerMessage) -> Bool {
        let id: RequestID?
        switch message {
        case .ok(let answered, _): id = answered
        case .error(let refusal): id = refusal.id
        // No answer.
        default: return false
        }
        guard let place = ids.firstIndex(where: { $0 == id }) else { return false }
        ids.remove(at: place)
        return true
    }
}

/// One player's client and its connection to the server under test. Confined to the run's thread.
///
/// The client repeats nothing by itself: the run sends each request again that is answered or not, and judges both answers.
final class CrashClient {
    enum Stage: Equatable {
        /// Not connected until then, in microseconds.
        case away(until: Int64)
        case connecting
        case loggingIn
        case watching
        /// Has the table, and waits for the others where all come together.
        case watched
        /// Sends requests again.
        case repeating
        case playing
    }

    /// Lines kept for a failure, the last ones.
    private static let kept = 60

    let index: Int
    var player: CrashPlayer
    var machine: ClientMachine
    var stage = Stage.away(until: 0)
    /// When it first watched a table since the last fault, in microseconds; the greatest time: not yet.
    var returned = Int64.max
    /// The time of the next move, in microseconds.
    var wake: Int64 = 0
    /// Requests to send again, in their order.
    var repeats: [Request] = []
    private let seed: UInt64
    private var lastID = 0
    private var repeated = RepeatedRequests()
    /// With times by the clock of the servers' logs.
    private var transcript: [String] = []
    private var socket: RawSocket?
    private var outbound: [UInt8] = []

    init(index: Int, player: CrashPlayer, seed: UInt64) {
        self.index = index
        self.player = player
        self.seed = seed ^ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
        machine = Self.machine(of: player, seed: self.seed, after: 0)
    }

    private static func machine(of player: CrashPlayer, seed: UInt64, after last: Int) -> ClientMachine {
        var options = player.options(after: last)
        (options.firstPause, options.longestPause) = (1, 1)
        options.repeatsRequests = false
        options.pingInterval = nil
        return ClientMachine(options: options, contributions: SeededEntropy(seed: seed &+ UInt64(last)))
    }

    /// nil without a connection.
    var descriptor: Int32? { socket?.descriptor }

    var hasOutput: Bool { !outbound.isEmpty }

    /// Begins again with a new client where the server has ended the last one, as after a logout.
    /// - Returns: what to do for the next connection.
    func start(at now: Int64) -> [ClientAction] {
        if case .ended = machine.link { machine = Self.machine(of: player, seed: seed, after: lastID) }
        let actions = machine.start(at: now)
        return actions.isEmpty ? machine.tick(at: now + 1) : actions
    }

    /// - Returns: false when the system has no socket left.
    func connect(to address: SocketAddress) -> Bool {
        socket = RawSocket(address)
        (outbound, repeated) = ([], RepeatedRequests())
        stage = .connecting
        note("-- connects")
        return socket != nil
    }

    func close() {
        if socket != nil { note("-- disconnected") }
        socket = nil
        outbound = []
        repeats = []
    }

    func send(_ request: Request) {
        if case .number(let id) = request.id { lastID = max(lastID, id) }
        let line = request.encoded()
        note("> " + String(decoding: line.dropLast(), as: UTF8.self))
        outbound += line
        flush()
    }

    /// Sends a request whose answer the client is not to get.
    func sendAgain(_ request: Request) {
        repeated.add(request)
        send(request)
    }

    /// Whether it answers a request that was sent again.
    func isRepeated(_ message: ServerMessage) -> Bool { repeated.take(message) }

    func flush() {
        guard !outbound.isEmpty, case .done(let count)? = socket?.write(outbound[...]) else { return }
        outbound.removeFirst(count)
    }

    /// Reads available lines.
    /// - Returns: false once the connection has ended.
    func read(at now: Int64, _ onLine: ([UInt8]) -> Void) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let outcome = buffer.withUnsafeMutableBytes { socket?.read(into: $0) ?? .ended }
            switch outcome {
            case .wait: return true
            case .ended: return false
            case .done(let count):
                let lines = buffer.withUnsafeBytes { machine.lines(in: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                for line in lines where socket != nil {
                    note("< " + String(decoding: line, as: UTF8.self))
                    onLine(line)
                }
            }
        }
    }

    var history: String { "\nlast lines of \(player.name):\n  " + transcript.joined(separator: "\n  ") }

    private func note(_ line: String) {
        transcript.append("\(Date.now.formatted(.iso8601.time(includingFractionalSeconds: true))) \(line.prefix(600))")
        if transcript.count > Self.kept { transcript.removeFirst() }
    }
}
