/// The 32 bytes that determine the order of a shoe. Reveals every card to come: secret until the shoe is over.
public struct ShoeKey: Hashable, Sendable, BitwiseCopyable {
    /// Bytes in a key.
    public static let length = 32

    let words: (UInt64, UInt64, UInt64, UInt64)

    init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// A key of exactly 32 bytes; nil for any other number.
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
    /// Hides the bytes: a key in a log would reveal the shoe.
    public var description: String { "ShoeKey(secret)" }

    /// Empty: a dump would reveal the shoe.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
