/// Base64 for URLs by RFC 4648 §5, without padding: 43 characters for 32 bytes.
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil for any other character, a length that no bytes have, or bits that are not zero at the end: each value has one text.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for character in text {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return count < 6 && bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
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

extension Digest {
    /// 43 characters of base64url, as on the wire.
    public var base64: String { Base64URL.encode(bytes) }

    /// - Parameter text: nil unless 43 characters of base64url, the only ones for their bytes.
    public init?(base64 text: some Collection<UInt8>) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }
}

extension ShoeSecret {
    /// 43 characters of base64url, as on the wire once revealed.
    public var base64: String { Base64URL.encode(bytes) }

    /// - Parameter text: nil unless 43 characters of base64url, the only ones for their bytes.
    public init?(base64 text: some Collection<UInt8>) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }
}
