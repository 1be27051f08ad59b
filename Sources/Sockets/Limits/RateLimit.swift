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

    /// This limit for a scope, by ``AddressScope/part(of:total:)``.
    /// - Parameter total: the limit of all addresses together.
    func times(_ scope: AddressScope, total: Self = .unreached) -> Self {
        guard scope.share > 1 else { return self }
        let rate = scope.part(of: Int(count), total: Int(total.count * milliseconds / total.milliseconds))
        return Self(rate, perMilliseconds: Int(milliseconds), burst: scope.part(of: Int(burst), total: Int(total.burst)))
    }

    // Fixed point: a token has `milliseconds` parts, and `count` parts arrive per millisecond, so nothing is rounded.
    var capacity: Int64 { burst * milliseconds }
}

/// A token bucket: full at first, capped at its burst, exact in integers. 16 bytes without its limit: connections share one ``RateLimit``,
/// and a new limit applies to all at once.
public struct TokenBucket: Sendable, Equatable {
    /// The result of taking tokens.
    public enum Verdict: Sendable, Equatable {
        case granted
        /// Refused, nothing taken; sufficient tokens after `retryAfter` milliseconds (at least 1) if none are taken before.
        case refused(retryAfter: Int64)
    }

    /// Missing parts of tokens: zero is a full bucket, so an unused bucket needs no clock.
    private var debt: Int64 = 0
    /// Time of the last update, in milliseconds.
    private var reckoned: Int64 = 0

    /// A full bucket.
    public init() {}

    /// Takes all tokens or none.
    /// - Parameters:
    ///   - count: at least 1. Above the burst it is always refused, with the time to fill a bucket.
    ///   - now: milliseconds on a monotonic clock; a step back counts as no time.
    public mutating func take(_ count: Int = 1, of limit: RateLimit, at now: Int64) -> Verdict {
        refill(limit, at: now)
        let cost = Int64(clamping: count).multipliedReportingOverflow(by: limit.milliseconds)
        let asked = cost.overflow ? Int64.max : max(0, cost.partialValue)
        guard asked > limit.capacity - debt else {
            debt += asked
            return .granted
        }
        let missing = min(asked, limit.capacity) - (limit.capacity - debt)
        let wait = (max(missing, 0) + limit.count - 1) / limit.count
        return .refused(retryAfter: max(wait, 1))
    }

    /// Returns unused tokens.
    public mutating func give(_ count: Int, of limit: RateLimit) {
        let (parts, overflow) = Int64(clamping: count).multipliedReportingOverflow(by: limit.milliseconds)
        debt = overflow ? 0 : max(0, debt - max(0, parts))
    }

    /// Whole tokens available.
    public mutating func available(_ limit: RateLimit, at now: Int64) -> Int {
        refill(limit, at: now)
        return Int((limit.capacity - debt) / limit.milliseconds)
    }

    private mutating func refill(_ limit: RateLimit, at now: Int64) {
        let (elapsed, overflow) = now.subtractingReportingOverflow(reckoned)
        // A lowered limit leaves an empty bucket, never a negative one.
        debt = min(debt, limit.capacity)
        guard elapsed > 0 || overflow else { return }
        reckoned = now
        // Caps the elapsed time at a full bucket, which also avoids overflow.
        let untilFull = debt / limit.count + 1
        debt = overflow || elapsed >= untilFull ? 0 : debt - elapsed * limit.count
    }
}
