import TableModel

// Sections are `table`, `dealer`, `s3`, `h3.1`; items are in `ItemKind.all`. A later server may have others, of two letters or more.

extension TableSection: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> TableSection { try TableSection(value) }

    func write(to writer: inout JSONWriter) { writer.value(JSONWriter.identifierBytes) { $0.put(self) } }
    static func shape(_: NoBounds) -> Shape { .reference(.section) }

    init(_ value: JSONValue) throws(JSONError) {
        self = try value.string(expecting: "a section such as table, dealer, s3 or h3.1") { TableSection(wireName: $0) }
    }

    private init?(wireName text: UnsafeBufferPointer<UInt8>) {
        let name = IdentifierText(text)
        switch text.first {
        case UInt8(ascii: "s") where name.seat != nil:
            guard let seat = name.seat else { return nil }
            self = .seat(seat)
        case UInt8(ascii: "h") where name.hand != nil:
            guard let hand = name.hand else { return nil }
            self = .hand(hand)
        case UInt8(ascii: "t") where name.isEqual(to: "table"): self = .table
        case UInt8(ascii: "d") where name.isEqual(to: "dealer"): self = .dealer
        default:
            guard let other = OtherName(text) else { return nil }
            self = .other(other)
        }
    }

    /// The name on the wire.
    package var wireName: String { JSONWriter.text { $0.put(self) } }
}

extension TableItem: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> TableItem { try TableItem(value) }
    func write(to writer: inout JSONWriter) { writer.value(JSONWriter.identifierBytes) { $0.put(self) } }
    static func shape(_: NoBounds) -> Shape { .reference(.item) }

    init(_ value: JSONValue) throws(JSONError) { self = try TableEntry(named: value).item }

    /// The name on the wire.
    package var wireName: String { JSONWriter.text { $0.put(self) } }
}

extension TableEntry {
    /// The blank entry of an item's name.
    init(named value: JSONValue) throws(JSONError) {
        self = try value.string(expecting: "an item such as round, p3, b3.1 or c17") { ItemKind.entry($0) }
    }
}

/// An identifier on the wire: a word, or a letter with the number of a seat, hand or card.
struct IdentifierText {
    let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The 3 of `s3`.
    var seat: Int? { bytes.count == 2 ? digit(1, upTo: 7) : nil }

    /// The 3 and the 1 of `h3.1`.
    var hand: HandIdentifier? {
        guard bytes.count == 4, bytes[2] == UInt8(ascii: "."), let seat = digit(1, upTo: 7), let hand = digit(3, upTo: 4) else {
            return nil
        }
        return HandIdentifier(seat: seat, number: hand)
    }

    /// The 17 of `c17`.
    var card: Int? {
        guard (2...8).contains(bytes.count), bytes[0] == UInt8(ascii: "c"), let number = decimal(bytes[1...]),
            number <= WireLimits.cards
        else { return nil }
        return number
    }

    func isEqual(to word: StaticString) -> Bool { Wire.isEqual(bytes, word) }

    func begins(with letter: StaticString) -> Bool { bytes.first == letter.utf8Start[0] }

    private func digit(_ index: Int, upTo limit: UInt8) -> Int? {
        let digit = bytes[index] &- UInt8(ascii: "0")
        return (1...limit).contains(digit) ? Int(digit) : nil
    }
}

/// A number of at most seven digits, without a leading zero.
func decimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard (1...7).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
    var number = 0
    for byte in digits {
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        number = number * 10 + Int(digit)
    }
    return number
}

/// Identifiers in their quotes. For each there must be room for ``identifierBytes``.
extension JSONWriter {
    /// More than any identifier takes: a letter, two numbers, a dot and the quotes.
    static let identifierBytes = 48

    @inline(__always)
    mutating func put(_ section: TableSection) {
        switch section {
        case .table: put("\"table\"")
        case .dealer: put("\"dealer\"")
        case .seat(let seat): put("\"s", seat)
        case .hand(let hand): put("\"h", hand)
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

    /// The text of an identifier, without its quotes.
    fileprivate static func text(_ put: (inout JSONWriter) -> Void) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes) { writer in
            writer.room(identifierBytes)
            put(&writer)
        }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
