import Rules

// The shortcut for `bet` and `act`: known keys of at most seven bytes, each once, in any order and with any space, whose values are whole
// numbers and strings without escapes in ASCII. See `LineCursor`.

extension ClientMessage {
    /// Reads a line, to its very end.
    @inline(__always)
    static func shortcut(_ line: UnsafeBufferPointer<UInt8>) throws(Detour) -> (id: RequestID?, message: ClientMessage) {
        var cursor = try LineCursor(line)
        var (type, action): (UInt64, UInt64) = (0, 0)
        var (amount, seat, hand): (Int?, Int?, Int?) = (nil, nil, nil)
        var (turn, round): (Int?, Int?) = (nil, nil)
        var id: RequestID?
        var seen: UInt32 = 0
        cursor.skipSpace()
        try cursor.expect(UInt8(ascii: "{"))
        repeat {
            cursor.skipSpace()
            try cursor.expect(UInt8(ascii: "\""))
            let key = try cursor.shortText()
            cursor.skipSpace()
            try cursor.expect(UInt8(ascii: ":"))
            cursor.skipSpace()
            switch key {
            case wordOf("type"):
                try seen.note(0)
                type = try cursor.shortString()
            case wordOf("id"):
                try seen.note(1)
                id = try cursor.requestID()
            case wordOf("action"):
                try seen.note(2)
                action = try cursor.shortString()
            case wordOf("amount"):
                try seen.note(3)
                amount = try cursor.integer(in: WireRange.chips)
            case wordOf("seat"):
                try seen.note(4)
                seat = try cursor.integer(in: WireRange.seat)
            case wordOf("hand"):
                try seen.note(5)
                hand = try cursor.integer(in: WireRange.hand)
            case wordOf("turn"):
                try seen.note(6)
                turn = try cursor.integer(in: WireRange.revision)
            case wordOf("round"):
                try seen.note(7)
                round = try cursor.integer(in: WireRange.revision)
            default: throw Detour()
            }
            cursor.skipSpace()
        } while cursor.take(UInt8(ascii: ","))
        try cursor.expect(UInt8(ascii: "}"))
        cursor.skipSpace()
        guard cursor.isAtEnd else { throw Detour() }
        switch type {
        case wordOf("act"): return (id, .act(try Action(word: action), seat: seat, hand: hand, amount: amount, turn: turn))
        case wordOf("bet"):
            guard let amount else { throw Detour() }
            return (id, .bet(amount: amount, seat: seat, round: round))
        default: throw Detour()
        }
    }
}

extension UInt32 {
    /// Notes a key, each of which may be there once.
    @inline(__always)
    fileprivate mutating func note(_ bit: UInt32) throws(Detour) {
        guard self & 1 << bit == 0 else { throw Detour() }
        self |= 1 << bit
    }
}

extension LineCursor {
    /// A string of at most seven bytes, as a word.
    @inline(__always)
    fileprivate mutating func shortString() throws(Detour) -> UInt64 {
        try expect(UInt8(ascii: "\""))
        return try shortText()
    }

    /// The inside of a string in ASCII.
    fileprivate mutating func quoted(maximum: Int) throws(Detour) -> UnsafeBufferPointer<UInt8> {
        try expect(UInt8(ascii: "\""))
        let (bytes, isASCII) = try text()
        guard isASCII, bytes.count <= maximum else { throw Detour() }
        return bytes
    }

    /// The id of a request or of a reply.
    @inline(__always)
    mutating func requestID() throws(Detour) -> RequestID {
        guard byte == UInt8(ascii: "\"") else { return .number(try integer()) }
        return try textID()
    }

    @inline(never)
    private mutating func textID() throws(Detour) -> RequestID {
        .text(String(decoding: try quoted(maximum: RequestID.maximumBytes), as: UTF8.self))
    }
}

extension Action {
    /// The action of a name of at most seven bytes; the longer ones are rare.
    @inline(__always)
    fileprivate init(word: UInt64) throws(Detour) {
        switch word {
        case wordOf("hit"): self = .hit
        case wordOf("stand"): self = .stand
        case wordOf("double"): self = .double
        case wordOf("split"): self = .split
        case wordOf("decline"): self = .decline
        default: throw Detour()
        }
    }
}
