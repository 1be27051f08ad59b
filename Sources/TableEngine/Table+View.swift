import Rules

/// What everybody at the table, and everybody who watches, may see.
extension Table {
    public var rules: HouseRules { state.rules }
    public var pace: Pace { state.pace }
    public var phase: Phase { state.phase }
    /// Rounds begun so far.
    public var round: Int { state.round }
    /// What the house has won, in chips; negative: lost.
    public var houseNet: Int { state.houseNet }
    /// Chips that players have brought to the table.
    public var broughtIn: Int { state.broughtIn }
    /// Chips that players have taken away again.
    public var takenOut: Int { state.takenOut }
    /// Whether this round is the last.
    public var isClosing: Bool { state.isClosing }

    /// When the phase ends by itself, which is what players see; nil: not before the next command.
    ///
    /// A betting time that is over stays open, without a deadline, while the next shoe is not supplied.
    public var deadline: Moment? { state.deadline }

    /// When something happens by itself next, the clocks of single players included; nil: not before the next command.
    public var nextEvent: Moment? { state.nextEvent }

    /// Whether the host should supply another shoe source: the table holds none for its next shuffle.
    public var needsShoeSource: Bool { state.nextSource == nil && state.stage != .closed }

    public var playerViews: [PlayerView] { state.present.map(playerView) }

    public func playerView(_ id: PlayerID) -> PlayerView? { state.place(of: id).map(playerView) }

    /// What a player has in front of him in chips, all open bets taken off; nil for one without a seat.
    public func bankroll(of player: PlayerID) -> Int? { state.place(of: player).map { state.players[$0].chips } }

    private func playerView(place: Int) -> PlayerView {
        let player = state.players[place]
        return PlayerView(
            id: player.id, profile: player.profile, bankroll: player.chips, seats: player.seats.map { $0 + 1 },
            isConnected: player.isConnected, isAway: !player.isPresent, isSittingOut: player.isSittingOut,
            isLeaving: player.isLeaving,
            missedRounds: player.missedRounds)
    }

    public var seatViews: [SeatView] { (1...rules.seats).map(seatView) }

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

    /// A hand that lies on the table: one of its seat's `hands`.
    public func handView(_ id: HandID) -> HandView {
        precondition((1...rules.seats).contains(id.seat), "seats are numbered from 1")
        precondition((0..<state.seats[id.seat - 1].handCount).contains(id.hand), "a hand is viewed while it is on the table")
        let hand = state.hands[TableState.place(id.seat - 1, id.hand)]
        return HandView(
            id: id, cards: faceUp(hand.ids), value: hand.value, stake: hand.stake, isSplit: hand.origin != .dealt,
            isDoubled: hand.isDoubled, end: hand.state == .open ? nil : hand.end,
            settlement: hand.state == .settled ? hand.settlement : nil)
    }

    private func faceUp(_ ids: [CardID]) -> [TableCard] {
        ids.map { TableCard(id: $0, card: state.shoe[$0]) }
    }

    /// The hands of a seat, from 1, that lie on the table; their results are in ``settledHand(_:)``.
    public func handCount(seat: Int) -> Int { state.seats[seat - 1].handCount }

    /// Whose hands lie at a seat, from 1; nil where none do.
    public func owner(seat: Int) -> PlayerID? {
        state.seats[seat - 1].handCount > 0 ? state.seats[seat - 1].owner : nil
    }

    /// All chips that were on a hand, and what it came to; nil while it is not settled.
    public func settledHand(_ id: HandID) -> (stake: Int, settlement: Settlement)? {
        let hand = TableState.place(id.seat - 1, id.hand)
        guard state.hands[hand].state == .settled else { return nil }
        return (state.hands[hand].stake, state.hands[hand].settlement)
    }

    /// The insurance bet of a seat, from 1, and what came back for it; nil where there was none, or it is not settled.
    public func settledInsurance(seat: Int) -> (stake: Int, paid: Int)? {
        let seat = state.seats[seat - 1]
        guard seat.handCount > 0, seat.insurance > 0, seat.insuranceIsSettled else { return nil }
        return (seat.insurance, seat.insurancePaid)
    }

    /// The dealer's cards; the hole card without its face until it is revealed.
    public var dealerCards: [TableCard] {
        (0..<dealerCardCount).map(dealerCard)
    }

    /// How many cards the dealer has, the hole card included.
    var dealerCardCount: Int { Int(state.dealer.value.count) }

    /// One of ``dealerCards``.
    func dealerCard(_ index: Int) -> TableCard {
        let id = state.dealer.cards[index]
        return TableCard(id: id, card: index == 1 && state.dealer.holeIsHidden ? nil : state.shoe[id])
    }

    /// The value of the dealer's cards that lie face up.
    public var dealerValue: HandValue {
        state.dealer.holeIsHidden ? HandValue().adding(state.dealer.upCard) : state.dealer.value
    }

    /// The dealer's first card; nil while the dealer has none.
    public var upCard: Card? { state.dealer.value.count == 0 ? nil : state.shoe[state.dealer.cards[0]] }

    public var shoeView: ShoeView {
        ShoeView(
            number: state.shoe.number, decks: rules.decks, drawn: state.shoe.drawn, remaining: state.shoe.remaining,
            cut: state.shoe.cut, shufflesNext: state.shufflesNext)
    }

    /// Chips that lie on the table: bets for the next round, and stakes and insurance that are not settled.
    public var chipsAtStake: Int {
        var sum = 0
        for number in 1...rules.seats {
            let seat = state.seats[number - 1]
            sum += seat.bet
            if seat.handCount > 0, !seat.insuranceIsSettled { sum += seat.insurance }
            for hand in 0..<seat.handCount where state.hands[TableState.place(number - 1, hand)].state != .settled {
                sum += state.hands[TableState.place(number - 1, hand)].stake
            }
        }
        return sum
    }
}
