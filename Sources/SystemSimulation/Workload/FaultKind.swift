import Measuring

/// A kind of fault, by the name that `--faults` takes.
public enum FaultKind: String, CaseIterable, Sendable {
    /// Delays vary, bytes arrive cut anywhere, calls are interrupted.
    case delay
    /// The network resets connections.
    case reset
    /// A client is gone without a word; the server's end stays open.
    case vanish
    /// Connections carry nothing for a while, then everything, in random order.
    case clog
    /// Many clients at once are cut off for a while.
    case partition
    /// Clients stop reading.
    case reader
    /// Hostile peers: garbage, endless lines, floods, connections that do nothing.
    case flood
    /// The process is killed; the system keeps what was written.
    case kill
    /// A power cut: what was not synced is lost, torn or damaged.
    case power
    /// The disk is slow.
    case disk
    /// The disk is full for a while.
    case full
    /// The disk fails once: the server stops, and is started again.
    case broken
    /// Threads get no time for a while.
    case stall
    /// The wall clock jumps.
    case clock
    /// The host drains the server and starts it again.
    case drain
    /// The host restarts the server, which keeps seats and hands.
    case restart
    /// The host applies other limits.
    case reload
    /// The host removes a player, bans hostile addresses, speaks.
    case host

    /// As `--faults` takes them.
    public static var names: [String] { allCases.map(\.rawValue) }
}

/// One fault of a run's schedule. Its details are drawn from a stream of its own: leaving another one out does not change it.
struct PlannedFault: Sendable {
    let number: Int
    let kind: FaultKind
    /// Microseconds since the fault before.
    let pause: Int64
    var random: SeededRandom

    init(number: Int, seed: UInt64, kinds: [FaultKind]) {
        var random = SeededRandom(seed: seed, stream: 1000 + UInt64(number))
        self.number = number
        // A restart takes a while: rarer than the others.
        var kind = kinds[random.below(kinds.count)]
        if kind.isRare, random.below(3) > 0 { kind = kinds[random.below(kinds.count)] }
        self.kind = kind
        pause = Int64(20_000 + random.below(random.below(4) == 0 ? 3_000_000 : 600_000))
        self.random = random
    }
}

extension FaultKind {
    /// Whether it restarts the server.
    fileprivate var isRare: Bool { [.kill, .power, .broken, .drain, .restart].contains(self) }

    /// Whether it is drawn from the schedule; the others hold all the time.
    var isScheduled: Bool { self != .delay }
}
