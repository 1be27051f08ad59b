/// A rate: `count` per `milliseconds` on average, with bursts of `burst`.
public struct RateLimit: Sendable, Hashable {
    /// 1…1,000,000.
    public let count: Int64
    /// The interval, 1…86,400,000.
    public let milliseconds: Int64
    /// 1…1,000,000.
    public let burst: Int64

    /// Clamps values to their ranges: a limit is finite and never zero.
    public init(_ count: Int, perMilliseconds milliseconds: Int, burst: Int) {
        self.count = Int64(min(max(count, 1), 1_000_000))
        self.milliseconds = Int64(min(max(milliseconds, 1), 86_400_000))
        self.burst = Int64(min(max(burst, 1), 1_000_000))
    }

    /// A rate per second.
    public static func perSecond(_ count: Int, burst: Int) -> Self { Self(count, perMilliseconds: 1_000, burst: burst) }

    /// A rate per minute.
    public static func perMinute(_ count: Int, burst: Int) -> Self { Self(count, perMilliseconds: 60_000, burst: burst) }

    /// A limit beyond real load, for tests and measurements.
    public static let unreached = Self(1_000_000, perMilliseconds: 1, burst: 1_000_000)

    /// This limit for a block of addresses that has several times as much.
    func times(_ share: Int) -> Self {
        share == 1 ? self : Self(Int(count) * share, perMilliseconds: Int(milliseconds), burst: Int(burst) * share)
    }

    /// This limit for a scope: at most a quarter of the total, unless the narrowest scope has more.
    func times(_ scope: AddressScope, total: Self) -> Self {
        guard scope.share > 1 else { return self }
        let rate = scope.part(of: Int(count), total: Int(total.count * milliseconds / total.milliseconds))
        return Self(rate, perMilliseconds: Int(milliseconds), burst: scope.part(of: Int(burst), total: Int(total.burst)))
    }

    // Fixed point: a token has `milliseconds` parts, and `count` parts arrive per millisecond, so nothing is rounded.
    var capacity: Int64 { burst * milliseconds }
}
