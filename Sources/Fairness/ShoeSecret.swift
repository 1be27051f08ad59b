/// 32 random bytes that a party keeps until it reveals them: the server's secret of a shoe, or a player's contribution to it.
public struct ShoeSecret: Hashable, Sendable, BitwiseCopyable {
    /// Bytes in a secret.
    public static let length = 32

    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// A secret of exactly 32 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let key = ShoeKey(bytes) else { return nil }
        words = key.words
    }

    /// A fresh secret; for real tables from a cryptographically secure generator.
    public init(using generator: inout some RandomNumberGenerator) {
        words = (generator.next(), generator.next(), generator.next(), generator.next())
    }

    public var bytes: [UInt8] { ShoeKey(words: words).bytes }

    public static func == (a: ShoeSecret, b: ShoeSecret) -> Bool { a.words == b.words }

    public func hash(into hasher: inout Hasher) { ShoeKey(words: words).hash(into: &hasher) }
}

extension ShoeSecret: CustomStringConvertible, CustomReflectable {
    /// Hides the bytes: a secret in a log would reveal the shoe.
    public var description: String { "ShoeSecret(secret)" }

    /// Empty: a dump would reveal the shoe.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
