/// A section of a table snapshot.
public enum TableSection: Hashable, Sendable {
    /// Round, clock, shoe, rules.
    case table
    /// The dealer's cards and total.
    case dealer
    /// A seat, 1…7: its player and the question to that player.
    case seat(Int)
    /// A hand: its cards, bet, total and result.
    case hand(HandIdentifier)
    /// A section of a kind unknown to this version.
    case other(OtherName)
}

/// A hand by seat and number. The first hand is number 1; each split adds the next, and numbers never change.
///
/// The playing order of hands is the order of their sections.
public struct HandIdentifier: Hashable, Sendable {
    /// 1…7.
    public let seat: Int
    /// 1…4.
    public let number: Int

    public init(seat: Int, number: Int) {
        self.seat = seat
        self.number = number
    }
}

/// The identifier of a visible item. It says nothing about the content, which is a ``TableEntry``.
public enum TableItem: Hashable, Sendable {
    /// The round's number.
    case round
    /// The phase of the round.
    case phase
    /// The current deadline; absent without one.
    case clock
    /// The shoe's constant figures.
    case shoe
    /// The number of cards left in the shoe.
    case cardsLeft
    /// How the order of the shoe in play was made; absent before the first shoe, and where shoes have no ceremony.
    case fairShoe
    /// The ceremony of the coming shoe; absent where shoes have none.
    case nextShoe
    /// The closing notice; absent while the table stays open.
    case closing
    /// The house rules.
    case rules
    /// The dealer's total.
    case dealerTotal
    /// The player of a seat, 1…7.
    case player(Int)
    /// The question to the player of a seat, 1…7; absent without one.
    case choice(Int)
    /// The insurance bet of a seat, 1…7.
    case insurance(Int)
    /// The bet on a hand.
    case bet(HandIdentifier)
    /// The total of a hand.
    case total(HandIdentifier)
    /// The result of a hand.
    case result(HandIdentifier)
    /// A card, by its index in the shoe, which says nothing about its face. Stable when the card is turned and when a split moves
    /// it.
    case card(Int)
    /// An item of a kind unknown to this version.
    case other(OtherName)
}
