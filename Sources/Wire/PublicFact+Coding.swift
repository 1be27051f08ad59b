import TableModel

// Facts beside diffs: `{"fact":"hit","seat":3,"hand":1}`.

extension PublicFact: WireObject {
    static var blank: Self { .other }
    static var definition: Definition.Name? { .fact }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        var parts = parts
        let words = TextBounds(.max) { .reference(.factWord) }
        try visitor.required("fact", &parts.word, words, "the kind of fact; new ones may be added")
        try visitor.optional("player", &parts.player, .shownName, "the player concerned")
        try visitor.optional("seat", &parts.seat, .seat, "the seat")
        try visitor.optional("hand", &parts.hand, .hand, "which of the seat's hands")
        try visitor.optional(
            "card", &parts.card, WholeNumber(0...WireLimits.cards), "the number of a card: 17 for the item `c17`")
        self = Self(parts)
    }

    private typealias Parts = (word: String, player: String?, seat: Int?, hand: Int?, card: Int?)

    private var parts: Parts {
        switch self {
        case .table(let word): (word.rawValue, nil, nil, nil, nil)
        case .player(let name, let word): (word.rawValue, name, nil, nil, nil)
        case .sat(let name, let seat): (Self.sat, name, seat, nil, nil)
        case .hand(let hand, let word): (word.rawValue, nil, hand.seat, hand.number, nil)
        case .card(let number, let word): (word.rawValue, nil, nil, nil, number)
        case .other: ("", nil, nil, nil, nil)
        }
    }

    /// A word without its subject counts as unknown.
    private init(_ parts: Parts) {
        if let word = OfTable(rawValue: parts.word) {
            self = .table(word)
        } else if let word = OfPlayer(rawValue: parts.word), let name = parts.player {
            self = .player(name, word)
        } else if let word = OfHand(rawValue: parts.word), let seat = parts.seat, let hand = parts.hand {
            self = .hand(HandIdentifier(seat: seat, number: hand), word)
        } else if let word = OfCard(rawValue: parts.word), let number = parts.card {
            self = .card(number, word)
        } else if parts.word == Self.sat, let name = parts.player, let seat = parts.seat {
            self = .sat(player: name, seat: seat)
        } else {
            self = .other
        }
    }

    private static let sat = "sat"
}

extension TableNews {
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        var (facts, isMissed): ([PublicFact], Bool) = if case .facts(let facts) = self { (facts, false) } else { ([], true) }
        try visitor.optional("facts", &facts, .upTo(WireLimits.facts), absent: [], "the facts, in order")
        try visitor.optional(
            "missed", &isMissed, absent: false, "whether facts are missing: the diff is combined, was missed, or has over 256")
        self = isMissed ? .missed : .facts(facts)
    }
}

/// A word of a fact.
package struct FactDescription: Equatable, Sendable {
    package let word: String
    /// The fields that it comes with.
    package let fields: [String]
    package let explanation: String

    fileprivate init(_ word: String, _ fields: [String], _ explanation: String) {
        (self.word, self.fields, self.explanation) = (word, fields, explanation)
    }
}

extension Catalog {
    /// Every word of a fact, in the order of Protocol.md.
    package static let facts =
        [FactDescription("sat", ["player", "seat"], "has taken the seat, cancelled a `leave` or received chips")]
        + PublicFact.OfPlayer.allCases.map { FactDescription($0.rawValue, ["player"], $0.explanation) }
        + PublicFact.OfTable.allCases.map { FactDescription($0.rawValue, [], $0.explanation) }
        + PublicFact.OfCard.allCases.map { FactDescription($0.rawValue, ["card"], $0.explanation) }
        + PublicFact.OfHand.allCases.map { FactDescription($0.rawValue, ["seat", "hand"], $0.explanation) }
}
