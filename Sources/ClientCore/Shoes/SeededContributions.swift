import Fairness

/// Contributions that follow from a seed: for practice, where the player is the host, and for tests. Never for real tables.
package struct SeededContributions: RandomNumberGenerator, Sendable {
    private var stream: ShoeStream

    package init(seed: UInt64) {
        let digest = SHA256.hash(Array("contributions \(seed)".utf8))
        guard let key = ShoeKey(digest.bytes) else { preconditionFailure("a digest has as many bytes as a key") }
        stream = ShoeStream(key)
    }

    package mutating func next() -> UInt64 { UInt64(stream.next()) << 32 | UInt64(stream.next()) }
}
