#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
