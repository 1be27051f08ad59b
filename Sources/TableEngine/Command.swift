import Fairness
import Rules
import TableModel

/// A request to a table. Seats are numbered from 1, hands of a seat from 0.
public enum Command: Hashable, Sendable {
    /// Takes a seat, by default the player's own or the first free one, with `chips` already taken from the account: at least the minimum
    /// bet for the first seat, otherwise 0 or more. At a seat that the player has: withdraws a leave or adds chips.
    case sit(player: PlayerID, profile: PlayerProfile, seat: Int?, chips: Int)
    /// Gives up all seats of the player. Before betting closes: at once, bets returned. In a round: open hands stand, and the seats
    /// are freed at settlement.
    case leave(player: PlayerID)
    /// Sets the bet of a seat, by default the player's only one, for the next round; 0 removes it. `round`, where given, must be the
    /// last round begun.
    case bet(player: PlayerID, seat: Int?, amount: Int, round: Int? = nil)
    /// Makes a decision. `seat`, `hand` and `turn`, where given, must match the hand asked. `amount`, in chips: insurance of less
    /// than half the bet, or a double for less.
    case act(player: PlayerID, action: Action, seat: Int?, hand: Int?, amount: Int?, turn: Int? = nil)
    /// Keeps the seats without betting; `isOut` false ends that.
    case sitOut(player: PlayerID, isOut: Bool = true)
    /// The player's connection was lost. Bets stay in play and turns run their full time; after the grace period the table stops
    /// waiting for their bets.
    case disconnected(player: PlayerID)
    case reconnected(player: PlayerID)
    /// Frees the seats of a disconnected player: at once, or after the round that holds their bets.
    case release(player: PlayerID)
    /// Supplies the source of the next shuffle, at a table without ceremonies; see `needsShoeSource`.
    case supplyShoe(ShoeSource)
    /// Makes the coming shoes in ceremonies. The name is part of every commitment.
    case beginCeremonies(table: String)
    /// Supplies the server's secret of the coming shoe; see `needsSecret`.
    case supplySecret(ShoeSecret)
    /// Whether the player's client takes part in ceremonies.
    case declare(player: PlayerID, contributes: Bool)
    /// Commits to a contribution to the coming shoe, after the server's commitment `server`. `name`: as in the reply to the login.
    indirect case commit(player: PlayerID, name: String, server: Digest, contribution: Digest)
    /// Reveals the contribution, under the digest of the closed list.
    case reveal(player: PlayerID, list: Digest, contribution: ShoeSecret)
    /// Runs due time-outs.
    case tick
    /// Closes the table after the current round; then every player leaves. If already closing: replaces the notice.
    case close(ClosingNotice = ClosingNotice())
    /// Aborts the round in play and returns every bet that is not settled.
    case void
    /// Shifts every running timer by milliseconds, 0…2^53, before any time-out fires: the host was down, or its disk stalled.
    case postpone(by: Int)
}
