/// How often something may be done: `count` times in every `milliseconds` on average, and `burst` times at once.
public struct RateLimit: Sendable, Hashable {
    /// 1…1,000,000.
    public let count: Int64
    /// The span that `count` is for, 1…86,400,000.
    public let milliseconds: Int64
    /// 1…1,000,000.
    public let burst: Int64

    /// Values out of range are brought into it: a limit is never without end, and never forbids everything.
    public init(_ count: Int, perMilliseconds milliseconds: Int, burst: Int) {
        self.count = Int64(min(max(count, 1), 1_000_000))
        self.milliseconds = Int64(min(max(milliseconds, 1), 86_400_000))
        self.burst = Int64(min(max(burst, 1), 1_000_000))
    }

    /// So many a second.
    public static func perSecond(_ count: Int, burst: Int) -> Self { Self(count, perMilliseconds: 1_000, burst: burst) }

    /// So many a minute.
    public static func perMinute(_ count: Int, burst: Int) -> Self { Self(count, perMilliseconds: 60_000, burst: burst) }

    /// A limit that nothing real reaches, for tests and measurements.
    public static let unreached = Self(1_000_000, perMilliseconds: 1, burst: 1_000_000)

    // A token is divided into `milliseconds` parts, of which `count` come in each millisecond: no fraction is ever lost.
    var capacity: Int64 { burst * milliseconds }
}
