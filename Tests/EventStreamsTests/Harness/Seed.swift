import Foundation

/// Randomness that can be repeated: the seed is fixed unless `BJ_SEED` gives another, and failures name it.
struct SeededGenerator: RandomNumberGenerator {
    static let seed = ProcessInfo.processInfo.environment["BJ_SEED"].flatMap(UInt64.init) ?? 20_240_517

    private var state = Self.seed

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
