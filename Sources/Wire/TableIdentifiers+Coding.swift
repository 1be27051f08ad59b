import TableModel

// Identifiers on the wire: `table`, `dealer`, `s3`, `h3.1`; `round`, `clock`, `shoe`, `left`, `rules`, `dealer`, `p3`, `a3`, `i3`,
// `b3.1`, `t3.1`, `r3.1`, `c17`.

extension TableSection {
    init(_ value: JSONValue) throws(JSONError) {
        let text = try value.string(maximum: 16)
        switch text {
        case "table": self = .table
        case "dealer": self = .dealer
        default:
            if let seat = seatNumber(text, "s") {
                self = .seat(seat)
            } else if let hand = handID(text, "h") {
                self = .hand(hand)
            } else {
                throw value.mismatch("a section such as table, dealer, s3 or h3.1")
            }
        }
    }

    /// As it stands on the wire.
    public var wireName: String {
        switch self {
        case .table: "table"
        case .dealer: "dealer"
        case .seat(let seat): "s\(seat)"
        case .hand(let hand): "h\(hand.seat).\(hand.number)"
        }
    }
}

extension TableItem {
    init(_ value: JSONValue) throws(JSONError) {
        let text = try value.string(maximum: 16)
        guard let item = TableItem(text) else { throw value.mismatch("an item such as round, p3, b3.1 or c17") }
        self = item
    }

    private init?(_ text: String) {
        switch text {
        case "round": self = .round
        case "clock": self = .clock
        case "shoe": self = .shoe
        case "left": self = .cardsLeft
        case "rules": self = .rules
        case "dealer": self = .dealerTotal
        default:
            if let card = number(text.dropFirst(), upTo: 1_000_000), text.hasPrefix("c") {
                self = .card(card)
            } else if let hand = handID(text, "b") {
                self = .bet(hand)
            } else if let hand = handID(text, "t") {
                self = .total(hand)
            } else if let hand = handID(text, "r") {
                self = .result(hand)
            } else if let seat = seatNumber(text, "p") {
                self = .player(seat)
            } else if let seat = seatNumber(text, "a") {
                self = .choice(seat)
            } else if let seat = seatNumber(text, "i") {
                self = .insurance(seat)
            } else {
                return nil
            }
        }
    }

    /// As it stands on the wire.
    public var wireName: String {
        switch self {
        case .round: "round"
        case .clock: "clock"
        case .shoe: "shoe"
        case .cardsLeft: "left"
        case .rules: "rules"
        case .dealerTotal: "dealer"
        case .player(let seat): "p\(seat)"
        case .choice(let seat): "a\(seat)"
        case .insurance(let seat): "i\(seat)"
        case .bet(let hand): "b\(hand.seat).\(hand.number)"
        case .total(let hand): "t\(hand.seat).\(hand.number)"
        case .result(let hand): "r\(hand.seat).\(hand.number)"
        case .card(let id): "c\(id)"
        }
    }
}

/// A number written the one way that we write it: digits alone, no leading zero.
private func number(_ text: Substring, upTo limit: Int) -> Int? {
    guard text.utf8.count <= 7, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let number = Int(text), number <= limit,
        text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0")
    else { return nil }
    return number
}

private func seatNumber(_ text: String, _ prefix: Character) -> Int? {
    guard text.first == prefix, let seat = number(text.dropFirst(), upTo: 7), seat >= 1 else { return nil }
    return seat
}

private func handID(_ text: String, _ prefix: Character) -> HandIdentifier? {
    guard text.first == prefix, text.utf8.count == 4, text.utf8.dropFirst(2).first == UInt8(ascii: "."),
        let seat = number(text.dropFirst().prefix(1), upTo: 7), seat >= 1,
        let hand = number(text.dropFirst(3), upTo: 4), hand >= 1
    else { return nil }
    return HandIdentifier(seat: seat, number: hand)
}
