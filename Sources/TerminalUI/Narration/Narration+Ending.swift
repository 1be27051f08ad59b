import Rules
import TableModel

/// The dealer, results, and whose turn it is.
extension Narration {
    private var isOver: Bool { !phase.isInPlay && !new.cards(in: .dealer).isEmpty }
    private var wasOver: Bool { !isNewRound && !oldPhase.isInPlay }

    mutating func tellDealer() {
        let now = new.entries(in: .dealer)
        if !isNewRound {
            for entry in now {
                guard case .card(_, let card?) = entry else { continue }
                if old[entry.item] == nil, !old.cards(in: .dealer).isEmpty {
                    say(.dealer, "Dealer draws \(wording.card(card)).")
                } else if case .card(_, nil) = old[entry.item] {
                    say(.dealer, "Dealer turns \(wording.card(card)).")
                }
            }
        }
        guard isOver, !wasOver, let total = new.dealerTotal, now.count > 2 else { return }
        switch total {
        case .blackjack: say(.dealer, "Dealer has blackjack.")
        case _ where total.isBust: say(.dealer, "Dealer busts with \(total.points).")
        default: say(.dealer, "Dealer has \(total.points).")
        }
    }

    mutating func tellResults() {
        tellInsurance()
        var net = 0
        var isMineOver = false
        for hand in new.hands {
            guard let result = new.result(hand), let subject = subject(hand.seat) else { continue }
            let isNew = isNewRound || old.result(hand) == nil
            // Skips results already reported in the order of play.
            if isNew, isNewRound || !isOnlyMine(result) {
                say(.result, subject.ended(result, total: new.total(hand), hand: onHand(hand)))
            }
            if subject.isMe {
                net += result.net
                isMineOver = true
            }
        }
        guard isOver, !wasOver, isMineOver, let seat = new.seats(of: me).first, let chips = new.player(seat)?.chips else {
            return
        }
        for seat in new.seats(of: me) { net += insuranceNet(seat) }
        say(.result, "The round brings you \(wording.signed(net)): you have \(chips) chips.")
    }

    private func insuranceNet(_ seat: Int) -> Int {
        guard let chips = new.insurance(seat) else { return 0 }
        return new.dealerTotal == .blackjack ? 2 * chips : -chips
    }

    /// Insurance open until the dealer's second card: pays 2:1 on a blackjack.
    private mutating func tellInsurance() {
        guard isOver, !wasOver else { return }
        for seat in new.seats {
            guard let chips = new.insurance(seat), let subject = subject(seat) else { continue }
            if new.dealerTotal == .blackjack {
                say(.result, subject.does("wins", "win", " \(2 * chips) by the insurance."))
            } else if new.rules?.holeCard != .peek {
                say(.result, subject.does("loses", "lose", " the insurance of \(chips)."))
            }
        }
    }

    mutating func tellTurn() {
        let time: SafeText = timeLeft.map { " \($0)." } ?? ""
        for seat in new.seats(of: me) {
            guard let choice = new.choice(seat) else { continue }
            let hand = TableSection.hand(HandIdentifier(seat: seat, number: choice.hand))
            let isSame = old.choice(seat) == choice && old.cards(in: hand) == new.cards(in: hand) && phase == oldPhase
            if !isSame || isNewRound { return say(.prompt, wording.question(choice, at: new, seat: seat) + time) }
        }
        if let active = new.activeHand, isNewRound || old.activeHand?.seat != active.seat, let subject = subject(active.seat),
            !subject.isMe
        {
            say(.turn, "It is \(subject.name)'s turn.")
        }
        tellBetting()
    }

    /// Prompts when bets open, and again when the clock starts.
    private mutating func tellBetting() {
        guard phase.takesBets, let rules = new.rules else { return }
        for seat in new.seats(of: me) {
            guard let player = new.player(seat), player.presence == .here, !hasBet(seat) else { continue }
            let opened = !oldPhase.takesBets || old.player(seat)?.name != player.name || old.player(seat)?.presence != .here
            guard opened else {
                if old.clock == nil, let timeLeft { return say(.prompt, "Bets close in \(timeLeft).") }
                continue
            }
            if player.chips < rules.minimumBet {
                return say(
                    .prompt,
                    givesRebuys
                        ? "You are out of chips: 'sit' takes a new stake."
                        : "You are out of chips, and the house gives no new ones.")
            }
            return say(
                .prompt, "Your bet, \(wording.limits(rules))? You have \(player.chips) chips.\(timeLeft.map { " \($0)." } ?? "")")
        }
    }

    private func hasBet(_ seat: Int) -> Bool {
        let hand = HandIdentifier(seat: seat, number: 1)
        return new.bet(hand) != nil && new.result(hand) == nil
    }
}
