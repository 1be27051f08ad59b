/// HMAC-SHA256 by RFC 2104.
package struct HMAC: Sendable {
    private var inner = SHA256()
    private var outer = SHA256()

    package init(key: some Collection<UInt8>) {
        let long = key.count > SHA256.blockLength
        let short = long ? SHA256.hash(key).bytes : Array(key)
        let padded = short + Array(repeating: 0, count: SHA256.blockLength - short.count)
        inner.update(padded.map { $0 ^ 0x36 })
        outer.update(padded.map { $0 ^ 0x5c })
    }

    package mutating func update(_ bytes: some Sequence<UInt8>) { inner.update(bytes) }

    mutating func update(word: UInt32) { inner.update(word: word) }

    package consuming func finish() -> Digest {
        let digest = inner.finish()
        outer.update(digest)
        return outer.finish()
    }

    package static func authenticate(_ message: some Sequence<UInt8>, key: some Collection<UInt8>) -> Digest {
        var code = HMAC(key: key)
        code.update(message)
        return code.finish()
    }
}
