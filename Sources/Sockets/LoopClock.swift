import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's clock: milliseconds since 1970, read once from the wall clock, then advanced by the monotonic clock, so it never
/// jumps.
public struct LoopClock: Sendable {
    private let anchor: Int64

    /// - Parameter earliest: milliseconds since 1970: the clock starts here if the wall clock is behind.
    public init(notBefore earliest: Int64 = 0) {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        anchor = max(Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000, earliest) - Self.monotonic
    }

    /// Milliseconds since 1970.
    public var now: Int64 { anchor + Self.monotonic }

    /// Converts a time on this clock to a Dispatch time.
    func dispatchTime(of time: Int64) -> DispatchTime {
        let (sinceStart, overflow) = time.subtractingReportingOverflow(anchor)
        guard !overflow, sinceStart < Int64.max / 1_000_000 else { return time < anchor ? .now() : .distantFuture }
        return DispatchTime(uptimeNanoseconds: UInt64(max(0, sinceStart)) * 1_000_000)
    }

    private static var monotonic: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
}
