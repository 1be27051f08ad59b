// The keys of bj1: HM(k, m) is HMAC-SHA256; u32 is four bytes, most significant first.
extension ShoeKey {
    /// The key of a shoe: `HM(s, "bj1/shoe" ‖ R)`.
    public init(secret: ShoeSecret, mix: Digest) {
        var code = HMAC(key: secret.bytes)
        code.update("bj1/shoe".utf8)
        code.update(mix.bytes)
        self.init(code.finish())
    }

    private init(_ digest: Digest) {
        guard let key = ShoeKey(digest.bytes) else { preconditionFailure("a digest has as many bytes as a key") }
        self = key
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
