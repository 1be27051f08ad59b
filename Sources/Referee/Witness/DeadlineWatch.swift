import TableModel
import Wire

/// Checks that players get all the time they were promised. The server's clock is ahead by at most the time between a question and its
/// answer, so only an end that is early by this bound is a violation.
struct DeadlineWatch {
    /// The most that the server's clock can be ahead of ours, in milliseconds.
    private var mostAhead: Int64?
    private var askedAt: Int64?
    /// Whether this player has answered the current question.
    private var hasAnswered = false
    private var hasBet = false
    private var isGoing = false

    /// Both clocks count whole milliseconds, each with a rounding of its own.
    private static let rounding: Int64 = 2

    /// A question that the server answers with its time goes out.
    mutating func asked(at now: Int64) { askedAt = now }

    /// The server's time arrives, in its milliseconds since 1970.
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

    /// Judges absent players between two consecutive revisions: their bets stay, and their turns run the whole clock.
    /// - Returns: the fault in words, or nil.
    func judgeAbsent(_ old: Glance, _ new: Glance, at now: Int64) -> String? {
        let absent = old.away & new.away & ~new.occupants
        guard absent != 0 else { return nil }
        if new.round == old.round, !new.isInRound, absent & old.betting & ~new.betting != 0 {
            return "the bet of seat \((absent & old.betting & ~new.betting).trailingZeroBitCount) is gone, whose player is away"
        }
        let ended = absent & old.asked & new.answered
        guard ended != 0, let mostAhead, let deadline = old.deadline else { return nil }
        let early = deadline - (now + mostAhead + Self.rounding)
        return early > 0 ? "the time of seat \(ended.trailingZeroBitCount), whose player is away, ended \(early) ms early" : nil
    }

    /// - Returns: the early end in words, or nil.
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
