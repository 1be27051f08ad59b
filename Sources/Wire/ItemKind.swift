import Rules
import TableModel

/// A kind of item: how it is named, what it shows, its documentation.
struct ItemKind: Sendable {
    enum Name: Sendable {
        case word(StaticString, TableEntry)
        /// A letter, or a word, with the number of a seat.
        case seat(StaticString, @Sendable (Int) -> TableEntry)
        /// A letter with the numbers of a seat and of a hand.
        case hand(StaticString, @Sendable (HandIdentifier) -> TableEntry)
        /// A `c` with the number of a card.
        case card
    }

    let name: Name
    let documentation: String

    init(_ name: Name, _ documentation: String) {
        self.name = name
        self.documentation = documentation
    }

    init(_ word: StaticString, _ entry: TableEntry, _ documentation: String) {
        self.init(.word(word, entry), documentation)
    }

    /// The blank entry of that name if it is of this kind.
    private func entry(_ text: IdentifierText) -> TableEntry? {
        switch name {
        case .word(let word, let entry): text.isEqual(to: word) ? entry : nil
        case .seat(let word, let entry): text.seat(after: word).map(entry)
        case .hand(let letter, let entry): text.begins(with: letter) ? text.hand(at: 1).map(entry) : nil
        case .card: text.card.map { .card($0, .dealer, nil) }
        }
    }

    /// The blank entry of that name; nil for what is no item's name.
    static func entry(_ text: UnsafeBufferPointer<UInt8>) -> TableEntry? {
        let text = IdentifierText(text)
        for kind in all {
            if let entry = kind.entry(text) { return entry }
        }
        return OtherName(text.bytes).map { .other($0, "null") }
    }

    /// As the catalog has it.
    var description: ItemDescription {
        var shape = ContentShape()
        switch name {
        case .word(let word, var entry):
            entry.visitContent(&shape)
            return ItemDescription(
                example: word.description, pattern: word.description, shape: shape.shape, explanation: documentation)
        case .seat(let letter, let entry):
            var entry = entry(3)
            entry.visitContent(&shape)
            return ItemDescription(
                example: "\(letter)3", pattern: "\(letter)[1-7]", shape: shape.shape, explanation: documentation)
        case .hand(let letter, let entry):
            var entry = entry(HandIdentifier(seat: 3, number: 1))
            entry.visitContent(&shape)
            return ItemDescription(
                example: "\(letter)3.1", pattern: "\(letter)[1-7]\\.[1-4]", shape: shape.shape, explanation: documentation)
        case .card:
            return ItemDescription(
                example: "c17", pattern: "c(0|[1-9][0-9]{0,5}|1000000)", shape: LyingCard.shape(NoBounds()),
                explanation: documentation)
        }
    }

    /// Whether its name could be that of an unknown kind, which begins with two letters.
    var isWord: Bool {
        switch name {
        case .word: true
        case .seat(let word, _): word.utf8CodeUnitCount > 1
        case .hand, .card: false
        }
    }

    // MARK: Kinds

    /// Every kind of item, blank: the one list of their names, in the order of Protocol.md.
    static let all = [
        ItemKind("round", .round(0), "the number of the round, from 1; 0 before the first"),
        ItemKind("phase", .phase(.waiting), RoundPhase.words.map { "`\"\($0)\"`" }.joined(separator: ", ")),
        ItemKind("clock", .clock(Clock(deadline: 0)), "when time is up; absent when no clock runs"),
        ItemKind(
            "shoe", .shoe(.blank),
            "`{\"behindCut\":78,\"decks\":6,\"number\":3}`: when no more than `behindCut` cards are left, the next round starts with a shuffle"
        ),
        ItemKind("left", .cardsLeft(0), "cards left in the shoe"),
        ItemKind("fair", .fairShoe(.blank), "how the order of the shoe in play was made; absent before the first shoe"),
        ItemKind("next", .nextShoe(.blank), "how the order of the coming shoe is made; absent where it takes no ceremony"),
        ItemKind(
            "closing", .closing(.blank),
            "the table closes when its round is over: `{\"cause\":\"server\",\"deadline\":1700000060000,\"reason\":\"Back at noon.\"}`; `cause` is `table` or `server`"
        ),
        ItemKind(
            "rules", .rules(TableRules(HouseRules(), digest: "")),
            "the house rules: `digest`, the bets, and what is not as by default"),
        ItemKind("dealer", .dealerTotal(.hard(0)), "the total of the dealer's cards that lie face up"),
        ItemKind(
            .card,
            "a card, where it lies and its face: `[\"3.1\",\"KH\"]` in hand 1 of seat 3, `[\"dealer\",\"??\"]` face down. The number is its place in the shoe"
        ),
        ItemKind(
            .seat("p") { .player($0, .blank) },
            "the player in seat 3: `{\"chips\":990,\"name\":\"ann\"}`, with `\"presence\"` (`sittingOut`, `away`, `leaving`) unless the player simply plays, and `\"bot\":true`"
        ),
        ItemKind(
            .seat("a") { .choice($0, .blank) },
            "what seat 3 is asked, while it is: `{\"actions\":{\"double\":10,\"hit\":0,\"stand\":0},\"hand\":1,\"turn\":5}`, each legal action with the chips that it costs (for `insurance`, the most that may be bet), and the number of the decision, one for all who are asked at once"
        ),
        ItemKind(.seat("i") { .insurance($0, 0) }, "seat 3's insurance bet"),
        ItemKind(
            .seat("r") { .insuranceResult($0, 0) },
            "the chips that seat 3 has won with its insurance, or lost if negative, once that is known"),
        ItemKind(.hand("b") { .bet($0, 0) }, "the bet on hand 1 of seat 3"),
        ItemKind(
            .hand("t") { .total($0, .hard(0)) }, "its total: `\"16\"`, `\"soft 17\"`, `\"blackjack\"`, `\"bust 24\"`"),
        ItemKind(
            .hand("r") { .result($0, .blank) },
            "how it ended: `{\"net\":10,\"outcome\":\"win\"}`; outcomes: \(Outcome.words.map { "`\($0)`" }.joined(separator: ", "))"
        ),
    ]
}

/// Visits what an item shows.
protocol ContentVisitor {
    associatedtype Failure: Error
    mutating func content<Value: WireValue>(_ value: inout Value, _ bounds: Value.Bounds) throws(Failure)
}

extension JSONValue: ContentVisitor {
    typealias Failure = JSONError

    mutating func content<Value: WireValue>(_ value: inout Value, _ bounds: Value.Bounds) throws(JSONError) {
        value = try Value.read(self, bounds)
    }
}

extension JSONWriter: ContentVisitor {
    mutating func content<Value: WireValue>(_ value: inout Value, _ bounds: Value.Bounds) throws(Never) {
        value.write(to: &self)
    }
}

private struct ContentShape: ContentVisitor {
    typealias Failure = Never

    var shape = Shape.anything

    mutating func content<Value: WireValue>(_ value: inout Value, _ bounds: Value.Bounds) throws(Never) {
        shape = Value.shape(bounds)
    }
}

extension TableEntry {
    /// Visits the content of the item.
    mutating func visitContent<V: ContentVisitor>(_ visitor: inout V) throws(V.Failure) {
        switch self {
        case .round(var number):
            try visitor.content(&number, .count)
            self = .round(number)
        case .phase(var phase):
            try visitor.content(&phase, NoBounds())
            self = .phase(phase)
        case .clock(var clock):
            try visitor.content(&clock.deadline, .time)
            self = .clock(clock)
        case .shoe(var shoe):
            try visitor.content(&shoe, NoBounds())
            self = .shoe(shoe)
        case .cardsLeft(var count):
            try visitor.content(&count, .cardsInShoe)
            self = .cardsLeft(count)
        case .fairShoe(var shoe):
            try visitor.content(&shoe, NoBounds())
            self = .fairShoe(shoe)
        case .nextShoe(var shoe):
            try visitor.content(&shoe, NoBounds())
            self = .nextShoe(shoe)
        case .closing(var notice):
            try visitor.content(&notice, NoBounds())
            self = .closing(notice)
        case .rules(var rules):
            try visitor.content(&rules, NoBounds())
            self = .rules(rules)
        case .dealerTotal(var total):
            try visitor.content(&total, NoBounds())
            self = .dealerTotal(total)
        case .player(let seat, var player):
            try visitor.content(&player, NoBounds())
            self = .player(seat, player)
        case .choice(let seat, var choice):
            try visitor.content(&choice, NoBounds())
            self = .choice(seat, choice)
        case .insurance(let seat, var chips):
            try visitor.content(&chips, .chips)
            self = .insurance(seat, chips)
        case .bet(let hand, var chips):
            try visitor.content(&chips, .chips)
            self = .bet(hand, chips)
        case .total(let hand, var total):
            try visitor.content(&total, NoBounds())
            self = .total(hand, total)
        case .result(let hand, var result):
            try visitor.content(&result, NoBounds())
            self = .result(hand, result)
        case .insuranceResult(let seat, var net):
            try visitor.content(&net, .net)
            self = .insuranceResult(seat, net)
        case .card(let id, let section, let card):
            var lying = LyingCard(section: section, card: card)
            try visitor.content(&lying, NoBounds())
            self = .card(id, lying.section, lying.card)
        case .other(let name, let text):
            var content = OtherContent(text: text)
            try visitor.content(&content, NoBounds())
            self = .other(name, content.text)
        }
    }
}

extension JSONWriter {
    /// An item's name in its quotes. There must be room for ``identifierBytes``.
    @inline(__always)
    mutating func put(_ item: TableItem) {
        switch item {
        case .card(let id): put("\"c", id)
        case .total(let hand): put("\"t", hand)
        case .cardsLeft: put("\"left\"")
        case .bet(let hand): put("\"b", hand)
        case .result(let hand): put("\"r", hand)
        case .choice(let seat): put("\"a", seat)
        case .player(let seat): put("\"p", seat)
        case .insurance(let seat): put("\"i", seat)
        case .insuranceResult(let seat): put("\"r", seat)
        case .round: put("\"round\"")
        case .phase: put("\"phase\"")
        case .clock: put("\"clock\"")
        case .shoe: put("\"shoe\"")
        case .rules: put("\"rules\"")
        case .fairShoe: put("\"fair\"")
        case .nextShoe: put("\"next\"")
        case .closing: put("\"closing\"")
        case .dealerTotal: put("\"dealer\"")
        case .other(let name): put(name)
        }
    }
}
