import Rules
import TableModel

/// Judges each revision of a table by itself and against the one before. Pure: its memory is the revisions it was given.
///
/// Lenient only where evidence lies before its first look at the table.
struct TableReferee: Sendable {
    /// A law that was broken, and how.
    struct Finding: Equatable, Sendable {
        var law: Violation.Law
        var detail: String

        init(_ law: Violation.Law, _ detail: String) {
            self.law = law
            self.detail = detail
        }
    }

    /// Memory of a round, from its beginning if that was seen.
    struct RoundMemory: Sendable {
        /// Whether the round was seen from its beginning.
        var isWhole = false
        /// The bet that each seat began with, by seat.
        var originals = [Int](repeating: 0, count: 8)
        /// Everything that each seat was ever offered.
        var offered = [ActionSet](repeating: [], count: 8)
        /// Hands whose result was seen: a bet that is taken back brings the last round's results to light once more.
        private var settled: UInt64 = 0
        /// Seats whose insurance is settled.
        private var insured: UInt64 = 0
        /// The hand that was asked last.
        var lastAsked: (seat: Int, hand: Int) = (0, 0)

        init(isWhole: Bool = false) { self.isWhole = isWhole }

        /// Whether a hand has a result that was not seen before.
        func isFresh(_ hand: TableFacts.Hand) -> Bool { hand.result != nil && settled & hand.bit == 0 }

        /// Whether the insurance of a seat has not been counted.
        func isInsuranceFresh(_ seat: Int) -> Bool { insured & (1 << UInt64(seat)) == 0 }

        /// Marks results below bets for the next round as seen: taking such a bet back shows them again.
        mutating func noteHiddenResults(_ facts: TableFacts) {
            for seat in 1..<8 where facts.hasOpenBet(seat) {
                for number in 1...4 { settled |= TableFacts.Hand(id: HandIdentifier(seat: seat, number: number)).bit }
                insured |= 1 << UInt64(seat)
            }
        }

        mutating func noteResults(_ facts: TableFacts, _ seats: UInt8) {
            for seat in 1..<8 where seats & (1 << UInt8(seat)) != 0 {
                for hand in facts.seats[seat].hands where hand.result != nil { settled |= hand.bit }
                if facts.seats[seat].insurance > 0, !facts.isInsuranceOpen { insured |= 1 << UInt64(seat) }
            }
        }
    }

    /// The facts of the former revision that the next is compared with.
    struct Before: Sendable {
        var round: Int
        var phase: RoundPhase
        var isInRound: Bool
        var cardsLeft: Int
        var purses: Purses

        init(_ facts: TableFacts, _ purses: Purses) {
            (round, phase, isInRound, cardsLeft) = (facts.round, facts.phase, facts.isInRound, facts.cardsLeft)
            self.purses = purses
        }
    }

    /// The table at the revision that was judged last; kept up to date in place, since copies cost more than looking.
    private(set) var facts = TableFacts.none
    private var hasLooked = false
    private var purses = Purses()
    var memory = RoundMemory()
    var shoe = ShoeMemory()
    /// The Hi-Lo count of the cards seen of this shoe.
    var runningCount: Int { shoe.runningCount }
    /// The table judged last; nil before the first look.
    var last: TableFacts? { hasLooked ? facts : nil }

    /// - Returns: the laws that the next revision breaks.
    mutating func judge(_ new: TableFacts) -> [Finding] {
        let before = hasLooked ? Before(facts, purses) : nil
        var changes = TableFacts.Changes.everything
        changes.occupants = new.occupants(otherThanIn: facts)
        facts = new
        return judge(before, changes)
    }

    /// Judges the next revision of the table judged last: only its changes, and what depends on them.
    mutating func judge(_ next: TableSnapshot, after old: TableSnapshot) -> (findings: [Finding], changes: TableFacts.Changes) {
        guard hasLooked else { return (judge(TableFacts(next)), .everything) }
        let before = Before(facts, purses)
        let changes = facts.follow(next, after: old)
        return (judge(before, changes), changes)
    }

    /// Judges a table that a restarted server shows against the one judged last. Revisions between the two may be unseen.
    mutating func judgeRestored(_ new: TableFacts) -> [Finding] {
        // A round that ended and was cleared away unseen has taken its results along.
        if hasLooked, new.round != facts.round, new.dealer.isEmpty { lookAway() }
        guard hasLooked else { return judge(new) }
        let before = Before(facts, purses)
        var changes = TableFacts.Changes.everything
        changes.occupants = new.occupants(otherThanIn: facts)
        facts = new
        return judge(before, changes, isGapless: false)
    }

    /// - Parameter isGapless: whether each revision was seen. Otherwise offers and original bets of the round are not known.
    private mutating func judge(_ old: Before?, _ changes: TableFacts.Changes, isGapless: Bool = true) -> [Finding] {
        var findings: [Finding] = []
        let new = facts
        // Findings of a seat depend on the seat, the dealer's cards and the table.
        let isWide = old == nil || changes.isWide || changes.dealer
        let seats = isWide ? TableFacts.Changes.everything.seats : changes.seats
        hasLooked = true
        if !isGapless { memory.isWhole = false }
        if let old {
            orderOfPhases(old, new, &findings)
            if new.round != old.round { beginRound(new, isWhole: isGapless && new.round == old.round + 1 && !old.isInRound) }
        } else {
            beginRound(new, isWhole: false)
        }
        remember(new, seats)
        shoe.judge(old, new, seats, &findings)
        totals(new, seats, &findings)
        choices(new, seats, &findings)
        turns(new, &findings)
        results(new, seats, &findings)
        hiddenCards(new, &findings)
        dealersPlay(old, new, &findings)
        purses.update(new, seats, hasNewcomers: changes.occupants != 0)
        if let old { chips(old, purses, new, changes, seats, &findings) }
        memory.noteResults(new, seats)
        if let old, Self.hasEnded(old, new) { memory.noteHiddenResults(new) }
        return findings
    }

    /// Forgets the table: the next revision is a first look.
    mutating func lookAway() { self = TableReferee() }

    private mutating func beginRound(_ new: TableFacts, isWhole: Bool) {
        memory = RoundMemory(isWhole: isWhole)
        guard isWhole else { return }
        for seat in 1..<8 { memory.originals[seat] = new.seats[seat].hands.first?.bet ?? 0 }
    }

    private mutating func remember(_ new: TableFacts, _ seats: UInt8) {
        for seat in 1..<8 where new.asked & seats & (1 << UInt8(seat)) != 0 {
            for option in new.seats[seat].choice?.options ?? [] { memory.offered[seat].insert(ActionSet(option.action)) }
        }
    }

    private func orderOfPhases(_ old: Before, _ new: TableFacts, _ findings: inout [Finding]) {
        // A deadline that a request meets on its way may bring a whole round, and the request itself the next one.
        if new.round < old.round || new.round > old.round + (old.phase == .waiting ? 1 : 2) {
            findings.append(Finding(.order, "round \(new.round) follows round \(old.round)"))
        } else if new.round == old.round, new.phase.rank < old.phase.rank {
            findings.append(Finding(.order, "\(new.phase) follows \(old.phase) in round \(new.round)"))
        } else if old.phase == .closed, new.phase != .closed {
            findings.append(Finding(.order, "\(new.phase) follows the end of the table"))
        }
    }

    /// Each hand's turn comes once: by seat, then by hand.
    private mutating func turns(_ new: TableFacts, _ findings: inout [Finding]) {
        let (count, first) = (new.asked.nonzeroBitCount, new.asked.trailingZeroBitCount)
        switch new.phase {
        case .playing:
            guard count == 1, let choice = new.seats[first].choice else {
                findings.append(Finding(.order, "\(count) seats are asked at once while hands are played"))
                return
            }
            let turn = (seat: first, hand: choice.hand)
            if turn < memory.lastAsked {
                findings.append(
                    Finding(
                        .order,
                        "hand \(turn.hand) of seat \(turn.seat) is asked after hand \(memory.lastAsked.hand) of seat \(memory.lastAsked.seat)"
                    ))
            }
            memory.lastAsked = turn
        case .insurance, .surrender:
            if count == 0 { findings.append(Finding(.order, "nobody is asked in the phase \(new.phase)")) }
        default:
            if count > 0 {
                findings.append(Finding(.order, "seat \(first) is asked something in the phase \(new.phase)"))
            }
        }
    }

    private func totals(_ new: TableFacts, _ seats: UInt8, _ findings: inout [Finding]) {
        for seat in 1..<8 where seats & (1 << UInt8(seat)) != 0 {
            for hand in new.seats[seat].hands where !hand.cards.isEmpty {
                let expected = Self.total(hand.counted, isSplit: new.seats[seat].hands.count > 1)
                guard hand.total != expected else { continue }
                findings.append(
                    Finding(
                        .payout,
                        "\(hand.name) holds \(hand.cards) and is called \(hand.total?.text ?? "nothing"), not \(expected.text)"))
            }
        }
        guard !new.dealer.isEmpty else { return }
        let expected = Self.total(new.dealerCounted, isSplit: false)
        if new.dealerTotal != expected {
            findings.append(
                Finding(
                    .payout,
                    "the dealer shows \(new.dealer.compactMap { $0 }), called \(new.dealerTotal?.text ?? "nothing"), not \(expected.text)"
                ))
        }
    }

    private static func total(_ hand: HandTotal, isSplit: Bool) -> Total {
        hand.isTwoCard21 && !isSplit ? .blackjack : hand.isSoft ? .soft(hand.points) : .hard(hand.points)
    }
}

extension TableFacts.Hand {
    var name: String { "hand \(id.number) of seat \(id.seat)" }

    /// A bit of its own for every hand that can be at a table.
    fileprivate var bit: UInt64 { 1 << UInt64((id.seat * 4 + id.number) & 63) }
}
