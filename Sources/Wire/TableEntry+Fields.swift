import Rules
import TableModel

// The objects and words in items. Keys are in alphabetical order: a check value is made of this text.

extension RoundPhase: WireWord {}
extension Player.Presence: WireWord {}
extension Outcome: WireWord {}
extension ClosingNotice.Cause: WireWord {}

extension Player: WireObject {
    static var blank: Self { Self(name: "", chips: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("bot", &isBot, absent: false, "whether no person plays")
        try visitor.required("chips", &chips, .bankroll, "chips that are not on the table")
        try visitor.required("name", &name, .shownName, "who sits there")
        try visitor.optional("presence", &presence, absent: .here, "`here` without it")
    }
}

extension ShoeStatus: WireObject {
    static var blank: Self { Self(number: 0, decks: 1, behindCutCard: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("behindCut", &behindCutCard, .cardsInShoe, "cards behind the cut card")
        try visitor.required("decks", &decks, WholeNumber(WireRange.decks), "packs of 52")
        try visitor.required("number", &number, .count, "counted from 1; 0 before the first shuffle")
    }
}

extension ClosingNotice: WireObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("cause", &cause, "what closes: this `table`, or the `server`")
        try visitor.optional(
            "deadline", &deadline, .time, "when a round that is still in play is given up, and its bets go back")
        try visitor.optional("reason", &reason, .chat, absent: "", "in the host's words")
    }
}

extension HandResult: WireObject {
    static var blank: Self { Self(outcome: .push, net: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("net", &net, .net, "chips won, or lost if negative, the stake not counted")
        try visitor.required("outcome", &outcome, "how")
    }
}

extension Choice: WireObject {
    static var blank: Self { Self(hand: 1, turn: 0, options: []) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        var costs = Costs(options: options)
        try visitor.required("actions", &costs, "what is legal")
        options = costs.options
        try visitor.required("hand", &hand, .hand, "the hand that is asked about")
        try visitor.required("turn", &turn, .counter, "the number of the decision, for `act`")
    }

    /// `{"hit":0,"stand":0}`: each legal action with its cost.
    private struct Costs: WireObject {
        /// In the order of ``Rules/Action/allCases`` once read.
        var options: [Option]

        static var blank: Self { Self(options: []) }

        static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
            let object = try value.object()
            var options: [Option] = []
            for action in Action.allCases {
                guard let cost = try object.find(action.key)?.integer(in: WireRange.chips) else { continue }
                options.append(Option(action: action, cost: cost))
            }
            return Self(options: options)
        }

        mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
            var costs = InlineArray<8, Int?>(repeating: nil)
            for option in options { costs[Int(option.action.rawValue)] = option.cost }
            for action in Action.byName {
                try visitor.optional(action.key, &costs[Int(action.rawValue)], .chips, "what it costs")
            }
        }
    }
}

extension Total: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Total {
        try value.string(expecting: "a total such as 20 or soft 17") { Total(wireName: $0) }
    }

    func write(to writer: inout JSONWriter) { writer.string(text) }
    static func shape(_: NoBounds) -> Shape { .reference(.total) }

    /// Reads `20`, `soft 17`, `bust 24` and `blackjack`, as `text` has them.
    private init?(wireName text: UnsafeBufferPointer<UInt8>) {
        if text.count <= 2 {
            guard let points = decimal(text[...]), points <= 21 else { return nil }
            self = .hard(points)
        } else if text.count == 7, let points = decimal(text[5...]) {
            if (11...21).contains(points), isEqual(UnsafeBufferPointer(rebasing: text[..<5]), "soft ") {
                self = .soft(points)
            } else if (22...31).contains(points), isEqual(UnsafeBufferPointer(rebasing: text[..<5]), "bust ") {
                self = .hard(points)
            } else {
                return nil
            }
        } else if isEqual(text, "blackjack") {
            self = .blackjack
        } else {
            return nil
        }
    }
}

/// The letters of ranks and suits in the order of their raw values.
let rankLetters: StaticString = "A23456789TJQK"
let suitLetters: StaticString = "SHDC"

/// `KH`, or `??` for a card that lies face down.
extension Card?: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Card? {
        try value.string(expecting: "a card such as KH, or ?? face down") { Card?(wireName: $0) }
    }

    func write(to writer: inout JSONWriter) { writer.value(4) { $0.put(self) } }
    static func shape(_: NoBounds) -> Shape { .reference(.card) }

    /// The outer nil is for a text that is no card.
    private init?(wireName text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 2 else { return nil }
        guard !isEqual(text, "??") else {
            self = .none
            return
        }
        guard let rank = Rank.allCases.first(where: { rankLetters.utf8Start[Int($0.rawValue)] == text[0] }),
            let suit = Suit.allCases.first(where: { suitLetters.utf8Start[Int($0.rawValue)] == text[1] })
        else { return nil }
        self = .some(Card(rank, suit))
    }
}

/// The content of an item of an unknown kind: compact JSON.
struct OtherContent: WireValue {
    var text: String

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self { Self(text: try value.compactText) }
    func write(to writer: inout JSONWriter) { writer.json(text) }
    static func shape(_: NoBounds) -> Shape { .anything }
}
