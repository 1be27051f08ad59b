import Rules
import TableModel

// The objects and words in items. Keys are sorted by code point, and none looks like a number: a check value is made of this text, which any
// language's JSON writes again.

extension RoundPhase: WireWord {}
extension Player.Presence: WireWord {}
extension ClosingNotice.Cause: WireWord {}
extension Outcome: WireWord {
    var word: String { name }
}

extension Player: WireObject {
    static var blank: Self { Self(name: "", chips: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("bot", &isBot, absent: false, "whether this is a bot")
        try visitor.required("chips", &chips, .bankroll, "chips that are not on the table")
        try visitor.required("name", &name, .shownName, "the player's name")
        try visitor.optional("presence", &presence, absent: .here, "`here` without it")
    }
}

extension ShoeStatus: WireObject {
    static var blank: Self { Self(number: 0, decks: 1, behindCutCard: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("behindCut", &behindCutCard, .cardsInShoe, "cards behind the cut card")
        try visitor.required("decks", &decks, WholeNumber(1...8), "packs of 52")
        try visitor.required("number", &number, .count, "counted from 1; 0 before the first shuffle")
    }
}

extension ClosingNotice: WireObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("cause", &cause, "what is closing: this `table`, or the `server`")
        try visitor.optional(
            "deadline", &deadline, .time, "when a round in play is voided and its bets are returned")
        try visitor.optional("reason", &reason, .chat, absent: "", "in the host's words")
    }
}

extension TablePause: WireObject {
    static var blank: Self { Self(by: "", until: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("by", &by, .shownName, "the owner")
        try visitor.optional("reason", &reason, .chat, absent: "", "in the owner's words")
        try visitor.required("until", &until, .time, "when it ends at the latest")
    }
}

extension TableMatch: WireObject {
    static var blank: Self { Self(round: 0, rounds: 1, leads: []) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("leads", &leads, .upTo(Self.leads), "the best people, best first")
        try visitor.required("round", &round, .count, "rounds that have counted")
        try visitor.required("rounds", &rounds, .count, "rounds of the match")
    }
}

extension TableMatch.Lead: WireObject {
    static var blank: Self { Self(name: "", net: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("name", &name, .shownName, "the player's name")
        try visitor.required("net", &net, .total, "chips won in all, or lost if negative")
    }
}

extension HandResult: WireObject {
    static var blank: Self { Self(outcome: .push, net: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("net", &net, .net, "chips won, or lost if negative, without the stake")
        try visitor.required("outcome", &outcome, "how")
    }
}

extension Choice: WireObject {
    static var blank: Self { Self(hand: 1, turn: 0, options: []) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        var costs = Costs(options: options)
        try visitor.required("actions", &costs, "what is legal")
        options = costs.options
        try visitor.required("hand", &hand, .hand, "the hand to act")
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
                guard let cost = try object.find(action.key).map({ value throws(JSONError) in try Int.read(value, .chips) })
                else { continue }
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
            guard let points = decimal(text), points <= 21 else { return nil }
            self = .hard(points)
        } else if text.count == 7, let points = decimal(UnsafeBufferPointer(rebasing: text[5...])) {
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

    func write(to writer: inout JSONWriter) { writer.card(self) }
    static func shape(_: NoBounds) -> Shape { .reference(.card) }

    /// The outer nil is for a text that is no card.
    private init?(wireName text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 2 else { return nil }
        guard !isEqual(text, "??") else {
            self = .none
            return
        }
        guard let card = Card(text[0], text[1]) else { return nil }
        self = .some(card)
    }
}

/// `["dealer","KH"]`: where a card lies, and its face.
struct LyingCard: WireValue {
    var section: TableSection
    var card: Card?

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        var parts = try value.array()
        let section = try parts.required().string(expecting: "dealer, or a hand such as 3.1") { text -> TableSection? in
            isEqual(text, "dealer") ? .dealer : HandIdentifier(wireName: text).map { .hand($0) }
        }
        return Self(section: section, card: try Card?.read(parts.required(), NoBounds()))
    }

    func write(to writer: inout JSONWriter) { writer.value(64) { $0.put(section, card) } }
    static func shape(_: NoBounds) -> Shape {
        .tuple([.text(pattern: "^(dealer|[1-7]\\.[1-4])$"), .reference(.card)])
    }
}

extension Card {
    /// The card of two upper-case letters.
    package init?(_ rank: UInt8, _ suit: UInt8) {
        guard let rank = Rank.allCases.first(where: { rankLetters.utf8Start[Int($0.rawValue)] == rank }),
            let suit = Suit.allCases.first(where: { suitLetters.utf8Start[Int($0.rawValue)] == suit })
        else { return nil }
        self.init(rank, suit)
    }
}

/// `[2,0,1,0,3,0,0,1,0,2,0,1,1]`
extension SeenCards: WireValue {
    private static let range = 0...255

    package init(_ value: JSONValue) throws(JSONError) {
        var list = try value.array()
        var counts: [UInt8] = []
        for _ in Rank.allCases { counts.append(UInt8(try list.required().integer(in: Self.range))) }
        self.init(counts)
    }

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self { try Self(value) }
    package func write(to writer: inout JSONWriter) { writer.value(64) { $0.put(self) } }
    static func shape(_: NoBounds) -> Shape { .tuple(Rank.allCases.map { _ in .whole(range) }) }
}

/// The content of an item of an unknown kind: compact JSON.
struct OtherContent: WireValue {
    var text: String

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self { Self(text: try value.compactText) }
    func write(to writer: inout JSONWriter) { writer.json(text) }
    static func shape(_: NoBounds) -> Shape { .anything }
}

// MARK: - Encoding

/// Items and their contents in diffs and snapshots.
extension JSONWriter {
    /// Room for `,"name":content`; content over 64 bytes makes its own room.
    static let memberBytes = identifierBytes + 66

    /// `"name":content`, for which there must be room for ``memberBytes``.
    @inline(__always)
    mutating func putMember(_ entries: UnsafeBufferPointer<TableEntry>, _ index: Int) {
        put(entries[index].item)
        put(UInt8(ascii: ":"))
        putContent(of: entries, index)
    }

    /// The content of an item, for which there must be room for 64 bytes.
    ///
    /// Reads the entry in place. A case with two patterns copies it first: 95 instructions, 7 % of a small diff.
    @inline(__always)
    mutating func putContent(of entries: UnsafeBufferPointer<TableEntry>, _ index: Int) {
        switch entries[index] {
        case .card(_, let section, let card): put(section, card)
        case .total(_, let total): put(total)
        case .dealerTotal(let total): put(total)
        case .round(let number): put(number)
        case .cardsLeft(let number): put(number)
        case .seen(let seen): put(seen)
        case .insurance(_, let chips): put(chips)
        case .insuranceResult(_, let net): put(net)
        case .bet(_, let chips): put(chips)
        case .clock(let clock): put(Int(clock.deadline))
        case .phase(let phase): putValue(phase)
        case .player(_, let player): putValue(player)
        case .choice(_, let choice): putValue(choice)
        case .result(_, let result): putValue(result)
        case .shoe(let shoe): putValue(shoe)
        case .fairShoe(let shoe): putValue(shoe)
        case .nextShoe(let shoe): putValue(shoe)
        case .closing(let notice): putValue(notice)
        case .pause(let pause): putValue(pause)
        case .match(let match): putValue(match)
        case .rules(let rules): putValue(rules)
        case .other(_, let text): putValue(OtherContent(text: text))
        }
    }

    /// A content as its type declares it.
    private mutating func putValue<Value: WireValue>(_ value: Value) {
        comesFirst()
        value.write(to: &self)
    }

    /// `["dealer","KD"]`, `["3.1","??"]`
    @inline(__always)
    fileprivate mutating func put(_ section: TableSection, _ card: Card?) {
        if case .hand(let hand) = section { put("[\"", hand) } else { put("[\"dealer\"") }
        put(UInt8(ascii: ","))
        put(card)
        put(UInt8(ascii: "]"))
    }

    /// 53 bytes at most.
    @inline(__always)
    fileprivate mutating func put(_ seen: SeenCards) {
        for index in seen.counts.indices {
            put(UInt8(ascii: index == 0 ? "[" : ","))
            put(Int(seen.counts[index]))
        }
        put(UInt8(ascii: "]"))
    }

    package mutating func card(_ card: Card?) {
        room(5)
        separate()
        put(card)
    }

    @inline(__always)
    private mutating func put(_ card: Card?) {
        put(UInt8(ascii: "\""))
        if let card {
            put(rankLetters.utf8Start[Int(card.rank.rawValue)])
            put(suitLetters.utf8Start[Int(card.suit.rawValue)])
        } else {
            put("??")
        }
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func put(_ total: Total) {
        switch total {
        case .hard(let points):
            if points > 21 { put("\"bust ") } else { put(UInt8(ascii: "\"")) }
            put(points)
            put(UInt8(ascii: "\""))
        case .soft(let points):
            put("\"soft ")
            put(points)
            put(UInt8(ascii: "\""))
        case .blackjack: put("\"blackjack\"")
        }
    }
}
