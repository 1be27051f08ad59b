import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The one clock of a process, read at the edge and passed inwards: milliseconds since 1970, set once from the wall clock and
/// carried on by the monotonic one, so that it never jumps while the process lives.
public struct LoopClock: Sendable {
    private let anchor: Int64

    public init() {
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        anchor = Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000 - Self.monotonic
    }

    /// Milliseconds since 1970.
    public var now: Int64 { anchor + Self.monotonic }

    /// The Dispatch time of a moment on this clock.
    func dispatchTime(of moment: Int64) -> DispatchTime {
        let (sinceStart, overflow) = moment.subtractingReportingOverflow(anchor)
        guard !overflow, sinceStart < Int64.max / 1_000_000 else { return moment < anchor ? .now() : .distantFuture }
        return DispatchTime(uptimeNanoseconds: UInt64(max(0, sinceStart)) * 1_000_000)
    }

    private static var monotonic: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
}
