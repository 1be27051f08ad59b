/// One value or key of a line: where it stands, and where what comes after it does.
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

/// A valid line with its tokens. It is good for as long as the two buffers are.
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
    func withText<Result>(
        _ token: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        guard tokens[token].isEscaped else { return try body(inside(token)) }
        return try unescaped(inside(token)).withUnsafeBufferPointer(body)
    }

    func text(_ token: Int) -> String {
        guard tokens[token].isEscaped else { return String(decoding: inside(token), as: UTF8.self) }
        return String(decoding: unescaped(inside(token)), as: UTF8.self)
    }

    /// A hash of a string (FNV-1a, eight bytes at a step).
    func mark(_ token: Int) throws(JSONError) -> UInt64 {
        try withText(token) { bytes throws(JSONError) in
            let raw = UnsafeRawBufferPointer(bytes)
            var mark: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(raw.count)
            var index = 0
            while index &+ 8 <= raw.count {
                mark = (mark ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0x0000_0100_0000_01B3
                mark ^= mark >> 29
                index &+= 8
            }
            while index < raw.count {
                mark = (mark ^ UInt64(raw[index])) &* 0x0000_0100_0000_01B3
                index &+= 1
            }
            return mark
        }
    }

    /// Whether a string is this text, byte for byte: equivalent spellings are different ones.
    func isText(_ token: Int, _ text: StaticString) -> Bool {
        let found = tokens[token]
        guard found.isEscaped else {
            // Most keys that are not the one wanted have another length: no need to look at them.
            return found.textCount == text.utf8CodeUnitCount && isEqual(inside(token), text)
        }
        // An escape is six times as long as what it stands for, at most.
        guard found.textCount <= 6 * text.utf8CodeUnitCount else { return false }
        return unescaped(inside(token)).withUnsafeBufferPointer { isEqual($0, text) }
    }

    /// Whether two strings are the same text, byte for byte.
    func isSameText(_ token: Int, _ other: Int) -> Bool {
        let (one, two) = (tokens[token], tokens[other])
        guard one.isEscaped || two.isEscaped else {
            return one.textCount == two.textCount && isEqual(inside(token), inside(other))
        }
        return text(token).utf8.elementsEqual(text(other).utf8)
    }
}

func isEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.indices where one[index] != other[index] { return false }
    return true
}

func isEqual(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
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
