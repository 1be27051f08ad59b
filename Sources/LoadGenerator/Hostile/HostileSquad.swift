import Dispatch
import Measuring
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
