import Fairness
import Rules

/// The source of a shoe's order. A table draws no randomness of its own.
public enum ShoeSource: Hashable, Sendable {
    /// The provable shuffle: the word stream of a key.
    case keyed(ShoeKey)
    /// A fast generator for simulations. Predictable: never for real chips.
    case seeded(UInt64)

    /// The source of segment n ≥ 1 of the same shoe.
    package func segment(_ n: Int) -> ShoeSource {
        switch self {
        case .keyed(let key): return .keyed(key.segment(n))
        case .seeded(let seed):
            var mix = SeededStream(seed: seed &+ UInt64(n) &* 0x9e37_79b9_7f4a_7c15)
            return .seeded(mix.next64())
        }
    }

    /// Permutes cards by this source, starting from their present order.
    package func shuffle(_ cards: UnsafeMutableBufferPointer<Card>) {
        switch self {
        case .keyed(let key):
            var cards = cards
            var stream = ShoeStream(key)
            stream.shuffle(&cards)
        case .seeded(let seed):
            var stream = SeededStream(seed: seed)
            stream.shuffle(cards)
        }
    }
}

/// xoshiro256++ 1.0 (Blackman and Vigna, 2019), seeded by SplitMix64: for simulations.
public struct SeededStream: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    public init(seed: UInt64) {
        var mix = seed
        func splitMix() -> UInt64 {
            mix &+= 0x9e37_79b9_7f4a_7c15
            var z = mix
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
        state = (splitMix(), splitMix(), splitMix(), splitMix())
    }

    public mutating func next64() -> UInt64 {
        let sum = state.0 &+ state.3
        let result = (sum << 23 | sum >> 41) &+ state.0
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }

    /// A uniform number below `n`, 1 ≤ n < 2^32, from 32 bits: Lemire's multiplication with rejection.
    mutating func below(_ n: UInt32, bits: UInt32) -> UInt32 {
        var product = UInt64(bits) &* UInt64(n)
        if UInt32(truncatingIfNeeded: product) < n {
            let threshold = (0 &- n) % n
            while UInt32(truncatingIfNeeded: product) < threshold {
                product = (next64() >> 32) &* UInt64(n)
            }
        }
        return UInt32(truncatingIfNeeded: product >> 32)
    }

    /// A uniform number below `n`, 1 ≤ n < 2^32.
    public mutating func below(_ n: Int) -> Int {
        Int(below(UInt32(n), bits: UInt32(truncatingIfNeeded: next64() >> 32)))
    }

    /// Fisher–Yates; two draws of 32 bits from each word.
    mutating func shuffle(_ cards: UnsafeMutableBufferPointer<Card>) {
        guard cards.count > 1, let base = cards.baseAddress else { return }
        // The largest index not settled yet.
        var last = UInt32(cards.count - 1)
        while last >= 2 {
            let word = next64()
            swap(base, last, below(last &+ 1, bits: UInt32(truncatingIfNeeded: word)))
            swap(base, last &- 1, below(last, bits: UInt32(truncatingIfNeeded: word >> 32)))
            last &-= 2
        }
        if last == 1 { swap(base, 1, below(2, bits: UInt32(truncatingIfNeeded: next64()))) }
    }

    private func swap(_ base: UnsafeMutablePointer<Card>, _ i: UInt32, _ j: UInt32) {
        let card = base[Int(i)]
        base[Int(i)] = base[Int(j)]
        base[Int(j)] = card
    }
}
