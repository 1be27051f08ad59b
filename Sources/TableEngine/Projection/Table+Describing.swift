import Rules
import TableModel

/// What is in each section of what can be seen of a table: the one description, from which snapshots and what is shown during play are made.
/// What lies face down is not in it, in no form.
extension Table {
    /// Shows everything that is in a section now, but for the rules.
    func describe(_ section: TableSection, by change: inout RowChange, _ keepsakes: inout Keepsakes) {
        switch section {
        case .table: describeTable(by: &change)
        case .dealer: describeDealer(by: &change)
        case .seat(let seat): describeSeat(seat, by: &change, &keepsakes)
        case .hand(let hand): describeHand(hand, by: &change)
        case .other: break
        }
    }

    /// The hands of which there is anything to show.
    var shownHands: PlaceSet {
        var hands = PlaceSet()
        for seat in 1...state.rules.seats {
            let count = state.seats[seat - 1].bet > 0 ? 1 : Int(state.seats[seat - 1].handCount)
            hands.formUnion(.hands(count, ofSeat: seat))
        }
        return hands
    }

    /// But for the rules.
    private func describeTable(by change: inout RowChange) {
        change.show(.round(round))
        change.show(.phase(RoundPhase(phase)))
        if let deadline { change.show(.clock(Clock(deadline: deadline.milliseconds))) }
        let decks = state.rules.decks
        change.show(
            .shoe(ShoeStatus(number: state.shoe.number, decks: decks, behindCutCard: max(0, decks * 52 - state.shoe.cut))))
        change.show(.cardsLeft(state.shoe.number == 0 ? decks * 52 : state.shoe.remaining))
        if state.isClosing, let notice = state.core.pointee.closing { change.show(.closing(notice)) }
    }

    private func describeDealer(by change: inout RowChange) {
        let count = dealerCardCount
        guard count > 0 else { return }
        change.show(.dealerTotal(Total(dealerValue, mayBeBlackjack: true)))
        for index in 0..<count { change.show(TableEntry(dealerCard(index))) }
    }

    private func describeSeat(_ seat: Int, by change: inout RowChange, _ keepsakes: inout Keepsakes) {
        let place = state.seats[seat - 1].player
        if place >= 0 { change.show(.player(seat, TableModel.Player(state.players[place]))) }
        if let options = keepsakes.options({ keep in forEachLegalAction(seat: seat) { keep($0, $1.upperBound) } }) {
            let hand = if case .playing(seat, let hand, _) = phase { hand + 1 } else { 1 }
            change.show(.choice(seat, Choice(hand: hand, turn: state.turn, options: options)))
        }
        let insurance = state.seats[seat - 1].handCount > 0 ? state.seats[seat - 1].insurance : 0
        if insurance > 0 { change.show(.insurance(seat, insurance)) }
    }

    /// A bet for the next round takes the place of what is left of the last one.
    private func describeHand(_ hand: HandIdentifier, by change: inout RowChange) {
        let seat = hand.seat - 1
        guard state.seats[seat].bet == 0 else { return change.show(.bet(hand, state.seats[seat].bet)) }
        let place = TableState.place(seat, hand.number - 1)
        let stake = state.hands[place].stake
        let value = state.hands[place].value
        change.show(.bet(hand, stake))
        change.show(.total(hand, Total(value, mayBeBlackjack: state.hands[place].origin == .dealt)))
        for index in 0..<Int(value.count) {
            let id = state.hands[place].cards[index]
            change.show(.card(Int(id.rawValue), state.shoe[id]))
        }
        guard state.hands[place].state == .settled else { return }
        let settlement = state.hands[place].settlement
        change.show(.result(hand, HandResult(outcome: settlement.outcome, net: settlement.paid - stake)))
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
            if player.isLeaving { .leaving } else if !player.isPresent { .away } else if player.isSittingOut {
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
