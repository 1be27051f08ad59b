import Dispatch
import Sockets
import Synchronization
import Wire

/// All hostile bots of a run, on a queue of their own, so that they slow no honest bot down. Each is asked a hundred times a
/// second whether it has something to do.
final class HostileSquad: Sendable {
    private struct State {
        var bots: [HostileBot] = []
        var timer: (any DispatchSourceTimer)?
    }

    private let queue = DispatchQueue(label: "bj.load.hostile", qos: .background)
    /// Uncontended: all work runs on the queue.
    private let state = Mutex(State())

    /// Brings the bots of the options, evenly over the ramp, from a moment in microseconds on.
    func begin(_ options: LoadRun.Options, _ ground: HostileHabit.Ground, at moment: Int64) {
        let kinds = HostileKind.allCases.flatMap { Array(repeating: $0, count: options.hostile[$0] ?? 0) }
        guard !kinds.isEmpty else { return }
        queue.async { [self] in
            let host = options.host.isEmpty ? "127.0.0.1" : options.host
            guard let address = try? SocketAddress.resolve(host: host, port: options.port).first else { return }
            let sources = options.sources.compactMap { try? SocketAddress.resolve(host: $0, port: 0).first }
            state.withLock { state in
                state.bots = kinds.enumerated().map { index, kind in
                    let habit = HostileHabit(
                        kind, ground, name: "\(options.namePrefix)x\(index)",
                        random: SeededRandom(seed: options.seed, stream: 1 << 48 | UInt64(index)))
                    return HostileBot(
                        habit, address, from: sources.isEmpty ? nil : sources[index % sources.count],
                        due: moment + options.ramp * 1000 * Int64(index) / Int64(kinds.count))
                }
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.setEventHandler { [weak self] in
                    let now = Microclock.now
                    self?.state.withLock { for bot in $0.bots { bot.step(at: now) } }
                }
                timer.schedule(deadline: .now(), repeating: .milliseconds(10), leeway: .milliseconds(2))
                timer.resume()
                state.timer = timer
            }
        }
    }

    func stop() {
        queue.sync {
            state.withLock { state in
                state.timer?.cancel()
                state.timer = nil
                for bot in state.bots { bot.cut(abruptly: false) }
            }
        }
    }

    /// Counts by kind.
    func tallies() -> [HostileKind: HostileTally] {
        queue.sync {
            state.withLock { $0.bots.reduce(into: [:]) { $0[$1.habit.kind, default: HostileTally()].merge($1.tally) } }
        }
    }
}

/// A habit and its connection.
final class HostileBot {
    private(set) var habit: HostileHabit
    private(set) var tally = HostileTally()
    private let address: SocketAddress
    private let source: SocketAddress?
    private var socket: RawSocket?
    private var outbox: [UInt8] = []
    private var framer = LineFramer(limit: WireLimits.eventBytes)
    /// The moment of the next step, in microseconds.
    private var due: Int64
    /// Bytes that wait for the system, at most: the server is to suffer, not this process.
    private static let most = 16_384

    init(_ habit: HostileHabit, _ address: SocketAddress, from source: SocketAddress? = nil, due: Int64 = 0) {
        (self.habit, self.address, self.source, self.due) = (habit, address, source, due)
        tally.bots = 1
    }

    func step(at now: Int64) {
        exchange()
        guard now >= due else { return }
        due = now + Int64(habit.pause)
        guard socket != nil else { return connect(at: now) }
        switch habit.step(room: Self.most - outbox.count) {
        case .send(let bytes):
            guard !bytes.isEmpty, outbox.count < Self.most else { return }
            outbox += bytes
            tally.sent += 1
            flush()
        case .hangUp(let isAbrupt): cut(abruptly: isAbrupt)
        }
    }

    func connect(at now: Int64) {
        (outbox, framer) = ([], LineFramer(limit: WireLimits.eventBytes))
        // A small one, so that the system does not read in a slow reader's stead.
        socket = RawSocket(address, from: source, receiveBuffer: habit.kind == .slowReader ? 4096 : 0)
        if socket == nil {
            tally.refusedConnections += 1
            due = now + 200_000
        } else {
            tally.connections += 1
            habit.connected()
        }
    }

    func cut(abruptly: Bool) {
        if abruptly { socket?.makeAbrupt() }
        socket = nil
    }

    /// Sends and reads without waiting.
    func exchange() {
        flush()
        let size = habit.kind == .slowReader ? 1 : 65_536
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
            switch socket?.read(into: buffer) {
            case .done(let count):
                tally.bytesRead += count
                framer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line in
                    note(line)
                    return true
                }
            case .ended: lost()
            case .wait, nil: break
            }
        }
    }

    private func flush() {
        guard !outbox.isEmpty else { return }
        switch socket?.write(outbox[...]) {
        case .done(let count):
            outbox.removeFirst(count)
            tally.bytesSent += count
        case .ended: lost()
        case .wait, nil: break
        }
    }

    private func lost() {
        socket = nil
        tally.cutOff += 1
        // A bot that is cut off at once connects again after a while.
        due = max(due, Microclock.now + 200_000)
    }

    private func note(_ line: UnsafeBufferPointer<UInt8>) {
        guard let message = try? ServerMessage(line: line) else { return }
        habit.note(message)
        let answer: String
        switch message {
        case .ok: answer = "ok"
        case .error(let refusal): answer = refusal.code
        case .bye(let code, _, _): answer = "bye \(code)"
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
