import Rules
import TableEngine

/// Recomputes the rounds of a table from its facts: each card from the shoe's key, each payout by the rules.
///
/// Independent of the table's own state, so that an error of the engine is found, too. Facts fit the table already.
struct RoundCheck {
    struct Hand {
        var cards: [Card] = []
        var stake: Int
        var isSplit = false
        var isSurrendered = false
        var tookEvenMoney = false
        var isSettled = false

        var value: HandValue { HandValue(cards) }

        /// How the hand ended, from its cards alone.
        func end(_ rules: HouseRules) -> HandEnd {
            if isSurrendered { return .surrendered }
            if tookEvenMoney { return .evenMoney }
            if !isSplit, value.isTwoCard21 { return .blackjack }
            if value.isBust { return .bust }
            return cards.count == rules.charlie ? .charlie : .stood
        }
    }

    struct Seat {
        var bet: Int
        var hands: [Hand]
        var insurance = 0
    }

    private let rules: HouseRules
    private let name: String
    private var shoe: ShoeCheck
    /// Bets for the next round, by seat.
    private var bets: [Int: Int] = [:]
    /// Seats of this round, or the last one.
    private var seats: [Int: Seat] = [:]
    private var dealer: [Card] = []
    private(set) var counts = AuditSummary()

    init(_ name: String, _ rules: HouseRules) {
        self.name = name
        self.rules = rules
        shoe = ShoeCheck(decks: rules.decks)
    }

    /// Continues a saved table.
    init(_ name: String, _ saved: Table.Saved) throws(AuditFinding.Reason) {
        guard let shoe = ShoeCheck(saved.shoe, decks: saved.rules.decks) else { throw .shoe(table: name, fact: 0) }
        self.name = name
        rules = saved.rules
        self.shoe = shoe
        let order = saved.shoe.order
        dealer = saved.dealer.map { order[$0] }
        for seat in saved.seats {
            if seat.bet > 0 { bets[seat.seat + 1] = seat.bet }
            guard !seat.hands.isEmpty else { continue }
            let hands = seat.hands.map { hand in
                Hand(
                    cards: hand.cards.map { order[$0] }, stake: hand.stake, isSplit: hand.origin != .dealt,
                    isSurrendered: hand.end == .surrendered, tookEvenMoney: hand.end == .evenMoney,
                    isSettled: hand.state == .settled)
            }
            let insurance = seat.insuranceIsSettled ? 0 : seat.insurance
            seats[seat.seat + 1] = Seat(bet: seat.original, hands: hands, insurance: insurance)
        }
    }

    /// - Parameter isVoided: bets are returned, not settled.
    mutating func check(_ fact: Fact, _ number: Int, isVoided: Bool) throws(AuditFinding.Reason) {
        switch fact {
        case .shuffled(_, let source):
            shoe.shuffle(source)
            counts.shoes += 1
        case .reshuffled(let cards):
            guard shoe.reshuffle(cards) else { throw .shoe(table: name, fact: number) }
        case .burned(let id): _ = try draw(id, nil, number)
        case .betPlaced(let seat, let amount): bets[seat] = amount > 0 ? amount : nil
        case .roundStarted: startRound()
        case .dealt(let id, let card, let seat, let hand):
            let next = try draw(id, card, number)
            seats[seat]?.hands[hand].cards.append(next)
        case .dealtToDealer(let id, let card): dealer.append(try draw(id, card, number))
        case .holeDealt(let id): dealer.append(try draw(id, nil, number))
        case .holeRevealed(_, let card):
            guard card == dealer[1] else { throw .card(table: name, fact: number, expected: dealer[1]) }
        case .roundEnded: try endRound(number)
        default: try checkDecision(fact, number, isVoided: isVoided)
        }
    }

    private mutating func checkDecision(_ fact: Fact, _ number: Int, isVoided: Bool) throws(AuditFinding.Reason) {
        switch fact {
        case .insured(let seat, let amount): seats[seat]?.insurance = amount
        case .evenMoneyTaken(let seat): seats[seat]?.hands[0].tookEvenMoney = true
        case .surrendered(let seat): seats[seat]?.hands[0].isSurrendered = true
        case .doubled(let seat, let hand, let added): seats[seat]?.hands[hand].stake += added
        case .split(let seat, let hand, _): split(seat, hand)
        case .insuranceSettled(let seat, let stake, let paid):
            let due = HandValue(dealer).isTwoCard21 ? HouseRules.insuranceReturn(of: stake) : 0
            let expected = isVoided ? stake : due
            guard paid == expected else {
                throw .payout(table: name, fact: number, expected: Settlement(due > 0 ? .win : .lose, paid: expected))
            }
            seats[seat]?.insurance = 0
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            try settle(seat, hand, Settlement(outcome, paid: paid), stake, number, isVoided: isVoided)
        default: return
        }
    }

    private mutating func draw(_ id: CardID, _ card: Card?, _ number: Int) throws(AuditFinding.Reason) -> Card {
        guard let next = shoe.draw(id) else { throw .card(table: name, fact: number, expected: nil) }
        guard card == nil || card == next else { throw .card(table: name, fact: number, expected: next) }
        counts.cards += 1
        return next
    }

    private mutating func startRound() {
        shoe.startRound()
        dealer = []
        seats = bets.mapValues { Seat(bet: $0, hands: [Hand(stake: $0)]) }
        bets = [:]
    }

    private mutating func split(_ seat: Int, _ hand: Int) {
        guard var split = seats[seat], split.hands[hand].cards.count == 2 else { return }
        let moved = split.hands[hand].cards.removeLast()
        split.hands[hand].isSplit = true
        split.hands.append(Hand(cards: [moved], stake: split.bet, isSplit: true))
        seats[seat] = split
    }

    private mutating func settle(
        _ seat: Int, _ number: Int, _ settlement: Settlement, _ stake: Int, _ fact: Int, isVoided: Bool
    ) throws(AuditFinding.Reason) {
        guard let played = seats[seat] else { return }
        let hand = played.hands[number]
        let finished = FinishedHand(
            end: hand.end(rules), total: hand.value.total, stake: hand.stake, original: number == 0 ? played.bet : 0)
        let expected =
            isVoided ? Settlement(.push, paid: hand.stake) : rules.settle(finished, against: HandValue(dealer))
        guard settlement == expected, stake == hand.stake else { throw .payout(table: name, fact: fact, expected: expected) }
        seats[seat]?.hands[number].isSettled = true
        counts.hands += 1
        // A hand that stands is compared with the dealer's last total.
        let mustDraw = finished.end == .stood && rules.dealerDraws(to: HandValue(dealer))
        if !isVoided, mustDraw { throw .unfinished(table: name, fact: fact) }
    }

    private mutating func endRound(_ number: Int) throws(AuditFinding.Reason) {
        let isFinished = seats.values.allSatisfy { seat in seat.insurance == 0 && seat.hands.allSatisfy(\.isSettled) }
        guard isFinished else { throw .unfinished(table: name, fact: number) }
        counts.rounds += 1
    }
}
