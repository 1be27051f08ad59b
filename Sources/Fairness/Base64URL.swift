/// Base64 for URLs by RFC 4648 §5, without padding: 43 characters for 32 bytes.
enum Base64URL {
    /// ASCII.
    typealias Text = InlineArray<43, UInt8>
    typealias Bytes = InlineArray<32, UInt8>

    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    static func encode(_ bytes: Bytes) -> Text {
        var text = Text(repeating: 0)
        var (bits, count, next) = (UInt32(0), 0, 0)
        for index in bytes.indices {
            bits = bits << 8 | UInt32(bytes[index])
            count += 8
            while count >= 6 {
                count -= 6
                text[next] = alphabet.utf8Start[Int(bits >> UInt32(count) & 63)]
                next += 1
            }
        }
        text[next] = alphabet.utf8Start[Int(bits << UInt32(6 - count) & 63)]
        return text
    }

    /// nil for any other character or length, or bits that are not zero at the end: each value has one text.
    static func decode(_ text: some Collection<UInt8>) -> Bytes? {
        guard text.count == Text.count else { return nil }
        var bytes = Bytes(repeating: 0)
        var (bits, count, next) = (UInt32(0), 0, 0)
        for character in text {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes[next] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
                next += 1
            }
        }
        return bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

extension InlineArray where Element == UInt8, count == 43 {
    fileprivate var text: String { String(decoding: indices.map { self[$0] }, as: UTF8.self) }
}

extension Digest {
    /// 43 characters of base64url, as on the wire.
    public var base64: String { base64Text.text }

    /// ``base64`` as ASCII, without memory of its own.
    package var base64Text: InlineArray<43, UInt8> {
        var bytes = Base64URL.Bytes(repeating: 0)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: words[index / 4] >> UInt32(24 - 8 * (index % 4))) }
        return Base64URL.encode(bytes)
    }

    /// - Parameter text: nil unless 43 characters of base64url, the only ones for their bytes.
    public init?(base64 text: some Collection<UInt8>) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        var words = InlineArray<8, UInt32>(repeating: 0)
        for index in bytes.indices { words[index / 4] = words[index / 4] << 8 | UInt32(bytes[index]) }
        self.init(words: words)
    }
}

extension ShoeSecret {
    /// 43 characters of base64url, as on the wire once revealed.
    public var base64: String { digest.base64 }
}

// MARK: - Files of evidence

extension Digest: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = Digest(base64: Array(try container.decode(String.self).utf8)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no digest")
        }
        self = digest
    }

    public func encode(to encoder: any Encoder) throws { try base64.encode(to: encoder) }
}

extension ShoeSecret: Codable {
    public init(from decoder: any Decoder) throws { digest = try Digest(from: decoder) }

    public func encode(to encoder: any Encoder) throws { try digest.encode(to: encoder) }
}
