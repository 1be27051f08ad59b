import Dispatch
import Measuring

/// All hostile bots of a run, on a queue of their own: honest bots are not to be slowed down by them, and nothing of theirs is counted as
/// honest bots' figures. Each is asked a hundred times a second whether it has something to do.
final class HostileSquad: @unchecked Sendable {  // touched on `queue` alone after `init`
    private let queue = DispatchQueue(label: "bj.load.hostile", qos: .background)
    private let host: String
    private let port: Int
    private let seed: UInt64
    private let namePrefix: String
    private let weights: [(kind: HostileKind, weight: Double)]
    private let sources: [String]
    private var ground: HostilePeer.Ground?
    private var bots: [HostileBot] = []
    private var arrivals: [Int64] = []
    private var timer: (any DispatchSourceTimer)?
    private var gone: [HostileKind: HostileTally] = [:]
    private var made = 0

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
    ///   - playground: those that are left to hostile bots.
    func bring(to count: Int, at moment: Int64, over: Int64, tables: [String], playground: [String], honestBots: Int) {
        queue.async { [self] in
            if ground == nil, count > 0, let address = RawSocket.Address(host: host, port: port) {
                ground = HostilePeer.Ground(
                    address: address, tables: tables, playground: playground.isEmpty ? tables : playground,
                    honestPrefix: namePrefix,
                    honestBots: max(1, honestBots), sources: sources.compactMap { RawSocket.Address(host: $0, port: 0) })
            }
            let present = bots.count + arrivals.count
            if count > present {
                let change = count - present
                arrivals += (0..<change).map { moment + over * Int64($0) / Int64(change) }
                start()
            } else {
                arrivals.removeLast(min(arrivals.count, present - count))
                while bots.count > count, let bot = bots.popLast() { retire(bot) }
            }
        }
    }

    func stop() {
        queue.sync {
            timer?.cancel()
            timer = nil
            arrivals = []
            for bot in bots { retire(bot) }
            bots = []
        }
    }

    /// Counts by kind.
    func tallies() -> [HostileKind: HostileTally] {
        queue.sync {
            bots.reduce(into: gone) { tallies, bot in tallies[bot.kind, default: HostileTally()].merge(bot.tally) }
        }
    }

    private func retire(_ bot: HostileBot) {
        bot.end()
        gone[bot.kind, default: HostileTally()].merge(bot.tally)
    }

    private func start() {
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.step() }
        timer.schedule(deadline: .now(), repeating: .milliseconds(10), leeway: .milliseconds(2))
        timer.resume()
        self.timer = timer
    }

    private func step() {
        guard let ground else { return }
        let now = Microclock.now
        while let moment = arrivals.first, moment <= now {
            arrivals.removeFirst()
            made += 1
            bots.append(HostileBot(kind: nextKind(), number: made, ground: ground, namePrefix: namePrefix, seed: seed))
        }
        for bot in bots { bot.step(at: now) }
    }

    /// Every kind in its turn, the heavier ones more often: the one that is furthest behind its share.
    private func nextKind() -> HostileKind {
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
