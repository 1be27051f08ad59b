/// The 32 bytes of a SHA-256 or HMAC-SHA256.
public struct Digest: Sendable {
    /// Eight big-endian words.
    let words: InlineArray<8, UInt32>

    init(words: InlineArray<8, UInt32>) { self.words = words }

    /// A digest of exactly 32 bytes; nil for any other number.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words = InlineArray<8, UInt32>(repeating: 0)
        for (i, byte) in bytes.enumerated() { words[i / 4] = words[i / 4] << 8 | UInt32(byte) }
        self.words = words
    }

    public var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 4] >> UInt32(24 - 8 * ($0 % 4))) }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { bytes.hex }

    /// - Parameter hex: nil unless 64 hexadecimal digits.
    public init?(hex: String) {
        let digits = hex.utf8.compactMap { UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 255) }
        guard digits.count == 64, !digits.contains(255) else { return nil }
        self.init(bytes: (0..<32).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
    }
}

extension Digest: Hashable {
    public static func == (a: Digest, b: Digest) -> Bool {
        for i in 0..<8 where a.words[i] != b.words[i] { return false }
        return true
    }

    public func hash(into hasher: inout Hasher) {
        for i in 0..<8 { hasher.combine(words[i]) }
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits per byte.
    public var hex: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
