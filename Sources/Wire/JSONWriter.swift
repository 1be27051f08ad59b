/// Appends JSON to a buffer that is used again and again, so that a warm writer allocates nothing.
///
/// The bytes are put down in a small scratch memory first and moved to the buffer when that is full: the buffer would check its room
/// and its owner at each of the dozens of small pieces that a message is made of.
struct JSONWriter {
    private static let scratchBytes = 1024

    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private var count = 0
    private var bytes: [UInt8] = []
    /// Whether a comma is due before the next member or element.
    private var needsComma = false

    private init(_ scratch: UnsafeMutableBufferPointer<UInt8>) { self.scratch = scratch }

    /// Appends to `bytes` what `body` writes.
    static func append(to bytes: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: scratchBytes) { scratch in
            var writer = JSONWriter(scratch)
            swap(&writer.bytes, &bytes)
            body(&writer)
            writer.flush()
            swap(&writer.bytes, &bytes)
        }
    }

    mutating func beginObject() { open(UInt8(ascii: "{")) }
    mutating func endObject() { close(UInt8(ascii: "}")) }
    mutating func beginArray() { open(UInt8(ascii: "[")) }
    mutating func endArray() { close(UInt8(ascii: "]")) }

    /// A key, which the protocol fixes: it needs no escapes.
    mutating func key(_ key: StaticString) {
        separate()
        let length = key.utf8CodeUnitCount
        precondition(length + 3 <= scratch.count, "a key of the protocol is short")
        if scratch.count &- count < length &+ 3 { flush() }
        // At once, with room for all of it: keys are half of what is written.
        scratch[count] = UInt8(ascii: "\"")
        for index in 0..<length { scratch[count &+ 1 &+ index] = key.utf8Start[index] }
        scratch[count &+ length &+ 1] = UInt8(ascii: "\"")
        scratch[count &+ length &+ 2] = UInt8(ascii: ":")
        count &+= length &+ 3
        needsComma = false
    }

    /// A key that is not known beforehand.
    mutating func key(_ key: String) {
        string(key)
        append(byte: UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func integer(_ value: some FixedWidthInteger) {
        separate()
        append(value)
    }

    /// A finite number, as the shortest text that reads back as the same.
    mutating func double(_ value: Double) {
        separate()
        for byte in value.description.utf8 { append(byte: byte) }
    }

    mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    mutating func null() {
        separate()
        append("null")
    }

    /// Text that the protocol fixes: it needs no escapes.
    mutating func string(_ text: StaticString) {
        string { $0.append(text) }
    }

    /// A string of parts that need no escapes, each appended by `content`.
    mutating func string(_ content: (inout JSONWriter) -> Void) {
        separate()
        append(byte: UInt8(ascii: "\""))
        content(&self)
        append(byte: UInt8(ascii: "\""))
    }

    mutating func string(_ text: String) {
        string { writer in
            var text = text
            text.withUTF8 { writer.append(escaping: $0) }
        }
    }

    /// Ends the line.
    mutating func newline() {
        append(byte: UInt8(ascii: "\n"))
        needsComma = false
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        append(byte: byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        append(byte: byte)
        needsComma = true
    }

    /// Writes the comma that is due; whatever comes now is followed by one.
    private mutating func separate() {
        if needsComma { append(byte: UInt8(ascii: ",")) }
        needsComma = true
    }

    mutating func append(byte: UInt8) {
        if count == scratch.count { flush() }
        scratch[count] = byte
        count &+= 1
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ value: some FixedWidthInteger) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = 20
        var magnitude = UInt64(value.magnitude)
        repeat {
            start &-= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
            magnitude /= 10
        } while magnitude > 0
        if value < 0 { append(byte: UInt8(ascii: "-")) }
        for index in start..<20 { append(byte: digits[index]) }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        if text.count > scratch.count &- count {
            flush()
            guard text.count <= scratch.count else { return bytes.append(contentsOf: text) }
        }
        guard let source = text.baseAddress, let start = scratch.baseAddress else { return }
        (start + count).update(from: source, count: text.count)
        count &+= text.count
    }

    private mutating func flush() {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: scratch[..<count]))
        count = 0
    }

    /// Text from anywhere. What needs no escape, which is nearly always everything, is copied as it lies.
    private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
        var plain = 0
        for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F {
            append(UnsafeBufferPointer(rebasing: text[plain..<index]))
            plain = index + 1
            appendEscape(of: byte)
        }
        append(UnsafeBufferPointer(rebasing: text[plain...]))
    }

    private mutating func appendEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        default:
            append("\\u00")
            append(byte: hexCharacter(byte >> 4))
            append(byte: hexCharacter(byte & 15))
        }
    }

    private func hexCharacter(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
