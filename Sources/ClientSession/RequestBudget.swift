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
        left = available(at: now)
        counted = max(counted, now)
        if let later = earliest(at: now) { return later }
        left -= 1
        return nil
    }

    /// Takes nothing out.
    /// - Parameter now: milliseconds.
    /// - Returns: nil if a request may be sent, otherwise the time at which it may.
    func earliest(at now: Int64) -> Int64? {
        let left = available(at: now)
        return left < 1 ? max(counted, now) + max(1, Int64(((1 - left) / perSecond * 1_000).rounded(.up))) : nil
    }

    private func available(at now: Int64) -> Double { min(burst, left + Double(max(0, now - counted)) / 1_000 * perSecond) }
}
