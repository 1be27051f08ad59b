/// Appends JSON to a reused buffer, through scratch memory on the stack, since an array checks at each piece; a warm writer allocates nothing.
/// ``room(_:)`` checks once for several pieces; functions named `put` rely on it. Inlinable, for the records of tables. Forced inlining, so that
/// texts are constants: without, a fact takes 2.4 times as long in bjbench records, a diff 1.3 times in bjbench wire.
package struct JSONWriter {
    package static let scratchBytes = 1024

    @usableFromInline let start: UnsafeMutablePointer<UInt8>
    @usableFromInline package var next: UnsafeMutablePointer<UInt8>
    @usableFromInline package let end: UnsafeMutablePointer<UInt8>
    @usableFromInline var bytes: [UInt8] = []
    /// Whether a comma is due before the next member or element.
    @usableFromInline package var needsComma = false
    var knownRules = RulesMemory()
    #if DEBUG
        /// The keys of the open objects and arrays, each after its container's.
        @usableFromInline var keys: [[String]] = []
    #endif

    @usableFromInline
    init(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) {
        self.start = start
        next = start
        end = start + count
    }

    /// Appends the output of `body` to `bytes`.
    @inlinable @inline(__always)
    package static func append(to bytes: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: scratchBytes) { scratch in
            guard let start = scratch.baseAddress else { return }
            var writer = JSONWriter(start, scratch.count)
            swap(&writer.bytes, &bytes)
            body(&writer)
            writer.flush()
            swap(&writer.bytes, &bytes)
        }
    }

    /// Appends a line with an object of the members that `body` writes.
    @inlinable @inline(__always)
    package static func appendLine(to bytes: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
        append(to: &bytes) { writer in
            writer.beginObject()
            body(&writer)
            writer.endObject()
            writer.newline()
        }
    }

    @usableFromInline
    package mutating func flush() {
        bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: next - start))
        next = start
    }
}

/// Pieces for which ``room(_:)`` was called.
extension JSONWriter {
    /// Makes room for `count` bytes, at most ``scratchBytes``.
    @inlinable @inline(__always)
    package mutating func room(_ count: Int) {
        assert(count <= Self.scratchBytes)
        if end - next < count { flush() }
    }

    @inlinable @inline(__always)
    package mutating func put(_ byte: UInt8) {
        assert(next < end)
        next.pointee = byte
        next += 1
    }

    /// Constant text.
    @inlinable @inline(__always)
    package mutating func put(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        assert(end - next >= count)
        next.update(from: text.utf8Start, count: count)
        next += count
    }

    /// At most 20 bytes.
    @inlinable @inline(__always)
    package mutating func put(_ value: Int) {
        if UInt(bitPattern: value) < 10 {
            put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
        } else {
            putLonger(value)
        }
    }

    /// 00, 01 … 99.
    private static let pairsOfDigits: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """
    private static let powersOfTen: InlineArray<20, UInt> = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
        1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000, 10_000_000_000_000_000,
        100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    @usableFromInline
    mutating func putLonger(_ value: Int) {
        if value < 0 { put(UInt8(ascii: "-")) }
        let magnitude = value.magnitude
        // 1233 / 4096 is a little less than log10(2): one digit too few where the number is not below that power of ten.
        var count = ((64 &- magnitude.leadingZeroBitCount) &* 1233) &>> 12
        if magnitude >= Self.powersOfTen[count] { count &+= 1 }
        assert(end - next >= count)
        var rest = magnitude
        var place = next + count
        while rest >= 10 {
            let quotient = rest / 100
            let pair = Int(truncatingIfNeeded: rest &- quotient &* 100) &* 2
            place -= 2
            place[0] = Self.pairsOfDigits.utf8Start[pair]
            place[1] = Self.pairsOfDigits.utf8Start[pair &+ 1]
            rest = quotient
        }
        if place > next { (place - 1).pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest) }
        next += count
    }
}

/// Members and elements, with the commas between them.
extension JSONWriter {
    // Inlined: 0.9 % of a line in bjbench shard.
    @inline(__always) package mutating func beginObject() { open(UInt8(ascii: "{")) }
    @inline(__always) package mutating func endObject() { close(UInt8(ascii: "}")) }
    @inline(__always) package mutating func beginArray() { open(UInt8(ascii: "[")) }
    @inline(__always) package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Asserts, in debug builds, that no member of an object comes twice: a reader refuses it.
    @inlinable @inline(__always)
    package mutating func expectNew(_ key: StaticString) {
        #if DEBUG
            guard let last = keys.indices.last else { return }
            assert(!keys[last].contains(key.description), "\(key) is written twice")
            keys[last].append(key.description)
        #endif
    }

    /// A constant key: short, without escapes.
    @inlinable @inline(__always)
    package mutating func key(_ key: StaticString) {
        expectNew(key)
        room(key.utf8CodeUnitCount &+ 4)
        separate()
        put(UInt8(ascii: "\""))
        put(key)
        put("\":")
        needsComma = false
    }

    /// A key that may need escapes. Labelled, since a literal would be taken for a `String` sooner than for a `StaticString`.
    package mutating func key(text: String) {
        string(text)
        room(1)
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func integer(_ value: Int) {
        room(21)
        separate()
        put(value)
    }

    package mutating func integer(_ value: Int64) { integer(Int(value)) }

    /// A value that is JSON already.
    package mutating func json(_ text: String) {
        var text = text
        text.withUTF8 { json($0) }
    }

    package mutating func json(_ text: UnsafeBufferPointer<UInt8>) {
        room(1)
        separate()
        append(text)
    }

    package mutating func bool(_ value: Bool) {
        room(6)
        separate()
        if value { put("true") } else { put("false") }
    }

    package mutating func null() {
        room(5)
        separate()
        put("null")
    }

    /// Constant text: short, without escapes.
    @inlinable @inline(__always)
    package mutating func string(_ text: StaticString) {
        room(text.utf8CodeUnitCount &+ 3)
        separate()
        put(UInt8(ascii: "\""))
        put(text)
        put(UInt8(ascii: "\""))
    }

    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    /// - Parameter text: UTF-8.
    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        room(2)
        separate()
        put(UInt8(ascii: "\""))
        append(escaping: text)
        room(1)
        put(UInt8(ascii: "\""))
    }

    /// A value of at most `bytes` bytes that `content` puts.
    package mutating func value(_ bytes: Int, _ content: (inout JSONWriter) -> Void) {
        room(bytes &+ 1)
        separate()
        content(&self)
    }

    @inline(__always)
    mutating func member(_ key: StaticString, word: StaticString) {
        self.key(key)
        string(word)
    }

    @inline(__always)
    mutating func member(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    @inline(__always)
    mutating func member(_ key: StaticString, _ value: Int) {
        self.key(key)
        integer(value)
    }

    /// Ends the line. Inlined: 5 % of an encoded action in bjbench wire.
    @inline(__always)
    package mutating func newline() {
        room(1)
        put(UInt8(ascii: "\n"))
        needsComma = false
    }

    @inline(__always)
    private mutating func open(_ byte: UInt8) {
        room(2)
        separate()
        put(byte)
        needsComma = false
        #if DEBUG
            keys.append([])
        #endif
    }

    @inline(__always)
    private mutating func close(_ byte: UInt8) {
        room(1)
        put(byte)
        needsComma = true
        #if DEBUG
            _ = keys.popLast()
        #endif
    }

    /// Writes the comma that is due, and makes one due after the next value.
    @inlinable @inline(__always)
    package mutating func separate() {
        if needsComma { put(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Sets whether the next value is the first in its container, after direct puts.
    @inlinable @inline(__always)
    package mutating func comesFirst(_ isFirst: Bool = true) { needsComma = !isFirst }
}

/// Eight bytes at once, the first one lowest. Forced inlining, so that words are constants.
extension UInt64 {
    @inline(__always)
    fileprivate static func spread(_ byte: UInt64) -> UInt64 { 0x0101_0101_0101_0101 &* byte }

    /// The high bit of each byte that is equal to the given one. Only the lowest such bit is exact: bytes above it may be reported
    /// falsely.
    @inline(__always)
    fileprivate func bytes(equal byte: UInt64) -> UInt64 { (self ^ .spread(byte)).bytes(below: 1) }

    /// The highest bit of each byte below a bound of at most 0x80; exact as ``bytes(equal:)`` is.
    @inline(__always)
    fileprivate func bytes(below bound: UInt64) -> UInt64 { (self &- .spread(bound)) & ~self & .spread(0x80) }
}

/// Text from anywhere.
extension JSONWriter {
    /// The inside of a string. Copies runs without escapes, nearly always the whole text, at once.
    package mutating func append(escaping text: String) {
        var text = text
        text.withUTF8 { append(escaping: $0) }
    }

    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
        guard let start = UnsafeRawPointer(text.baseAddress) else { return }
        var index = 0
        while index < text.count {
            room(8 * Self.escapeBytes)
            let end = min(index &+ 8, text.count)
            // Eight bytes at once if none is special, as nearly always: 8 % of a refused line in bjbench shard.
            if end &- index == 8 {
                let word = start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if !Self.hasSpecial(word) {
                    UnsafeMutableRawPointer(next).storeBytes(of: word, as: UInt64.self)
                    next += 8
                    index = end
                    continue
                }
            }
            while index < end {
                put(escaping: text[index])
                index &+= 1
            }
        }
    }

    /// Whether any of eight bytes needs an escape.
    private static func hasSpecial(_ word: UInt64) -> Bool {
        word.bytes(below: 0x20) | word.bytes(equal: 0x22) | word.bytes(equal: 0x5C) | word.bytes(equal: 0x7F) != 0
    }

    /// A byte of a string, at most ``escapeBytes``.
    @inline(__always)
    private mutating func put(escaping byte: UInt8) {
        if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F { putEscape(of: byte) } else { put(byte) }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        if text.count > end - next {
            flush()
            guard text.count <= Self.scratchBytes else { return bytes.append(contentsOf: text) }
        }
        guard let source = text.baseAddress else { return }
        next.update(from: source, count: text.count)
        next += text.count
    }

    private static let escapeBytes = 6

    @inline(never)
    private mutating func putEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): put("\\\"")
        case UInt8(ascii: "\\"): put("\\\\")
        case UInt8(ascii: "\n"): put("\\n")
        case UInt8(ascii: "\r"): put("\\r")
        case UInt8(ascii: "\t"): put("\\t")
        default:
            put("\\u00")
            put(hexCharacter(byte >> 4))
            put(hexCharacter(byte & 15))
        }
    }

    private func hexCharacter(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
