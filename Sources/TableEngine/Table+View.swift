import Rules

/// The public view: everything that players and spectators may see.
extension Table {
    public var rules: HouseRules { state.rules }
    public var pace: Pace { state.pace }
    public var phase: Phase { state.phase }
    /// Rounds begun so far.
    public var round: Int { state.core.round }
    /// The house's net win in chips; negative: lost.
    public var houseNet: Int { state.core.houseNet }
    /// Chips brought to the table so far.
    package var broughtIn: Int { state.core.broughtIn }
    /// Chips taken from the table so far.
    package var takenOut: Int { state.core.takenOut }
    /// Whether this round is the last.
    public var isClosing: Bool { state.core.isClosing }

    /// When the phase ends by itself, as shown to players; nil: only a command ends it. Betting that waits for a shoe ends with its
    /// ceremony at the latest.
    public var deadline: Moment? { state.deadline }

    /// When the next timer is due, including those of single players; nil: none runs.
    public var nextEvent: Moment? { state.nextEvent }

    /// Whether a table without ceremonies has no source for its next shuffle.
    public var needsShoeSource: Bool { !state.core.hasCeremonies && state.core.nextSource == nil && state.core.stage != .closed }

    public var playerViews: [PlayerView] { state.core.present.map(playerView) }

    package func playerView(_ id: PlayerID) -> PlayerView? { state.slot(of: id).map(playerView) }

    /// The chips of a player, without open bets; nil without a seat.
    public func bankroll(of player: PlayerID) -> Int? { state.slot(of: player).map { state.players[$0].chips } }

    private func playerView(slot: Int) -> PlayerView {
        let player = state.players[slot]
        return PlayerView(
            id: player.id, profile: player.profile, bankroll: player.chips, seats: player.seats.map { $0 + 1 },
            isConnected: player.isConnected, isAway: !player.isPresent, isSittingOut: player.isSittingOut,
            isLeaving: player.isLeaving,
            missedRounds: player.missedRounds)
    }

    package var seatViews: [SeatView] { (1...rules.seats).map(seatView) }

    /// A seat, from 1.
    public func seatView(_ number: Int) -> SeatView {
        precondition((1...rules.seats).contains(number), "seats are numbered from 1")
        let seat = state.seats[number - 1]
        let plays = seat.handCount > 0
        return SeatView(
            seat: number, player: seat.player < 0 ? nil : state.players[seat.player].id, bet: seat.bet,
            owner: plays ? seat.owner : nil, original: plays ? seat.original : 0, insurance: plays ? seat.insurance : 0,
            insurancePaid: plays && seat.insuranceIsSettled ? seat.insurancePaid : nil,
            isAsked: plays && seat.question == .open,
            hands: (0..<seat.handCount).map { handView(HandID(seat: number, hand: $0)) })
    }

    /// - Parameter id: one of its seat's `hands`.
    package func handView(_ id: HandID) -> HandView {
        precondition((1...rules.seats).contains(id.seat), "seats are numbered from 1")
        precondition((0..<state.seats[id.seat - 1].handCount).contains(id.hand), "the hand is not on the table")
        let hand = state.hands[TableState.handIndex(id.seat - 1, id.hand)]
        return HandView(
            id: id, cards: faceUp(hand.ids), value: hand.value, stake: hand.stake, isSplit: hand.origin != .dealt,
            isDoubled: hand.isDoubled, end: hand.state == .open ? nil : hand.end,
            settlement: hand.state == .settled ? hand.settlement : nil)
    }

    private func faceUp(_ ids: [CardID]) -> [TableCard] {
        ids.map { TableCard(id: $0, card: state.core.shoe[$0]) }
    }

    /// The number of hands on the table at a seat, from 1; for results see ``settledHand(_:)``.
    public func handCount(seat: Int) -> Int { state.seats[seat - 1].handCount }

    /// The owner of the hands at a seat, from 1; nil without hands.
    public func owner(seat: Int) -> PlayerID? {
        state.seats[seat - 1].handCount > 0 ? state.seats[seat - 1].owner : nil
    }

    /// The stake and settlement of a hand; nil until it is settled.
    public func settledHand(_ id: HandID) -> (stake: Int, settlement: Settlement)? {
        let hand = TableState.handIndex(id.seat - 1, id.hand)
        guard state.hands[hand].state == .settled else { return nil }
        return (state.hands[hand].stake, state.hands[hand].settlement)
    }

    /// The insurance bet of a seat, from 1, and the chips returned for it; nil without insurance or until it is settled.
    public func settledInsurance(seat: Int) -> (stake: Int, paid: Int)? {
        let seat = state.seats[seat - 1]
        guard seat.handCount > 0, seat.insurance > 0, seat.insuranceIsSettled else { return nil }
        return (seat.insurance, seat.insurancePaid)
    }

    /// The dealer's cards. The hole card has no face until it is revealed.
    package var dealerCards: [TableCard] {
        (0..<dealerCardCount).map(dealerCard)
    }

    /// The number of the dealer's cards, the hole card included.
    var dealerCardCount: Int { Int(state.core.dealer.value.count) }

    /// One of ``dealerCards``.
    func dealerCard(_ index: Int) -> TableCard {
        let id = state.core.dealer.cards[index]
        return TableCard(id: id, card: index == 1 && state.core.dealer.holeIsHidden ? nil : state.core.shoe[id])
    }

    /// The value of the dealer's face-up cards.
    public var dealerValue: HandValue {
        state.core.dealer.holeIsHidden ? HandValue().adding(state.core.dealer.upCard) : state.core.dealer.value
    }

    /// The dealer's first card; nil before it is dealt.
    public var upCard: Card? { state.core.dealer.value.count == 0 ? nil : state.core.shoe[state.core.dealer.cards[0]] }

    package var shoeView: ShoeView {
        ShoeView(
            number: state.core.shoe.number, decks: rules.decks, drawn: state.core.shoe.drawn,
            remaining: state.core.shoe.remaining,
            cut: state.core.shoe.cut, shufflesNext: state.shufflesNext)
    }

    /// Chips on the table: bets for the next round, and unsettled stakes and insurance.
    public var chipsAtStake: Int {
        var sum = 0
        for number in 1...rules.seats {
            let seat = state.seats[number - 1]
            sum += seat.bet
            if seat.handCount > 0, !seat.insuranceIsSettled { sum += seat.insurance }
            for hand in 0..<seat.handCount where state.hands[TableState.handIndex(number - 1, hand)].state != .settled {
                sum += state.hands[TableState.handIndex(number - 1, hand)].stake
            }
        }
        return sum
    }
}
