import Rules
import TableModel

/// All of a table that is not a list.
struct TableCore: Hashable, Sendable {
    var stage = Stage.waiting
    /// The hand whose turn it is, its seat from 0; of use while `stage` is `playing`.
    var actingSeat: UInt8 = 0
    var actingHand: UInt8 = 0
    /// When `stage` ends by itself, or, while the table waits for a bet, when everybody sits out; the end of time for never.
    var due = Moment.never
    /// Rounds begun so far.
    var round = 0
    /// Decisions asked so far: the number of the one that is asked now, or was last.
    var turn = 0
    // Sums without end wrap around rather than trap; that chips are conserved can be told all the same.
    /// Chips the house has won; negative: lost.
    var houseNet = 0
    /// Chips that players have brought.
    var broughtIn = 0
    /// Chips that players have taken away.
    var takenOut = 0
    /// Whether this round is the last.
    var isClosing = false
    /// Why; nil while the table stays open.
    var closing: ClosingNotice?
    /// What the acting hand may do; of use while `stage` is `playing`.
    var turnActions: ActionSet = []
    /// The places in `players` that are in use.
    var present = SeatMask()
    /// The seats that belong to somebody.
    var taken = SeatMask()
    /// The players who have missed a round or sat out, and some who have been back since.
    var idle = SeatMask()
    /// The players who are leaving, or are released.
    var leaving = SeatMask()
    /// The players of whom the last decision was the clock's.
    var late = SeatMask()
    /// The players who have a clock of their own: disconnected a moment ago, or sitting out.
    var clocked = SeatMask()
    /// The seats that have a bet for the next round.
    var bets = SeatMask()
    /// The seats that play this round, or played the last one.
    var playing = SeatMask()
    /// Hands of this round that are blackjacks, whatever becomes of them.
    var naturals = 0
    /// Hands of this round that stand against the dealer, or still may.
    var liveHands = 0
    /// Seats of this round with an insurance that is not settled.
    var insured = SeatMask()
    var dealer = Dealer()
    var shoe: Shoe
    /// The source of the next shuffle.
    var nextSource: ShoeSource?
}
