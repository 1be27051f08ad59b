/// A bucket that fills with time and is emptied by use: full at first, never over its burst.
///
/// It holds 16 bytes and no limit of its own, so that thousands of connections share one ``RateLimit``, and a new limit holds for all of
/// them at once. The arithmetic is whole: after any time, in any number of steps, exactly what was due has flowed in.
public struct TokenBucket: Sendable, Equatable {
    /// What a request for tokens came to.
    public enum Verdict: Sendable, Equatable {
        case granted
        /// Nothing was taken; so many milliseconds later it would be granted, if nothing else is taken until then. At least 1.
        case refused(retryAfter: Int64)
    }

    /// Parts of tokens that were taken and have not flowed back: an empty debt is a full bucket, so one that was never used needs no clock.
    private var debt: Int64 = 0
    /// When the debt was last reckoned, in milliseconds.
    private var reckoned: Int64 = 0

    /// A full bucket.
    public init() {}

    /// Takes tokens, all or none.
    /// - Parameters:
    ///   - count: how many, 1 or more. More than the burst are refused for ever, with the time that a full bucket takes.
    ///   - now: milliseconds on a clock that does not go back; if it does, no time has passed.
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

    /// Gives back tokens that were taken and not used.
    public mutating func give(_ count: Int, of limit: RateLimit) {
        let (parts, overflow) = Int64(clamping: count).multipliedReportingOverflow(by: limit.milliseconds)
        debt = overflow ? 0 : max(0, debt - max(0, parts))
    }

    /// Whole tokens that could be taken now.
    public mutating func available(_ limit: RateLimit, at now: Int64) -> Int {
        refill(limit, at: now)
        return Int((limit.capacity - debt) / limit.milliseconds)
    }

    private mutating func refill(_ limit: RateLimit, at now: Int64) {
        let (elapsed, overflow) = now.subtractingReportingOverflow(reckoned)
        // A limit that has become smaller leaves an empty bucket, not one that is below empty.
        debt = min(debt, limit.capacity)
        guard elapsed > 0 || overflow else { return }
        reckoned = now
        // Once enough time has passed to fill it, how much more does not matter, nor would it fit.
        let untilFull = debt / limit.count + 1
        debt = overflow || elapsed >= untilFull ? 0 : debt - elapsed * limit.count
    }
}
