import Rules
import TableModel

/// Cards and decisions.
extension Narration {
    /// Card identifiers of a section, in table order.
    private func cards(_ table: TableSnapshot, _ section: TableSection) -> [TableItem] {
        table.entries(in: section).compactMap { if case .card = $0 { $0.item } else { nil } }
    }

    private func face(_ item: TableItem) -> Card? {
        if case .card(_, let card) = new[item] { card } else { nil }
    }

    /// True when this diff brings the first cards of a round.
    private var isDealt: Bool { isNewRound && !cards(new, .dealer).isEmpty }

    /// The first two cards of each hand, in dealing order (ascending identifiers). Later cards of the same diff follow in play
    /// order.
    mutating func tellDeal() {
        guard isDealt else { return }
        var dealt: [(order: Int, kind: Sentence.Kind, text: SafeText)] = []
        for hand in new.hands {
            guard let subject = subject(hand.seat) else { continue }
            for item in cards(new, .hand(hand)) {
                guard case .card(let order) = item, let card = face(item) else { continue }
                dealt.append((order, .card, subject.does("gets", "get", " \(wording.card(card))\(onHand(hand)).")))
            }
        }
        for (index, item) in cards(new, .dealer).enumerated() {
            guard case .card(let order) = item else { continue }
            guard let card = face(item) else {
                dealt.append((order, .card, "Dealer takes a card face down."))
                continue
            }
            dealt.append((order, .card, "Dealer \(index == 0 ? "shows" : "gets") \(wording.card(card))."))
        }
        for (_, kind, text) in dealt.sorted(by: { $0.order < $1.order }) { say(kind, text) }
    }

    /// Answers to offers made to all players at once: insurance, early surrender.
    mutating func tellAnswers() {
        for seat in new.seats {
            guard let subject = subject(seat) else { continue }
            let outcome = new.result(HandIdentifier(seat: seat, number: 1))?.outcome
            if let chips = new.insurance(seat), isNewRound || old.insurance(seat) != chips {
                say(.play, subject.does("takes", "take", " insurance for \(chips)."))
            } else if !isNewRound, oldPhase == .insurance || oldPhase == .surrender, old.choice(seat) != nil,
                new.choice(seat) == nil || phase != oldPhase, outcome != .surrender, outcome != .evenMoney
            {
                // Of other players nothing tells a no from a time-out: the words fit both.
                switch (timeOuts.contains(seat), oldPhase == .insurance) {
                case (true, true): say(.play, "Your time is up: no insurance.")
                case (true, false): say(.play, "Your time is up: you play on.")
                case (false, true): say(.play, subject.does("takes", "take", " no insurance."))
                case (false, false): say(.play, subject.does("plays", "play", " on."))
                }
            }
        }
    }

    /// The result of the dealer's peek under an ace or a ten.
    mutating func tellPeek() {
        guard phase == .playing, isNewRound || oldPhase != .playing, new.rules?.holeCard == .peek,
            let up = new.upCard, up.rank.canMakeBlackjack
        else { return }
        say(.dealer, "The dealer has no blackjack.")
        for seat in new.seats {
            guard let chips = new.insurance(seat), let subject = subject(seat) else { continue }
            say(.result, subject.does("loses", "lose", " the insurance of \(chips)."))
        }
    }

    /// The players' actions, in order of play.
    mutating func tellPlay() {
        for hand in new.hands where !cards(new, .hand(hand)).isEmpty {
            guard let subject = subject(hand.seat) else { continue }
            tellSplits(hand, subject)
            tellNewCards(hand, subject)
            tellStand(hand, subject)
            if let result = new.result(hand), old.result(hand) == nil, isOnlyMine(result) {
                say(.result, subject.ended(result, total: new.total(hand), hand: onHand(hand)))
            }
        }
    }

    /// True for a result independent of the dealer's cards.
    func isOnlyMine(_ result: HandResult) -> Bool {
        switch result.outcome {
        case .bust, .surrender, .evenMoney, .charlie: true
        case .blackjack: phase.isInPlay
        case .win, .lose, .push: false
        }
    }

    private mutating func tellSplits(_ hand: HandIdentifier, _ subject: Subject) {
        let before = cards(old, .hand(hand))
        guard let kept = before.first.flatMap(face) else { return }
        let remaining = Set(cards(new, .hand(hand)))
        for moved in before where !remaining.contains(moved) {
            guard let card = face(moved) else { continue }
            say(.play, subject.does("splits", "split", " \(wording.card(kept)) and \(wording.card(card))."))
        }
    }

    private mutating func tellNewCards(_ hand: HandIdentifier, _ subject: Subject) {
        let all = cards(new, .hand(hand))
        let added = all.filter(isNew)
        let bet = new.bet(hand) ?? 0
        let isDoubled = (old.bet(hand).map { bet > $0 } ?? false) && !cards(old, .hand(hand)).isEmpty
        var held = all.count - added.count
        for (index, item) in added.enumerated() {
            guard let card = face(item) else { continue }
            let isLast = index == added.count - 1
            let total: SafeText = isLast ? new.total(hand).map { ": \($0.safeText)" } ?? "" : ""
            let gets: SafeText = "\(subject.isMe ? "get" : "gets") \(wording.card(card))\(onHand(hand))\(total)."
            if isLast, isDoubled {
                say(.play, subject.does("doubles", "double", " to \(bet) and \(gets)"))
            } else if held < 2 {
                // A split hand gets its second card without an action.
                say(.card, subject.isMe ? "You \(gets)" : "\(subject.name) \(gets)")
            } else {
                say(.play, subject.does("hits", "hit", " and \(gets)"))
            }
            held += 1
        }
    }

    /// True when the hand had the turn within this diff.
    private func hasPassed(_ hand: HandIdentifier) -> Bool {
        let order = new.hands
        guard let active = old.activeHand, let from = order.firstIndex(of: active), let place = order.firstIndex(of: hand) else {
            return false
        }
        let to = new.activeHand.flatMap { order.firstIndex(of: $0) } ?? order.count
        return (from..<max(from, to)).contains(place) && old.result(hand) == nil && old.total(hand) != .blackjack
    }

    /// Reports a stand: the hand lost the turn unchanged.
    private mutating func tellStand(_ hand: HandIdentifier, _ subject: Subject) {
        guard hasPassed(hand) else { return }
        let isUnchanged = cards(old, .hand(hand)) == cards(new, .hand(hand)) && old.bet(hand) == new.bet(hand)
        guard isUnchanged, let total = new.total(hand), new.result(hand)?.outcome != .surrender else { return }
        // Without a peek a late surrender shows only with the dealer's cards.
        let mayHaveSurrendered = new.rules.map { $0.surrender == .late && $0.holeCard != .peek } ?? false
        let verb = mayHaveSurrendered ? subject.does("ends", "end", " the turn with") : subject.does("stands", "stand", " on")
        let isLate = timeOuts.contains(hand.seat) && old.activeHand == hand
        say(
            .play,
            isLate
                ? "Your time is up: you stand on \(total.safeText)\(onHand(hand))." : "\(verb) \(total.safeText)\(onHand(hand)).")
    }
}
