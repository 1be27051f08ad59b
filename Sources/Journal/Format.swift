#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The first line of a segment.
package struct SegmentHeader: Equatable, Sendable {
    /// Identifies the host that the journal belongs to, over restarts.
    package var house: UInt64
    /// From 1, as in the file's name.
    package var segment: UInt64
    /// Epoch of the first frame.
    package var epoch: UInt64
    /// Sequence of the first frame.
    package var first: UInt64
    /// Checksum of the last frame before this segment; 0 for none.
    package var previous: UInt32
    /// Length of the file, prefilled before its name appears: a shorter one was shortened. Nil if the header does not say it.
    package var bytes: Int?

    /// Version of the format.
    static let version: UInt64 = 1
    /// Upper bound of a header's length.
    static let maximumBytes = 208

    func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: #"{"journal":"#.utf8)
        Text.append(Self.version, to: &bytes)
        bytes.append(contentsOf: #","house":""#.utf8)
        Text.append(hex: house, to: &bytes)
        bytes.append(contentsOf: #"","segment":"#.utf8)
        Text.append(segment, to: &bytes)
        bytes.append(contentsOf: #","epoch":"#.utf8)
        Text.append(epoch, to: &bytes)
        bytes.append(contentsOf: #","first":"#.utf8)
        Text.append(first, to: &bytes)
        bytes.append(contentsOf: #","previous":""#.utf8)
        Text.append(hex: previous, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        if let length = self.bytes {
            bytes.append(contentsOf: #","bytes":"#.utf8)
            Text.append(UInt64(length), to: &bytes)
        }
        let checksum = CRC32C.extended(over: bytes[start...])
        bytes.append(contentsOf: #","crc":""#.utf8)
        Text.append(hex: checksum, to: &bytes)
        bytes.append(contentsOf: "\"}\n".utf8)
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
        guard let first = bytes.first else { return .damaged }
        if first == Text.newline { return .blank }
        var scanner = TextScanner(bytes)
        guard scanner.skip(#"{"journal":"#) != nil, let version = scanner.number() else { return .damaged }
        guard version == Self.version else {
            return isIntactLine(bytes) ? .unsupported(version: version) : .damaged
        }
        guard scanner.skip(#","house":""#) != nil, let house = scanner.hex(UInt64.self),
            scanner.skip(#"","segment":"#) != nil, let segment = scanner.number(),
            scanner.skip(#","epoch":"#) != nil, let epoch = scanner.number(),
            scanner.skip(#","first":"#) != nil, let sequence = scanner.number(),
            scanner.skip(#","previous":""#) != nil, let previous = scanner.hex(UInt32.self), scanner.skip("\"") != nil
        else { return .damaged }
        var length: Int?
        if scanner.skip(#","bytes":"#) != nil {
            guard let number = scanner.number(), let bytes = Int(exactly: number) else { return .damaged }
            length = bytes
        }
        let checked = scanner.index
        guard scanner.skip(#","crc":""#) != nil, let checksum = scanner.hex(UInt32.self), scanner.skip("\"}\n") != nil,
            CRC32C.extended(over: bytes[bytes.startIndex..<checked]) == checksum
        else { return .damaged }
        let header = SegmentHeader(
            house: house, segment: segment, epoch: epoch, first: sequence, previous: previous, bytes: length)
        return .header(header, end: scanner.index)
    }

    /// Every version's header ends with the checksum of the line before it.
    static func isIntactLine(_ bytes: ArraySlice<UInt8>) -> Bool {
        let ending = 19
        guard let newline = bytes.firstIndex(of: Text.newline), newline - bytes.startIndex > ending else { return false }
        let checked = newline + 1 - ending
        var scanner = TextScanner(bytes[checked...])
        guard scanner.skip(#","crc":""#) != nil, let checksum = scanner.hex(UInt32.self), scanner.skip("\"}\n") != nil else {
            return false
        }
        return CRC32C.extended(over: bytes[bytes.startIndex..<checked]) == checksum
    }
}

/// The line before the records of a frame.
package struct FrameHeader: Equatable, Sendable {
    package var epoch: UInt64
    package var sequence: UInt64
    /// The highest sequence known durable when the frame was written.
    package var durable: UInt64
    /// Length of the records.
    package var bytes: Int
    /// Checksum of the frame before; seeds this one's, so that a frame can be checked alone.
    package var previous: UInt32
    /// CRC-32C of the header up to `,"crc"` and of the records.
    package var checksum: UInt32

    /// Upper bound of a header's length: four numbers of at most 20 digits, and the rest.
    static let maximumBytes = 168

    /// Appends a frame; returns its checksum.
    static func append(
        epoch: UInt64, sequence: UInt64, durable: UInt64, records: ArraySlice<UInt8>, previous: UInt32, to bytes: inout [UInt8]
    ) -> UInt32 {
        let start = bytes.count
        bytes.append(contentsOf: #"{"epoch":"#.utf8)
        Text.append(epoch, to: &bytes)
        bytes.append(contentsOf: #","sequence":"#.utf8)
        Text.append(sequence, to: &bytes)
        bytes.append(contentsOf: #","durable":"#.utf8)
        Text.append(durable, to: &bytes)
        bytes.append(contentsOf: #","bytes":"#.utf8)
        Text.append(UInt64(records.count), to: &bytes)
        bytes.append(contentsOf: #","previous":""#.utf8)
        Text.append(hex: previous, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        let checksum = CRC32C.extended(CRC32C.extended(previous, over: bytes[start...]), over: records)
        bytes.append(contentsOf: #","crc":""#.utf8)
        Text.append(hex: checksum, to: &bytes)
        bytes.append(contentsOf: "\"}\n".utf8)
        bytes.append(contentsOf: records)
        return checksum
    }

    /// The frame at the start of `bytes`, with the range of its records; nil if it is not one or its checksum is wrong.
    package static func read(_ bytes: ArraySlice<UInt8>) -> (header: FrameHeader, records: Range<Int>)? {
        var scanner = TextScanner(bytes)
        guard scanner.skip(#"{"epoch":"#) != nil, let epoch = scanner.number(),
            scanner.skip(#","sequence":"#) != nil, let sequence = scanner.number(),
            scanner.skip(#","durable":"#) != nil, let durable = scanner.number(),
            scanner.skip(#","bytes":"#) != nil, let count = scanner.number(),
            scanner.skip(#","previous":""#) != nil, let previous = scanner.hex(UInt32.self), scanner.skip("\"") != nil
        else { return nil }
        let checked = scanner.index
        guard scanner.skip(#","crc":""#) != nil, let checksum = scanner.hex(UInt32.self), scanner.skip("\"}\n") != nil,
            count <= UInt64(bytes.endIndex - scanner.index)
        else { return nil }
        let records = scanner.index..<scanner.index + Int(count)
        let text = CRC32C.extended(previous, over: bytes[bytes.startIndex..<checked])
        guard CRC32C.extended(text, over: bytes[records]) == checksum else { return nil }
        let header = FrameHeader(
            epoch: epoch, sequence: sequence, durable: durable, bytes: Int(count), previous: previous, checksum: checksum)
        return (header, records)
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
                let first = table[0x700 + Int(low & 0xFF)] ^ table[0x600 + Int((low >> 8) & 0xFF)]
                let second = table[0x500 + Int((low >> 16) & 0xFF)] ^ table[0x400 + Int(low >> 24)]
                let third = table[0x300 + Int(high & 0xFF)] ^ table[0x200 + Int((high >> 8) & 0xFF)]
                let fourth = table[0x100 + Int((high >> 16) & 0xFF)] ^ table[Int(high >> 24)]
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

/// Reads a line of a known form; every mismatch is nil.
struct TextScanner {
    let bytes: ArraySlice<UInt8>
    private(set) var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    mutating func skip(_ literal: StaticString) -> Void? {
        let end = index + literal.utf8CodeUnitCount
        guard end <= bytes.endIndex else { return nil }
        var code = literal.utf8Start
        for position in index..<end {
            guard bytes[position] == code.pointee else { return nil }
            code += 1
        }
        index = end
        return ()
    }

    /// Decimal digits without leading zeros.
    mutating func number() -> UInt64? {
        let start = index
        var value: UInt64 = 0
        while index < bytes.endIndex, case let digit = bytes[index] &- UInt8(ascii: "0"), digit < 10 {
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
            guard !overflows, !carries else { return nil }
            value = sum
            index += 1
        }
        guard index > start, bytes[start] != UInt8(ascii: "0") || index == start + 1 else { return nil }
        return value
    }

    /// Exactly as many lower-case digits as the type has.
    mutating func hex<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
        let end = index + Number.bitWidth / 4
        guard end <= bytes.endIndex else { return nil }
        var value: Number = 0
        while index < end {
            let code = bytes[index]
            switch code {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | Number(code - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | Number(code - UInt8(ascii: "a") + 10)
            default: return nil
            }
            index += 1
        }
        return value
    }
}
