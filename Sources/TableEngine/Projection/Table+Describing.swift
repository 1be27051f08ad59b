import Rules
import TableModel

/// What is in each section of what can be seen of a table: the one description, from which snapshots and what is shown during play are made.
/// What lies face down is not in it, in no form.
extension Table {
    /// Appends everything that is in a section now, but for the rules; nothing for a hand that is not there.
    func describe(_ section: TableSection, into row: inout [TableEntry], _ keepsakes: inout Keepsakes) {
        switch section {
        case .table: describeTable(into: &row)
        case .dealer: describeDealer(into: &row)
        case .seat(let seat): describeSeat(seat, into: &row, &keepsakes)
        case .hand(let hand): describeHand(hand, into: &row)
        }
    }

    /// But for the rules.
    private func describeTable(into row: inout [TableEntry]) {
        row.append(.round(round))
        row.append(.phase(RoundPhase(phase)))
        if let deadline { row.append(.clock(Clock(deadline: deadline.milliseconds))) }
        let decks = state.rules.decks
        row.append(
            .shoe(ShoeStatus(number: state.shoe.number, decks: decks, behindCutCard: max(0, decks * 52 - state.shoe.cut))))
        row.append(.cardsLeft(state.shoe.number == 0 ? decks * 52 : state.shoe.remaining))
    }

    private func describeDealer(into row: inout [TableEntry]) {
        let count = dealerCardCount
        guard count > 0 else { return }
        row.append(.dealerTotal(Total(dealerValue, mayBeBlackjack: true)))
        for index in 0..<count { row.append(TableEntry(dealerCard(index))) }
    }

    private func describeSeat(_ seat: Int, into row: inout [TableEntry], _ keepsakes: inout Keepsakes) {
        let place = state.seats[seat - 1].player
        if place >= 0 { row.append(.player(seat, TableModel.Player(state.players[place]))) }
        if let options = keepsakes.options({ keep in forEachLegalAction(seat: seat) { keep($0, $1.upperBound) } }) {
            let hand = if case .playing(seat, let hand, _) = phase { hand + 1 } else { 1 }
            row.append(.choice(seat, Choice(hand: hand, options: options)))
        }
        let insurance = state.seats[seat - 1].handCount > 0 ? state.seats[seat - 1].insurance : 0
        if insurance > 0 { row.append(.insurance(seat, insurance)) }
    }

    /// Whether there is anything of a hand to describe.
    func shows(_ hand: HandIdentifier) -> Bool {
        let seat = state.seats + (hand.seat - 1)
        return seat.pointee.bet > 0 ? hand.number == 1 : hand.number <= seat.pointee.handCount
    }

    /// A bet for the next round takes the place of what is left of the last one.
    private func describeHand(_ hand: HandIdentifier, into row: inout [TableEntry]) {
        guard shows(hand) else { return }
        let seat = hand.seat - 1
        guard state.seats[seat].bet == 0 else { return row.append(.bet(hand, state.seats[seat].bet)) }
        let place = TableState.place(seat, hand.number - 1)
        let stake = state.hands[place].stake
        let value = state.hands[place].value
        row.append(.bet(hand, stake))
        row.append(.total(hand, Total(value, mayBeBlackjack: state.hands[place].origin == .dealt)))
        for index in 0..<Int(value.count) {
            let id = state.hands[place].cards[index]
            row.append(.card(Int(id.rawValue), state.shoe[id]))
        }
        guard state.hands[place].state == .settled else { return }
        let settlement = state.hands[place].settlement
        row.append(.result(hand, HandResult(outcome: settlement.outcome, net: settlement.paid - stake)))
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
    fileprivate init(_ player: Player) {
        let presence: Presence =
            if player.isLeaving { .leaving } else if !player.isConnected { .away } else if player.isSittingOut {
                .sittingOut
            } else {
                .here
            }
        self.init(name: player.profile.name, chips: player.chips, presence: presence, isBot: player.profile.isBot)
    }
}

extension RoundPhase {
    /// How a table's phase is shown.
    package init(_ phase: Phase) {
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
