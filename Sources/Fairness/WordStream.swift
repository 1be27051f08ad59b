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
