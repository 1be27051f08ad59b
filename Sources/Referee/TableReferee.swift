import Payouts
import Rules
import TableModel

/// Judges each revision of a table by itself and against the one before. Pure: its memory is the revisions it was given.
///
/// Lenient only where evidence lies before its first look at the table.
package struct TableReferee: Sendable {
    /// A law that was broken, and how.
    package struct Finding: Equatable, Sendable {
        package var law: Violation.Law
        package var detail: String

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
        /// Hands whose result was seen. A bet that is taken back shows the last round's results again.
        private var settled: UInt64 = 0
        /// Seats whose insurance is settled.
        private var insured: UInt64 = 0
        /// The hand that was asked last.
        var lastAsked: (seat: Int, hand: Int) = (0, 0)

        init(isWhole: Bool = false) { self.isWhole = isWhole }

        /// Whether a hand has a result that was not seen before.
        func isFresh(_ hand: TableFacts.Hand) -> Bool { hand.result != nil && settled & hand.id.bit == 0 }

        /// Whether the insurance of a seat has not been counted.
        func isInsuranceFresh(_ seat: Int) -> Bool { insured & (1 << UInt64(seat)) == 0 }

        /// Marks results below bets for the next round as seen: taking such a bet back shows them again.
        mutating func noteHiddenResults(_ facts: TableFacts) {
            for seat in 1..<8 where facts.hasOpenBet(seat) {
                for number in 1...4 { settled |= HandIdentifier(seat: seat, number: number).bit }
                insured |= 1 << UInt64(seat)
            }
        }

        mutating func noteResults(_ facts: TableFacts) {
            for seat in 1..<8 {
                for hand in facts.seats[seat].hands where hand.result != nil { settled |= hand.id.bit }
                if facts.seats[seat].insuranceNet != nil { insured |= 1 << UInt64(seat) }
            }
        }
    }

    /// The table judged last; nil before the first look.
    private(set) var last: TableFacts?
    private var balances = ChipBalances()
    var memory = RoundMemory()
    var shoe = ShoeMemory()
    /// The round at the first look at a match: the next one counts.
    private var matchFrom = 0
    package init() {}

    /// - Returns: the laws that the next revision breaks.
    package mutating func judge(_ new: TableFacts) -> [Finding] { judge(new, isGapless: true) }

    /// Judges a table that a restarted server shows against the one judged last. Revisions between the two may be unseen.
    package mutating func judgeRestored(_ new: TableFacts) -> [Finding] {
        // A round that ended and was cleared away unseen has taken its results along.
        if let last, new.round != last.round, new.dealer.isEmpty { lookAway() }
        return judge(new, isGapless: last == nil)
    }

    /// - Parameter isGapless: whether each revision was seen. Otherwise offers and original bets of the round are not known.
    private mutating func judge(_ new: TableFacts, isGapless: Bool) -> [Finding] {
        var findings: [Finding] = []
        let old = last
        last = new
        if !isGapless { memory.isWhole = false }
        if let old {
            orderOfPhases(old, new, &findings)
            if new.round != old.round { beginRound(new, isWhole: isGapless && new.round == old.round + 1 && !old.isInRound) }
        } else {
            beginRound(new, isWhole: false)
        }
        remember(new)
        shoe.judge(old, new, &findings)
        totals(new, &findings)
        choices(new, &findings)
        turns(new, &findings)
        results(new, &findings)
        hiddenCards(new, &findings)
        if new.isPaused, new.deadline != nil { findings.append(Finding(.order, "a clock runs in a pause")) }
        dealersPlay(old, new, &findings)
        match(isGapless ? old : nil, new, &findings)
        let before = balances
        balances = ChipBalances(new)
        if let old { chips(old, new, before, &findings) }
        memory.noteResults(new)
        if let old, Self.hasEnded(old, new) { memory.noteHiddenResults(new) }
        return findings
    }

    /// Forgets the table: the next revision is a first look.
    package mutating func lookAway() { self = TableReferee() }

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

    private func orderOfPhases(_ old: TableFacts, _ new: TableFacts, _ findings: inout [Finding]) {
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

    private func totals(_ new: TableFacts, _ findings: inout [Finding]) {
        for seat in 1..<8 {
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

    /// A match counts each round that is played out, with what its leaders win.
    private mutating func match(_ old: TableFacts?, _ new: TableFacts, _ findings: inout [Finding]) {
        guard let old, let match = new.match, let before = old.match else {
            matchFrom = new.round
            return
        }
        let hasEnded = Self.hasEnded(old, new)
        // Results may be gone, or lie under a bet for the next round.
        guard new.round == old.round || !old.isInRound && new.round == old.round + 1,
            !hasEnded || new.round != matchFrom && !new.dealer.isEmpty && !(1..<8).contains(where: new.hasOpenBet)
        else { return }
        let counts = hasEnded && new.dealer.allSatisfy { $0 != nil }
        if match.round != before.round + (counts ? 1 : 0) {
            findings.append(Finding(.order, "round \(match.round) of the match follows its round \(before.round)"))
        }
        for lead in match.leads {
            guard let former = before.leads.first(where: { $0.name == lead.name }) else { continue }
            let seats = (1..<8).filter { (old.seats[$0].player ?? new.seats[$0].player)?.name == lead.name }
            let won = counts ? seats.reduce(0) { $0 + (new.outcomes?[$1].net ?? 0) } : 0
            guard lead.net != former.net + won else { continue }
            findings.append(Finding(.chips, "\(lead.name) won \(won), and went from \(former.net) to \(lead.net) in the match"))
        }
    }

    // MARK: Chips

    // Conservation of chips: a player's chips and open bets change by the results of their hands only.

    private func chips(_ old: TableFacts, _ new: TableFacts, _ before: ChipBalances, _ findings: inout [Finding]) {
        // A round that ended and was cleared away between two revisions has taken its results along.
        guard new.round == old.round || (!old.isInRound && new.round == old.round + 1) else { return }
        if Self.hasEnded(old, new), new.dealer.isEmpty { return }
        let (hasEnded, newcomers) = (Self.hasEnded(old, new), new.occupants(otherThanIn: old))
        for seat in 1..<8 {
            // A player's chips are counted at their first seat. A seat that changed its player is not compared.
            let mates = balances.mates[seat]
            guard mates != 0, mates == before.mates[seat], mates & newcomers == 0 else { continue }
            // Where a round has ended since, a bet for the next one lies over its result already.
            if hasEnded, (1..<8).contains(where: { mates & (1 << UInt8($0)) != 0 && new.hasOpenBet($0) }) { continue }
            let won = (1..<8).reduce(0) { $0 + (mates & (1 << UInt8($1)) != 0 ? gain(ofSeat: $1, new) : 0) }
            let (had, has) = (before.sum(seat), balances.sum(seat))
            guard has.chips + has.open != had.chips + had.open + won else { continue }
            // The house has filled up the chips of a player who could not make the smallest bet.
            let isBroke =
                had.open == 0 && had.chips < new.rules.minimumBet || hasEnded && had.chips + had.open + won < new.rules.minimumBet
            if isBroke, has.chips + has.open > had.chips + had.open + won { continue }
            findings.append(
                Finding(
                    .chips,
                    "\(new.seats[seat].player?.name ?? "") had \(had.chips) chips and \(had.open) in open bets, won \(won), and has "
                        + "\(has.chips) and \(has.open)"))
        }
    }

    /// Whether a round has ended since the revision before.
    static func hasEnded(_ old: TableFacts, _ new: TableFacts) -> Bool {
        !new.isInRound && (old.isInRound || new.round != old.round)
    }

    /// Chips won by a seat's hands and insurance since the revision before.
    private func gain(ofSeat seat: Int, _ new: TableFacts) -> Int {
        var sum = 0
        for hand in new.seats[seat].hands where memory.isFresh(hand) { sum += hand.result?.net ?? 0 }
        if let net = new.seats[seat].insuranceNet, memory.isInsuranceFresh(seat) { sum += net }
        return sum
    }

    // MARK: Legality

    // Compares offered options with those that cards, chips and rules allow.

    func choices(_ new: TableFacts, _ findings: inout [Finding]) {
        for seat in 1..<8 {
            guard let choice = new.seats[seat].choice else { continue }
            guard let expected = legal(seat, choice, new) else {
                findings.append(Finding(.legality, "seat \(seat) is asked about hand \(choice.hand), which it does not hold"))
                continue
            }
            guard choice.options != expected else { continue }
            findings.append(
                Finding(
                    .legality,
                    "hand \(choice.hand) of seat \(seat) is offered \(words(choice.options)); by the rules it is \(words(expected))"
                ))
        }
    }

    private func legal(_ seat: Int, _ choice: Choice, _ new: TableFacts) -> [Choice.Option]? {
        guard let player = new.seats[seat].player, let up = new.dealer.first ?? nil,
            let hand = new.seats[seat].hands.first(where: { $0.id.number == choice.hand })
        else { return nil }
        switch new.phase {
        case .surrender: return [Choice.Option(action: .surrender, cost: 0), Choice.Option(action: .decline, cost: 0)]
        case .insurance: return Self.insuranceOptions(hand.counted, bet: hand.bet, chips: player.chips, new.rules)
        case .playing:
            let offer = Offer(
                cards: hand.cards, hands: new.seats[seat].hands.count, upCard: up.rank, bet: hand.bet, chips: player.chips)
            return offer.options(by: new.rules)
        default: return []
        }
    }

    /// Insurance costs half the bet and is offered where the chips suffice. Even money is offered for a blackjack.
    static func insuranceOptions(_ hand: HandTotal, bet: Int, chips: Int, _ rules: HouseRules) -> [Choice.Option] {
        var options = [Choice.Option(action: .decline, cost: 0)]
        if rules.insurance, bet >= 2, chips >= bet / 2 {
            options.insert(Choice.Option(action: .insurance, cost: bet / 2), at: 0)
        }
        if rules.evenMoney, hand.isTwoCard21 { options.append(Choice.Option(action: .evenMoney, cost: 0)) }
        return options
    }

    private func words(_ options: [Choice.Option]) -> String {
        options.isEmpty
            ? "nothing"
            : options.map { $0.cost == 0 ? $0.action.name : "\($0.action.name) for \($0.cost)" }.joined(separator: ", ")
    }

    // MARK: Payouts

    // Compares outcomes and payouts with those that cards and rules demand.

    func results(_ new: TableFacts, _ findings: inout [Finding]) {
        for seat in 1..<8 {
            insurance(seat, new, &findings)
            for hand in new.seats[seat].hands {
                guard let result = hand.result, memory.isFresh(hand) else { continue }
                guard let expected = expected(hand, result, seat, new) else {
                    findings.append(
                        Finding(.payout, "\(hand.name) is settled as \(result.outcome.name) before the dealer has played"))
                    continue
                }
                if expected != Payout(result.outcome, net: result.net) {
                    findings.append(
                        Finding(
                            .payout,
                            "\(hand.name), \(hand.cards) with \(hand.bet) on it against \(new.dealer.compactMap { $0 }), ended as "
                                + "\(result.outcome.name) with \(result.net); by the rules it is \(expected.outcome.name) with \(expected.net)"
                        ))
                }
                claims(hand, result, seat, new, &findings)
            }
        }
    }

    private func insurance(_ seat: Int, _ new: TableFacts, _ findings: inout [Finding]) {
        let (stake, net) = (new.seats[seat].insurance, new.seats[seat].insuranceNet)
        guard stake > 0 || net != nil else { return }
        let expected = new.insuranceGain(of: stake)
        guard net != expected else { return }
        findings.append(
            Finding(
                .payout,
                "the insurance of seat \(seat) for \(stake) ended with \(net ?? 0); by the rules it is \(expected ?? 0), 0 while it is open"
            ))
    }

    private func state(_ hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts) -> Payout.Hand.State {
        if result.outcome == .surrender { return .surrendered }
        if result.outcome == .evenMoney { return .evenMoney }
        let total = hand.counted
        if total.isTwoCard21, new.seats[seat].hands.count == 1 { return .blackjack }
        if total.isBust { return .bust }
        return new.rules.charlie > 0 && hand.cards.count == new.rules.charlie ? .charlie : .live(total.points)
    }

    private func expected(_ hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts) -> Payout? {
        // A round not seen from its beginning hides its original bets: the hand's bet is taken instead.
        let original = hand.id.number > 1 ? 0 : memory.isWhole ? memory.originals[seat] : hand.bet
        let finished = Payout.Hand(state(hand, result, seat, new), bet: hand.bet, original: original)
        if new.dealer.allSatisfy({ $0 != nil }), !new.isInRound {
            return Payout(finished, against: Payout.Dealer(new.dealerCounted), by: new.rules)
        }
        guard let up = new.dealer.first ?? nil else { return nil }
        let hasExtra = new.seats[seat].hands.count > 1 || hand.bet > original
        return Payout(finished, beforeDealerWith: up.rank, seatHasExtraBets: hasExtra, by: new.rules)
    }

    /// An outcome that takes a player's request must have been offered.
    private func claims(
        _ hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts, _ findings: inout [Finding]
    ) {
        if result.outcome == .evenMoney, !(hand.counted.isTwoCard21 && new.rules.evenMoney) {
            findings.append(Finding(.payout, "\(hand.name) got even money for \(hand.cards)"))
        }
        guard memory.isWhole else { return }
        let asked: Action? = result.outcome == .surrender ? .surrender : result.outcome == .evenMoney ? .evenMoney : nil
        if let asked, !memory.offered[seat].allows(asked) {
            findings.append(Finding(.legality, "\(hand.name) ended by \(asked.name), which seat \(seat) was never offered"))
        }
    }

    /// The dealer has no choice, ever.
    func dealersPlay(_ old: TableFacts?, _ new: TableFacts, _ findings: inout [Finding]) {
        guard memory.isWhole, !new.isInRound, let old, old.isInRound || old.round != new.round, new.dealer.count > 1,
            new.dealer.allSatisfy({ $0 != nil })
        else { return }
        let cards = new.dealer.compactMap { $0 }
        let hands = (1..<8).flatMap { seat in new.seats[seat].hands.filter { $0.result != nil }.map { (seat, $0) } }
        let isAnybodyLeft = hands.contains { seat, hand in
            if case .live? = hand.result.map({ state(hand, $0, seat, new) }) { true } else { false }
        }
        guard !hands.isEmpty else { return }
        for count in 2..<cards.count where !HandTotal(cards[..<count]).dealerDraws(by: new.rules) {
            findings.append(Finding(.payout, "the dealer drew to \(Array(cards[..<count]))"))
        }
        if isAnybodyLeft, HandTotal(cards).dealerDraws(by: new.rules) {
            findings.append(Finding(.payout, "the dealer stopped at \(cards)"))
        }
        if !isAnybodyLeft, cards.count > 2 {
            findings.append(Finding(.payout, "the dealer drew to \(cards) although no hand was left to beat"))
        }
    }

    /// While anybody may still decide, the dealer shows the first card alone.
    func hiddenCards(_ new: TableFacts, _ findings: inout [Finding]) {
        switch new.phase {
        case .surrender, .insurance, .playing:
            guard new.dealer.count > 2 || new.dealer.dropFirst().contains(where: { $0 != nil }) else { return }
            findings.append(Finding(.cards, "the dealer shows \(new.dealer.compactMap { $0 }) in the phase \(new.phase)"))
        default: break
        }
    }
}

extension TableFacts.Hand {
    var counted: HandTotal { HandTotal(cards) }

    var name: String { "hand \(id.number) of seat \(id.seat)" }
}

extension HandIdentifier {
    /// A bit of its own for every hand that can be at a table.
    fileprivate var bit: UInt64 { 1 << UInt64((seat * 4 + number) & 63) }
}

extension TableFacts {
    /// The dealer's cards that lie face up.
    var dealerCounted: HandTotal { HandTotal(dealer.lazy.compactMap { $0 }) }

    /// Chips that an insurance has won, which pays 2:1; nil while it is open.
    package func insuranceGain(of stake: Int) -> Int? {
        isInsuranceOpen ? nil : dealerTotal == .blackjack ? 2 * stake : -stake
    }

    /// Whether chips lie on a seat that nothing has come of yet.
    func hasOpenBet(_ seat: Int) -> Bool { seats[seat].hands.contains { $0.result == nil && $0.bet > 0 } }
}

/// Something that a server must never do, found by an honest bot.
public struct Violation: Error, Encodable, Sendable, Equatable, CustomStringConvertible {
    /// Which law was broken.
    public enum Law: String, CaseIterable, Encodable, Sendable {
        /// A line that is no message of the protocol.
        case grammar
        /// A reply without a request, to another one than the oldest, or none.
        case replies
        /// A revision was left out, came twice, or does not fit.
        case revisions
        /// The table differs from its check value, or between two viewers.
        case equality
        /// Options offered differ from those the rules allow, or an offered one was refused.
        case legality
        /// A total, an outcome or a payout does not follow from cards and rules.
        case payout
        /// Chips appeared or vanished.
        case chips
        /// A card changed, came twice, or the shoe doesn't add up.
        case cards
        /// A deadline was not kept, or a phase or a turn came out of order.
        case order
        /// A shoe is not the one that was committed to, or its ceremony was not honest.
        case shuffle
    }

    public var law: Law
    /// Empty before a table is watched.
    public var table: String
    public var round: Int
    /// The line of the connection's transcript, from 1; sent lines count too.
    public var line: Int
    /// Found and expected, in a sentence.
    public var detail: String
    /// The bot that saw it.
    public var bot = ""
    /// The file that the transcript was saved to; empty when it was not.
    public var transcript = ""

    public var description: String {
        let place = table.isEmpty ? "" : "table \(table), round \(round), "
        return "\(place)line \(line): \(law.rawValue): \(detail)" + (transcript.isEmpty ? "" : " (transcript: \(transcript))")
    }
}

/// Remembers the cards of a shoe: none may change its face, exceed its number in the packs, leave the shoe unseen, or miss in the item `seen`.
struct ShoeMemory: Sendable {
    private var number = -1
    /// The cards seen, by their number; nil for one that has not been seen, or not its face.
    private var faces: [Card?] = []
    private var isKnown: [Bool] = []
    private var counts = [Int](repeating: 0, count: 52)
    /// How often the shoe was filled up.
    private var fillings = 1
    /// Cards whose face the revision shows for the first time.
    private var turned: [(id: Int, card: Card)] = []

    /// Bound on card numbers, which a hostile server chooses: a few shoes.
    private static let most = 8192

    mutating func judge(_ old: TableFacts?, _ new: TableFacts, _ findings: inout [TableReferee.Finding]) {
        let isSame = new.shoe.number == number
        turned = []
        if !isSame {
            self = ShoeMemory()
            number = new.shoe.number
        } else if let old, new.cardsLeft > old.cardsLeft {
            // The shoe ran out during a round, and the discards came back.
            fillings += 1
        }
        var fresh = 0
        for (id, card) in zip(new.dealerIDs, new.dealer) { fresh += see(id, card, new, &findings) }
        for hand in new.seats.flatMap(\.hands) {
            for (id, card) in zip(hand.ids, hand.cards) { fresh += see(id, card, new, &findings) }
        }
        guard let old, new.round == old.round || (!old.isInRound && new.round == old.round + 1), !new.dealer.isEmpty || fresh > 0
        else { return }
        if let seen = new.seen, let expected = seenCards(old, new, fresh: fresh, isSame: isSame), seen != expected {
            let (shown, right) = (Rank.allCases.map { seen[$0] }, Rank.allCases.map { expected[$0] })
            findings.append(.init(.cards, "the table shows \(shown) as the cards seen, and \(right) lay there face up"))
        }
        guard isSame, fillings == 1 else { return }
        let gone = old.cardsLeft - new.cardsLeft
        if gone != fresh {
            findings.append(.init(.cards, "\(gone) cards have left the shoe, and \(fresh) new ones lie on the table"))
        }
    }

    /// The cards seen since the shuffle, by those seen before. A shuffle forgets them, and so do discards that come back, but for the cards of
    /// the round; fresh packs forget these, too.
    /// - Returns: nil where a round may have passed unseen.
    private func seenCards(_ old: TableFacts, _ new: TableFacts, fresh: Int, isSame: Bool) -> SeenCards? {
        var seen = SeenCards()
        guard isSame else {
            guard new.shoe.number == old.shoe.number + 1 else { return nil }
            for (_, card) in turned { seen.add(card) }
            return seen
        }
        if new.cardsLeft <= old.cardsLeft {
            guard let before = old.seen else { return nil }
            seen = before
            for (_, card) in turned { seen.add(card) }
            return seen
        }
        // The number of the first card that came back; every card dealt since the old revision lies on the table.
        let hands = new.seats.flatMap(\.hands)
        let round = Array(zip(new.dealerIDs + hands.flatMap(\.ids), new.dealer + hands.flatMap(\.cards)))
        guard let last = round.map(\.0).max() else { return nil }
        let first = last + 1 - fresh + old.cardsLeft
        let areFresh = last + 1 + new.cardsLeft - first == new.shoe.decks * 52
        for case (let id, let card?) in round where !areFresh || id >= first { seen.add(card) }
        return seen
    }

    /// - Returns: 1 for a card that was not on the table before.
    private mutating func see(_ id: Int, _ card: Card?, _ new: TableFacts, _ findings: inout [TableReferee.Finding]) -> Int {
        guard (0..<Self.most).contains(id) else { return 0 }
        while faces.count <= id {
            faces.append(nil)
            isKnown.append(false)
        }
        let isFresh = !isKnown[id]
        isKnown[id] = true
        if let face = faces[id] {
            if card != face {
                findings.append(.init(.cards, "card \(id) was \(face) and is \(card.map(\.description) ?? "face down")"))
            }
        } else if let card {
            faces[id] = card
            turned.append((id, card))
            counts[Int(card.code)] += 1
            if counts[Int(card.code)] > new.shoe.decks * fillings * 2 - new.shoe.decks {
                findings.append(.init(.cards, "\(card) has come \(counts[Int(card.code)]) times out of \(new.shoe.decks) packs"))
            }
        }
        return isFresh ? 1 : 0
    }
}

// MARK: - Rank

extension RoundPhase {
    /// How far a round has come. The bets for the next round belong to the last one's number.
    package var rank: Int {
        switch self {
        case .surrender: 0
        case .insurance: 1
        case .playing: 2
        case .settled: 3
        case .waiting, .betting: 4
        case .closed: 5
        }
    }
}

/// Chips of a table's players, by seat: kept from one revision to compare with the next.
struct ChipBalances: Sendable {
    /// Chips of the seat's player, shown at each seat of theirs.
    private var chips = InlineArray<8, Int>(repeating: 0)
    /// Chips on hands of a seat that have no result yet, and on its insurance while that is open.
    private var open = InlineArray<8, Int>(repeating: 0)
    /// The seats of the player whose first seat it is: bit n for seat n. Nothing for any other seat.
    private(set) var mates = InlineArray<8, UInt8>(repeating: 0)

    /// Chips and open bets of the player whose first seat this is.
    func sum(_ first: Int) -> (chips: Int, open: Int) {
        var sum = 0
        for seat in first..<8 where mates[first] & (1 << UInt8(seat)) != 0 { sum += open[seat] }
        return (chips[first], sum)
    }

    init() {}

    init(_ facts: TableFacts) {
        var known: UInt8 = 0
        for seat in 1..<8 {
            chips[seat] = facts.seats[seat].player?.chips ?? 0
            open[seat] = facts.isInsuranceOpen ? facts.seats[seat].insurance : 0
            for hand in facts.seats[seat].hands where hand.result == nil { open[seat] += hand.bet }
            guard known & (1 << UInt8(seat)) == 0, let name = facts.seats[seat].player?.name else { continue }
            for other in seat..<8 where facts.seats[other].player?.name == name { mates[seat] |= 1 << UInt8(other) }
            known |= mates[seat]
        }
    }
}
