import TableModel

// Identifiers on the wire: `table`, `dealer`, `s3`, `h3.1`; `round`, `phase`, `clock`, `shoe`, `left`, `rules`, `dealer`, `p3`, `a3`, `i3`,
// `b3.1`, `t3.1`, `r3.1`, `c17`.

extension TableSection {
    init(_ value: JSONValue) throws(JSONError) {
        self = try value.string(expecting: "a section such as table, dealer, s3 or h3.1") { TableSection(wireName: $0) }
    }

    private init?(wireName text: UnsafeBufferPointer<UInt8>) {
        let name = IdentifierText(text)
        switch text.first {
        case UInt8(ascii: "s"):
            guard let seat = name.seat else { return nil }
            self = .seat(seat)
        case UInt8(ascii: "h"):
            guard let hand = name.hand else { return nil }
            self = .hand(hand)
        case UInt8(ascii: "t") where name.isEqual(to: "table"): self = .table
        case UInt8(ascii: "d") where name.isEqual(to: "dealer"): self = .dealer
        default: return nil
        }
    }

    /// As it stands on the wire.
    public var wireName: String { JSONWriter.text { write(to: &$0) } }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .table: writer.string("table")
        case .dealer: writer.string("dealer")
        case .seat(let seat): writer.string("s", seat)
        case .hand(let hand): writer.string("h", hand)
        }
    }
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
        } else if word.isEqual(to: "rules") {
            self = .rules
        } else {
            return nil
        }
    }

    /// As it stands on the wire.
    public var wireName: String { JSONWriter.text { write(to: &$0) } }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .round: writer.string("round")
        case .phase: writer.string("phase")
        case .clock: writer.string("clock")
        case .shoe: writer.string("shoe")
        case .cardsLeft: writer.string("left")
        case .rules: writer.string("rules")
        case .dealerTotal: writer.string("dealer")
        case .player(let seat): writer.string("p", seat)
        case .choice(let seat): writer.string("a", seat)
        case .insurance(let seat): writer.string("i", seat)
        case .bet(let hand): writer.string("b", hand)
        case .total(let hand): writer.string("t", hand)
        case .result(let hand): writer.string("r", hand)
        case .card(let id): writer.string("c", id)
        }
    }
}

/// An identifier as it stands on the wire: a word, or a letter with the number of a seat, hand or card.
private struct IdentifierText {
    private let bytes: UnsafeBufferPointer<UInt8>

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

extension JSONWriter {
    /// A letter and a number as one string: `s3`.
    fileprivate mutating func string(_ letter: StaticString, _ number: Int) {
        string { writer in
            writer.append(letter)
            writer.append(number)
        }
    }

    /// A letter and the numbers of a hand as one string: `h3.1`.
    fileprivate mutating func string(_ letter: StaticString, _ hand: HandIdentifier) {
        string { writer in
            writer.append(letter)
            writer.append(hand.seat)
            writer.append(".")
            writer.append(hand.number)
        }
    }

    /// The text of what is written as one string without escapes.
    fileprivate static func text(_ write: (inout JSONWriter) -> Void) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes, write)
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
