/// A section of what can be seen of a table.
public enum TableSection: Hashable, Sendable {
    /// What concerns everybody: round, clock, shoe, rules.
    case table
    /// The dealer's cards and total.
    case dealer
    /// A seat, 1…7: who has it and what that player is being asked.
    case seat(Int)
    /// A hand: its cards, bet, total and result.
    case hand(HandIdentifier)
    /// Of a kind that this version does not know.
    case other(OtherName)
}

/// A hand by its seat and its number there. The first hand of a seat is number 1; each split adds the next number, and no hand's
/// number ever changes. The order in which hands are played is the order of their sections.
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

/// One thing that can be seen at a table. An identifier says what the thing *is*, never what it shows: that is its ``TableEntry``.
public enum TableItem: Hashable, Sendable {
    /// The round's number.
    case round
    /// How far the round is.
    case phase
    /// The deadline that runs; absent when none does.
    case clock
    /// The shoe's fixed figures.
    case shoe
    /// How many cards are left in the shoe.
    case cardsLeft
    /// Why the table closes; absent while it stays open.
    case closing
    /// The house rules.
    case rules
    /// The dealer's total.
    case dealerTotal
    /// Who sits in a seat, 1…7.
    case player(Int)
    /// What the player in a seat is being asked, 1…7; absent when nothing is.
    case choice(Int)
    /// The insurance bet of a seat, 1…7.
    case insurance(Int)
    /// The bet on a hand.
    case bet(HandIdentifier)
    /// The total of a hand.
    case total(HandIdentifier)
    /// How a hand ended.
    case result(HandIdentifier)
    /// A card, by its place in the shoe, which says nothing about its face. It keeps this identifier when it is turned and when a
    /// split moves it.
    case card(Int)
    /// Of a kind that this version does not know.
    case other(OtherName)
}
