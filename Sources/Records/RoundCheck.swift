import Fairness
import Payouts
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

        /// How the hand ended, from its cards alone.
        func state(_ rules: HouseRules) -> Payout.Hand.State {
            if isSurrendered { return .surrendered }
            if tookEvenMoney { return .evenMoney }
            let total = HandTotal(cards)
            if !isSplit, total.isTwoCard21 { return .blackjack }
            if total.isBust { return .bust }
            return cards.count == rules.charlie ? .charlie : .live(total.points)
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

    init(_ name: String, _ rules: HouseRules) {
        self.name = name
        self.rules = rules
        shoe = ShoeCheck(decks: rules.decks)
    }

    /// Continues a saved table.
    init(_ name: String, _ saved: Table.Saved) throws(AuditFinding.Reason) {
        guard let shoe = ShoeCheck(saved.core.shoe, decks: saved.rules.decks) else { throw .shoe(table: name, fact: 0) }
        self.name = name
        rules = saved.rules
        self.shoe = shoe
        dealer = saved.core.dealer.ids.map { saved.core.shoe[$0] }
        for seat in saved.seats {
            if seat.state.bet > 0 { bets[seat.seat + 1] = seat.state.bet }
            guard !seat.hands.isEmpty else { continue }
            let hands = seat.hands.map { hand in
                Hand(
                    cards: hand.ids.map { saved.core.shoe[$0] }, stake: hand.stake, isSplit: hand.origin != .dealt,
                    isSurrendered: hand.end == .surrendered, tookEvenMoney: hand.end == .evenMoney,
                    isSettled: hand.state == .settled)
            }
            let insurance = seat.state.insuranceIsSettled ? 0 : seat.state.insurance
            seats[seat.seat + 1] = Seat(bet: seat.state.original, hands: hands, insurance: insurance)
        }
    }

    /// - Parameter isVoided: bets are returned, not settled.
    mutating func check(_ fact: Fact, _ number: Int, isVoided: Bool) throws(AuditFinding.Reason) {
        switch fact {
        case .shuffled(_, let source): shoe.shuffle(source)
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
        case .insured(let seat, let amount): seats[seat]?.insurance = amount
        case .evenMoneyTaken(let seat): seats[seat]?.hands[0].tookEvenMoney = true
        case .surrendered(let seat): seats[seat]?.hands[0].isSurrendered = true
        case .doubled(let seat, let hand, let added): seats[seat]?.hands[hand].stake += added
        case .split(let seat, let hand, _): split(seat, hand)
        case .insuranceSettled(let seat, let stake, let paid):
            // The stake and 2:1 on it.
            let due = HandTotal(dealer).isTwoCard21 ? 3 * stake : 0
            let expected = isVoided ? stake : due
            guard paid == expected else {
                throw .payout(table: name, fact: number, expected: Settlement(due > 0 ? .win : .lose, paid: expected))
            }
            seats[seat]?.insurance = 0
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            try settle(seat, hand, Settlement(outcome, paid: paid), stake, number, isVoided: isVoided)
        // Moves neither cards nor chips of a round.
        case .sat, .left, .leaving, .satOut, .satIn, .disconnected, .away, .reconnected, .released, .idling, .charged,
            .shoeSupplied, .declared, .ceremoniesBegan, .ceremonyOpened, .contributed, .listDue, .listClosed, .revealed,
            .attemptVoided, .secretRevealed, .bettingOpened, .bettingAbandoned, .earlySurrenderOffered, .insuranceOffered,
            .declined, .peeked, .turnStarted, .hit, .stood, .cleared, .closing, .closed, .postponed:
            break
        }
    }

    private mutating func draw(_ id: CardID, _ card: Card?, _ number: Int) throws(AuditFinding.Reason) -> Card {
        guard let next = shoe.draw(id) else { throw .card(table: name, fact: number, expected: nil) }
        guard card == nil || card == next else { throw .card(table: name, fact: number, expected: next) }
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
        let state = hand.state(rules)
        let finished = Payout.Hand(state, bet: hand.stake, original: number == 0 ? played.bet : 0)
        let due = Payout(finished, against: Payout.Dealer(HandTotal(dealer)), by: rules)
        let expected = isVoided ? Settlement(.push, paid: hand.stake) : Settlement(due.outcome, paid: hand.stake + due.net)
        guard settlement == expected, stake == hand.stake else { throw .payout(table: name, fact: fact, expected: expected) }
        seats[seat]?.hands[number].isSettled = true
        // A hand that stands is compared with the dealer's last total.
        if !isVoided, case .live = state, HandTotal(dealer).dealerDraws(by: rules) { throw .unfinished(table: name, fact: fact) }
    }

    private mutating func endRound(_ number: Int) throws(AuditFinding.Reason) {
        let isFinished = seats.values.allSatisfy { seat in seat.insurance == 0 && seat.hands.allSatisfy(\.isSettled) }
        guard isFinished else { throw .unfinished(table: name, fact: number) }
    }
}

/// Infers the commands that led to the facts of a record, and checks with the table itself that each was legal.
struct CommandInference {
    /// The table before the facts.
    private(set) var table: Table
    private let now: Timestamp
    private let name: String
    private let facts: [Fact]
    /// The facts accounted for.
    private var done = 0
    /// Facts of a voided round: its bets are returned, not settled.
    private(set) var voided = 0..<0
    /// Commands of players that were found.
    private(set) var decisions = 0

    init(_ table: Table, _ name: String, at time: Int64, _ facts: [Fact]) {
        self.table = table
        self.name = name
        now = Timestamp(milliseconds: time)
        self.facts = facts
    }

    /// Accounts for every fact: time-outs that are due, then commands.
    mutating func run() throws(AuditFinding.Reason) {
        while done < facts.count {
            if case .postponed = facts[done] {
                try perform()
            } else if try !advance() {
                try perform()
            }
        }
    }

    /// Whether time-outs were due.
    private mutating func advance() throws(AuditFinding.Reason) -> Bool {
        var sink = FactList()
        table.advance(to: now, into: &sink)
        guard !sink.facts.isEmpty else { return false }
        if let difference = difference(sink.facts) { throw difference }
        done += sink.facts.count
        return true
    }

    private mutating func perform() throws(AuditFinding.Reason) {
        /// The finding of the first command that could be meant.
        var finding: AuditFinding.Reason?
        for command in candidates(facts[done]) {
            var next = table
            var sink = FactList()
            do {
                try next.perform(command, at: now, into: &sink)
            } catch {
                if finding == nil { finding = .illegal(table: name, fact: done + 1, error) }
                continue
            }
            if let difference = difference(sink.facts) {
                if finding == nil { finding = difference }
                continue
            }
            table = next
            if case .void = command { voided = done..<done + sink.facts.count }
            done += sink.facts.count
            if case .act = command { decisions += 1 }
            return
        }
        throw finding ?? .unexpected(table: name, fact: done + 1, expected: nil, found: facts[done])
    }

    /// How the next facts differ from those that must follow; nil if they do not. Nothing must follow from no fact at all.
    private func difference(_ expected: [Fact]) -> AuditFinding.Reason? {
        if expected.isEmpty { return .unexpected(table: name, fact: done + 1, expected: nil, found: facts[done]) }
        for (offset, fact) in expected.enumerated() {
            let found = done + offset < facts.count ? facts[done + offset] : nil
            if found != fact {
                return .unexpected(table: name, fact: done + offset + 1, expected: fact, found: found)
            }
        }
        return nil
    }

    /// Commands whose first fact this can be, the likely one first.
    private func candidates(_ fact: Fact) -> [Command] {
        switch fact {
        // The time that a player took precedes what the player did.
        case .charged: facts.count > done + 1 ? commands(facts[done + 1]) : []
        // Every other fact begins what it belongs to.
        default: commands(fact)
        }
    }

    private func commands(_ fact: Fact) -> [Command] {
        switch fact {
        case .sat(let player, let profile, let seat, let chips):
            [.sit(player: player, profile: profile, seat: seat, chips: chips)]
        case .left(let player, _): [.leave(player: player), .release(player: player)]
        case .leaving(let player): [.leave(player: player)]
        case .satOut(let player, _): [.sitOut(player: player)]
        case .satIn(let player): [.sitOut(player: player, isOut: false)]
        case .disconnected(let player, _): [.disconnected(player: player)]
        case .reconnected(let player): [.reconnected(player: player)]
        case .released(let player): [.release(player: player)]
        case .shoeSupplied(let source): [.supplyShoe(source), .tick]
        // A step of a ceremony that a command left due follows the next one, also one without facts of its own.
        case .attemptVoided, .listClosed, .listDue: [.tick]
        case .declared(let player, let contributes): [.declare(player: player, contributes: contributes)]
        case .ceremoniesBegan(let table): [.beginCeremonies(table: table)]
        case .ceremonyOpened(_, let secret): [.supplySecret(secret)]
        case .contributed(let player, let name, let commitment): commit(player, name, commitment)
        case .revealed(let player, let contribution): reveal(player, contribution)
        case .closing(let notice): [.close(notice)]
        case .postponed(let milliseconds): [.postpone(by: milliseconds)]
        case .insuranceSettled, .settled, .roundEnded: [.void]
        case .betPlaced(let seat, let amount):
            player(seat).map { player in
                // Leaving takes the bets back first.
                (amount == 0 ? [.leave(player: player)] : []) + [.bet(player: player, seat: seat, amount: amount)]
            } ?? []
        case .hit(let seat, let hand): act(.hit, seat, hand)
        case .stood(let seat, let hand, .chosen): act(.stand, seat, hand)
        case .doubled(let seat, let hand, let added): act(.double, seat, hand, added)
        case .split(let seat, let hand, _): act(.split, seat, hand)
        case .surrendered(let seat): act(.surrender, seat, 0)
        case .insured(let seat, let amount): act(.insurance, seat, 0, amount)
        case .evenMoneyTaken(let seat): act(.evenMoney, seat, 0)
        case .declined(let seat, false): act(.decline, seat, 0)
        // Follows another fact, or a time-out.
        case .away, .idling, .charged, .shuffled, .burned, .reshuffled, .secretRevealed, .bettingOpened, .bettingAbandoned,
            .roundStarted, .dealt, .dealtToDealer, .holeDealt, .earlySurrenderOffered, .insuranceOffered, .declined, .peeked,
            .turnStarted, .stood, .holeRevealed, .cleared, .closed:
            []
        }
    }

    private func commit(_ player: PlayerID, _ name: String, _ commitment: Digest) -> [Command] {
        table.nextShoe.map { next in
            [.commit(player: player, name: name, server: next.commitment, contribution: commitment)]
        } ?? []
    }

    private func reveal(_ player: PlayerID, _ contribution: ShoeSecret) -> [Command] {
        table.closedList.map { [.reveal(player: player, list: $0, contribution: contribution)] } ?? []
    }

    private func act(_ action: Action, _ seat: Int, _ hand: Int, _ amount: Int? = nil) -> [Command] {
        player(seat).map { [.act(player: $0, action: action, seat: seat, hand: hand, amount: amount)] } ?? []
    }

    private func player(_ seat: Int) -> PlayerID? {
        (1...table.rules.seats).contains(seat) ? table.player(seat: seat) : nil
    }
}
