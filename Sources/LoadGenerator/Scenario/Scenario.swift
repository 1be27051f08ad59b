import Bots

/// A load run as a value: players, times, behaviour and thresholds. The same scenario and seed give the same plan; results
/// depend on the server.
public struct Scenario: Sendable, Equatable {
    /// A stretch of the run.
    public enum Phase: Sendable, Equatable {
        /// The number of bots is brought to this, evenly over a time in milliseconds.
        case ramp(bots: Int, over: Int64)
        /// Bots play at their own pace, for a time in milliseconds.
        case hold(Int64)
        /// Open model: actions per second, due at the moments of a Poisson process whether or not the server keeps up, for a
        /// time in milliseconds. Bots do not think.
        case actions(perSecond: Double, Int64)
        /// Open model: sessions per second, each a bot that comes, plays its stay and goes; for a time in milliseconds.
        case sessions(perSecond: Double, Int64)

        /// Milliseconds.
        public var duration: Int64 {
            switch self {
            case .ramp(_, let time), .hold(let time), .actions(_, let time), .sessions(_, let time): time
            }
        }
    }

    /// Which table a bot takes.
    public enum TableChoice: Sendable, Equatable {
        /// Tables are filled one after the other, so that every table that is played at is full.
        case fill
        /// Every table gets as many bots as any other.
        case even
        /// The one that the server picks.
        case any
        /// One of these.
        case named([String])
    }

    /// How a bot plays.
    public enum Strategy: Sendable, Equatable {
        /// Basic strategy for the rules of its table.
        case basic
        /// A chart in the file of that name.
        case chart(String)
    }

    /// A kind of bot, and how many of all bots are of it.
    public struct Mix: Sendable, Equatable {
        public var name = "basic"
        /// Its share is its weight by the sum of all weights.
        var weight = 1.0
        public var strategy = Strategy.basic
        public var spread = BetSpread.flat(0)
        /// How long it takes to decide, in phases where bots play at their own pace.
        public var think = Distribution.constant(0)
        public var table = TableChoice.fill
        /// Rounds after which it leaves its seat; nil for never.
        var stayRounds: Int?
        /// How long it stays away before it takes a seat again.
        var away = Distribution.constant(1000)

        public init() {}
    }

    public var seed: UInt64 = 1
    public var phases: [Phase] = []
    public var mixes: [Mix] = [Mix()]
    /// The part of all bots that is hostile, 0…1, and the weights of their kinds; none named means all alike.
    public var hostileShare = 0.0
    var hostileKinds: [HostileKind: Double] = [:]
    public var thresholds: [Threshold] = []

    public init() {}

    /// The most bots that any phase asks for, the hostile ones included.
    public var mostBots: Int {
        phases.reduce(0) { most, phase in if case .ramp(let bots, _) = phase { max(most, bots) } else { most } }
    }

    /// How long the phases take together, in milliseconds.
    public var duration: Int64 { phases.reduce(0) { $0 + $1.duration } }

    /// Hostile bots among a number of bots.
    public func hostile(of bots: Int) -> Int { Int((Double(bots) * hostileShare).rounded()) }

    /// Whether bots that play are to come at all.
    var hasHonestBots: Bool {
        mostBots > hostile(of: mostBots) || phases.contains { if case .sessions = $0 { true } else { false } }
    }

    /// Weights of every kind that takes part.
    var hostileWeights: [(kind: HostileKind, weight: Double)] {
        hostileKinds.isEmpty
            ? HostileKind.allCases.map { ($0, 1) }
            : HostileKind.allCases.compactMap { kind in hostileKinds[kind].map { (kind, $0) } }
    }
}
