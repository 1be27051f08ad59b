/// The 32 bytes from which one shoe's whole order follows. Who knows them knows every card to come: keep them secret until the
/// shoe is over.
public struct ShoeKey: Hashable, Sendable, BitwiseCopyable {
    /// Bytes in a key.
    public static let length = 32

    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The key made of exactly 32 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (i, byte) in bytes.enumerated() { words[i / 8] = words[i / 8] << 8 | UInt64(byte) }
        self.words = (words[0], words[1], words[2], words[3])
    }

    public var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    public static func == (a: ShoeKey, b: ShoeKey) -> Bool { a.words == b.words }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

extension ShoeKey: CustomStringConvertible, CustomReflectable {
    /// Never the bytes: a key that gets into a log gives the shoe away.
    public var description: String { "ShoeKey(secret)" }

    /// Nothing: a dump must not give the shoe away either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ShoeKey {
    /// The key of a later segment of the same shoe: `HMAC-SHA256(key, "bj1/segment" ‖ u32(n))`, n from 1. A shoe that runs out during a
    /// round goes on with the discards in an order that follows from it.
    public func segment(_ n: Int) -> ShoeKey {
        var code = HMAC(key: bytes)
        code.update("bj1/segment".utf8)
        code.update(stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: n >> $0) })
        guard let key = ShoeKey(code.finish().bytes) else { preconditionFailure("a digest has as many bytes as a key") }
        return key
    }
}
