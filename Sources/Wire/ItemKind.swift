import Rules
import TableModel

/// A kind of item: how it is named, what it shows, its documentation.
struct ItemKind: Sendable {
    enum Name: Sendable {
        case word(StaticString, TableEntry)
        /// A letter with the number of a seat.
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
        case .seat(let letter, let entry): text.begins(with: letter) ? text.seat.map(entry) : nil
        case .hand(let letter, let entry): text.begins(with: letter) ? text.hand.map(entry) : nil
        case .card: text.card.map { .card($0, nil) }
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
                example: "c17", pattern: "c(0|[1-9][0-9]{0,5}|1000000)", shape: .reference(.card), explanation: documentation)
        }
    }

    /// Whether its name could be that of an unknown kind, which begins with two letters.
    var isWord: Bool { if case .word = name { true } else { false } }
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
