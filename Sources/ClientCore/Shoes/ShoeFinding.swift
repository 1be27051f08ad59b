import Fairness
import Rules

/// A client's finding about a shoe's shuffle.
public enum ShoeFinding: Equatable, Sendable {
    /// The table has no ceremonies, so its shuffle cannot be verified. Said once for each table.
    case noCeremonies(table: String)
    /// The proof is right, and so is each card seen.
    case verified(ShoeReport)
    /// Nobody can tell: there is no proof.
    case notVerified(ShoeReport, UnverifiedCause)
    /// Two things that the server showed or said cannot both be true.
    case contradicted(ShoeReport, ShoeFault)
    /// The proof of a shoe has come that was contradicted before: evidence.
    case evidence(ShoeReport, ShoeFault)
    /// An order was given up after the player's reveal. A server could choose among orders in this way.
    /// - Parameter times: such orders until now.
    case givenUp(GivenUpCause, shoe: Int, times: Int)
}

/// Why a shoe has no proof.
public enum UnverifiedCause: Equatable, Sendable {
    /// The player left the table while the shoe was in play, and had no proof of it since.
    case left
    /// The server lost the table: it was stopped and keeps no journal.
    case restarted
    /// The server has the table, but does not reveal its secret.
    case refused
    /// The server does not answer.
    case unanswered
}

/// Why an order was given up, as far as a viewer can tell.
public enum GivenUpCause: Equatable, Sendable {
    /// Names that the server shows as withholders. No viewer can check that of others.
    case withheld([String])
    /// The server says that the player withheld. No proof of a fault: the reveal may have come too late.
    case named
    /// Players of the list who got up before the reveal.
    case gotUp([String])
    case unseen
}

/// A shoe that was watched.
public struct ShoeReport: Equatable, Sendable {
    public var watched: WatchedShoe
    /// nil: there was none, or not yet.
    public var proof: ShoeProof?
    /// Whether the player's own contribution is in the order.
    public var isIncluded: Bool

    public var table: String { watched.table }
    public var shoe: Int { watched.shoe }

    public init(watched: WatchedShoe, proof: ShoeProof? = nil, isIncluded: Bool = false) {
        (self.watched, self.proof, self.isIncluded) = (watched, proof, isIncluded)
    }
}

/// The shoes that a client has judged.
public struct ShoeTally: Equatable, Sendable {
    public var verified = 0
    public var contradicted = 0
    public var notVerified = 0
    /// Verified ones without the player's contribution, though the player was seated when it was asked for.
    public var withoutPlayer = 0
    /// Whether a table had rules that this client does not know. They may change payments, which are not compared there.
    public var hasUnknownRules = false
    /// Cards of them were seen, and there is no proof yet.
    public var open = 0
    /// Orders that were given up after the player's reveal.
    public var givenUp = 0
    /// Tables shown, one in each epoch, and those whose rules match the digest in the commitments to their shoes.
    public var (tables, tablesWithRules) = (0, 0)
    /// Whether a contradiction was about the rules of a table.
    public var areRulesFalse = false

    public init() {}

    /// Shoes of which cards were seen.
    public var total: Int { verified + contradicted + notVerified + open }
}

// MARK: - Text

extension ShoeFault: CustomStringConvertible {
    /// The first wrong thing as a sentence without a full stop.
    public var description: String {
        switch self {
        case .anotherShoe: "the proof is for a different shoe"
        case .secret: "the server's secret does not match its commitment"
        case .contribution(let name): "\(name)'s contribution does not match its commitment"
        case .list: "the list of contributors differs from the one shown"
        case .mixed: "the contributions in the order differ from those shown"
        case .ownContribution: "your contribution was changed or left out"
        case .order(_, 0): "the order is not the one announced"
        case .order(_, let segment): "the order of the reshuffled cards (\(segment)) is not the one announced"
        case .segment(_, let number): "the reshuffled cards (\(number)) are not the discards, or not all of them"
        case .segmentStart(_, let number, let expected, let seen):
            "the reshuffled cards (\(number)) begin with card \(seen + 1) instead of card \(expected + 1)"
        case .card(_, let place, let expected?, let seen):
            "card \(place + 1) was \(Card(code: seen)) instead of \(Card(code: expected))"
        case .card(_, let place, nil, let seen): "card \(place + 1), \(Card(code: seen)), is not in the shoe"
        case .secretReused: "the server used its secret before"
        case .commitmentRepeated: "the server used its commitment before"
        case .commitmentChanged: "the server changed its commitment"
        case .listChanged: "the server changed the closed list of contributors"
        case .orderChanged: "the server changed the announced order"
        case .leftOut: "your contribution was left out of the list"
        case .namedAsWithholder: "the server says that you withheld your contribution, which it had confirmed"
        case .contradiction: "the server showed the same state of the table in two ways"
        case .voidedWithoutCause: "an attempt was abandoned although no player withheld or left, or after its order was made"
        case .wentBack: "the table went back to an earlier revision, round or shoe"
        case .shoesWithoutRounds: "more shoes or rounds passed than the revisions allow"
        case .unannounced: "the shoe in play has no announced order, although its ceremony was shown"
        case .face(_, let place, let before, let seen):
            "card \(place + 1) was \(Card(code: before)) and became \(Card(code: seen))"
        case .gap(_, let place, let seen?): "card \(seen + 1) was dealt instead of card \(place + 1)"
        case .gap(_, let place, nil): "cards were skipped from card \(place + 1) on"
        case .cutCard(let expected, let seen): "the cut card lies \(seen) cards from the end instead of \(expected)"
        case .shuffledEarly: "the shoe was shuffled before the cut card"
        case .shuffledLate: "play continued after the cut card, although the next order was ready"
        case .itemMissing(let item): "the server shows the table without '\(item)', so nothing can be compared"
        case .dealtAfterReveal: "cards were dealt from a shoe whose order was known"
        case .rulesDigest: "the rules that the server states do not match the digest that it committed to"
        case .rulesDiffer: "the table shows other rules than those that the server committed to"
        case .rulesChanged: "the table's rules changed"
        case .payment(let seat, let due, let seen): "seat \(seat) won \(seen) chips instead of \(due) by the table's rules"
        case .dealerPlay: "the dealer drew or stood against the table's rules"
        }
    }
}
