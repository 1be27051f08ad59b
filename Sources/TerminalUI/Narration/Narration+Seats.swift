import Rules
import TableModel

/// Seats, bets and the shoe.
extension Narration {
    mutating func tellArrivals() {
        for seat in new.seats {
            guard let player = new.player(seat), let subject = subject(seat) else { continue }
            guard let before = old.player(seat), before.name == player.name else {
                say(.seat, subject.does("takes", "take", " seat \(seat) with \(player.chips) chips."))
                continue
            }
            if before.presence != player.presence { tellPresence(player, before.presence, subject) }
        }
    }

    private mutating func tellPresence(_ player: Player, _ before: Player.Presence, _ subject: Subject) {
        switch player.presence {
        case .away: say(.seat, subject.does("is", "are", " away: the connection is lost, the seat is kept."))
        case .leaving: say(.seat, subject.does("leaves", "leave", " when the hand is over."))
        case .sittingOut where before == .away && subject.isMe: say(.seat, "You are back, but sit out: \(playAgain).")
        case .sittingOut where before == .away: say(.seat, "\(subject.name) is back, but sits out.")
        case .sittingOut where subject.isMe && isSatOut:
            say(.seat, "Your time ran out, so you sit out: your seat is kept for a while, and \(playAgain).")
        case .sittingOut: say(.seat, subject.does("sits", "sit", " out."))
        case .here where before == .away: say(.seat, subject.does("is", "are", " back."))
        case .here: say(.seat, subject.does("plays", "play", " again."))
        }
    }

    private var playAgain: SafeText { "\(wording.control("o", "in")) plays again" }

    mutating func tellDepartures() {
        for seat in old.seats {
            guard let before = old.player(seat), new.player(seat)?.name != before.name else { continue }
            say(.seat, Subject(before.name, me: me).does("leaves", "leave", " seat \(seat)."))
        }
    }

    /// A bet for a round that has not begun.
    private func openBet(_ table: TableSnapshot, _ seat: Int) -> Int? {
        let hand = HandIdentifier(seat: seat, number: 1)
        return table.cards(in: .hand(hand)).isEmpty ? table.bet(hand) : nil
    }

    mutating func tellBets() {
        for seat in new.seats {
            guard let subject = subject(seat) else { continue }
            let hand = HandIdentifier(seat: seat, number: 1)
            let before = openBet(old, seat)
            let after = isNewRound ? new.bet(hand) : openBet(new, seat)
            // A double within the same diff is reported with the play.
            if before == after || (isNewRound && before != nil && new.cards(in: .hand(hand)).count > 2) { continue }
            switch (before, after) {
            case (nil, let chips?): say(.bet, subject.does("bets", "bet", " \(chips)."))
            case (_?, let chips?): say(.bet, subject.does("bets", "bet", " \(chips) instead."))
            case (_?, nil) where new.player(seat) != nil:
                say(.bet, subject.does("takes", "take", " the bet back."))
            default: break
            }
        }
    }

    mutating func tellShoe() {
        guard let shoe = new.shoe else { return }
        if shoe.number > (old.shoe?.number ?? 0) {
            let decks: SafeText = shoe.decks == 1 ? "1 deck" : "\(shoe.decks) decks"
            say(.table, "The dealer shuffles: shoe \(shoe.number), \(decks).")
        } else if let left = new.cardsLeft, let before = old.cardsLeft, left > before {
            say(.table, "The shoe has run out: the discards are shuffled.")
        }
    }

    /// Describes the table on first sight.
    mutating func describe(_ name: String) {
        let round = new.round?.number ?? 0
        say(
            .table,
            "Table \(SafeText(name, columns: 32)), \(round == 0 ? "before the first round" : "round \(round)"), \(phase.word).")
        if let rules = new.rules { say(.table, "\(wording.rules(rules)), bets \(wording.limits(rules)).") }
        if let notice = new.closing { say(.table, wording.closing(notice, now: now)) }
        for seat in new.seats {
            guard let player = new.player(seat), let subject = subject(seat) else { continue }
            say(.seat, subject.does("has", "have", " seat \(seat) and \(player.chips) chips\(player.presence.remark)."))
            for hand in new.hands(ofSeat: seat) { describe(hand, subject) }
        }
        let dealer = phase.isInPlay ? new.cards(in: .dealer) : []
        if !dealer.isEmpty { say(.dealer, "Dealer: \(wording.hand(dealer, new.dealerTotal)).") }
        tellTurn()
    }

    private mutating func describe(_ hand: HandIdentifier, _ subject: Subject) {
        let cards = new.cards(in: .hand(hand))
        if cards.isEmpty {
            if let bet = new.bet(hand) { say(.bet, subject.does("has", "have", " bet \(bet).")) }
        } else if phase.isInPlay {
            // Hands of a finished round may belong to the seat's previous player.
            let thing: SafeText = new.hands(ofSeat: hand.seat).count > 1 ? "hand \(hand.number)" : "hand"
            say(.card, "\(subject.owns(thing)): \(wording.hand(cards, new.total(hand))).")
        }
        if phase.isInPlay, let result = new.result(hand) {
            say(.result, subject.ended(result, total: new.total(hand), hand: onHand(hand)))
        }
    }
}

extension Player.Presence {
    /// ` (away)`, or empty for an active player.
    var remark: SafeText {
        switch self {
        case .here: ""
        case .sittingOut: " (sitting out)"
        case .away: " (away)"
        case .leaving: " (leaving)"
        }
    }
}
