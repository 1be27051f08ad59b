import Fairness
import TableEngine

/// Where a server's secrets come from.
enum ServerEntropy {
    /// The system's own generator, which nobody can foresee.
    case system
    /// A generator that repeats itself: the same shoes, tokens and all at every start. For tests and demonstrations only.
    case seeded(SeededStream)

    mutating func bytes(_ count: Int) -> [UInt8] {
        switch self {
        case .system:
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        case .seeded(var stream):
            defer { self = .seeded(stream) }
            return (0..<count).map { _ in UInt8(truncatingIfNeeded: stream.next64() >> 56) }
        }
    }
}

extension Environment {
    /// The source of a fresh shoe: a key of 32 bytes.
    func shoeSource() -> ShoeSource {
        guard let key = ShoeKey(randomBytes(32)) else { preconditionFailure("a shoe's key has 32 bytes") }
        return .keyed(key)
    }
}
