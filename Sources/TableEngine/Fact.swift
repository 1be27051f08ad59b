import Fairness
import Rules
import TableModel

/// An event at a table. Only facts change a table: replaying the same facts in the same order yields an equal table.
///
/// A journal keeps the facts of one command all or none. Seats are numbered from 1, hands of a seat from 0.
public enum Fact: Hashable, Sendable {
    // Players
    /// At a seat that the player has: withdraws a leave or adds chips.
    case sat(player: PlayerID, profile: PlayerProfile, seat: Int, chips: Int)
    /// The player leaves with `chips`; all their seats are free.
    case left(player: PlayerID, chips: Int)
    /// The player leaves when the round is settled.
    case leaving(player: PlayerID)
    /// The player loses the seats at `until`, unless dealt a hand before.
    case satOut(player: PlayerID, until: Timestamp)
    case satIn(player: PlayerID)
    /// The player counts as present until `grace` ends.
    case disconnected(player: PlayerID, grace: Timestamp)
    /// A disconnected player's grace period has ended.
    case away(player: PlayerID)
    case reconnected(player: PlayerID)
    /// The player leaves when the round is settled, unless they reconnect before.
    case released(player: PlayerID)
    /// Moves the stage's deadline. While nobody has bet, idle players sit out at `until`; in betting and questions, the time banks of all
    /// awaited players are empty then.
    case idling(until: Timestamp)
    /// Takes `milliseconds` from the bank of a player for whom the others waited beyond the free time. The next charge counts from `from`.
    case charged(player: PlayerID, milliseconds: Int, from: Timestamp)

    // Shoe
    /// The source of the coming shoe; after a ceremony its key, which follows from the facts before.
    case shoeSupplied(ShoeSource)
    /// A fresh shoe, its order made from `source`; `shoe` counts from 1.
    case shuffled(shoe: Int, source: ShoeSource)
    case burned(CardID)
    /// The shoe ran out during a round: `cards` discards of earlier rounds were reshuffled, or, without any, a fresh set of packs
    /// was added.
    case reshuffled(cards: Int)

    // Ceremonies of shoes
    /// Whether the player's client takes part in the ceremonies that follow.
    case declared(player: PlayerID, contributes: Bool)
    /// The coming shoes are made in ceremonies, whose commitments have this name.
    case ceremoniesBegan(table: String)
    /// An attempt for the coming shoe begins with the server's commitment to `secret`.
    case ceremonyOpened(shoe: Int, secret: ShoeSecret)
    // Indirect, since every fact has the size of the largest.
    indirect case contributed(player: PlayerID, name: String, commitment: Digest)
    /// A shuffle is due: the list closes at `until`, or once everybody has committed; nil: no longer due.
    case listDue(until: Timestamp?)
    /// The list holds the contributors who are seated. They reveal until `until`.
    case listClosed(until: Timestamp)
    case revealed(player: PlayerID, contribution: ShoeSecret)
    /// The attempt is void: reveals were withheld until the deadline, or a contributor left before revealing.
    case attemptVoided(timedOut: Bool)
    /// Publishes the secret of the shoe in play, of which no card will be dealt.
    case secretRevealed(shoe: Int)

    // Betting
    case bettingOpened(closes: Timestamp)
    /// The bet of a seat for the next round, in chips; 0: none.
    case betPlaced(seat: Int, amount: Int)
    /// No bet is left: the table waits for the next one.
    case bettingAbandoned

    // A round
    /// No more bets. `round` counts from 1.
    case roundStarted(round: Int)
    case dealt(CardID, Card, seat: Int, hand: Int)
    case dealtToDealer(CardID, Card)
    /// The dealer's second card, face down. Its face follows from the shoe.
    case holeDealt(CardID)
    case earlySurrenderOffered(closes: Timestamp)
    case insuranceOffered(closes: Timestamp)
    case insured(seat: Int, amount: Int)
    case evenMoneyTaken(seat: Int)
    /// Refuses early surrender or insurance, depending on the phase.
    case declined(seat: Int, timedOut: Bool)
    /// The dealer has looked at the hole card and has no blackjack.
    case peeked
    case insuranceSettled(seat: Int, stake: Int, paid: Int)
    /// The hand may take an action in `legal` until `closes`.
    case turnStarted(seat: Int, hand: Int, legal: ActionSet, closes: Timestamp)
    case hit(seat: Int, hand: Int)
    case stood(seat: Int, hand: Int, StandReason)
    /// Doubles for `added` chips; one more card follows.
    case doubled(seat: Int, hand: Int, added: Int)
    /// Moves the second card of `hand`, with as many chips as the bet, to a new hand, the seat's last.
    case split(seat: Int, hand: Int, newHand: Int)
    case surrendered(seat: Int)
    case holeRevealed(CardID, Card)
    /// Returns `paid` chips, the stake included.
    case settled(seat: Int, hand: Int, Outcome, stake: Int, paid: Int)
    /// Everything is settled; results stay visible until `until`.
    case roundEnded(until: Timestamp)
    /// The table is cleared and waits for bets.
    case cleared

    // The table
    case closing(ClosingNotice)
    case closed
    /// Postpones every running timer, of the phase and of single players.
    case postponed(milliseconds: Int)
}

extension Fact {
    /// Whether it is a step of a shoe's ceremony, which says nothing about a round.
    package var isOfCeremony: Bool {
        switch self {
        case .declared, .ceremoniesBegan, .ceremonyOpened, .contributed, .listDue, .listClosed, .revealed, .attemptVoided,
            .secretRevealed, .shoeSupplied:
            true
        // Players and rounds.
        default: false
        }
    }
}

/// Why a hand stands.
@frozen
public enum StandReason: UInt8, CaseIterable, Hashable, Sendable {
    case chosen
    /// 21, or a split ace with its one card.
    case automatic
    case timedOut
    /// The player is leaving.
    case absent
}

/// Why a fact cannot have happened at a table: it is corrupt, out of order, or another table's.
public enum FactValidationError: String, Error, CaseIterable, Sendable, CustomStringConvertible {
    case phase = "not possible in this phase"
    case player = "its player has no seat"
    case seat = "its seat does not exist, is taken or free, or is not asked"
    case hand = "its hand does not exist or is finished"
    /// The shoe's next card is another one, or none is left.
    case card = "its card is not the next one of the shoe"
    case shoe = "the shoe cannot be shuffled so"
    /// An amount differs from the table's, or the player does not have it.
    case chips = "its chips differ from those at the table"
    /// A timestamp with which sums of times could overflow.
    case time = "its time is out of range"
    case round = "its round is not the next one"
    case ceremony = "it is not the next step of the shoe's ceremony"

    public var description: String { rawValue }
}

extension Table {
    /// Applies a fact that may be corrupt: checks everything on which ``apply(_:)`` relies, not whether the rules allow it.
    ///
    /// - Throws: the validation error; the table is then unchanged.
    public mutating func replay(_ fact: Fact) throws(FactValidationError) {
        if let error = state.validationError(of: fact) { throw error }
        apply(fact)
    }
}

/// Receives facts. Generic, so that an empty sink costs nothing.
public protocol FactSink {
    mutating func receive(_ fact: Fact)
    /// A round has ended, and its results are on the table. Comes after its fact, before a due command can clear the table.
    mutating func roundEnded(_ table: borrowing Table)
}

extension FactSink {
    @inlinable
    public mutating func roundEnded(_ table: borrowing Table) {}
}

/// Discards facts.
@frozen
public struct NoFacts: FactSink, Sendable {
    @inlinable
    public init() {}
    @inlinable
    public mutating func receive(_ fact: Fact) {}
}

/// Collects facts in order, and the results of rounds that end.
public struct FactList: FactSink, Hashable, Sendable {
    public var facts: [Fact] = []
    package private(set) var results: [PlayerRound] = []
    public init() {}
    public mutating func receive(_ fact: Fact) { facts.append(fact) }
    public mutating func roundEnded(_ table: borrowing Table) { table.forEachResult { results.append($0) } }

    package mutating func clear() {
        facts.removeAll(keepingCapacity: true)
        results.removeAll(keepingCapacity: true)
    }
}
