import Rules
import TableModel

/// What may be asked of a table. Seats are numbered from 1, hands of a seat from 0.
public enum Command: Hashable, Sendable {
    /// Takes a seat (the first free one if none is named) and brings `chips` to the table: at least the minimum bet with the first
    /// seat, 0 or more with another one. The chips must already be out of the player's account.
    case sit(player: PlayerID, profile: PlayerProfile, seat: Int?, chips: Int)
    /// Gives up all the player's seats. Before the betting closes: at once, bets returned. In a round: open hands stand, and the
    /// seats are freed when the round is settled.
    case leave(player: PlayerID)
    /// Puts `amount` on a seat (the player's first if none is named) for the next round, instead of what is there; 0 takes it back.
    /// `round`, where given, must be the last round that was begun.
    case bet(player: PlayerID, seat: Int?, amount: Int, round: Int? = nil)
    /// Decides. `seat`, `hand` and `turn`, where given, must be the ones that are asked. `amount` is for an insurance of less than half
    /// the bet, and for a double for less.
    case act(player: PlayerID, action: Action, seat: Int?, hand: Int?, amount: Int?, turn: Int? = nil)
    /// Keeps the seats and bets no more until `sitIn`.
    case sitOut(player: PlayerID)
    case sitIn(player: PlayerID)
    /// The player's connection is gone. Bets stay and are dealt, turns run their whole time; after a period of grace nobody waits for
    /// a bet of theirs.
    case disconnected(player: PlayerID)
    case reconnected(player: PlayerID)
    /// The seats of a disconnected player are kept no longer: freed at once, or after the round that their bets are in.
    case release(player: PlayerID)
    /// Prepares the next shuffle. The table asks for it by `needsShoeSource`.
    case supplyShoe(ShoeSource)
    /// Runs whatever is due.
    case tick
    /// The table closes: the round is finished, then everybody leaves. One that is closing already takes another notice.
    case close(ClosingNotice = ClosingNotice())
    /// The round in play is given up, because the house can't finish it: every bet that is not settled goes back.
    case void
}
