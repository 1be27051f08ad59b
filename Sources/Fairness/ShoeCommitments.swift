// The commitments of bj1. Each hash has a tag of its own; fields are of fixed length, or prefixed with their length.

extension ShoeSecret {
    /// The server's commitment to this secret: `Cs = H("bj1/server" ‖ LP(table) ‖ u64(shoe) ‖ D ‖ s)`.
    /// - Parameters:
    ///   - table: the table's name.
    ///   - shoe: its number, from 1; with continuous shuffling that of the first of 32.
    ///   - rules: D, the digest of the rules that the table shows.
    public func serverCommitment(table: String, shoe: Int, rules: Digest) -> Digest {
        var hash = SHA256()
        hash.update("bj1/server".utf8)
        hash.update(lengthPrefixed: table)
        hash.update(long: shoe)
        hash.update(rules)
        hash.update(bytes)
        return hash.finish()
    }

    /// A player's commitment to this contribution: `c = H("bj1/client" ‖ LP(table) ‖ u64(shoe) ‖ LP(player) ‖ Cs ‖ r)`.
    /// - Parameter player: the name in the reply to the login.
    public func contribution(table: String, shoe: Int, player: String, to server: Digest) -> Digest {
        var hash = SHA256()
        hash.update("bj1/client".utf8)
        hash.update(lengthPrefixed: table)
        hash.update(long: shoe)
        hash.update(lengthPrefixed: player)
        hash.update(server)
        hash.update(bytes)
        return hash.finish()
    }
}

/// A player and the commitment to that player's contribution.
public struct Contributor: Hashable, Sendable {
    public var name: String
    public var commitment: Digest

    public init(name: String, commitment: Digest) {
        self.name = name
        self.commitment = commitment
    }
}

extension Sequence<Contributor> {
    /// The digest of a closed list, in the order of seats: `L = H("bj1/list" ‖ Cs ‖ u32(n) ‖ LP(id_1) ‖ c_1 …)`.
    public func listDigest(server: Digest) -> Digest {
        var hash = SHA256()
        hash.update("bj1/list".utf8)
        hash.update(server)
        hash.update(word: UInt32(truncatingIfNeeded: reduce(0) { count, _ in count + 1 }))
        for contributor in self {
            hash.update(lengthPrefixed: contributor.name)
            hash.update(contributor.commitment)
        }
        return hash.finish()
    }
}

extension Digest {
    /// The mix of the contributions under a closed list, this digest:
    /// `R = H("bj1/mix" ‖ L ‖ for each contributor: 01 ‖ r, or 00 where the reveal was withheld)`.
    public func mix(_ reveals: some Sequence<ShoeSecret?>) -> Digest {
        var hash = SHA256()
        hash.update("bj1/mix".utf8)
        hash.update(self)
        for reveal in reveals {
            hash.update(reveal == nil ? 0 : 1)
            if let reveal { hash.update(reveal.bytes) }
        }
        return hash.finish()
    }
}

extension SHA256 {
    fileprivate mutating func update(lengthPrefixed text: String) {
        update(word: UInt32(truncatingIfNeeded: text.utf8.count))
        update(text.utf8)
    }

    fileprivate mutating func update(long number: Int) {
        update(word: UInt32(truncatingIfNeeded: number >> 32))
        update(word: UInt32(truncatingIfNeeded: number))
    }
}

/// 32 random bytes that a party keeps until it reveals them: the server's secret of a shoe, or a player's contribution to it.
public struct ShoeSecret: Hashable, Sendable, BitwiseCopyable {
    /// Bytes in a secret.
    public static let length = 32

    package let digest: Digest

    package init(_ digest: Digest) { self.digest = digest }

    /// A secret of exactly 32 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let digest = Digest(bytes: bytes) else { return nil }
        self.init(digest)
    }

    /// A fresh secret; for real tables from a cryptographically secure generator.
    public init(using generator: inout some RandomNumberGenerator) {
        let numbers = (0..<4).map { _ in generator.next() }
        digest = Digest(words: InlineArray { UInt32(truncatingIfNeeded: numbers[$0 / 2] >> ($0 % 2 == 0 ? 32 : 0)) })
    }

    public var bytes: [UInt8] { digest.bytes }
}

extension ShoeSecret: CustomStringConvertible, CustomReflectable {
    /// Hides the bytes: a secret in a log would reveal the shoe.
    public var description: String { "ShoeSecret(secret)" }

    /// Empty: a dump would reveal the shoe.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
