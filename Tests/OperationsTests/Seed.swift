import Foundation

/// The seed of a test that draws: fixed, unless `BJ_SEED` says otherwise, so that a failure can be repeated.
enum Seed {
    static let value: UInt64 = ProcessInfo.processInfo.environment["BJ_SEED"].flatMap { UInt64($0) } ?? 20_260_731
}

/// SplitMix64: small, and the same everywhere.
struct Draws: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64 = Seed.value) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
