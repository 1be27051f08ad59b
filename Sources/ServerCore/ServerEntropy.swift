import Fairness
import TableEngine

/// A server's source of randomness.
enum ServerEntropy {
    /// The system's generator.
    case system
    /// A seeded generator with the same shoes at every start. For tests and demonstrations only.
    case seeded(SeededStream)

    /// A server's identity: 16 hexadecimal digits. With a seed the same at every start, and unrelated to the shoes.
    static func house(seed: UInt64?) -> String {
        var entropy = seed.map { Self.seeded(SeededStream(seed: ~$0)) } ?? .system
        return hexadecimal(entropy.bytes(8))
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        switch self {
        case .system:
            // Eight bytes with each system call.
            var generator = SystemRandomNumberGenerator()
            let words = (0..<(count + 7) / 8).map { _ in generator.next() as UInt64 }
            return words.withUnsafeBytes { Array($0.prefix(count)) }
        case .seeded(var stream):
            defer { self = .seeded(stream) }
            return (0..<count).map { _ in UInt8(truncatingIfNeeded: stream.next64() >> 56) }
        }
    }
}

extension Environment {
    /// The server's secret of a coming shoe.
    func shoeSecret() -> ShoeSecret {
        guard let secret = ShoeSecret(randomBytes(ShoeSecret.length)) else { preconditionFailure("a secret has 32 bytes") }
        return secret
    }

    /// A key of 32 random bytes for the next shoe.
    func shoeSource() -> ShoeSource {
        guard let key = ShoeKey(randomBytes(32)) else { preconditionFailure("a shoe's key has 32 bytes") }
        return .keyed(key)
    }
}
