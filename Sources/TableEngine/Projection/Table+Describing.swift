import Rules
import TableModel

/// The contents of each visible section: the only description, used by snapshots and by the live projection. Contains nothing about face-down
/// cards.
extension Table {
    /// Shows the present entries of a section, without the rules.
    /// - Parameter changesCeremony: whether the ceremonies may differ from those shown.
    func describe(_ section: TableSection, by change: inout RowChange, changesCeremony: Bool = true) {
        switch section {
        case .table: describeTable(by: &change, changesCeremony: changesCeremony)
        case .dealer: describeDealer(by: &change)
        case .seat(let seat): describeSeat(seat, by: &change)
        case .hand(let hand): describeHand(hand, by: &change)
        case .other: break
        }
    }

    var status: RoundStatus { RoundStatus(number: round, phase: RoundPhase(phase)) }

    /// The hands with anything to show.
    var shownHands: RowSet {
        var hands = RowSet()
        for seat in 1...state.rules.seats {
            let count = state.seats[seat - 1].bet > 0 ? 1 : Int(state.seats[seat - 1].handCount)
            hands.formUnion(.hands(count, ofSeat: seat))
        }
        return hands
    }

    private func describeTable(by change: inout RowChange, changesCeremony: Bool) {
        change.show(.round(round))
        change.show(.phase(RoundPhase(phase)))
        if let deadline { change.show(.clock(Clock(deadline: deadline.milliseconds))) }
        let decks = state.rules.decks
        change.show(
            .shoe(
                ShoeStatus(number: state.core.shoe.number, decks: decks, behindCutCard: max(0, decks * 52 - state.core.shoe.cut)))
        )
        change.show(.cardsLeft(state.core.shoe.number == 0 ? decks * 52 : state.core.shoe.remaining))
        if state.core.hasCeremonies { showCeremonies(by: &change, changesCeremony: changesCeremony) }
        if state.core.isClosing, let notice = state.core.closing { change.show(.closing(notice)) }
    }

    private func showCeremonies(by change: inout RowChange, changesCeremony: Bool) {
        guard changesCeremony else { return change.keepCeremonies() }
        if let fairShoe { change.show(.fairShoe(fairShoe)) }
        if let nextShoe { change.show(.nextShoe(nextShoe)) }
    }

    private func describeDealer(by change: inout RowChange) {
        let count = dealerCardCount
        guard count > 0 else { return }
        change.show(.dealerTotal(Total(dealerValue, mayBeBlackjack: true)))
        for index in 0..<count { change.show(TableEntry(dealerCard(index))) }
    }

    private func describeSeat(_ seat: Int, by change: inout RowChange) {
        let player = state.seats[seat - 1].player
        if player >= 0 { change.show(.player(seat, TableModel.Player(state.players[player]))) }
        if let options = change.options.intern({ add in forEachLegalAction(seat: seat) { add($0, $1.upperBound) } }) {
            let hand = if case .playing(seat, let hand, _) = phase { hand + 1 } else { 1 }
            change.show(.choice(seat, Choice(hand: hand, turn: state.core.turn, options: options)))
        }
        let insurance = state.seats[seat - 1].handCount > 0 ? state.seats[seat - 1].insurance : 0
        if insurance > 0 { change.show(.insurance(seat, insurance)) }
    }

    /// A bet for the next round replaces the hands of the last one.
    private func describeHand(_ hand: HandIdentifier, by change: inout RowChange) {
        let seat = hand.seat - 1
        guard state.seats[seat].bet == 0 else { return change.show(.bet(hand, state.seats[seat].bet)) }
        let slot = TableState.handIndex(seat, hand.number - 1)
        let stake = state.hands[slot].stake
        let value = state.hands[slot].value
        change.show(.bet(hand, stake))
        change.show(.total(hand, Total(value, mayBeBlackjack: state.hands[slot].origin == .dealt)))
        for index in 0..<Int(value.count) {
            let id = state.hands[slot].cards[index]
            change.show(.card(Int(id.rawValue), state.core.shoe[id]))
        }
        guard state.hands[slot].state == .settled else { return }
        let settlement = state.hands[slot].settlement
        change.show(.result(hand, HandResult(outcome: settlement.outcome, net: settlement.paid - stake)))
    }
}

extension TableEntry {
    fileprivate init(_ card: TableCard) { self = .card(Int(card.id.rawValue), card.card) }
}

extension Total {
    package init(_ value: HandValue, mayBeBlackjack: Bool) {
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
