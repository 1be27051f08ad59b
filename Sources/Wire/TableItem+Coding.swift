import Rules
import TableModel

// Items by name, and what each shows. A later server may have others, of two letters or more.

// MARK: Names

extension TableItem {
    /// The name on the wire.
    package var wireName: String {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { writer in
            writer.room(JSONWriter.identifierBytes)
            writer.put(self)
        }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    /// The item of a name: a word, or a letter with the number of a seat, hand or card; nil for what is none. ``JSONWriter`` writes the same.
    init?(wireName name: UnsafeBufferPointer<UInt8>) {
        guard let letter = name.first, let last = name.last else { return nil }
        let number = UnsafeBufferPointer(rebasing: name[1...])
        if letter == UInt8(ascii: "c"), let number = decimal(number), number <= WireLimits.cards {
            self = .card(number)
        } else if name.count == 2, let seat = digit(last, upTo: 7) {
            switch letter {
            case UInt8(ascii: "p"): self = .player(seat)
            case UInt8(ascii: "a"): self = .choice(seat)
            case UInt8(ascii: "i"): self = .insurance(seat)
            case UInt8(ascii: "r"): self = .insuranceResult(seat)
            default: return nil
            }
        } else if let hand = HandIdentifier(wireName: number) {
            switch letter {
            case UInt8(ascii: "b"): self = .bet(hand)
            case UInt8(ascii: "t"): self = .total(hand)
            case UInt8(ascii: "r"): self = .result(hand)
            default: return nil
            }
        } else if let word = Self.words.first(where: { isEqual(name, $0.name) }) {
            self = word.item
        } else {
            guard let other = OtherName(name) else { return nil }
            self = .other(other)
        }
    }

    private static let words: [(name: StaticString, item: TableItem)] = [
        ("left", .cardsLeft), ("dealer", .dealerTotal), ("phase", .phase), ("clock", .clock), ("round", .round), ("shoe", .shoe),
        ("rules", .rules), ("fair", .fairShoe), ("next", .nextShoe), ("closing", .closing), ("pause", .pause), ("match", .match),
        ("seen", .seen),
    ]
}

extension HandIdentifier {
    /// The hand of `3.1`.
    init?(wireName text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 3, text[1] == UInt8(ascii: "."), let seat = digit(text[0], upTo: 7),
            let hand = digit(text[2], upTo: 4)
        else { return nil }
        self.init(seat: seat, number: hand)
    }
}

private func digit(_ byte: UInt8, upTo limit: UInt8) -> Int? {
    let digit = byte &- UInt8(ascii: "0")
    return (1...limit).contains(digit) ? Int(digit) : nil
}

/// A number of at most seven digits, without a leading zero.
func decimal(_ digits: UnsafeBufferPointer<UInt8>) -> Int? {
    guard (1...7).contains(digits.count), digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
    var number = 0
    for byte in digits {
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        number = number * 10 + Int(digit)
    }
    return number
}

/// Names in their quotes. For each there must be room for ``identifierBytes``.
extension JSONWriter {
    /// More than any identifier takes: a letter, two numbers, a dot and the quotes.
    static let identifierBytes = 48

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
        case .pause: put("\"pause\"")
        case .match: put("\"match\"")
        case .seen: put("\"seen\"")
        case .dealerTotal: put("\"dealer\"")
        case .other(let name): put(name)
        }
    }

    @inline(never)
    mutating func put(_ name: OtherName) {
        put(UInt8(ascii: "\""))
        for byte in name.bytes { put(byte) }
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    mutating func put(_ letter: StaticString, _ number: Int) {
        put(letter)
        put(number)
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    mutating func put(_ letter: StaticString, _ hand: HandIdentifier) {
        put(letter)
        put(hand.seat)
        put(UInt8(ascii: "."))
        put(hand.number)
        put(UInt8(ascii: "\""))
    }
}

// MARK: - Contents

/// Gives what an item shows.
protocol ContentReader {
    associatedtype Failure: Error
    func content<Value: WireValue>(_ bounds: Value.Bounds) throws(Failure) -> Value
}

extension ContentReader {
    fileprivate func content<Value: WireValue>() throws(Failure) -> Value where Value.Bounds == NoBounds {
        try content(NoBounds())
    }
}

extension JSONValue: ContentReader {
    typealias Failure = JSONError

    func content<Value: WireValue>(_ bounds: Value.Bounds) throws(JSONError) -> Value { try Value.read(self, bounds) }
}

/// The shape of what an item shows, for the catalog: thrown, since there is no content.
private struct ContentShape: ContentReader, Error {
    typealias Failure = ContentShape

    var shape = Shape.anything

    func content<Value: WireValue>(_ bounds: Value.Bounds) throws(ContentShape) -> Value {
        throw Self(shape: Value.shape(bounds))
    }
}

extension TableEntry {
    /// The one declaration of contents, for decoder and catalog.
    init<Reader: ContentReader>(_ item: TableItem, _ reader: Reader) throws(Reader.Failure) {
        switch item {
        case .round: self = .round(try reader.content(.count))
        case .phase: self = .phase(try reader.content())
        case .clock: self = .clock(Clock(deadline: try reader.content(.time)))
        case .shoe: self = .shoe(try reader.content())
        case .cardsLeft: self = .cardsLeft(try reader.content(.cardsInShoe))
        case .seen: self = .seen(try reader.content())
        case .fairShoe: self = .fairShoe(try reader.content())
        case .nextShoe: self = .nextShoe(try reader.content())
        case .closing: self = .closing(try reader.content())
        case .pause: self = .pause(try reader.content())
        case .match: self = .match(try reader.content())
        case .rules: self = .rules(try reader.content())
        case .dealerTotal: self = .dealerTotal(try reader.content())
        case .player(let seat): self = .player(seat, try reader.content())
        case .choice(let seat): self = .choice(seat, try reader.content())
        case .insurance(let seat): self = .insurance(seat, try reader.content(.chips))
        case .insuranceResult(let seat): self = .insuranceResult(seat, try reader.content(.net))
        case .bet(let hand): self = .bet(hand, try reader.content(.chips))
        case .total(let hand): self = .total(hand, try reader.content())
        case .result(let hand): self = .result(hand, try reader.content())
        case .card(let id):
            let lying: LyingCard = try reader.content()
            self = .card(id, lying.section, lying.card)
        case .other(let name):
            let content: OtherContent = try reader.content()
            self = .other(name, content.text)
        }
    }
}

/// A kind of item of a table.
package struct ItemDescription: Equatable, Sendable {
    /// An example: `p3`.
    package let example: String
    package let pattern: String
    /// Of its content.
    package let shape: Shape
    package let explanation: String

    fileprivate init(_ item: TableItem, _ explanation: String) {
        let numbers: [Character: String] = ["3": "[1-7]", ".": "\\.", "1": "[1-4]"]
        example = item.wireName
        if case .card = item {
            pattern = "c(0|[1-9][0-9]{0,5}|\(WireLimits.cards))"
        } else {
            pattern = example.map { numbers[$0] ?? String($0) }.joined()
        }
        self.explanation = explanation
        do throws(ContentShape) {
            _ = try TableEntry(item, ContentShape())
            preconditionFailure("no content without a shape")
        } catch {
            shape = error.shape
        }
    }

    /// Whether its name could be that of an unknown kind, which begins with two letters.
    var isWord: Bool { pattern.prefix(2).allSatisfy(\.isLetter) }
}

extension Catalog {
    private static let hand = HandIdentifier(seat: 3, number: 1)

    /// Every kind of item, in the order of Protocol.md.
    package static let items = [
        ItemDescription(.round, "the number of the round, from 1; 0 before the first"),
        ItemDescription(.phase, RoundPhase.words.map { "`\"\($0)\"`" }.joined(separator: ", ")),
        ItemDescription(.clock, "when the time is up; absent if no clock runs"),
        ItemDescription(
            .shoe,
            "`{\"behindCut\":78,\"decks\":6,\"number\":3}`: when no more than `behindCut` cards are left, the next round begins with a shuffle; until its ceremony is over, rounds are dealt from the old shoe if it has the cards"
        ),
        ItemDescription(.cardsLeft, "cards left in the shoe"),
        ItemDescription(
            .seen,
            "with the house rule `assist`: `[2,0,1,0,3,0,0,1,0,2,0,1,1]`, the cards of each rank, ace first, that have lain face up since the shuffle"
        ),
        ItemDescription(.fairShoe, "how the order of the shoe in play was made; absent before the first shoe"),
        ItemDescription(.nextShoe, "how the order of the coming shoe is made; absent where it takes no ceremony"),
        ItemDescription(
            .closing,
            "the table closes after the round: `{\"cause\":\"server\",\"deadline\":1700000060000,\"reason\":\"Back at noon.\"}`; `cause` is `table` or `server`"
        ),
        ItemDescription(
            .pause,
            "the owner has paused the table, no clock runs: `{\"by\":\"ann\",\"reason\":\"Pizza.\",\"until\":1700000060000}`; it ends at `until` at the latest"
        ),
        ItemDescription(
            .match,
            "the owner's match: `{\"leads\":[{\"name\":\"ann\",\"net\":480}],\"round\":5,\"rounds\":30}`, the rounds that have counted, of how many, and the best three people"
        ),
        ItemDescription(
            .rules,
            "the house rules: `digest`, the bets, and rules that differ from the defaults"),
        ItemDescription(.dealerTotal, "the total of the dealer's cards that lie face up"),
        ItemDescription(
            .card(17),
            "a card, where it lies and its face: `[\"3.1\",\"KH\"]` in hand 1 of seat 3, `[\"dealer\",\"??\"]` face down. The number is its place in the shoe"
        ),
        ItemDescription(
            .player(3),
            "the player in seat 3: `{\"chips\":990,\"name\":\"ann\"}`, with `\"presence\"` (`sittingOut`, `away`, `leaving`) unless the player simply plays, and `\"bot\":true`"
        ),
        ItemDescription(
            .choice(3),
            "the decision of seat 3, while it is due: `{\"actions\":{\"double\":10,\"hit\":0,\"stand\":0},\"hand\":1,\"turn\":5}`, each legal action that the player can pay, with the chips that it costs (for `insurance` and a double for less, the most that may be added), and the number of the decision, which is the same for all who decide at once"
        ),
        ItemDescription(.insurance(3), "seat 3's insurance bet"),
        ItemDescription(
            .insuranceResult(3),
            "the chips that seat 3 won with its insurance, or lost if negative, once known"),
        ItemDescription(.bet(hand), "the bet on hand 1 of seat 3"),
        ItemDescription(
            .total(hand), "its total: `\"16\"`, `\"soft 17\"`, `\"blackjack\"`, `\"bust 24\"`"),
        ItemDescription(
            .result(hand),
            "how it ended: `{\"net\":10,\"outcome\":\"win\"}`; outcomes: \(Outcome.words.map { "`\($0)`" }.joined(separator: ", "))"
        ),
    ]
}

// MARK: - Snapshots and differences

/// `{"round":1,"c2":["dealer","KD"],"a1":null}`: items by name, each with what it shows; null for one that goes, or is absent.
private struct Items: WireValue {
    var entries: [TableEntry] = []
    var removals: [TableItem] = []

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Items {
        var items = Items()
        let object = try value.object()
        items.entries.reserveCapacity(object.count)
        try object.eachMember { key, content throws(JSONError) in
            let item = try key.string(expecting: "an item such as round, p3, b3.1 or c17") { TableItem(wireName: $0) }
            if content.isNull { items.removals.append(item) } else { items.entries.append(try TableEntry(item, content)) }
        }
        return items
    }

    func write(to writer: inout JSONWriter) {
        writer.value(0) { writer in entries.withUnsafeBufferPointer { writer.putItems($0, removals) } }
    }

    static func shape(_: NoBounds) -> Shape { .reference(.items) }
}

extension TableSnapshot: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> TableSnapshot {
        TableSnapshot(try Items.read(value, NoBounds()).entries)
    }

    func write(to writer: inout JSONWriter) { Items(entries: entries).write(to: &writer) }
    static func shape(_: NoBounds) -> Shape { .reference(.items) }
}

extension TableDifference {
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional(
            "clear", &clears, absent: false,
            "first remove all items of a round: `clock`, `dealer`, and every `c…`, `a…`, `i…`, `b…`, `t…`, `r…` with a number"
        )
        var items = Items(entries: entries, removals: removals)
        try visitor.required("items", &items, "new or changed items; `null` for a removed one")
        (entries, removals) = (items.entries, items.removals)
    }
}

extension JSONWriter {
    /// The table's part of a diff.
    @inline(__always)
    mutating func write(_ difference: borrowing TableDifference) {
        room(32)
        if difference.clears { put(",\"clear\":true") }
        put(",\"items\":")
        difference.entries.withUnsafeBufferPointer { putItems($0, difference.removals) }
    }

    /// Reads the entries in place: iterating an array would copy each.
    @inline(__always)
    fileprivate mutating func putItems(_ entries: UnsafeBufferPointer<TableEntry>, _ removals: [TableItem]) {
        room(1)
        put(UInt8(ascii: "{"))
        for index in entries.indices {
            room(Self.memberBytes)
            if index > 0 { put(UInt8(ascii: ",")) }
            putMember(entries, index)
        }
        for index in removals.indices {
            room(Self.memberBytes)
            if index > 0 || !entries.isEmpty { put(UInt8(ascii: ",")) }
            put(removals[index])
            put(":null")
        }
        room(1)
        put(UInt8(ascii: "}"))
    }
}
