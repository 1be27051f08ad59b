import Records
import Rules
import Sockets
import TableEngine
import Wire

@testable import ServerCore

/// A peer played by a test.
final class ScriptedSender: LineSender {
    private let taken: ([UInt8]) -> Void
    private let congestion: () -> Bool
    private let closed: () -> Void
    /// As at a socket: nothing follows the end.
    private var isClosed = false

    init(send: @escaping ([UInt8]) -> Void, isCongested: @escaping () -> Bool = { false }, close: @escaping () -> Void) {
        (taken, congestion, closed) = (send, isCongested, close)
    }

    func send(_ bytes: [UInt8]) { if !isClosed { taken(bytes) } }
    func sendAhead(_ line: [UInt8]) { send(line) }
    var isCongested: Bool { congestion() }
    func close() {
        isClosed = true
        closed()
    }
}

/// The state that records replay to.
func replayed(_ records: [UInt8]) throws -> SavedState {
    var state = SavedState(house: "0123456789abcdef")
    // A shard counts them from its first round on.
    state.countsCareers = true
    for line in records.split(separator: 10) {
        try line.withUnsafeBufferPointer { try state.apply(line: $0) }
    }
    return state
}

extension Shard {
    /// A peer's line, with what its table shows in place of `"round":"now"` and `"turn":"now"`.
    func filled(_ line: String, from connection: ConnectionID) -> String {
        guard line.contains(#":"now""#) else { return line }
        let table = sessions[connection].flatMap { $0.account?.table ?? $0.watching }?.engine
        return line.replacing(#""round":"now""#, with: "\"round\":\(table?.round ?? 0)")
            .replacing(#""turn":"now""#, with: "\"turn\":\(table?.turn ?? 0)")
    }
}

/// A shard whose peers, clock and chance are all played by the test.
final class VirtualServer: VirtualEnvironment {
    enum Output: Equatable {
        case line(ConnectionID, String)
        case closed(ConnectionID)
    }

    private(set) var shard: Shard!
    /// Milliseconds.
    private(set) var now: Int64 = 1_000_000
    /// Output of the shard since it was last taken.
    var outputs: [Output] = []
    private(set) var facts: [Fact] = []
    /// Called with everything that happens at the tables.
    var onFacts: ((_ facts: [Fact], _ table: String) -> Void)?
    /// Everything recorded, as lines.
    private(set) var records: [UInt8] = []
    /// Log lines.
    private(set) var logged: [String] = []
    var timers: [TimerID: Int64] = [:]
    /// Bets and decisions carried out.
    private(set) var actions = 0
    /// Where connections come from.
    var address: IPAddress?
    /// Connections that do not read.
    var congested: Set<ConnectionID> = []
    /// Whether questions about the past are answered from the records.
    var keepsHistory = true
    /// Questions that wait for an answer.
    var questions: [PlayerQuestion] = []
    var entropy: SeededStream

    init(_ configuration: ShardConfiguration, seed: UInt64 = 1) {
        entropy = SeededStream(seed: seed)
        shard = Shard(configuration: configuration, environment: self)
    }

    /// A server that goes on after a crash of another, `outage` milliseconds later.
    /// - Parameters:
    ///   - rules: other rules than before for every table; nil for the same.
    ///   - change: changes the configuration.
    init(
        after crashed: VirtualServer, outage: Int64, rules: HouseRules? = nil, seed: UInt64 = 2,
        change: (inout ShardConfiguration) -> Void = { _ in }
    ) throws {
        entropy = SeededStream(seed: seed)
        now = crashed.now + outage
        var configuration = crashed.shard.configuration
        if let rules { for index in configuration.tables.indices { configuration.tables[index].rules = rules } }
        change(&configuration)
        let reopening = try Reopening(replayed(crashed.records), configuration, version: "test", at: now)
        records = crashed.records + reopening.lines
        now = max(now, reopening.state.time)
        let restart = Restart(
            state: reopening.state, outage: reopening.outage, names: try reopening.state.checkedNames(), closed: reopening.closed)
        shard = Shard(configuration, environment: self, restart: restart, at: now)
    }

    /// A server that goes on from a given state, at once.
    init(_ configuration: ShardConfiguration, state: SavedState, at now: Int64, seed: UInt64) {
        entropy = SeededStream(seed: seed)
        self.now = now
        let restart = Restart(state: state, outage: 0, names: (try? state.checkedNames()) ?? [:])
        shard = Shard(configuration, environment: self, restart: restart, at: now)
    }

    /// One table called `main`, with results that lie there for a second.
    static func small(
        rules: HouseRules = HouseRules(), seed: UInt64 = 1, tables: [String] = ["main"],
        requests: RateLimit = .perSecond(20, burst: 60), ceremonies: Bool = true
    ) -> VirtualServer {
        var configuration = ShardConfiguration(tables: tables.map { .init(name: $0, rules: rules) })
        for index in configuration.tables.indices { configuration.tables[index].hasCeremonies = ceremonies }
        configuration.settledMilliseconds = 1000
        configuration.serverName = "test"
        configuration.requests = requests
        return VirtualServer(configuration, seed: seed)
    }

    /// Tables with the default rules, whose results are over at once.
    static func plain(
        _ tables: [String] = ["main"], pass: String? = nil, seed: UInt64 = 1,
        _ change: (inout ShardConfiguration) -> Void = { _ in }
    ) -> VirtualServer {
        var configuration = ShardConfiguration(tables: tables.map { .init(name: $0, rules: HouseRules(), pass: pass) })
        configuration.settledMilliseconds = 0
        change(&configuration)
        return VirtualServer(configuration, seed: seed)
    }

    var ledger: Ledger { shard.ledger }

    func sender(for connection: ConnectionID) -> any LineSender {
        ScriptedSender { [unowned self] in
            send($0, to: connection)
        } isCongested: { [unowned self] in
            congested.contains(connection)
        } close: { [unowned self] in
            outputs.append(.closed(connection))
        }
    }

    private func send(_ bytes: [UInt8], to connection: ConnectionID) {
        for line in bytes.split(separator: 10) { outputs.append(.line(connection, String(decoding: line, as: UTF8.self))) }
    }

    var isRecording: Bool { keepsHistory }

    func record(_ write: (inout [UInt8]) -> Void) {
        guard case .facts(let table, _, let facts) = record(write, into: &records) else { return }
        self.facts += facts
        onFacts?(facts, table)
    }

    func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> LogFields) {
        guard level >= .info else { return }
        logged.append(LogLine(time: now, level: level, event: event, fields: fields().all).text(.logfmt))
    }

    func connect(_ connection: ConnectionID) { shard.connected(connection, from: address, at: now) }

    func receive(_ line: String, from connection: ConnectionID) {
        // The recorded sessions' shoes: 16 bytes are drawn with each login.
        if line.contains(#""type":"login""#) { _ = randomBytes(16) }
        let line = shard.filled(line, from: connection)
        if Array(line.utf8).withUnsafeBufferPointer({ shard.received($0, from: connection, at: now) }) { actions += 1 }
    }

    func cut(_ connection: ConnectionID) { shard.disconnected(connection, at: now) }

    /// Logs a player in over a new connection, with an owner's code; returns the lines after `hello`.
    @discardableResult
    func enter(_ name: String, _ connection: ConnectionID, owner code: String) -> String {
        enter(name, connection, #","owner":"\#(code)""#)
    }

    /// A peer that did not read has read everything.
    func drain(_ connection: ConnectionID) {
        congested.remove(connection)
        shard.drained(connection, at: now)
    }

    /// Has the next login with a code own a table.
    func expectOwner(of table: String, code: String = "owner-code-1") {
        let end = now + TableOwners.codeMilliseconds
        shard.owners.expect(OwnerClaim.digest(of: code), of: table, until: end)
    }

    /// Makes a player who is here the owner of a table.
    func own(_ table: String, by name: String) throws {
        let id = shard.player(like: try PlayerName(name))
        guard let account = id.flatMap({ shard.accounts[$0] }) else { return }
        if !account.isOpen, let session = account.session { try shard.open(account, session) }
        shard.own(OwnerClaim(table: table, code: OwnerClaim.digest(of: "\(table) \(name)"), end: now), account)
    }

    /// Has an account last, as after ten hands.
    func establish(_ name: String) throws { _ = try shard.change(PlayerName(name), .disable(false), at: now) }

    /// Lets time pass, going off each timer at its moment.
    func advance(_ milliseconds: Int64) {
        let end = now + milliseconds
        while let next = nextTimer, next.deadline <= end {
            now = max(now, next.deadline)
            timers[next.id] = nil
            shard.timerFired(next.id, at: now)
        }
        now = end
    }

    /// Takes what was said since the last time.
    func take() -> [Output] {
        answerQuestions()
        defer { outputs = [] }
        return outputs
    }

    /// Ends it as the server does: every table closes, bets go back, every connection gets a `bye`.
    func stop() {
        shard.drain(at: now)
        shard.voidRounds(at: now)
        shard.disconnectAll(code: .shuttingDown, message: "The server is stopping.")
        for case .closed(let connection) in outputs { cut(connection) }
        records += Record.stopped(time: now).encoded()
    }

    /// The lines said to one connection since the last time; the others' are dropped.
    func take(_ connection: ConnectionID) -> [String] {
        take().compactMap { if case .line(connection, let text) = $0 { text } else { nil } }
    }
}

/// Questions about the past and about decisions: answered when the output is taken, as if a disk had been read.
extension VirtualServer {
    func ask(_ question: PlayerQuestion) -> Bool {
        if question.subject.kind == .chart {
            question.answer(from: nil)
        } else {
            guard questions.count < HistoryReader.capacity else { return false }
            questions.append(question)
        }
        return true
    }

    func answerQuestions() {
        let asked = questions
        questions = []
        for question in asked {
            var history = PlayerHistory(question.account, nil, question.page)
            for line in records.split(separator: 10) {
                try? line.withUnsafeBufferPointer { try history.add($0, at: RecordPlace(sequence: 1, line: 1)) }
            }
            question.answer(from: history)
            shard.answered(question)
        }
    }
}

/// Peers that a test plays: each has a numbered connection.
extension VirtualServer {
    /// Connects, and drops the greeting.
    func greet(_ connection: ConnectionID) {
        connect(connection)
        _ = take(connection)
    }

    /// Connects, and logs in with the secret that belongs to the name.
    func connect(_ connection: ConnectionID, as name: String) {
        connect(connection)
        receive(login(name), from: connection)
    }

    /// Connects, and logs in without a secret.
    func connect(_ connection: ConnectionID, asGuest name: String) {
        connect(connection)
        receive(#"{"type":"login","name":"\#(name)"}"#, from: connection)
    }

    /// Logs a player in over a new connection; returns the lines after `hello`.
    @discardableResult
    func enter(_ name: String, _ connection: ConnectionID, _ more: String = "") -> String {
        greet(connection)
        return say(login(name).dropLast() + more + "}", connection)
    }

    /// Logs a player in, who sits down; returns the lines after the login's.
    /// - Parameter table: nil for any.
    @discardableResult
    func seat(_ name: String, _ connection: ConnectionID, at table: String? = nil) -> String {
        enter(name, connection)
        return sit(connection, at: table)
    }

    /// As ``seat(_:_:at:)``, without a secret.
    @discardableResult
    func seat(guest name: String, _ connection: ConnectionID, at table: String? = nil) -> String {
        connect(connection, asGuest: name)
        _ = take(connection)
        return sit(connection, at: table)
    }

    private func sit(_ connection: ConnectionID, at table: String?) -> String {
        say(#"{"type":"sit"\#(table.map { ",\"table\":\"\($0)\"" } ?? "")}"#, connection)
    }

    /// One line after the other.
    func receive(_ lines: [String], from connection: ConnectionID) {
        for line in lines { receive(line, from: connection) }
    }

    /// A peer's line; returns the lines sent to the peer since the last time.
    func answers(to line: String, _ connection: ConnectionID) -> [String] {
        receive(line, from: connection)
        return take(connection)
    }

    /// As ``answers(to:_:)``, in one text.
    @discardableResult
    func say(_ line: String, _ connection: ConnectionID) -> String { answers(to: line, connection).joined(separator: "\n") }

    /// As ``answers(to:_:)``, the first line alone.
    func answer(to line: String, _ connection: ConnectionID) -> String { answers(to: line, connection).first ?? "" }

    /// As ``answers(to:_:)``, the last line alone.
    func reply(to line: String, _ connection: ConnectionID) -> String { answers(to: line, connection).last ?? "" }
}

/// An environment whose clock, timers and chance are the test's.
protocol VirtualEnvironment: Environment {
    var timers: [TimerID: Int64] { get set }
    var entropy: SeededStream { get set }
}

extension VirtualEnvironment {
    func setTimer(_ timer: TimerID, at deadline: Int64?) { timers[timer] = deadline }

    /// The timer that goes off first.
    var nextTimer: (id: TimerID, deadline: Int64)? {
        timers.min { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }.map { ($0.key, $0.value) }
    }

    func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: entropy.next64() >> 56) } }

    /// Appends a record, and reads it back.
    func record(_ write: (inout [UInt8]) -> Void, into records: inout [UInt8]) -> Record? {
        let start = records.count
        write(&records)
        return try? Record(line: Array(records[start...]))
    }

    var isRecording: Bool { true }
    func handOver() {}
    func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> LogFields) {}
}

/// The secret of a player in tests: the same for names that differ only in case.
func secret(of name: String) -> AccountSecret {
    var random = NameStream(state: name.lowercased().utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    return AccountSecret(using: &random)
}

/// A login as that player, with their secret.
func login(_ name: String) -> String { #"{"type":"login","name":"\#(name)","secret":"\#(secret(of: name).digits)"}"# }

/// A login as that player, with an owner's code.
func login(_ name: String, owner code: String) -> String { login(name).dropLast() + #","owner":"\#(code)"}"# }

private struct NameStream: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
