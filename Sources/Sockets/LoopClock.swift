import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's clock: milliseconds since 1970, read once from the wall clock, then advanced by the monotonic clock. It never jumps, so
/// it is the clock of deadlines. A correction of the wall clock or a suspension of the machine leaves it ahead or behind; ``wall``
/// follows the wall clock.
public struct LoopClock: Sendable {
    private enum Source {
        case system
        case simulated(any SimulatedSystem)
    }

    private let anchor: Int64
    private let source: Source
    /// Shared by the copies of this value.
    private let followed = Followed()

    private final class Followed: Sendable {
        let correction = Atomic<Int64>(0)
    }

    /// The smallest difference between wall clock and ``wall`` that is corrected, in milliseconds.
    private static let leastCorrection: Int64 = 1000

    /// - Parameter earliest: milliseconds since 1970: the clock starts here if the wall clock is behind.
    public init(notBefore earliest: Int64 = 0) {
        anchor = max(Self.realTime, earliest) - Self.monotonic
        source = .system
    }

    /// A clock of a simulated system; of this process without one.
    package init(on system: (any SimulatedSystem)?, notBefore earliest: Int64 = 0) {
        guard let system else {
            self.init(notBefore: earliest)
            return
        }
        self.init(anchor: max(system.wallClock, earliest) - system.monotonic, source: .simulated(system))
    }

    private init(anchor: Int64, source: Source) { (self.anchor, self.source) = (anchor, source) }

    /// Milliseconds since 1970.
    public var now: Int64 {
        switch source {
        case .system: anchor + Self.monotonic
        case .simulated(let system): anchor + system.monotonic
        }
    }

    /// Milliseconds since 1970 for people to read: within a second of the wall clock, provided that ``follow()`` is called regularly.
    public var wall: Int64 { now + correction }

    /// Milliseconds from ``now`` to ``wall``.
    public var correction: Int64 { followed.correction.load(ordering: .relaxed) }

    /// Reads the wall clock.
    /// - Returns: milliseconds by which it has jumped since the last call; nil for less than a second.
    public func follow() -> Int64? {
        let wallClock = if case .simulated(let system) = source { system.wallClock } else { Self.realTime }
        let difference = wallClock - now
        let change = difference - correction
        guard abs(change) >= Self.leastCorrection else { return nil }
        followed.correction.store(difference, ordering: .relaxed)
        return change
    }

    /// Converts a time on this clock to a Dispatch time.
    func dispatchTime(of time: Int64) -> DispatchTime {
        let (sinceStart, overflow) = time.subtractingReportingOverflow(anchor)
        guard !overflow, sinceStart < Int64.max / 1_000_000 else { return time < anchor ? .now() : .distantFuture }
        return DispatchTime(uptimeNanoseconds: UInt64(max(0, sinceStart)) * 1_000_000)
    }

    private static var realTime: Int64 {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        return Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000
    }

    private static var monotonic: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
}
