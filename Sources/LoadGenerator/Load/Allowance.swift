/// Token bucket of a connection, by the request limits in `hello`.
struct Allowance: Sendable {
    private var perSecond = Double.infinity
    private var burst = Double.infinity
    private var left = Double.infinity
    private var counted: Int64 = 0

    init() {}

    init(perSecond: Int, burst: Int, at now: Int64) {
        self.perSecond = Double(perSecond)
        // One less: the server may have counted a request more.
        self.burst = max(1, Double(burst) - 1)
        left = self.burst
        counted = now
    }

    /// Takes one request, in microseconds of time.
    /// - Returns: nil when it may be sent, otherwise the moment from which on it may.
    mutating func take(at now: Int64) -> Int64? {
        guard perSecond.isFinite else { return nil }
        left = min(burst, left + Double(now - counted) / 1_000_000 * perSecond)
        counted = now
        guard left < 1 else {
            left -= 1
            return nil
        }
        return now + Int64(((1 - left) / perSecond * 1_000_000).rounded(.up)) + 1
    }
}
