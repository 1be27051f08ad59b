import Dispatch
import Synchronization

/// All hostile bots of a run, on a queue of their own, so that they slow no honest bot down. Each is asked a hundred times a
/// second whether it has something to do.
final class HostileSquad: Sendable {
    fileprivate struct State {
        var ground: HostilePeer.Ground?
        var bots: [HostileBot] = []
        /// Microseconds, in order.
        var arrivals: [Int64] = []
        var timer: (any DispatchSourceTimer)?
        /// Counts of bots that have left.
        var gone: [HostileKind: HostileTally] = [:]
        var made = 0
    }

    private let queue = DispatchQueue(label: "bj.load.hostile", qos: .background)
    private let host: String
    private let port: Int
    private let seed: UInt64
    private let namePrefix: String
    private let weights: [(kind: HostileKind, weight: Double)]
    private let sources: [String]
    /// Uncontended: all work runs on the queue.
    private let state = Mutex(State())

    /// - Parameter sources: addresses of this machine to connect from; empty for the system's own choice.
    init(
        host: String, port: Int, seed: UInt64, namePrefix: String, weights: [(kind: HostileKind, weight: Double)],
        sources: [String]
    ) {
        self.host = host
        self.port = port
        self.seed = seed
        self.namePrefix = namePrefix
        self.weights = weights
        self.sources = sources
    }

    /// Ramps the number of bots, evenly over a time; moments are microseconds.
    /// - Parameters:
    ///   - tables: tables of honest bots.
    ///   - playground: tables for hostile bots alone.
    func bring(to count: Int, at moment: Int64, over: Int64, tables: [String], playground: [String], honestBots: Int) {
        queue.async { [self] in
            state.withLock { state in
                if state.ground == nil, count > 0, let address = RawSocket.Address(host: host, port: port) {
                    state.ground = HostilePeer.Ground(
                        address: address, tables: tables, playground: playground.isEmpty ? tables : playground,
                        honestPrefix: namePrefix,
                        honestBots: max(1, honestBots), sources: sources.compactMap { RawSocket.Address(host: $0, port: 0) })
                }
                let present = state.bots.count + state.arrivals.count
                if count > present {
                    let change = count - present
                    state.arrivals += (0..<change).map { moment + over * Int64($0) / Int64(change) }
                    if state.timer == nil { state.timer = makeTimer() }
                } else {
                    state.arrivals.removeLast(min(state.arrivals.count, present - count))
                    while state.bots.count > count, let bot = state.bots.popLast() { state.retire(bot) }
                }
            }
        }
    }

    func stop() {
        queue.sync {
            state.withLock { state in
                state.timer?.cancel()
                state.timer = nil
                state.arrivals = []
                for bot in state.bots { state.retire(bot) }
                state.bots = []
            }
        }
    }

    /// Counts by kind.
    func tallies() -> [HostileKind: HostileTally] {
        queue.sync {
            state.withLock { state in
                state.bots.reduce(into: state.gone) { tallies, bot in
                    tallies[bot.kind, default: HostileTally()].merge(bot.tally)
                }
            }
        }
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.step() }
        timer.schedule(deadline: .now(), repeating: .milliseconds(10), leeway: .milliseconds(2))
        timer.resume()
        return timer
    }

    private func step() {
        state.withLock { state in
            guard let ground = state.ground else { return }
            let now = Microclock.now
            while let moment = state.arrivals.first, moment <= now {
                state.arrivals.removeFirst()
                state.made += 1
                state.bots.append(
                    HostileBot(
                        kind: state.nextKind(weights), number: state.made, ground: ground, namePrefix: namePrefix, seed: seed))
            }
            for bot in state.bots { bot.step(at: now) }
        }
    }
}

extension HostileSquad.State {
    fileprivate mutating func retire(_ bot: HostileBot) {
        bot.end()
        gone[bot.kind, default: HostileTally()].merge(bot.tally)
    }

    /// Every kind in its turn, the heavier ones more often: the one that is furthest behind its share.
    fileprivate func nextKind(_ weights: [(kind: HostileKind, weight: Double)]) -> HostileKind {
        let total = weights.reduce(0) { $0 + $1.weight }
        let best = weights.max { a, b in
            func lack(_ kind: HostileKind, _ weight: Double) -> Double {
                weight / max(total, 1e-9) * Double(made) - Double(bots.count { $0.kind == kind })
            }
            return lack(a.kind, a.weight) < lack(b.kind, b.weight)
        }
        return best?.kind ?? .malformed
    }
}

/// The behaviour of a hostile bot, called at intervals for its next harm. Its peer is connected then, unless the behaviour
/// connects by itself.
protocol HostileBehaviour {
    /// How long to wait before it is asked again, in microseconds.
    var pause: Int64 { get }
    /// How it connects; nil when it does so itself.
    var receiveBuffer: Int32? { get }
    /// A new connection has been made.
    mutating func begin(_ peer: HostilePeer)
    mutating func step(_ peer: HostilePeer)
}

extension HostileBehaviour {
    var pause: Int64 { 100_000 }
    var receiveBuffer: Int32? { 0 }
    mutating func begin(_ peer: HostilePeer) {}
}

/// A hostile bot: a peer and its behaviour.
final class HostileBot {
    let kind: HostileKind
    private let peer: HostilePeer
    private var behaviour: any HostileBehaviour
    private var due: Int64 = 0

    init(kind: HostileKind, number: Int, ground: HostilePeer.Ground, namePrefix: String, seed: UInt64) {
        self.kind = kind
        let random = SeededRandom(seed: seed, stream: 1 << 48 | UInt64(number))
        peer = HostilePeer(ground: ground, name: "\(namePrefix)x\(number)", number: number, random: random)
        behaviour = kind.behaviour
    }

    var tally: HostileTally { peer.tally }

    func step(at now: Int64) {
        peer.exchange()
        guard now >= due else { return }
        due = now + behaviour.pause
        if !peer.isConnected, let size = behaviour.receiveBuffer {
            peer.connect(receiveBuffer: size)
            // A bot cut off at once reconnects after a delay.
            due = now + max(behaviour.pause, 200_000)
            if peer.isConnected { behaviour.begin(peer) }
            return
        }
        behaviour.step(peer)
        peer.flush()
    }

    func end() { peer.cut(abruptly: false) }
}

extension HostileKind {
    fileprivate var behaviour: any HostileBehaviour {
        switch self {
        case .slowReader: SlowReader()
        case .dripSender: DripSender()
        case .halfOpen: HalfOpen()
        case .malformed: MalformedSender()
        case .oversized: OversizedSender()
        case .stale: StaleRequester()
        case .requestFlood: RequestFlood()
        case .chatFlood: ChatFlood()
        case .reconnectStorm: ReconnectStorm()
        case .cutConnection: CutConnection()
        case .idleSeat: IdleSeat()
        case .joinLeave: JoinLeave()
        case .loginGuessing: LoginGuesser()
        case .reconnectFlood: ReconnectFlood()
        case .nameSquatter: NameSquatter()
        case .seatBlocker: SeatBlocker()
        case .slowDecider: SlowDecider()
        case .descriptorHog: DescriptorHog()
        case .blankLines: BlankLines()
        case .extremeNumbers: ExtremeNumbers()
        case .withholder: Withholder()
        case .doubleCommitter: DoubleCommitter()
        case .earlyRevealer: EarlyRevealer()
        case .commitFlood: CommitFlood()
        }
    }
}

/// A way to do harm to a server, one bot each.
public enum HostileKind: String, CaseIterable, Sendable, Hashable {
    /// Reads a byte now and then, while replies pile up.
    case slowReader = "slow-reader"
    /// Sends a request byte by byte.
    case dripSender = "drip-sender"
    /// Connects and says nothing, ever.
    case halfOpen = "half-open"
    /// Sends lines that are no requests, from a corpus.
    case malformed
    /// Sends lines that are longer than allowed.
    case oversized
    /// Repeats requests with the same id, and answers questions of yesterday.
    case stale
    /// Sends requests as fast as they are taken.
    case requestFlood = "request-flood"
    /// Talks without end.
    case chatFlood = "chat-flood"
    /// Connects and goes, over and over.
    case reconnectStorm = "reconnect-storm"
    /// Cuts its connection in the midst of a line.
    case cutConnection = "cut-connection"
    /// Takes a seat, and lets every clock run out.
    case idleSeat = "idle-seat"
    /// Sits down and gets up again.
    case joinLeave = "join-leave"
    /// Tries names of others, with secrets that it makes up.
    case loginGuessing = "login-guessing"
    /// Spends a connection's allowance of requests and chat, and connects again for a fresh one.
    case reconnectFlood = "reconnect-flood"
    /// Plays a hand under one new name after the other, so that the list of players fills.
    case nameSquatter = "name-squatter"
    /// Takes a seat where anybody may sit, sits out, and pings to keep it.
    case seatBlocker = "seat-blocker"
    /// Plays, and decides seconds before its clock ends.
    case slowDecider = "slow-decider"
    /// Holds as many connections as it gets.
    case descriptorHog = "descriptor-hog"
    /// Sends line ends and nothing between them.
    case blankLines = "blank-lines"
    /// Sends requests whose numbers are the largest and smallest that there are.
    case extremeNumbers = "extreme-numbers"
    /// Commits to a contribution to each shoe, and never reveals it.
    case withholder
    /// Commits twice to each shoe, to different contributions, and reveals another one.
    case doubleCommitter = "double-committer"
    /// Reveals before the list is closed, under lists that there are not, and what others committed to.
    case earlyRevealer = "early-revealer"
    /// Commits to shoes that there are not, as fast as it is taken.
    case commitFlood = "commit-flood"
}

/// Counts of one kind of hostile bots and the server's reactions. Never part of the honest bots' figures.
public struct HostileTally: Sendable, Equatable {
    public var bots = 0
    /// Connections that were made.
    var connections = 0
    /// Connections that could not be made.
    var refusedConnections = 0
    /// Lines (or pieces of them) that were sent.
    public var sent = 0
    var bytesSent = 0
    var bytesRead = 0
    /// Answers of the server, by `ok`, the code of the error, or `bye` and its code.
    public var answers: [String: Int] = [:]
    /// Connections that the server ended.
    var cutOff = 0

    public init() {}

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
