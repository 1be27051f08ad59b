/// A value inside a line that was validated, read where it lies: nothing is copied until a string is asked for.
struct JSONValue {
    fileprivate let bytes: UnsafeBufferPointer<UInt8>
    fileprivate let start: Int
    fileprivate let end: Int
    /// What it is called where it was found, for error messages.
    let name: StaticString

    /// Runs `body` with the value of a whole line.
    /// - Throws: when the line is not one JSON value, or what `body` throws.
    static func read<Result>(
        _ line: UnsafeBufferPointer<UInt8>, _ body: (JSONValue) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try JSONValidator.validate(line)
        var start = 0
        while isJSONSpace(line[start]) { start += 1 }
        return try body(JSONValue(bytes: line, start: start, end: skip(line, from: start), name: "the message"))
    }

    var isNull: Bool { bytes[start] == UInt8(ascii: "n") }
    var isString: Bool { bytes[start] == UInt8(ascii: "\"") }

    func object() throws(JSONError) -> JSONObject {
        guard bytes[start] == UInt8(ascii: "{") else { throw mismatch("an object") }
        return try JSONObject(self)
    }

    func array() throws(JSONError) -> JSONArray {
        guard bytes[start] == UInt8(ascii: "[") else { throw mismatch("an array") }
        return JSONArray(self)
    }

    func bool() throws(JSONError) -> Bool {
        switch bytes[start] {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: throw mismatch("true or false")
        }
    }

    /// A whole number, written without fraction or exponent.
    func integer() throws(JSONError) -> Int {
        var index = start
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var result = 0
        guard index < end else { throw mismatch("a whole number") }
        while index < end {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { throw mismatch("a whole number") }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(Int(digit))
            guard !overflow, !carry else { throw mismatch("a whole number of at most 64 bits") }
            result = sum
            index += 1
        }
        guard !isNegative else { return result }
        guard result != Int.min else { throw mismatch("a whole number of at most 64 bits") }
        return -result
    }

    func integer(in range: ClosedRange<Int>) throws(JSONError) -> Int {
        let value = try integer()
        guard range.contains(value) else { throw mismatch("a whole number from \(range.lowerBound) to \(range.upperBound)") }
        return value
    }

    /// A number, fraction and exponent included.
    func double() throws(JSONError) -> Double {
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw mismatch("a number") }
        return value
    }

    /// A string of at most so many bytes of UTF-8.
    func string(maximum: Int = .max) throws(JSONError) -> String {
        guard isString else { throw mismatch("a string") }
        let text = contents(start + 1, end - 1)
        guard text.utf8.count <= maximum else { throw mismatch("a string of at most \(maximum) bytes") }
        return text
    }

    /// Whether it is a string equal to this one.
    func isString(_ text: StaticString) -> Bool { isString && equals(start + 1, end - 1, text) }

    func mismatch(_ expected: String) -> JSONError { .mismatch(name.description, expected: expected) }

    fileprivate func contents(_ from: Int, _ to: Int) -> String {
        let raw = UnsafeBufferPointer(rebasing: bytes[from..<to])
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        return unescape(raw)
    }

    fileprivate func equals(_ from: Int, _ to: Int, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard to - from == count else { return to - from > count && contents(from, to) == text.description }
        for offset in 0..<count where bytes[from + offset] != text.utf8Start[offset] { return false }
        return true
    }

    /// Where the value that starts here ends. The line is valid, so only strings and nesting need looking at.
    fileprivate static func skip(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        var depth = 0
        repeat {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = skipString(bytes, from: index)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: index += 1
            default:
                while index < bytes.count, !isDelimiter(bytes[index]) { index += 1 }
            }
        } while depth > 0
        return index
    }

    fileprivate static func skipString(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start + 1
        while bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return index + 1
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || isJSONSpace(byte)
    }
}

/// The elements of an array, one after the other.
struct JSONArray {
    private let value: JSONValue
    private var position: Int

    fileprivate init(_ value: JSONValue) {
        self.value = value
        position = value.start + 1
    }

    /// The next element; nil after the last.
    mutating func next() -> JSONValue? {
        while isJSONSpace(value.bytes[position]) || value.bytes[position] == UInt8(ascii: ",") { position += 1 }
        guard value.bytes[position] != UInt8(ascii: "]") else { return nil }
        let start = position
        position = JSONValue.skip(value.bytes, from: start)
        return JSONValue(bytes: value.bytes, start: start, end: position, name: value.name)
    }

    /// The next element, which must be there.
    mutating func required() throws(JSONError) -> JSONValue {
        guard let element = next() else { throw value.mismatch("an array with more elements") }
        return element
    }

    /// Every element through `body`.
    mutating func map<Result>(_ body: (JSONValue) throws(JSONError) -> Result) throws(JSONError) -> [Result] {
        var results: [Result] = []
        while let element = next() { results.append(try body(element)) }
        return results
    }
}

/// The members of an object. Each is found by its key; members that nobody asks for are skipped by structure.
struct JSONObject {
    /// The most members an object that we read may have.
    static let maximumMembers = 32

    private struct Member {
        var key: Int32
        var keyEnd: Int32
        var value: Int32
        var valueEnd: Int32
    }

    private let value: JSONValue
    private var members = InlineArray<32, Member>(repeating: Member(key: 0, keyEnd: 0, value: 0, valueEnd: 0))
    private var count = 0

    fileprivate init(_ value: JSONValue) throws(JSONError) {
        self.value = value
        let bytes = value.bytes
        var index = value.start + 1
        while true {
            while isJSONSpace(bytes[index]) || bytes[index] == UInt8(ascii: ",") { index += 1 }
            guard bytes[index] == UInt8(ascii: "\"") else { return }
            let keyEnd = JSONValue.skipString(bytes, from: index)
            var valueStart = keyEnd
            while isJSONSpace(bytes[valueStart]) || bytes[valueStart] == UInt8(ascii: ":") { valueStart += 1 }
            let end = JSONValue.skip(bytes, from: valueStart)
            guard count < Self.maximumMembers else { throw .tooManyMembers(limit: Self.maximumMembers) }
            let member = Member(key: Int32(index + 1), keyEnd: Int32(keyEnd - 1), value: Int32(valueStart), valueEnd: Int32(end))
            try refuseDuplicate(of: member)
            members[count] = member
            count += 1
            index = end
        }
    }

    private func refuseDuplicate(of member: Member) throws(JSONError) {
        let bytes = value.bytes
        let key = UnsafeBufferPointer(rebasing: bytes[Int(member.key)..<Int(member.keyEnd)])
        for index in 0..<count {
            let other = UnsafeBufferPointer(rebasing: bytes[Int(members[index].key)..<Int(members[index].keyEnd)])
            let mayBeEscaped = key.contains(UInt8(ascii: "\\")) || other.contains(UInt8(ascii: "\\"))
            guard mayBeEscaped ? unescape(key) == unescape(other) : key.count == other.count && key.elementsEqual(other) else {
                continue
            }
            throw .duplicateKey(unescape(key))
        }
    }

    /// The member of that key, unless it is absent or null.
    func find(_ key: StaticString) -> JSONValue? {
        for index in 0..<count where value.equals(Int(members[index].key), Int(members[index].keyEnd), key) {
            let found = JSONValue(
                bytes: value.bytes, start: Int(members[index].value), end: Int(members[index].valueEnd), name: key)
            return found.isNull ? nil : found
        }
        return nil
    }

    /// The member of that key, which must be there.
    func required(_ key: StaticString) throws(JSONError) -> JSONValue {
        guard let found = find(key) else { throw .missing(key.description) }
        return found
    }

    /// Every member in the order of the line.
    func eachMember(_ body: (String, JSONValue) throws(JSONError) -> Void) throws(JSONError) {
        for index in 0..<count {
            let key = value.contents(Int(members[index].key), Int(members[index].keyEnd))
            let start = Int(members[index].value)
            try body(key, JSONValue(bytes: value.bytes, start: start, end: Int(members[index].valueEnd), name: value.name))
        }
    }
}

/// The text of a valid string's inside, its escapes resolved.
private func unescape(_ raw: UnsafeBufferPointer<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    var plain = 0
    var index = 0
    func unit(_ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 << 4 | (hexDigit(raw[at + $1]) ?? 0) } }
    while index < raw.count {
        guard raw[index] == UInt8(ascii: "\\") else {
            index += 1
            continue
        }
        scalars.append(
            contentsOf: String(decoding: UnsafeBufferPointer(rebasing: raw[plain..<index]), as: UTF8.self).unicodeScalars)
        var scalar: UInt32
        switch raw[index + 1] {
        case UInt8(ascii: "b"): scalar = 0x08
        case UInt8(ascii: "f"): scalar = 0x0C
        case UInt8(ascii: "n"): scalar = 0x0A
        case UInt8(ascii: "r"): scalar = 0x0D
        case UInt8(ascii: "t"): scalar = 0x09
        case UInt8(ascii: "u"):
            scalar = unit(index + 2)
            index += 4
            if (0xD800...0xDBFF).contains(scalar) {
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (unit(index + 4) - 0xDC00)
                index += 6
            }
        case let other: scalar = UInt32(other)
        }
        if let scalar = Unicode.Scalar(scalar) { scalars.append(scalar) }
        index += 2
        plain = index
    }
    scalars.append(contentsOf: String(decoding: UnsafeBufferPointer(rebasing: raw[plain...]), as: UTF8.self).unicodeScalars)
    return String(scalars)
}
