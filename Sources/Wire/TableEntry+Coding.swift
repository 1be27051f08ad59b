import Rules
import TableModel

// The objects and words in items. Keys are sorted by code point, and none looks like a number: a check value is made of this text, which any
// language's JSON writes again.

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
            isEqual(text, "dealer") ? .dealer : IdentifierText(text).hand(at: 0).map { .hand($0) }
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
    /// Reads the entry in place. A case with two patterns, or a visit, copies it first: 95 instructions, 7 % of a small diff.
    @inline(__always)
    mutating func putContent(of entries: UnsafeBufferPointer<TableEntry>, _ index: Int) {
        switch entries[index] {
        case .card(_, let section, let card): put(section, card)
        case .total(_, let total): put(total)
        case .dealerTotal(let total): put(total)
        case .round(let number): put(number)
        case .cardsLeft(let number): put(number)
        case .insurance(_, let chips): put(chips)
        case .insuranceResult(_, let net): put(net)
        case .bet(_, let chips): put(chips)
        case .clock(let clock): put(Int(clock.deadline))
        case .phase(let phase): putValue(phase)
        case .player(_, let player): putValue(player)
        case .choice(_, let choice): putValue(choice)
        case .result(_, let result): putValue(result)
        default: putRareContent(of: entries[index])
        }
    }

    /// A content that has no shortcut, as its type declares it.
    private mutating func putValue<Value: WireValue>(_ value: Value) {
        comesFirst()
        value.write(to: &self)
    }

    @inline(never)
    private mutating func putRareContent(of entry: TableEntry) {
        var entry = entry
        comesFirst()
        entry.visitContent(&self)
    }

    /// `["dealer","KD"]`, `["3.1","??"]`
    @inline(__always)
    fileprivate mutating func put(_ section: TableSection, _ card: Card?) {
        if case .hand(let hand) = section { put("[\"", hand) } else { put("[\"dealer\"") }
        put(UInt8(ascii: ","))
        put(card)
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

// MARK: - Shortcut

extension LineCursor {
    /// The content of an item, written as we write it.
    @inline(__always)
    mutating func entry(_ item: TableItem) throws(Fallback) -> TableEntry {
        switch item {
        case .card(let id):
            try expect(UInt8(ascii: "["))
            let section = try section()
            try expect(UInt8(ascii: ","))
            let card = try card()
            try expect(UInt8(ascii: "]"))
            return .card(id, section, card)
        case .total(let hand): return .total(hand, try total())
        case .cardsLeft: return .cardsLeft(try integer(in: WireRange.cardsInShoe))
        case .bet(let hand): return .bet(hand, try integer(in: WireRange.chips))
        default: return try rareEntry(item)
        }
    }

    @inline(never)
    private mutating func rareEntry(_ item: TableItem) throws(Fallback) -> TableEntry {
        switch item {
        case .round: return .round(try integer(in: WireRange.count))
        case .phase: return .phase(try phase())
        case .clock: return .clock(Clock(deadline: Int64(try integer(in: WireRange.time))))
        case .shoe: return .shoe(try shoe())
        case .dealerTotal: return .dealerTotal(try total())
        case .player(let seat): return .player(seat, try player())
        case .choice(let seat): return .choice(seat, try choice())
        case .insurance(let seat): return .insurance(seat, try integer(in: WireRange.chips))
        case .insuranceResult(let seat): return .insuranceResult(seat, try integer(in: WireRange.net))
        case .result(let hand): return .result(hand, try result())
        // Rare kinds.
        default: throw Fallback()
        }
    }

    /// `"KH"`, or `"??"` for a card that lies face down.
    @inline(__always)
    private mutating func card() throws(Fallback) -> Card? {
        let name = word & 0xFFFF_FFFF
        guard name & 0xFF00_00FF == 0x2200_0022 else { throw Fallback() }
        skip(4)
        let (first, second) = (UInt8(truncatingIfNeeded: name >> 8), UInt8(truncatingIfNeeded: name >> 16))
        if first == UInt8(ascii: "?"), second == UInt8(ascii: "?") { return nil }
        let rank: UInt8
        switch first {
        case UInt8(ascii: "A"): rank = 0
        case UInt8(ascii: "2")...UInt8(ascii: "9"): rank = first &- UInt8(ascii: "1")
        case UInt8(ascii: "T"): rank = 9
        case UInt8(ascii: "J"): rank = 10
        case UInt8(ascii: "Q"): rank = 11
        case UInt8(ascii: "K"): rank = 12
        default: throw Fallback()
        }
        switch second {
        case UInt8(ascii: "S"): return Card(code: rank)
        case UInt8(ascii: "H"): return Card(code: 13 &+ rank)
        case UInt8(ascii: "D"): return Card(code: 26 &+ rank)
        case UInt8(ascii: "C"): return Card(code: 39 &+ rank)
        default: throw Fallback()
        }
    }

    /// `"20"`, `"soft 17"`, `"bust 24"`, `"blackjack"`.
    @inline(__always)
    private mutating func total() throws(Fallback) -> Total {
        if take("\"soft ") { return .soft(try points(in: 11...21)) }
        if take("\"bust ") { return .hard(try points(in: 22...31)) }
        if take("\"blackjack\"") { return .blackjack }
        try expect(UInt8(ascii: "\""))
        return .hard(try points(in: 0...21))
    }

    @inline(__always)
    private mutating func points(in range: ClosedRange<Int>) throws(Fallback) -> Int {
        // A sign would be taken for part of a number elsewhere; here it is none.
        guard byte != UInt8(ascii: "-") else { throw Fallback() }
        let points = try integer(in: range)
        try expect(UInt8(ascii: "\""))
        return points
    }

    private mutating func phase() throws(Fallback) -> RoundPhase {
        try expect(UInt8(ascii: "\""))
        for phase in RoundPhase.allCases where take(phase.key) {
            try expect(UInt8(ascii: "\""))
            return phase
        }
        throw Fallback()
    }

    private mutating func shoe() throws(Fallback) -> ShoeStatus {
        try expect("{\"behindCut\":")
        let behindCut = try integer(in: WireRange.cardsInShoe)
        try expect(",\"decks\":")
        let decks = try integer(in: WireRange.decks)
        try expect(",\"number\":")
        let number = try integer(in: WireRange.count)
        try expect(UInt8(ascii: "}"))
        return ShoeStatus(number: number, decks: decks, behindCutCard: behindCut)
    }

    private mutating func player() throws(Fallback) -> Player {
        try expect(UInt8(ascii: "{"))
        let isBot = take("\"bot\":true,")
        try expect("\"chips\":")
        let chips = try integer(in: WireRange.bankroll)
        try expect(",\"name\":\"")
        let name = try string(maximum: 256)
        var presence = Player.Presence.here
        if take(",\"presence\":\"") {
            presence = try self.presence()
            try expect(UInt8(ascii: "\""))
        }
        try expect(UInt8(ascii: "}"))
        return Player(name: name, chips: chips, presence: presence, isBot: isBot)
    }

    private mutating func presence() throws(Fallback) -> Player.Presence {
        for presence in Player.Presence.allCases where take(presence.key) { return presence }
        throw Fallback()
    }

    private mutating func choice() throws(Fallback) -> Choice {
        try expect("{\"actions\":{")
        var costs = InlineArray<8, Int>(repeating: -1)
        var count = 0
        if !take(UInt8(ascii: "}")) {
            repeat {
                let action = try actionKey()
                let cost = try integer(in: WireRange.chips)
                guard costs[Int(action.rawValue)] < 0 else { throw Fallback() }
                costs[Int(action.rawValue)] = cost
                count += 1
            } while take(UInt8(ascii: ","))
            try expect(UInt8(ascii: "}"))
        }
        try expect(",\"hand\":")
        let hand = try integer(in: WireRange.hand)
        try expect(",\"turn\":")
        let turn = try integer(in: WireRange.revision)
        try expect(UInt8(ascii: "}"))
        var options: [Choice.Option] = []
        options.reserveCapacity(count)
        for action in Action.allCases where costs[Int(action.rawValue)] >= 0 {
            options.append(Choice.Option(action: action, cost: costs[Int(action.rawValue)]))
        }
        return Choice(hand: hand, turn: turn, options: options)
    }

    private mutating func actionKey() throws(Fallback) -> Action {
        try expect(UInt8(ascii: "\""))
        for action in Action.allCases where take(action.key) {
            try expect("\":")
            return action
        }
        throw Fallback()
    }

    private mutating func result() throws(Fallback) -> HandResult {
        try expect("{\"net\":")
        let net = try integer(in: WireRange.net)
        try expect(",\"outcome\":\"")
        for outcome in Outcome.allCases where take(outcome.key) {
            try expect("\"}")
            return HandResult(outcome: outcome, net: net)
        }
        throw Fallback()
    }
}
