import Wire

/// Token bucket for the limits in `hello`, so that an ordinary session is not refused with `rate_limited`.
struct RequestBudget: Equatable, Sendable {
    private let perSecond: Double
    private let burst: Double
    private var left: Double
    private var counted: Int64

    init(_ limits: Hello.Limits, at now: Int64) {
        perSecond = Double(max(1, limits.requestsPerSecond))
        // One in reserve: the server's bucket may be one request behind ours.
        burst = max(1, Double(limits.burst) - 1)
        left = burst
        counted = now
    }

    /// Takes one request out.
    /// - Parameter now: milliseconds.
    /// - Returns: nil if it may be sent, otherwise the time at which it may.
    mutating func take(at now: Int64) -> Int64? {
        left = min(burst, left + Double(max(0, now - counted)) / 1_000 * perSecond)
        counted = max(counted, now)
        guard left < 1 else {
            left -= 1
            return nil
        }
        return counted + max(1, Int64(((1 - left) / perSecond * 1_000).rounded(.up)))
    }
}
