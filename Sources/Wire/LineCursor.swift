import Rules

/// Thrown by the shortcut for a line that it cannot read; the line is read the general way.
struct Fallback: Error {}

/// A position in a line, for the server's shortcut through `bet` and `act`. It refuses nothing: at anything unusual it throws ``Fallback``,
/// and ``JSONValue`` reads the line and words the error, so that it need be right only where it succeeds.
///
/// Forced inlining, so that words are constants: without, an action takes twice as long, 4 % of a line in bjbench shard.
struct LineCursor {
    private var next: UnsafeRawPointer
    private let end: UnsafeRawPointer

    /// - Throws: for a line that is too short to be looked at by words of eight bytes, as no message is.
    @inline(__always)
    init(_ line: UnsafeBufferPointer<UInt8>) throws(Fallback) {
        guard line.count >= 8, let start = line.baseAddress else { throw Fallback() }
        next = UnsafeRawPointer(start)
        end = next + line.count
    }

    @inline(__always)
    var left: Int { end - next }

    @inline(__always)
    var isAtEnd: Bool { next == end }

    /// The next byte; 0, which valid JSON never has, at the end.
    @inline(__always)
    var byte: UInt8 { next < end ? next.load(as: UInt8.self) : 0 }

    /// The next eight bytes, the first one lowest; zeros where there are none. A line has at least eight.
    @inline(__always)
    var word: UInt64 {
        guard left < 8 else { return UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) }
        guard left > 0 else { return 0 }
        return UInt64(littleEndian: (end - 8).loadUnaligned(as: UInt64.self)) >> UInt64(truncatingIfNeeded: 64 &- 8 &* left)
    }

    @inline(__always)
    mutating func take(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        next += 1
        return true
    }

    @inline(__always)
    mutating func expect(_ wanted: UInt8) throws(Fallback) {
        guard take(wanted) else { throw Fallback() }
    }

    @inline(__always)
    mutating func skipSpace() {
        while byte <= 0x20, isJSONSpace(byte), next < end { next += 1 }
    }
}

extension LineCursor {
    /// A whole number of at most 18 digits, which always fits. The caller checks the byte after it.
    @inline(__always)
    mutating func integer() throws(Fallback) -> Int {
        let isNegative = take(UInt8(ascii: "-"))
        let first = byte &- UInt8(ascii: "0")
        guard first < 10 else { throw Fallback() }
        next += 1
        let start = next
        var value = Int(first)
        while true {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ Int(digit)
            next += 1
        }
        // No zero stands before other digits, and what is longer may have overflowed.
        guard next == start || first != 0 && next - start < 18 else { throw Fallback() }
        return isNegative ? -value : value
    }

    @inline(__always)
    mutating func integer(in bounds: WholeNumber) throws(Fallback) -> Int {
        let value = try integer()
        guard bounds.range.contains(value) else { throw Fallback() }
        return value
    }

    /// The inside of a string of at most seven bytes after its opening quote, its closing one taken too; the first byte lowest. For comparison
    /// with known words.
    @inline(__always)
    mutating func shortText() throws(Fallback) -> UInt64 {
        let word = word
        // A zero byte would be taken for the absence of one.
        let special = Self.bytes(of: word, equal: 0x22) | Self.bytes(of: word, equal: 0)
        guard special != 0 else { throw Fallback() }
        let count = special.trailingZeroBitCount >> 3
        next += count
        try expect(0x22)
        return word & (1 << UInt64(truncatingIfNeeded: count &* 8) &- 1)
    }

    @inline(__always)
    static func spread(_ byte: UInt64) -> UInt64 { 0x0101_0101_0101_0101 &* byte }

    /// The high bit of each byte that is equal to the given one. Only the lowest such bit is exact: bytes above it may be reported
    /// falsely.
    @inline(__always)
    static func bytes(of word: UInt64, equal byte: UInt64) -> UInt64 { bytes(of: word ^ spread(byte), below: 1) }

    /// The highest bit of each byte below a bound of at most 0x80; exact as ``bytes(of:equal:)`` is.
    @inline(__always)
    static func bytes(of word: UInt64, below bound: UInt64) -> UInt64 { (word &- spread(bound)) & ~word & spread(0x80) }
}

/// Up to eight letters as ``LineCursor/word`` has them. The compiler folds it to a constant.
@inline(__always)
func wordOf(_ text: StaticString) -> UInt64 {
    assert(text.utf8CodeUnitCount <= 8)
    var word: UInt64 = 0
    var shift: UInt64 = 0
    for index in 0..<text.utf8CodeUnitCount {
        word |= UInt64(text.utf8Start[index]) << shift
        shift &+= 8
    }
    return word
}

// MARK: - Bet and act

extension ClientMessage {
    /// Reads a `bet` or `act`, to the end of the line: known keys of at most seven bytes, each once, in any order and with any space, whose
    /// values are whole numbers and words. The general way takes five times as long: 20 % of a line in bjbench shard.
    @inline(__always)
    static func shortcut(_ line: UnsafeBufferPointer<UInt8>) throws(Fallback) -> (id: RequestID?, message: ClientMessage) {
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
                id = .number(try cursor.integer())
            case wordOf("action"):
                try seen.note(2)
                action = try cursor.shortString()
            case wordOf("amount"):
                try seen.note(3)
                amount = try cursor.integer(in: .chips)
            case wordOf("seat"):
                try seen.note(4)
                seat = try cursor.integer(in: .seat)
            case wordOf("hand"):
                try seen.note(5)
                hand = try cursor.integer(in: .hand)
            case wordOf("turn"):
                try seen.note(6)
                turn = try cursor.integer(in: .counter)
            case wordOf("round"):
                try seen.note(7)
                round = try cursor.integer(in: .counter)
            default: throw Fallback()
            }
            cursor.skipSpace()
        } while cursor.take(UInt8(ascii: ","))
        try cursor.expect(UInt8(ascii: "}"))
        cursor.skipSpace()
        guard cursor.isAtEnd else { throw Fallback() }
        switch type {
        case wordOf("act"):
            guard let turn else { throw Fallback() }
            return (id, .act(try Action(word: action), seat: seat, hand: hand, amount: amount, turn: turn))
        case wordOf("bet"):
            guard let amount, let round else { throw Fallback() }
            return (id, .bet(amount: amount, seat: seat, round: round))
        default: throw Fallback()
        }
    }
}

extension UInt32 {
    /// Notes a key, each of which may be there once.
    @inline(__always)
    fileprivate mutating func note(_ bit: UInt32) throws(Fallback) {
        guard self & 1 << bit == 0 else { throw Fallback() }
        self |= 1 << bit
    }
}

extension LineCursor {
    /// A string of at most seven bytes, as a word.
    @inline(__always)
    fileprivate mutating func shortString() throws(Fallback) -> UInt64 {
        try expect(UInt8(ascii: "\""))
        return try shortText()
    }
}

extension Action {
    /// The action of a name of at most seven bytes; the longer ones are rare.
    @inline(__always)
    fileprivate init(word: UInt64) throws(Fallback) {
        switch word {
        case wordOf("hit"): self = .hit
        case wordOf("stand"): self = .stand
        case wordOf("double"): self = .double
        case wordOf("split"): self = .split
        case wordOf("decline"): self = .decline
        default: throw Fallback()
        }
    }
}
