/// Checks that a line is one JSON value by RFC 8259 and nothing else: once, front to back, without recursion. Records the tokens,
/// so that readers of the line neither check nor search it again.
struct JSONValidator {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let tokens: UnsafeMutableBufferPointer<JSONToken>
    private var count = 0
    private var position = 0
    /// The tokens of the open containers, the outermost first.
    private var containers = InlineArray<16, UInt32>(repeating: 0)
    private var depth = 0
    /// Whether each open container is an object, the innermost in the lowest bit.
    private var objects: UInt32 = 0
    /// The members so far of the open objects, by their depth.
    private var members = InlineArray<16, Int32>(repeating: 0)
    /// The most members of an object.
    private let maximumMembers: Int

    private init(
        _ bytes: UnsafeBufferPointer<UInt8>, _ tokens: UnsafeMutableBufferPointer<JSONToken>, _ maximumMembers: Int
    ) {
        self.bytes = bytes
        self.tokens = tokens
        self.maximumMembers = maximumMembers
    }

    /// The maximum number of tokens of a line. A closed container has two bytes, any other token at least one, and between two tokens
    /// there is a comma or a colon. Only open containers, at most ``WireLimits/depth``, have a single byte.
    static func capacity(for line: UnsafeBufferPointer<UInt8>) -> Int { line.count / 2 + WireLimits.depth + 2 }

    /// Fills in the tokens of a line, the first of which is its value. There must be room for ``capacity(for:)`` of them.
    static func validate(
        _ bytes: UnsafeBufferPointer<UInt8>, into tokens: UnsafeMutableBufferPointer<JSONToken>, members: Int
    ) throws(JSONError) {
        guard bytes.count < Int32.max else { throw .malformed(expected: "a shorter line", at: Int(Int32.max)) }
        var validator = JSONValidator(bytes, tokens, members)
        repeat { try validator.value() } while try validator.hasMore()
    }

    /// Reads a scalar, an empty container, or the opening of a container up to its first value.
    private mutating func value() throws(JSONError) {
        while true {
            skipSpace()
            switch peek() {
            case UInt8(ascii: "{"):
                try open()
                if take(UInt8(ascii: "}")) { return close() }
                try key()
            case UInt8(ascii: "["):
                try open()
                if take(UInt8(ascii: "]")) { return close() }
            default:
                return try scalar()
            }
        }
    }

    /// After a value: closes the containers that end here.
    /// - Returns: whether another value follows; false at the end of the line.
    private mutating func hasMore() throws(JSONError) -> Bool {
        while true {
            skipSpace()
            guard depth > 0 else {
                guard position == bytes.count else { throw expected("the end of the line") }
                return false
            }
            let isObject = objects & 1 == 1
            if take(UInt8(ascii: ",")) {
                if isObject {
                    skipSpace()
                    try key()
                }
                return true
            }
            guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw expected(isObject ? "',' or '}'" : "',' or ']'")
            }
            close()
        }
    }

    private mutating func open() throws(JSONError) {
        guard depth < WireLimits.depth else { throw .tooDeep(limit: WireLimits.depth) }
        containers[depth] = UInt32(truncatingIfNeeded: count)
        objects = objects << 1 | (bytes[position] == UInt8(ascii: "{") ? 1 : 0)
        members[depth] = 0
        depth += 1
        note(from: position)
        position += 1
        skipSpace()
    }

    private mutating func close() {
        depth -= 1
        objects >>= 1
        let container = Int(containers[depth])
        tokens[container].end = UInt32(truncatingIfNeeded: position)
        tokens[container].next = UInt32(truncatingIfNeeded: count)
    }

    /// Records a token that ends here. The end of a container is filled in when it closes.
    private mutating func note(from start: Int, isEscaped: Bool = false) {
        tokens[count] = JSONToken(
            start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: position),
            next: UInt32(truncatingIfNeeded: count + 1), isEscaped: isEscaped)
        count += 1
    }

    private mutating func key() throws(JSONError) {
        guard peek() == UInt8(ascii: "\"") else { throw expected("a key in double quotes") }
        guard members[depth - 1] < maximumMembers else { throw .tooManyMembers(limit: maximumMembers) }
        members[depth - 1] += 1
        try string()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw expected("':'") }
    }

    private mutating func scalar() throws(JSONError) {
        guard let byte = peek() else { throw expected("a value") }
        let start = position
        switch byte {
        case UInt8(ascii: "\""): return try string()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default:
            // Reports invalid UTF-8 as such, not as an unexpected character.
            if byte >= 0x80 { try multibyte() }
            position = start
            throw expected("a value")
        }
        note(from: start)
    }

    private mutating func literal(_ text: StaticString) throws(JSONError) {
        guard bytes.count - position >= text.utf8CodeUnitCount else { throw expected("a value") }
        for offset in 0..<text.utf8CodeUnitCount where bytes[position + offset] != text.utf8Start[offset] {
            throw expected("a value")
        }
        position += text.utf8CodeUnitCount
    }

    private mutating func number() throws(JSONError) {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = peek(), byte &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > start else { throw expected("a digit") }
    }

    private mutating func string() throws(JSONError) {
        let start = position
        position += 1
        while let byte = peek(), byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            position += 1
        }
        if take(UInt8(ascii: "\"")) { note(from: start) } else { try unusualString(from: start) }
    }

    private mutating func unusualString(from start: Int) throws(JSONError) {
        var isEscaped = false
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return note(from: start, isEscaped: isEscaped)
            case UInt8(ascii: "\\"):
                isEscaped = true
                position += 1
                try escape()
            case 0..<0x20: throw expected("no control character in a string")
            case 0x20..<0x80: position += 1
            default: try multibyte()
            }
        }
        throw expected("the end of the string")
    }

    private mutating func escape() throws(JSONError) {
        switch peek() {
        case UInt8(ascii: "u"):
            position += 1
            let unit = try hexUnit()
            switch unit {
            case 0xD800...0xDBFF:
                // A high surrogate means something only with its low one, and a string must stay valid UTF-8.
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), try (0xDC00...0xDFFF).contains(hexUnit()) else {
                    throw expected("a low surrogate")
                }
            case 0xDC00...0xDFFF: throw expected("no low surrogate without its high one")
            default: break
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        default: throw expected("an escape")
        }
    }

    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = hexDigit(byte) else { throw expected("four hexadecimal digits") }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    /// One scalar above U+007F, well-formed: no overlong form, no surrogate, nothing above U+10FFFF.
    private mutating func multibyte() throws(JSONError) {
        var rest = bytes[position...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        guard case .valid(let scalar) = parser.parseScalar(from: &rest) else { throw .invalidUTF8(at: position) }
        position += scalar.count
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position] <= 0x20, isJSONSpace(bytes[position]) { position += 1 }
    }

    private func expected(_ what: String) -> JSONError { .malformed(expected: what, at: position) }
}

func isJSONSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}

/// One value or key of a line: its range, and the token after it.
struct JSONToken {
    /// The first byte: a string's opening quote, a container's bracket.
    var start: UInt32
    /// One past the last byte: past a string's closing quote, a container's bracket.
    var end: UInt32
    /// The token after this one and everything in it.
    var next: UInt32
    /// Whether it is a string with escapes in it.
    var isEscaped: Bool

    /// The number of bytes between a string's quotes.
    var textCount: Int { Int(end &- start) &- 2 }
}

/// A valid line with its tokens; usable as long as both buffers are.
struct JSONLine {
    let bytes: UnsafeBufferPointer<UInt8>
    let tokens: UnsafeBufferPointer<JSONToken>

    /// A token's first byte, which tells its kind.
    func first(_ token: Int) -> UInt8 { bytes[Int(tokens[token].start)] }

    /// The token after this one and everything in it.
    func next(_ token: Int) -> Int { Int(tokens[token].next) }

    /// The bytes of a token.
    func raw(_ token: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[Int(tokens[token].start)..<Int(tokens[token].end)])
    }

    /// The bytes between a string's quotes, escapes unresolved.
    func inside(_ token: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[Int(tokens[token].start) + 1..<Int(tokens[token].end) - 1])
    }

    /// The UTF-8 of a string, its escapes resolved.
    func withText<Result, Failure: Error>(
        _ token: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard tokens[token].isEscaped else { return try body(inside(token)) }
        return try unescaped(inside(token)).withUnsafeBufferPointer(body)
    }

    func text(_ token: Int) -> String { withText(token) { String(decoding: $0, as: UTF8.self) } }

    /// Whether a string is this text, byte for byte: equivalent spellings are different ones.
    func isText(_ token: Int, _ text: StaticString) -> Bool {
        let found = tokens[token]
        guard found.isEscaped else {
            // Most other keys differ in length, so their bytes are not compared.
            return found.textCount == text.utf8CodeUnitCount && isEqual(inside(token), text)
        }
        return isEscapedText(token, text)
    }

    /// Out of line: an escape in a key is rare.
    @inline(never)
    private func isEscapedText(_ token: Int, _ text: StaticString) -> Bool {
        // An escape has at most six bytes for each byte that it stands for.
        guard tokens[token].textCount <= 6 * text.utf8CodeUnitCount else { return false }
        return withText(token) { isEqual($0, text) }
    }

    /// The bit of a key in its object; all for one with escapes.
    func bit(of key: Int) -> UInt64 { tokens[key].isEscaped ? .max : keyBit(inside(key)) }

    /// Whether two strings are the same text, byte for byte.
    func isSameText(_ token: Int, _ other: Int) -> Bool {
        let (one, two) = (tokens[token], tokens[other])
        guard one.isEscaped || two.isEscaped else {
            return one.textCount == two.textCount && isEqual(inside(token), inside(other))
        }
        return withText(token) { one in withText(other) { isEqual(one, $0) } }
    }
}

/// A bit by which most keys of an object differ.
func keyBit(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
    1 &<< (UInt64(truncatingIfNeeded: key.count) &* 16 &+ UInt64(key.last ?? 0))
}

func isEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.indices where one[index] != other[index] { return false }
    return true
}

package func isEqual(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
    isEqual(bytes, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
}

/// The inside of a valid string with its escapes resolved.
private func unescaped(_ raw: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(raw.count)
    var index = 0
    func unit(_ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 << 4 | (hexDigit(raw[at + $1]) ?? 0) } }
    while index < raw.count {
        guard raw[index] == UInt8(ascii: "\\") else {
            text.append(raw[index])
            index += 1
            continue
        }
        let kind = raw[index + 1]
        index += 2
        switch kind {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var value = unit(index)
            index += 4
            if (0xD800...0xDBFF).contains(value) {
                value = 0x10000 + (value - 0xD800) << 10 + (unit(index + 2) - 0xDC00)
                index += 6
            }
            // The line is valid: a surrogate never stands alone, so every value is a scalar.
            if let scalar = Unicode.Scalar(value) {
                text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        default: text.append(kind)
        }
    }
    return text
}

/// Why bytes are not the JSON that was asked for.
public enum JSONError: Error, Equatable, Sendable {
    /// Not JSON by RFC 8259: what was expected, and at which byte of the line.
    case malformed(expected: String, at: Int)
    /// A byte sequence that is not UTF-8, by the byte of the line where it starts.
    case invalidUTF8(at: Int)
    /// More containers inside each other than allowed.
    case tooDeep(limit: Int)
    /// An object with more members than allowed.
    case tooManyMembers(limit: Int)
    /// The same key twice in one object.
    case duplicateKey(String)
    /// A member that must be there is not.
    case missing(String)
    /// A member has another type or range: its key, and what it must be.
    case mismatch(String, expected: String)
}
