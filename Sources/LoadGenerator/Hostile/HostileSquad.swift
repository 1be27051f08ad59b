import Sockets
import Wire

/// All hostile bots of a run, on a loop of their own, so that they slow no honest bot down. Each is asked a hundred times a second whether it has
/// something to do. Confined to that loop.
final class HostileSquad {
    private var bots: [HostileBot] = []
    private var timer: LoopTimer?
    private let loop: Loop

    private init(loop: Loop) { self.loop = loop }

    static func make() -> LoopConfined<HostileSquad> {
        let loop = Loop(label: "bj.load.hostile")
        return LoopConfined(sending: HostileSquad(loop: loop), on: loop)
    }

    /// Brings the bots of the options, evenly over the ramp, from a moment in microseconds on.
    func begin(_ options: LoadRun.Options, _ ground: HostileHabit.Ground, at moment: Int64) {
        let kinds = HostileKind.allCases.flatMap { Array(repeating: $0, count: options.hostile[$0] ?? 0) }
        bots = kinds.enumerated().map { index, kind in
            let habit = HostileHabit(
                kind, ground, name: "\(options.namePrefix)x\(index)",
                random: SeededRandom(seed: options.seed, stream: 1 << 48 | UInt64(index)))
            return HostileBot(
                habit, options, from: options.sources.isEmpty ? nil : options.sources[index % options.sources.count],
                due: moment + options.ramp * 1000 * Int64(index) / Int64(kinds.count), on: loop)
        }
        guard !bots.isEmpty else { return }
        timer = loop.makeTimer { [weak self] in self?.step() }
        step()
    }

    private func step() {
        let now = Microclock.now
        for bot in bots { bot.step(at: now) }
        timer?.arm(at: loop.clock.now + 10)
    }

    func stop() {
        timer?.disarm()
        for bot in bots { bot.cut(abruptly: false) }
        loop.stop()
    }

    /// Counts by kind.
    var tallies: [HostileKind: HostileTally] {
        bots.reduce(into: [:]) { $0[$1.habit.kind, default: HostileTally()].merge($1.tally) }
    }
}

/// A habit and its connection. Confined to its loop.
final class HostileBot: ConnectionHandler {
    private(set) var habit: HostileHabit
    private(set) var tally = HostileTally()
    private let options: LoadRun.Options
    private let source: String?
    private let loop: Loop
    private var connector: Connector?
    private var connection: Connection?
    private var framer = LineFramer(limit: WireLimits.eventBytes)
    /// The moment of the next step, in microseconds.
    private var due: Int64
    /// Bytes that wait for the system, at most: the server is to suffer, not this process.
    private static let most = 16_384

    init(_ habit: HostileHabit, _ options: LoadRun.Options, from source: String? = nil, due: Int64 = 0, on loop: Loop) {
        (self.habit, self.options, self.source, self.due, self.loop) = (habit, options, source, due, loop)
        tally.bots = 1
    }

    func step(at now: Int64) {
        // A slow reader has paused after a byte.
        connection?.isReading = true
        guard now >= due else { return }
        due = now + Int64(habit.pause)
        guard let connection else { return connect() }
        switch habit.step(room: Self.most - connection.pendingBytes) {
        case .send(let bytes):
            guard !bytes.isEmpty, connection.pendingBytes < Self.most else { return }
            connection.send(bytes)
            tally.sent += 1
            tally.bytesSent += bytes.count
        case .hangUp(let isAbrupt): cut(abruptly: isAbrupt)
        }
    }

    private func connect() {
        guard connector == nil else { return }
        // A small buffer, so that the system does not read in a slow reader's stead.
        let isSlow = habit.kind == .slowReader
        connector = Connector.connect(
            host: options.host, port: options.port, from: source, receiveBuffer: isSlow ? 4096 : 0, loop: loop,
            limits: ConnectionLimits(inboundBytes: isSlow ? 1 : 65_536)
        ) { [weak self] in self?.connected($0) }
    }

    private func connected(_ result: Result<Connection, SocketError>) {
        connector = nil
        guard case .success(let connection) = result else {
            tally.refusedConnections += 1
            return pause()
        }
        (connection.handler, self.connection, framer) = (self, connection, LineFramer(limit: WireLimits.eventBytes))
        tally.connections += 1
        habit.connected()
        due = 0
    }

    /// A bot that is cut off at once connects again after a while.
    private func pause() { due = max(due, Microclock.now + 200_000) }

    func cut(abruptly: Bool) {
        connection?.handler = nil
        if abruptly { connection?.reset() } else { connection?.abort() }
        connection = nil
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        if habit.kind == .slowReader { connection.isReading = false }
        tally.bytesRead += bytes.count
        framer.append(bytes) { line in
            note(line)
            return true
        }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        self.connection = nil
        tally.cutOff += 1
        pause()
    }

    private func note(_ line: UnsafeBufferPointer<UInt8>) {
        guard let message = try? ServerMessage(line: line) else { return }
        habit.note(message)
        let answer: String
        switch message {
        case .ok: answer = "ok"
        case .error(let refusal): answer = refusal.code
        case .bye(let code, _, _, _): answer = "bye \(code)"
        // No answer.
        default: return
        }
        tally.answers[answer, default: 0] += 1
    }
}

/// Counts of one kind of hostile bots and the server's reactions. Never part of the honest bots' figures.
public struct HostileTally: Encodable, Sendable, Equatable {
    public var bots = 0
    /// Connections that were made.
    var connections = 0
    /// Connections that could not be made.
    var refusedConnections = 0
    /// Pieces that were sent.
    var sent = 0
    var bytesSent = 0
    var bytesRead = 0
    /// Answers of the server, by `ok`, the code of the error, or `bye` and its code.
    var answers: [String: Int] = [:]
    /// Connections that the server ended.
    var cutOff = 0

    mutating func merge(_ other: HostileTally) {
        bots += other.bots
        connections += other.connections
        refusedConnections += other.refusedConnections
        sent += other.sent
        bytesSent += other.bytesSent
        bytesRead += other.bytesRead
        answers.merge(other.answers, uniquingKeysWith: +)
        cutOff += other.cutOff
    }
}
