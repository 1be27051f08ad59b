import Rules

/// All of a table that is not a list.
struct TableCore: Hashable, Sendable {
    var phase = Phase.waiting
    /// When `phase` ends by itself; the end of time for a phase that does not.
    var due = Moment.never
    /// Rounds begun so far.
    var round = 0
    /// Chips the house has won; negative: lost.
    var houseNet = 0
    /// Chips that players have brought.
    var broughtIn = 0
    /// Chips that players have taken away.
    var takenOut = 0
    /// Whether this round is the last.
    var isClosing = false
    /// What the acting hand may do; of use while `phase` is `playing`.
    var turnActions: ActionSet = []
    /// The places in `players` that are in use.
    var present = SeatMask()
    /// The seats that have a bet for the next round.
    var bets = SeatMask()
    /// The seats that play this round, or played the last one.
    var playing = SeatMask()
    /// Hands of this round that stand against the dealer, or still may.
    var liveHands = 0
    /// Seats of this round with an insurance that is not settled.
    var insured = SeatMask()
    var dealer = Dealer()
    var shoe: Shoe
    /// The source of the next shuffle.
    var nextSource: ShoeSource?
}
