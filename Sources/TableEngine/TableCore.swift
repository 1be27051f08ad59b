import Rules
import TableModel

/// The scalar state of a table.
struct TableCore: Hashable, Sendable {
    var stage = Stage.waiting
    /// The acting hand, its seat from 0; valid while `stage` is `playing`.
    var actingSeat: UInt8 = 0
    var actingHand: UInt8 = 0
    /// The acting hand, its seat from 0; valid while `stage` is `playing`.
    var acting: (seat: Int, hand: Int) { (Int(actingSeat), Int(actingHand)) }
    /// When `stage` ends by itself; in `waiting`, when everybody sits out.
    var due = Moment.never
    /// Rounds begun so far.
    var round = 0
    /// Decisions asked so far: the number of the current or last one.
    var turn = 0
    // Chip totals wrap around instead of trapping: conservation holds modulo 2^64.
    // The house's net win; negative: lost.
    var houseNet = 0
    /// Chips brought to the table.
    var broughtIn = 0
    /// Chips taken from the table.
    var takenOut = 0
    /// Whether this round is the last.
    var isClosing = false
    /// The reason for closing; nil while the table stays open.
    var closing: ClosingNotice?
    /// The legal actions of the acting hand; valid while `stage` is `playing`.
    var turnActions: ActionSet = []
    /// Slots of `players` in use.
    var present = SeatMask()
    /// Seats with a player.
    var taken = SeatMask()
    /// Players that have missed a round or sat out. May include some that have played since.
    var idle = SeatMask()
    /// Players that are leaving or released.
    var leaving = SeatMask()
    /// Players whose last decision was a time-out.
    var late = SeatMask()
    /// Players with a timer of their own: disconnected, or sitting out.
    var clocked = SeatMask()
    /// Players whose bank is not full.
    var spenders = SeatMask()
    /// Until then this betting or decision costs nothing; `never` at a table without banks.
    var freeUntil = Moment.never
    /// Seats with a bet for the next round.
    var bets = SeatMask()
    /// Seats that play this round, or played the last one.
    var playing = SeatMask()
    /// Blackjacks of players in this round, whatever their outcome.
    var naturals = 0
    /// Hands of this round that stand against the dealer, or still may.
    var liveHands = 0
    /// Seats of this round with unsettled insurance.
    var insured = SeatMask()
    var dealer = Dealer()
    var shoe: Shoe
    /// The source of the next shuffle.
    var nextSource: ShoeSource?
    /// Whether shoes are made in ceremonies.
    var hasCeremonies = false
    /// When the stage of the ceremony ends by itself.
    var ceremonyDue = Moment.never
}
