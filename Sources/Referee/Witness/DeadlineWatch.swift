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

    /// Judges what becomes of players who are away, from one revision to the very next: they can ask for nothing, so their bets stay, and
    /// their turns have all their time.
    /// - Returns: what was wrong, in words; nil when nothing was.
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
