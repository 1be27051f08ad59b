import TableModel

// Identifiers on the wire: `table`, `dealer`, `s3`, `h3.1`; `round`, `phase`, `clock`, `shoe`, `left`, `closing`, `rules`, `dealer`, `p3`, `a3`, `i3`,
// `b3.1`, `t3.1`, `r3.1`, `c17`. A later server may have others, of two letters or more.

extension TableSection {
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

    /// As it stands on the wire.
    public var wireName: String { JSONWriter.text { $0.put(self) } }
}

extension TableItem {
    init(_ value: JSONValue) throws(JSONError) {
        self = try value.string(expecting: "an item such as round, p3, b3.1 or c17") { TableItem(wireName: $0) }
    }

    private init?(wireName text: UnsafeBufferPointer<UInt8>) {
        let name = IdentifierText(text)
        if let card = name.card {
            self = .card(card)
        } else if let hand = name.hand {
            switch text.first {
            case UInt8(ascii: "b"): self = .bet(hand)
            case UInt8(ascii: "t"): self = .total(hand)
            case UInt8(ascii: "r"): self = .result(hand)
            default: return nil
            }
        } else if let seat = name.seat {
            switch text.first {
            case UInt8(ascii: "p"): self = .player(seat)
            case UInt8(ascii: "a"): self = .choice(seat)
            case UInt8(ascii: "i"): self = .insurance(seat)
            default: return nil
            }
        } else {
            self.init(word: name)
        }
    }

    private init?(word: IdentifierText) {
        if word.isEqual(to: "left") {
            self = .cardsLeft
        } else if word.isEqual(to: "round") {
            self = .round
        } else if word.isEqual(to: "phase") {
            self = .phase
        } else if word.isEqual(to: "clock") {
            self = .clock
        } else if word.isEqual(to: "dealer") {
            self = .dealerTotal
        } else if word.isEqual(to: "shoe") {
            self = .shoe
        } else if word.isEqual(to: "closing") {
            self = .closing
        } else if word.isEqual(to: "rules") {
            self = .rules
        } else if let other = OtherName(word.bytes) {
            self = .other(other)
        } else {
            return nil
        }
    }

    /// As it stands on the wire.
    public var wireName: String { JSONWriter.text { $0.put(self) } }
}

/// An identifier as it stands on the wire: a word, or a letter with the number of a seat, hand or card.
private struct IdentifierText {
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

    /// The 17 of `c17`: the one way that we write it, digits alone and no zero before them.
    var card: Int? {
        guard (2...8).contains(bytes.count), bytes[0] == UInt8(ascii: "c"), let number = decimal(bytes[1...]),
            number <= WireLimits.cards
        else { return nil }
        return number
    }

    func isEqual(to word: StaticString) -> Bool { Wire.isEqual(bytes, word) }

    private func digit(_ index: Int, upTo limit: UInt8) -> Int? {
        let digit = bytes[index] &- UInt8(ascii: "0")
        return (1...limit).contains(digit) ? Int(digit) : nil
    }
}

/// A number of at most seven digits, written the one way that we write it: digits alone, no leading zero.
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
        case .round: put("\"round\"")
        case .phase: put("\"phase\"")
        case .clock: put("\"clock\"")
        case .shoe: put("\"shoe\"")
        case .rules: put("\"rules\"")
        case .closing: put("\"closing\"")
        case .dealerTotal: put("\"dealer\"")
        case .other(let name): put(name)
        }
    }

    @inline(never)
    private mutating func put(_ name: OtherName) {
        put(UInt8(ascii: "\""))
        for byte in name.bytes { put(byte) }
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func put(_ letter: StaticString, _ number: Int) {
        put(letter)
        put(number)
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func put(_ letter: StaticString, _ hand: HandIdentifier) {
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
