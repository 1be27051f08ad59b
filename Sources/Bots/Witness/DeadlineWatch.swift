import TableModel
import Wire

/// Watches that a server gives a player all the time it has promised.
///
/// The two clocks differ by an amount that is not known, but it is bounded: whatever the server answers to a question was said after the
/// question was asked. So the server's clock is at most so much ahead of ours, and only what is too early by that bound is an accusation.
struct DeadlineWatch {
    /// The most that the server's clock can be ahead of ours, in milliseconds.
    private var mostAhead: Int64?
    private var askedAt: Int64?
    /// Whether this player has answered what it was asked last.
    private var hasAnswered = false
    private var hasBet = false
    private var isGoing = false

    /// Both clocks count whole milliseconds, each with a rounding of its own.
    private static let rounding: Int64 = 2

    /// A question that the server answers with its time goes out.
    mutating func asked(at now: Int64) { askedAt = now }

    /// The server has told its time.
    mutating func told(_ time: Int64) {
        guard let asked = askedAt else { return }
        askedAt = nil
        mostAhead = min(mostAhead ?? .max, time - asked)
    }

    /// Whether the server's clock has certainly not come to a deadline; true where there is none.
    func isBefore(_ deadline: Int64?, at now: Int64) -> Bool {
        guard let deadline else { return true }
        return mostAhead.map { now + $0 + Self.rounding < deadline } ?? false
    }

    mutating func note(_ message: ClientMessage) {
        switch message {
        case .act: hasAnswered = true
        case .bet: hasBet = true
        case .leave, .logout, .sitOut: isGoing = true
        case .sit, .sitIn: isGoing = false
        default: break
        }
    }

    /// - Returns: what was too early, in words; nil when nothing was.
    mutating func judge(_ old: Glance?, _ new: Glance, seat: Int?, at now: Int64) -> String? {
        defer { if let old, old.round != new.round { hasBet = false } }
        guard let old, let seat, let mostAhead, !isGoing, let deadline = old.deadline else {
            hasAnswered = false
            return nil
        }
        let bit = UInt8(1) << UInt8(seat)
        if old.asked & bit != 0 {
            guard new.answered & bit != 0 else { return nil }
            defer { hasAnswered = false }
            let early = deadline - (now + mostAhead + Self.rounding)
            return !hasAnswered && new.here & bit != 0 && early > 0 ? "the time to answer ended at least \(early) ms early" : nil
        }
        hasAnswered = false
        guard old.mayBet & bit != 0, new.round == old.round + 1, !hasBet, new.playing & bit == 0 else { return nil }
        let early = deadline - (now + mostAhead + Self.rounding)
        return early > 0 ? "the betting ended at least \(early) ms early" : nil
    }
}
