/// Evidence that a shoe is not the one committed to. Places are numbers of cards, from 0; faces are codes, suit · 13 + rank.
public enum ShoeFault: Error, Hashable, Sendable {
    // In a proof.

    /// The proof is of another table, shoe or commitment than was shown.
    case anotherShoe
    /// The secret does not give the server's commitment, with these rules.
    case secret
    /// The rules are not those of the table.
    case rules
    /// A contribution does not give its commitment.
    case contribution(String)
    /// The list is not the one shown, or not the one under which the viewer revealed.
    case list
    /// Other contributions are in the mix than was shown.
    case mixed
    /// The viewer's own contribution was changed, or is not in the mix although the server confirmed it.
    case ownContribution
    /// The order has another digest than the one announced.
    case order(shoe: Int, segment: Int)
    /// A segment's number, range or size is wrong, or it is not in the proof.
    case segment(shoe: Int, number: Int)
    /// A segment begins at another place than behind the cards before it.
    case segmentStart(shoe: Int, number: Int, expected: Int, seen: Int)
    /// A card is not the one at its place; `expected` is nil where the shoe has no such place.
    case card(shoe: Int, place: Int, expected: UInt8?, seen: UInt8)
    /// The server used the secret before.
    case secretReused

    // While the shoe is made and played.

    /// The commitment was used before, for another shoe or attempt.
    case commitmentRepeated
    /// The server changed its commitment within an attempt, or plays a shoe of another one.
    case commitmentChanged
    /// A closed list changed.
    case listChanged
    /// An announced order or mix changed.
    case orderChanged
    /// The viewer is not in the list, although the server confirmed the commitment.
    case leftOut
    /// The viewer is named as withholder, or is missing in the mix, although the server had got the reveal.
    case namedAsWithholder
    /// One revision of a table was shown with two contents.
    case contradiction
    /// An attempt was given up although nobody withheld or left, or though its order was made.
    case voidedWithoutCause
    /// A revision, round or shoe has a lower number than one seen before.
    case wentBack
    /// More rounds passed than revisions, or more shoes than rounds.
    case shoesWithoutRounds
    /// A shoe came into play without the announcement of its order, though its ceremony was shown.
    case unannounced
    /// A card changed its face.
    case face(shoe: Int, place: Int, before: UInt8, seen: UInt8)
    /// Cards were skipped or dealt out of order: `seen` instead of `place`, nil for none.
    case gap(shoe: Int, place: Int, seen: Int?)
    /// The cut card is not where the rules have it.
    case cutCard(expected: Int, seen: Int)
    /// The shoe was shuffled before the cut card, with cards enough.
    case shuffledEarly
    /// The cut card was out and the next order made, and the shoe was played on.
    case shuffledLate
    /// A table omits an item that each table has, by its name on the wire: nothing can be compared without it.
    case itemMissing(String)
    /// A card of a shoe whose secret was revealed already.
    case dealtAfterReveal
}
