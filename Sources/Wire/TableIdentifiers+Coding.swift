import TableModel

// Items are named in `ItemKind.all`. A later server may have others, of two letters or more.

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

    /// The 3 of `p3`, after `p`.
    func seat(after word: StaticString) -> Int? {
        let length = word.utf8CodeUnitCount
        guard bytes.count == length + 1, Wire.isEqual(UnsafeBufferPointer(rebasing: bytes[..<length]), word) else { return nil }
        return digit(length, upTo: 7)
    }

    /// The 3 and the 1 of `b3.1`, which begin at 1, and of `3.1`.
    func hand(at start: Int) -> HandIdentifier? {
        guard bytes.count == start + 3, bytes[start + 1] == UInt8(ascii: "."), let seat = digit(start, upTo: 7),
            let hand = digit(start + 2, upTo: 4)
        else { return nil }
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

// MARK: - Shortcut

extension LineCursor {
    /// The place of a card with its quotes.
    @inline(__always)
    mutating func section() throws(Fallback) -> TableSection {
        try expect(UInt8(ascii: "\""))
        let name = try shortText()
        return name == wordOf("dealer") ? .dealer : .hand(try HandIdentifier(inName: name << 8))
    }

    /// An item with its quotes; a card of up to six digits.
    @inline(__always)
    mutating func item() throws(Fallback) -> TableItem {
        try expect(UInt8(ascii: "\""))
        let name = try shortText()
        let isHand = name & ~0xFFFF_FFFF == 0 && name >> 16 & 0xFF == wordOf(".")
        switch name & 0xFF {
        case wordOf("c"):
            if name == wordOf("clock") { return .clock }
            return .card(try Self.card(inName: name))
        case wordOf("t"): return .total(try HandIdentifier(inName: name))
        case wordOf("b"): return .bet(try HandIdentifier(inName: name))
        case wordOf("r"):
            if isHand { return .result(try HandIdentifier(inName: name)) }
            if name == wordOf("round") { return .round }
            return .insuranceResult(try Self.seat(inName: name))
        case wordOf("p"):
            if name == wordOf("phase") { return .phase }
            return .player(try Self.seat(inName: name))
        case wordOf("a"): return .choice(try Self.seat(inName: name))
        case wordOf("i"): return .insurance(try Self.seat(inName: name))
        default:
            if name == wordOf("left") { return .cardsLeft }
            if name == wordOf("dealer") { return .dealerTotal }
            guard name == wordOf("shoe") else { throw Fallback() }
            return .shoe
        }
    }

    /// The 3 of `p3`.
    @inline(__always)
    private static func seat(inName name: UInt64) throws(Fallback) -> Int {
        let seat = name >> 8 &- 0x30
        guard 1...7 ~= seat else { throw Fallback() }
        return Int(seat)
    }

    /// The 17 of `c17`.
    @inline(__always)
    private static func card(inName name: UInt64) throws(Fallback) -> Int {
        var rest = name >> 8
        guard rest != 0x30 else { return 0 }
        // Digits, no zero first.
        guard rest & 0xFF != 0x30, rest != 0 else { throw Fallback() }
        var number = 0
        while rest != 0 {
            let digit = rest & 0xFF &- 0x30
            guard digit < 10 else { throw Fallback() }
            number = number &* 10 &+ Int(digit)
            rest >>= 8
        }
        return number
    }
}

extension HandIdentifier {
    /// The 3 and the 1 of `b3.1`.
    @inline(__always)
    fileprivate init(inName name: UInt64) throws(Fallback) {
        let seat = name >> 8 & 0xFF &- 0x30
        let number = name >> 24 &- 0x30
        guard name >> 16 & 0xFF == 0x2E, 1...7 ~= seat, 1...4 ~= number else { throw Fallback() }
        self.init(seat: Int(seat), number: Int(number))
    }
}
