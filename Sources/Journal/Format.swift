#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A line of JSON: members in a fixed order, then a checksum. One list of keys writes it and reads it.
protocol JournalLine {
    init()
    mutating func visit(_ members: inout LineMembers)
}

extension JournalLine {
    /// Appends the line; returns its checksum.
    /// - Parameter checksum: of the members before it.
    @discardableResult
    func append(to bytes: inout [UInt8], _ checksum: (ArraySlice<UInt8>) -> UInt32 = { CRC32C.extended(over: $0) }) -> UInt32 {
        var (line, members) = (self, LineMembers())
        let start = bytes.count
        swap(&members.written, &bytes)
        line.visit(&members)
        var value = checksum(members.written[start...])
        members.hex("crc", &value)
        members.written.append(contentsOf: "}\n".utf8)
        swap(&members.written, &bytes)
        return value
    }

    /// The line at the start of `bytes`, and the index after it; nil if writing it does not give the same bytes.
    /// - Parameter checksum: of the line's members before it.
    static func read(
        line bytes: ArraySlice<UInt8>, _ checksum: (Self, ArraySlice<UInt8>) -> UInt32 = { CRC32C.extended(over: $1) }
    ) -> (line: Self, end: Int)? {
        var (line, members, again) = (Self(), LineMembers(reading: bytes), [UInt8]())
        line.visit(&members)
        line.append(to: &again) { checksum(line, $0) }
        return bytes.starts(with: again) ? (line, bytes.startIndex + again.count) : nil
    }
}

/// Writes the members of a line, or reads them. Reading does not validate: the caller writes the line again and compares the bytes.
struct LineMembers {
    var written: [UInt8] = []
    /// Of a line that is read; nil while writing.
    private var rest: ArraySlice<UInt8>?
    private var opening: StaticString = "{\""

    /// Upper bound of a line's length. The longest, of a segment, has four numbers of at most 20 digits.
    static let mostBytes = 208
    /// Length of a line's end, with the checksum.
    static let endBytes = 19

    init(reading line: ArraySlice<UInt8>? = nil) { rest = line?.prefix(Self.mostBytes) }

    mutating func number(_ key: StaticString, _ value: inout some FixedWidthInteger) {
        if rest != nil { return read(&value, radix: 10) }
        append(key)
        Text.append(UInt64(clamping: value), to: &written)
    }

    /// As many lower-case digits as the type has.
    mutating func hex(_ key: StaticString, _ value: inout some FixedWidthInteger & UnsignedInteger) {
        if rest != nil { return read(&value, radix: 16) }
        append(key)
        written.append(UInt8(ascii: "\""))
        Text.append(hex: value, to: &written)
        written.append(UInt8(ascii: "\""))
    }

    mutating func version(_ key: StaticString) {
        var version = JournalFormat.version
        number(key, &version)
    }

    /// Reads the checksum. ``JournalLine/append(to:_:)`` writes it.
    mutating func checksum(_ value: inout UInt32) {
        if rest != nil { read(&value, radix: 16) }
    }

    private mutating func append(_ key: StaticString) {
        for part in [opening, key, "\":"] {
            written.append(contentsOf: UnsafeBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount))
        }
        opening = ",\""
    }

    private mutating func read<Number: FixedWidthInteger>(_ value: inout Number, radix: Int) {
        guard let rest else { return }
        let text = rest.drop { $0 != UInt8(ascii: ":") }.dropFirst().drop { $0 == UInt8(ascii: "\"") }
        let digits = text.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
        value = UInt64(String(decoding: digits, as: UTF8.self), radix: radix).flatMap { Number(exactly: $0) } ?? 0
        self.rest = rest[digits.endIndex...]
    }
}

/// The format of all files in a folder, including the records and the states in checkpoints.
enum JournalFormat {
    static let version: UInt64 = 4

    /// The version in an intact first line of another version: in every version the line begins with the number and ends with the
    /// checksum of the rest.
    static func otherVersion(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        var (members, version, checksum) = (LineMembers(reading: bytes), Self.version, [UInt8]())
        members.number("", &version)
        let line = bytes.prefix { $0 != Text.newline }
        Text.append(hex: CRC32C.extended(over: line.dropLast(LineMembers.endBytes - 1)), to: &checksum)
        return version != Self.version && line.dropLast(2).suffix(8).elementsEqual(checksum) ? version : nil
    }
}

/// The first line of a segment.
package struct SegmentHeader: Equatable, Sendable, JournalLine {
    /// Identifies the host that the journal belongs to, over restarts.
    package var house: UInt64 = 0
    /// From 1, as in the file's name.
    package var segment: UInt64 = 0
    /// Epoch of the first frame.
    package var epoch: UInt64 = 0
    /// Sequence of the first frame.
    package var first: UInt64 = 0
    /// Checksum of the last frame before this segment; 0 for none.
    package var previous: UInt32 = 0
    /// Length of the file, prefilled before its name appears: a shorter one was shortened.
    package var bytes = 0

    mutating func visit(_ members: inout LineMembers) {
        members.version("journal")
        members.hex("house", &house)
        members.number("segment", &segment)
        members.number("epoch", &epoch)
        members.number("first", &first)
        members.hex("previous", &previous)
        members.number("bytes", &bytes)
    }

    package enum Reading: Equatable, Sendable {
        /// The header, and the offset of the first frame.
        case header(SegmentHeader, end: Int)
        /// Prepared, not yet used: a newline.
        case blank
        /// Written by a version that this one cannot read.
        case unsupported(version: UInt64)
        case damaged
    }

    package static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
        if bytes.first == Text.newline { return .blank }
        if let (header, end) = read(line: bytes) { return .header(header, end: end) }
        return JournalFormat.otherVersion(bytes).map { .unsupported(version: $0) } ?? .damaged
    }
}

/// The line before the records of a frame.
package struct FrameHeader: Equatable, Sendable, JournalLine {
    package var epoch: UInt64 = 0
    package var sequence: UInt64 = 0
    /// The highest sequence known durable when the frame was written.
    package var durable: UInt64 = 0
    /// Length of the records.
    package var bytes = 0
    /// Checksum of the frame before; seeds this one's, so that a frame can be checked alone.
    package var previous: UInt32 = 0
    /// CRC-32C of the header up to `,"crc"` and of the records.
    package var checksum: UInt32 = 0

    mutating func visit(_ members: inout LineMembers) {
        members.number("epoch", &epoch)
        members.number("sequence", &sequence)
        members.number("durable", &durable)
        members.number("bytes", &bytes)
        members.hex("previous", &previous)
        members.checksum(&checksum)
    }

    private func expectedChecksum(_ text: ArraySlice<UInt8>, _ records: ArraySlice<UInt8>) -> UInt32 {
        CRC32C.extended(CRC32C.extended(previous, over: text), over: records)
    }

    /// Appends a frame; returns its checksum.
    func append(_ records: ArraySlice<UInt8>, to bytes: inout [UInt8]) -> UInt32 {
        let checksum = append(to: &bytes) { expectedChecksum($0, records) }
        bytes.append(contentsOf: records)
        return checksum
    }

    /// The frame at the start of `bytes`, with the range of its records; nil if it is not one or its checksum is wrong.
    package static func read(_ bytes: ArraySlice<UInt8>) -> (header: FrameHeader, records: Range<Int>)? {
        let found = read(line: bytes) { header, text in
            header.expectedChecksum(text, bytes.dropFirst(text.count + LineMembers.endBytes).prefix(header.bytes))
        }
        guard let (header, end) = found, header.bytes <= bytes.endIndex - end else { return nil }
        return (header, end..<end + header.bytes)
    }
}

/// CRC-32C (Castagnoli), RFC 3720 B.4, eight bytes per step by eight tables ("slicing by 8", Kounavis and Berry 2005).
package enum CRC32C {
    /// Reflected polynomial.
    private static let polynomial: UInt32 = 0x82F6_3B78
    private static let slices = 8

    /// Table `k` at `k * 256`: the checksum of a byte that is followed by `k` zero bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: slices * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? polynomial : 0) }
            tables[byte] = crc
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = (shorter >> 8) ^ tables[Int(shorter & 0xFF)]
        }
        return tables
    }()

    /// The checksum of a text of which `crc` is the checksum of the first part and `bytes` are the rest; 0 for no first part.
    package static func extended(_ crc: UInt32 = 0, over bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { table in
            var crc = ~crc
            var index = 0
            let whole = bytes.count & ~(slices - 1)
            while index < whole {
                let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)) ^ crc
                let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
                let first: UInt32 = table[0x700 + Int(low & 0xFF)] ^ table[0x600 + Int((low >> 8) & 0xFF)]
                let second: UInt32 = table[0x500 + Int((low >> 16) & 0xFF)] ^ table[0x400 + Int(low >> 24)]
                let third: UInt32 = table[0x300 + Int(high & 0xFF)] ^ table[0x200 + Int((high >> 8) & 0xFF)]
                let fourth: UInt32 = table[0x100 + Int((high >> 16) & 0xFF)] ^ table[Int(high >> 24)]
                crc = first ^ second ^ third ^ fourth
                index += slices
            }
            while index < bytes.count {
                crc = (crc >> 8) ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])]
                index += 1
            }
            return ~crc
        }
    }

    package static func extended(_ crc: UInt32 = 0, over bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBytes { extended(crc, over: $0) }
    }
}

/// Names of the files of a journal's folder.
package enum FileName {
    package static let lock = "lock"
    package static let anchor = "anchor.json"
    /// Ends the name of a file that is being written; removed at the next opening.
    static let unfinished = ".tmp"
    /// Ends the name of a file that the first repair of a folder has set aside; later ones add a number.
    package static let setAside = ".damaged"

    package static func segment(_ number: UInt64) -> String { "segment-\(Text.padded(number, digits: 10)).log" }
    package static func checkpoint(_ sequence: UInt64) -> String { "checkpoint-\(Text.padded(sequence, digits: 20)).json" }

    package static func segmentNumber(_ name: String) -> UInt64? { number(in: name, from: "segment-", to: ".log") }
    package static func checkpointSequence(_ name: String) -> UInt64? { number(in: name, from: "checkpoint-", to: ".json") }

    /// Whether a name is one that a file system, its snapshots or a desktop make in an empty folder: hidden, or `lost+found`.
    static func isFileSystems(_ name: String) -> Bool { name == "lost+found" || name.hasPrefix(".") }

    /// Whether a file of this name is a journal's.
    static func isJournals(_ name: String) -> Bool { name == lock || isUnfinished(name) || isContent(name) }

    /// Whether a file of this name has content of a journal, or says that there was some.
    static func isContent(_ name: String) -> Bool {
        name == anchor || segmentNumber(name) != nil || checkpointSequence(name) != nil
    }

    static func isUnfinished(_ name: String) -> Bool {
        name.hasSuffix(unfinished) && isContent(String(name.dropLast(unfinished.count)))
    }

    private static func number(in name: String, from prefix: String, to suffix: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count else {
            return nil
        }
        return UInt64(name.dropFirst(prefix.count).dropLast(suffix.count))
    }
}

/// Writing and reading of the fixed JSON lines of a segment.
enum Text {
    static let newline = UInt8(ascii: "\n")

    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var (rest, digits) = (number, 1)
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: digits))
        rest = number
        // From the last digit on: dividing by a constant is a multiplication.
        for index in (start..<bytes.count).reversed() {
            bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Lower-case hexadecimal digits, most significant first.
    static func append(hex number: some FixedWidthInteger & UnsignedInteger, to bytes: inout [UInt8]) {
        var shift = number.bitWidth
        while shift > 0 {
            shift -= 4
            let digit = UInt8(truncatingIfNeeded: (number >> shift) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Index of the first such byte at or after `start`.
    static func firstIndex(of byte: UInt8, in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard start < buffer.count, let base = buffer.baseAddress else { return nil }
            return memchr(base + start, Int32(byte), buffer.count - start).map { UnsafeRawPointer($0) - base }
        }
    }

    /// Index after the last byte at or after `start` that is no newline; `start` for none.
    static func endOfContent(in bytes: [UInt8], from start: Int) -> Int {
        bytes.withUnsafeBytes { buffer in
            var end = buffer.count
            let newlines: UInt64 = 0x0A0A_0A0A_0A0A_0A0A
            while end - 8 >= start, buffer.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == newlines { end -= 8 }
            while end > start, buffer[end - 1] == newline { end -= 1 }
            return max(end, start)
        }
    }

    /// A number in decimal digits, padded with zeros.
    static func padded(_ number: UInt64, digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
