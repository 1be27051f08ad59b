import Rules
import TableModel

extension TableSnapshot {
    /// What can be seen of a table now. What lies face down is not in it, in no form.
    public init(_ table: Table) {
        var sections: [(TableSection, [TableEntry])] = [
            (.table, Self.common(table)), (.dealer, Self.dealer(table)),
        ]
        for seat in table.seatViews {
            sections.append((.seat(seat.seat), Self.seat(seat, table)))
            for (hand, entries) in Self.hands(seat) { sections.append((.hand(hand), entries)) }
        }
        do {
            try self.init(sections)
        } catch {
            preconditionFailure("seats, hands and cards have identifiers of their own: \(error)")
        }
    }

    /// Becomes what can be seen of a table now, where this was seen of it before the facts with that footprint. What they have not touched
    /// keeps its storage, so that the difference passes over it.
    public mutating func follow(_ table: Table, _ footprint: TableFootprint) {
        var footprint = footprint
        // Whoever was asked may be asked no more, or something else, by whatever happened.
        for seat in 1...table.rules.seats where isAsked(seat) { footprint.add(seat) }
        do {
            try replace(1, from: .table, with: [(.table, Self.common(table, rules: self[.rules]))])
            if footprint.dealer { try replace(1, from: .dealer, with: [(.dealer, Self.dealer(table))]) }
            for seat in 1...table.rules.seats where footprint.touches(seat) {
                let view = table.seatView(seat)
                var sections: [(TableSection, [TableEntry])] = [(.seat(seat), Self.seat(view, table))]
                for (hand, entries) in Self.hands(view) { sections.append((.hand(hand), entries)) }
                try replace(1 + hands(ofSeat: seat).count, from: .seat(seat), with: sections)
            }
        } catch {
            preconditionFailure("seats, hands and cards have identifiers of their own: \(error)")
        }
    }

    /// - Parameter rules: the rules as they were shown before, so that they are not copied again.
    private static func common(_ table: Table, rules: TableEntry? = nil) -> [TableEntry] {
        var entries = [TableEntry.round(table.round), .phase(RoundPhase(table.phase))]
        if let deadline = table.deadline { entries.append(.clock(Clock(deadline: deadline.milliseconds))) }
        let shoe = table.shoeView
        entries.append(
            .shoe(ShoeStatus(number: shoe.number, decks: shoe.decks, behindCutCard: max(0, shoe.decks * 52 - shoe.cut))))
        entries.append(.cardsLeft(shoe.number == 0 ? shoe.decks * 52 : shoe.remaining))
        entries.append(rules ?? .rules(table.rules))
        return entries
    }

    private static func dealer(_ table: Table) -> [TableEntry] {
        let cards = table.dealerCards
        guard !cards.isEmpty else { return [] }
        return [.dealerTotal(Total(table.dealerValue, mayBeBlackjack: true))] + cards.map(TableEntry.init)
    }

    private static func seat(_ seat: SeatView, _ table: Table) -> [TableEntry] {
        var entries: [TableEntry] = []
        if let id = seat.player, let player = table.playerView(id) {
            entries.append(.player(seat.seat, TableModel.Player(player)))
        }
        let actions = table.legalActions(seat: seat.seat)
        if !actions.isEmpty {
            let hand = if case .playing(seat.seat, let hand, _) = table.phase { hand + 1 } else { 1 }
            let options = actions.map { Choice.Option(action: $0.action, cost: $0.cost.upperBound) }
            entries.append(.choice(seat.seat, Choice(hand: hand, options: options)))
        }
        if seat.insurance > 0 { entries.append(.insurance(seat.seat, seat.insurance)) }
        return entries
    }

    /// The hands that lie at a seat. A bet for the next round takes the place of what is left of the last one.
    private static func hands(_ seat: SeatView) -> [(HandIdentifier, [TableEntry])] {
        if seat.bet > 0 {
            let hand = HandIdentifier(seat: seat.seat, number: 1)
            return [(hand, [.bet(hand, seat.bet)])]
        }
        return seat.hands.map { view in
            let hand = HandIdentifier(seat: seat.seat, number: view.id.hand + 1)
            var entries: [TableEntry] = [
                .bet(hand, view.stake), .total(hand, Total(view.value, mayBeBlackjack: !view.isSplit)),
            ]
            entries += view.cards.map(TableEntry.init)
            if let settlement = view.settlement {
                entries.append(.result(hand, HandResult(outcome: settlement.outcome, net: settlement.paid - view.stake)))
            }
            return (hand, entries)
        }
    }
}

extension TableEntry {
    fileprivate init(_ card: TableCard) { self = .card(Int(card.id.rawValue), card.card) }
}

extension Total {
    fileprivate init(_ value: HandValue, mayBeBlackjack: Bool) {
        if mayBeBlackjack && value.isTwoCard21 {
            self = .blackjack
        } else {
            self = value.isSoft ? .soft(value.total) : .hard(value.total)
        }
    }
}

extension TableModel.Player {
    fileprivate init(_ view: PlayerView) {
        let presence: Presence =
            if view.isLeaving { .leaving } else if !view.isConnected { .away } else if view.isSittingOut { .sittingOut } else {
                .here
            }
        self.init(name: view.profile.name, chips: view.bankroll, presence: presence, isBot: view.profile.isBot)
    }
}

extension RoundPhase {
    fileprivate init(_ phase: Phase) {
        self =
            switch phase {
            case .waiting: .waiting
            case .betting: .betting
            case .earlySurrender: .surrender
            case .insurance: .insurance
            case .dealing, .playing, .dealer: .playing
            case .settled: .settled
            case .closed: .closed
            }
    }
}
