import Rules
import TableModel

/// Something that has happened. Facts are the only way in which a table changes: a new table that applies the same facts in the same
/// order is the same table.
///
/// The facts of one command belong together: a journal keeps them all or none. Seats are numbered from 1, hands of a seat from 0.
public enum Fact: Hashable, Sendable {
    // Players
    case sat(player: PlayerID, profile: PlayerProfile, seat: Int, chips: Int)
    /// The player is gone with `chips`, and all his seats are free.
    case left(player: PlayerID, chips: Int)
    /// The player will be gone when the round is settled.
    case leaving(player: PlayerID)
    /// The seats are given up at `until`, unless the player has been dealt a hand by then.
    case satOut(player: PlayerID, until: Moment)
    case satIn(player: PlayerID)
    /// The player counts as present until `grace` ends.
    case disconnected(player: PlayerID, grace: Moment)
    /// A disconnected player has not come back in time.
    case away(player: PlayerID)
    case reconnected(player: PlayerID)
    /// The player will be gone when the round is settled, unless they come back before.
    case released(player: PlayerID)
    /// Nobody bets: everybody who is there sits out at that moment.
    case idling(until: Moment)

    // Shoe
    case shoeSupplied(ShoeSource)
    /// A fresh shoe, its order made from `source`; `shoe` counts from 1.
    case shuffled(shoe: Int, source: ShoeSource)
    case burned(CardID)
    /// The shoe ran out during a round: `cards` discards of earlier rounds were shuffled and go on, or, when there were none,
    /// as many packs as the shoe has.
    case reshuffled(cards: Int)

    // Betting
    case bettingOpened(closes: Moment)
    /// The seat's bet for the next round is now `amount`; 0: none.
    case betPlaced(seat: Int, amount: Int)
    /// No bet is left: the table waits again.
    case bettingAbandoned

    // A round
    /// No more bets. `round` counts from 1.
    case roundStarted(round: Int)
    case dealt(CardID, Card, seat: Int, hand: Int)
    case dealtToDealer(CardID, Card)
    /// The dealer's second card, face down: which one it is follows from the shoe.
    case holeDealt(CardID)
    case earlySurrenderOffered(closes: Moment)
    case insuranceOffered(closes: Moment)
    case insured(seat: Int, amount: Int)
    case evenMoneyTaken(seat: Int)
    /// No early surrender, or no insurance; whatever was asked.
    case declined(seat: Int, timedOut: Bool)
    /// The dealer has looked at the hole card: no blackjack.
    case peeked
    case insuranceSettled(seat: Int, stake: Int, paid: Int)
    /// The hand may do one of `legal` until it closes.
    case turnStarted(seat: Int, hand: Int, legal: ActionSet, closes: Moment)
    case hit(seat: Int, hand: Int)
    case stood(seat: Int, hand: Int, StandReason)
    /// `added` more chips, one more card.
    case doubled(seat: Int, hand: Int, added: Int)
    /// The second card of `hand` and as many chips as the bet went to a new hand, the seat's last.
    case split(seat: Int, hand: Int, newHand: Int)
    case surrendered(seat: Int)
    case holeRevealed(CardID, Card)
    /// `paid` chips came back for `stake`, the stake included.
    case settled(seat: Int, hand: Int, Outcome, stake: Int, paid: Int)
    /// Everything is settled; the results lie on the table until then.
    case roundEnded(until: Moment)
    /// The table is clear and waits for bets.
    case cleared

    // The table
    case closing(ClosingNotice)
    case closed
}

/// Why a hand stands.
@frozen
public enum StandReason: UInt8, Hashable, Sendable {
    case chosen
    /// 21, or a split ace with its one card.
    case automatic
    case timedOut
    /// The player is leaving.
    case absent
}
