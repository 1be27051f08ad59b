import Fairness
import Rules

extension ShoeFault: CustomStringConvertible {
    /// The first wrong thing as a sentence without a full stop.
    public var description: String {
        switch self {
        case .anotherShoe: "the proof is of another shoe than was played"
        case .secret: "the server's secret does not give its commitment"
        case .rules: "the proof has other rules than the table"
        case .contribution(let name): "\(name)'s contribution does not give its commitment"
        case .list: "the list of contributors is not the one that was shown"
        case .mixed: "other contributions are in the order than was shown"
        case .ownContribution: "your contribution was changed or left out"
        case .order(_, 0): "the order is not the one announced"
        case .order(_, let segment): "the order of the reshuffled cards (\(segment)) is not the one announced"
        case .segment(_, let number): "the reshuffled cards (\(number)) are not the discards, or not all of them"
        case .segmentStart(_, let number, let expected, let seen):
            "the reshuffled cards (\(number)) begin with card \(seen + 1), and have to begin with card \(expected + 1)"
        case .card(_, let place, let expected?, let seen):
            "card \(place + 1) was \(CardText.text(seen)), and has to be \(CardText.text(expected))"
        case .card(_, let place, nil, let seen): "card \(place + 1), \(CardText.text(seen)), is not in the shoe"
        case .secretReused: "the server used its secret before"
        case .commitmentRepeated: "the server used its commitment before"
        case .commitmentChanged: "the server changed its commitment"
        case .listChanged: "the server changed the closed list of contributors"
        case .orderChanged: "the server changed the announced order"
        case .leftOut: "your contribution was left out of the list"
        case .namedAsWithholder: "you are said to have withheld your contribution, though the server had got it"
        case .contradiction: "the server showed the same state of the table in two ways"
        case .voidedWithoutCause: "an attempt was given up though nobody withheld or left, or after its order was made"
        case .wentBack: "the table went back to an earlier revision, round or shoe"
        case .shoesWithoutRounds: "more shoes or rounds passed than there was room for"
        case .unannounced: "the shoe in play has no announced order, though its ceremony was shown"
        case .face(_, let place, let before, let seen):
            "card \(place + 1) was \(CardText.text(before)) and became \(CardText.text(seen))"
        case .gap(_, let place, let seen?): "card \(seen + 1) was dealt where card \(place + 1) had to be"
        case .gap(_, let place, nil): "cards were skipped from card \(place + 1) on"
        case .cutCard(let expected, let seen): "the cut card lies \(seen) cards from the end, and has to lie \(expected)"
        case .shuffledEarly: "the shoe was shuffled before the cut card"
        case .shuffledLate: "the shoe was played on after the cut card, though the next order was made"
        case .itemMissing(let item): "the server shows the table without '\(item)', so that nothing can be compared"
        case .dealtAfterReveal: "cards were dealt from a shoe whose order was known"
        }
    }

}
