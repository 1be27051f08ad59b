import TableModel

extension LineCursor {
    /// A section with its quotes.
    @inline(__always)
    mutating func section() throws(Detour) -> TableSection {
        try expect(UInt8(ascii: "\""))
        let name = try shortText()
        switch name & 0xFF {
        case wordOf("h"): return .hand(try HandIdentifier(inName: name))
        case wordOf("s"): return .seat(try Self.seat(inName: name))
        default:
            if name == wordOf("table") { return .table }
            guard name == wordOf("dealer") else { throw Detour() }
            return .dealer
        }
    }

    /// An item with its quotes; a card of up to six digits.
    @inline(__always)
    mutating func item() throws(Detour) -> TableItem {
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
            guard name == wordOf("rules") else { throw Detour() }
            return .rules
        case wordOf("p"):
            if name == wordOf("phase") { return .phase }
            return .player(try Self.seat(inName: name))
        case wordOf("a"): return .choice(try Self.seat(inName: name))
        case wordOf("i"): return .insurance(try Self.seat(inName: name))
        default:
            if name == wordOf("left") { return .cardsLeft }
            if name == wordOf("dealer") { return .dealerTotal }
            guard name == wordOf("shoe") else { throw Detour() }
            return .shoe
        }
    }

    /// The 3 of `s3`.
    @inline(__always)
    private static func seat(inName name: UInt64) throws(Detour) -> Int {
        let seat = name >> 8 &- 0x30
        guard 1...7 ~= seat else { throw Detour() }
        return Int(seat)
    }

    /// The 17 of `c17`.
    @inline(__always)
    private static func card(inName name: UInt64) throws(Detour) -> Int {
        var rest = name >> 8
        guard rest != 0x30 else { return 0 }
        // Digits, no zero first.
        guard rest & 0xFF != 0x30, rest != 0 else { throw Detour() }
        var number = 0
        while rest != 0 {
            let digit = rest & 0xFF &- 0x30
            guard digit < 10 else { throw Detour() }
            number = number &* 10 &+ Int(digit)
            rest >>= 8
        }
        return number
    }
}

extension HandIdentifier {
    /// The 3 and the 1 of `h3.1`.
    @inline(__always)
    fileprivate init(inName name: UInt64) throws(Detour) {
        let seat = name >> 8 & 0xFF &- 0x30
        let number = name >> 24 &- 0x30
        guard name >> 16 & 0xFF == 0x2E, 1...7 ~= seat, 1...4 ~= number else { throw Detour() }
        self.init(seat: Int(seat), number: Int(number))
    }
}
