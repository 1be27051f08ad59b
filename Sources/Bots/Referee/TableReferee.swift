import Rules
import TableModel

/// Judges a table by what it shows: each revision by itself and against the one before. Pure; what it knows of a round it has seen.
///
/// It is lenient only where what it would need lies before its first look at the table.
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

    /// What was seen of a round from its beginning.
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

        mutating func noteResults(_ facts: TableFacts) {
            for seat in 1..<8 {
                for hand in facts.seats[seat].hands where hand.result != nil { settled |= hand.bit }
                if facts.seats[seat].insurance > 0, !facts.isInsuranceOpen { insured |= 1 << UInt64(seat) }
            }
        }
    }

    private(set) var last: TableFacts?
    var memory = RoundMemory()
    var shoe = ShoeMemory()
    /// The Hi-Lo count of the cards seen of this shoe.
    var runningCount: Int { shoe.runningCount }

    /// Looks at the next revision.
    /// - Returns: what is wrong with it.
    mutating func judge(_ new: TableFacts) -> [Finding] {
        var findings: [Finding] = []
        let old = last
        last = new
        if let old {
            orderOfPhases(old, new, &findings)
            if new.round != old.round { beginRound(new, isWhole: new.round == old.round + 1 && !old.isInRound) }
        } else {
            beginRound(new, isWhole: false)
        }
        remember(new)
        shoe.judge(old, new, &findings)
        totals(new, &findings)
        choices(new, &findings)
        turns(new, &findings)
        results(new, &findings)
        dealersPlay(old, new, &findings)
        if let old { chips(old, new, &findings) }
        memory.noteResults(new)
        return findings
    }

    /// Forgets the table: what comes next is seen for the first time.
    mutating func lookAway() { self = TableReferee() }

    private mutating func beginRound(_ new: TableFacts, isWhole: Bool) {
        memory = RoundMemory(isWhole: isWhole)
        guard isWhole else { return }
        for seat in 1..<8 { memory.originals[seat] = new.seats[seat].hands.first?.bet ?? 0 }
    }

    private mutating func remember(_ new: TableFacts) {
        for seat in 1..<8 {
            for option in new.seats[seat].choice?.options ?? [] { memory.offered[seat].insert(ActionSet(option.action)) }
        }
    }

    /// How far a round has come. The bets for the next round belong to the last one's number.
    private static func rank(_ phase: RoundPhase) -> Int {
        switch phase {
        case .surrender: 0
        case .insurance: 1
        case .playing: 2
        case .settled: 3
        case .waiting, .betting: 4
        case .closed: 5
        }
    }

    private func orderOfPhases(_ old: TableFacts, _ new: TableFacts, _ findings: inout [Finding]) {
        // A deadline that a request meets on its way may bring a whole round, and the request itself the next one.
        if new.round < old.round || new.round > old.round + (old.phase == .waiting ? 1 : 2) {
            findings.append(Finding(.order, "round \(new.round) follows round \(old.round)"))
        } else if new.round == old.round, Self.rank(new.phase) < Self.rank(old.phase) {
            findings.append(Finding(.order, "\(new.phase) follows \(old.phase) in round \(new.round)"))
        } else if old.phase == .closed, new.phase != .closed {
            findings.append(Finding(.order, "\(new.phase) follows the end of the table"))
        }
    }

    /// Each hand's turn comes once: by seat, then by hand.
    private mutating func turns(_ new: TableFacts, _ findings: inout [Finding]) {
        let asked = (1..<8).filter { new.seats[$0].choice != nil }
        switch new.phase {
        case .playing:
            guard asked.count == 1, let choice = new.seats[asked[0]].choice else {
                findings.append(Finding(.order, "\(asked.count) seats are asked at once while hands are played"))
                return
            }
            let turn = (seat: asked[0], hand: choice.hand)
            if turn < memory.lastAsked {
                findings.append(
                    Finding(
                        .order,
                        "hand \(turn.hand) of seat \(turn.seat) is asked after hand \(memory.lastAsked.hand) of seat \(memory.lastAsked.seat)"
                    ))
            }
            memory.lastAsked = turn
        case .insurance, .surrender:
            if asked.isEmpty { findings.append(Finding(.order, "nobody is asked in the phase \(new.phase)")) }
        default:
            if !asked.isEmpty {
                findings.append(Finding(.order, "seat \(asked[0]) is asked something in the phase \(new.phase)"))
            }
        }
    }

    private func totals(_ new: TableFacts, _ findings: inout [Finding]) {
        for seat in 1..<8 {
            for hand in new.seats[seat].hands where !hand.cards.isEmpty {
                let expected = Self.total(hand.value, isSplit: new.seats[seat].hands.count > 1)
                guard hand.total != expected else { continue }
                findings.append(
                    Finding(
                        .payout,
                        "\(hand.name) holds \(hand.cards) and is called \(hand.total?.text ?? "nothing"), not \(expected.text)"))
            }
        }
        guard !new.dealer.isEmpty else { return }
        let expected = Self.total(new.dealerValue, isSplit: false)
        if new.dealerTotal != expected {
            findings.append(
                Finding(
                    .payout,
                    "the dealer shows \(new.dealer.compactMap { $0 }), called \(new.dealerTotal?.text ?? "nothing"), not \(expected.text)"
                ))
        }
    }

    private static func total(_ value: HandValue, isSplit: Bool) -> Total {
        value.isTwoCard21 && !isSplit ? .blackjack : value.isSoft ? .soft(value.total) : .hard(value.total)
    }
}

extension TableFacts.Hand {
    var name: String { "hand \(id.number) of seat \(id.seat)" }

    /// A bit of its own for every hand that can be at a table.
    fileprivate var bit: UInt64 { 1 << UInt64((id.seat * 4 + id.number) & 63) }
}
