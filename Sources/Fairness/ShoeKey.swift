/// The 32 bytes that determine the order of a shoe. Reveals every card to come: secret until the shoe is over.
public struct ShoeKey: Hashable, Sendable, BitwiseCopyable {
    /// Bytes in a key.
    public static let length = 32

    /// A key and a secret have as many bytes as a digest, and are kept as one.
    private let digest: Digest

    package init(_ digest: Digest) { self.digest = digest }

    /// A key of exactly 32 bytes; nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard let digest = Digest(bytes: bytes) else { return nil }
        self.init(digest)
    }

    public var bytes: [UInt8] { digest.bytes }
}

extension ShoeKey: CustomStringConvertible, CustomReflectable {
    /// Hides the bytes: a key in a log would reveal the shoe.
    public var description: String { "ShoeKey(secret)" }

    /// Empty: a dump would reveal the shoe.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - Deriving

// The keys of bj1: HM(k, m) is HMAC-SHA256; u32 is four bytes, most significant first.
extension ShoeKey {
    /// The key of a shoe: `HM(s, "bj1/shoe" ‖ R)`.
    public init(secret: ShoeSecret, mix: Digest) {
        var code = HMAC(key: secret.bytes)
        code.update("bj1/shoe".utf8)
        code.update(mix.bytes)
        self.init(code.finish())
    }

    /// The key of segment n ≥ 1 of the same shoe, for reshuffled discards: `HM(K, "bj1/segment" ‖ u32(n))`.
    public func segment(_ n: Int) -> ShoeKey { derived("bj1/segment", n) }

    /// The key of round j ≥ 0 of a table that shuffles continuously: `HM(K, "bj1/round" ‖ u32(j))`.
    public func round(_ j: Int) -> ShoeKey { derived("bj1/round", j) }

    private func derived(_ tag: StaticString, _ number: Int) -> ShoeKey {
        var code = HMAC(key: bytes)
        tag.withUTF8Buffer { code.update($0) }
        code.update(word: UInt32(truncatingIfNeeded: number))
        return ShoeKey(code.finish())
    }

    /// The digest of a segment's order: `HM(K, "bj1/order" ‖ u32(segment) ‖ u32(first) ‖ u32(count) ‖ codes)`.
    /// - Parameters:
    ///   - segment: 0 for the shoe itself, whose key this is; otherwise this is the segment's key.
    ///   - first: the id of its first card.
    ///   - codes: its cards in order, a byte each: suit · 13 + rank, suits S H D C, ranks A … K.
    public func orderDigest(segment: Int, first: Int, codes: some Collection<UInt8>) -> Digest {
        var code = HMAC(key: bytes)
        code.update("bj1/order".utf8)
        for word in [segment, first, codes.count] { code.update(word: UInt32(truncatingIfNeeded: word)) }
        code.update(codes)
        return code.finish()
    }
}

/// An infinite stream of uniform 32-bit words, with unbiased draws.
public protocol WordStream {
    mutating func next() -> UInt32
}

extension WordStream {
    /// A uniform number below `n`, 1 ≤ n ≤ 2^32. Rejects words at or above the largest multiple of `n`, which would bias the
    /// remainder.
    public mutating func below(_ n: Int) -> Int {
        precondition(n >= 1 && UInt64(n) <= 1 << 32, "a draw is from 1 to 2^32 numbers")
        let range = UInt64(n)
        let limit = (1 << 32) / range * range
        while true {
            let word = UInt64(next())
            if word < limit { return Int(word % range) }
        }
    }

    /// Fisher–Yates from the last element down: every order is equally likely.
    public mutating func shuffle<Elements>(_ elements: inout Elements)
    where Elements: MutableCollection & RandomAccessCollection, Elements.Index == Int {
        let start = elements.startIndex
        for i in stride(from: elements.count - 1, through: 1, by: -1) {
            elements.swapAt(start + i, start + below(i + 1))
        }
    }
}

/// The words of a shoe: block j is `HMAC-SHA256(key, "bj1/stream" ‖ u64(j))`, read as big-endian words, first to last.
public struct ShoeStream: WordStream, Sendable {
    private let keyed: HMAC
    private var counter: UInt64 = 0
    private var block: Digest
    private var used = 0

    public init(_ key: ShoeKey) {
        keyed = HMAC(key: key.bytes)
        block = Self.block(0, of: keyed)
    }

    public mutating func next() -> UInt32 {
        if used == 8 {
            counter += 1
            block = Self.block(counter, of: keyed)
            used = 0
        }
        defer { used += 1 }
        return block.words[used]
    }

    private static func block(_ j: UInt64, of keyed: HMAC) -> Digest {
        var code = keyed
        code.update("bj1/stream".utf8)
        code.update(word: UInt32(truncatingIfNeeded: j >> 32))
        code.update(word: UInt32(truncatingIfNeeded: j))
        return code.finish()
    }
}
