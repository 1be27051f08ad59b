/// Thrown by a shortcut for a line that it cannot read; the line is read the general way.
struct Fallback: Error {}

/// A position in a line, for shortcuts through lines as we write them. A shortcut refuses nothing: at anything unusual it throws ``Fallback``,
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

    /// The next byte; 0, which no JSON has outside of a string nor in one, at the end.
    @inline(__always)
    var byte: UInt8 { next < end ? next.load(as: UInt8.self) : 0 }

    /// The next eight bytes, the first one lowest; zeros where there are none. A line has at least eight.
    @inline(__always)
    var word: UInt64 {
        guard left < 8 else { return UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) }
        guard left > 0 else { return 0 }
        return UInt64(littleEndian: (end - 8).loadUnaligned(as: UInt64.self)) >> UInt64(truncatingIfNeeded: 64 &- 8 &* left)
    }

    /// Goes on by bytes that were looked at and are there.
    @inline(__always)
    mutating func skip(_ count: Int) {
        assert(count <= left)
        next += count
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

    /// Goes past a text if it stands here. Compiles to a comparison of a few words with constants.
    @inline(__always)
    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard left >= count else { return false }
        let wanted = UnsafeRawPointer(text.utf8Start)
        var index = 0
        while index &+ 8 <= count {
            guard isSame(wanted, index, UInt64.self) else { return false }
            index &+= 8
        }
        if count & 4 != 0 {
            guard isSame(wanted, index, UInt32.self) else { return false }
            index &+= 4
        }
        if count & 2 != 0 {
            guard isSame(wanted, index, UInt16.self) else { return false }
            index &+= 2
        }
        if count & 1 != 0 {
            guard isSame(wanted, index, UInt8.self) else { return false }
        }
        next += count
        return true
    }

    @inline(__always)
    private func isSame<Word: FixedWidthInteger & BitwiseCopyable>(_ wanted: UnsafeRawPointer, _ index: Int, _: Word.Type) -> Bool
    {
        next.loadUnaligned(fromByteOffset: index, as: Word.self) == wanted.loadUnaligned(fromByteOffset: index, as: Word.self)
    }

    @inline(__always)
    mutating func expect(_ text: StaticString) throws(Fallback) {
        guard take(text) else { throw Fallback() }
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
    mutating func integer(in range: ClosedRange<Int>) throws(Fallback) -> Int {
        let value = try integer()
        guard range.contains(value) else { throw Fallback() }
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

    /// The inside of a string after its opening quote, its closing one taken too: UTF-8 without escapes.
    @inline(__always)
    mutating func text() throws(Fallback) -> (bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool) {
        let start = next
        var high: UInt64 = 0
        while true {
            let word = word
            let special =
                Self.bytes(of: word, below: 0x20) | Self.bytes(of: word, equal: 0x22) | Self.bytes(of: word, equal: 0x5C)
            guard special != 0 else {
                high |= word
                next += 8
                continue
            }
            let count = special.trailingZeroBitCount >> 3
            high |= word & (1 << UInt64(truncatingIfNeeded: count &* 8) &- 1)
            next += count
            break
        }
        // A control character or an escape, or the end of the line, which looks like zeros.
        guard byte == 0x22 else { throw Fallback() }
        let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: next - start)
        next += 1
        return (bytes, high & Self.spread(0x80) == 0)
    }

    /// A string after its opening quote, its closing one taken too.
    @inline(__always)
    mutating func string(maximum: Int) throws(Fallback) -> String {
        let (bytes, isASCII) = try text()
        guard bytes.count <= maximum else { throw Fallback() }
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Fallback() }
        return text
    }

    @inline(__always)
    static func spread(_ byte: UInt64) -> UInt64 { 0x0101_0101_0101_0101 &* byte }

    /// The highest bit of each byte equal to one. Above the lowest such byte there may be others that are not; that one is always right.
    @inline(__always)
    static func bytes(of word: UInt64, equal byte: UInt64) -> UInt64 { bytes(of: word ^ spread(byte), below: 1) }

    /// The highest bit of each byte below a bound of at most 0x80; exact as ``bytes(of:equal:)`` is.
    @inline(__always)
    static func bytes(of word: UInt64, below bound: UInt64) -> UInt64 { (word &- spread(bound)) & ~word & spread(0x80) }
}

/// Up to eight letters as ``LineCursor/word`` has them. A constant, as far as the compiler is concerned.
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
