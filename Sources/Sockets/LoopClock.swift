import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's clock: milliseconds since 1970, read once from the wall clock, then advanced by the monotonic clock, so it never
/// jumps.
public struct LoopClock: Sendable {
    private enum Source {
        case system
        case simulated(any SimulatedSystem)
    }

    private let anchor: Int64
    private let source: Source

    /// - Parameter earliest: milliseconds since 1970: the clock starts here if the wall clock is behind.
    public init(notBefore earliest: Int64 = 0) {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        anchor = max(Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000, earliest) - Self.monotonic
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

    /// Converts a time on this clock to a Dispatch time.
    func dispatchTime(of time: Int64) -> DispatchTime {
        let (sinceStart, overflow) = time.subtractingReportingOverflow(anchor)
        guard !overflow, sinceStart < Int64.max / 1_000_000 else { return time < anchor ? .now() : .distantFuture }
        return DispatchTime(uptimeNanoseconds: UInt64(max(0, sinceStart)) * 1_000_000)
    }

    private static var monotonic: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
}
