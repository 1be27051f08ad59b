import Foundation

/// The seed of every property test: a fresh one for each run, unless `BJ_SEED` gives one. A failing test prints it.
public enum Seed {
    public static let value: UInt64 = {
        if let seed = ProcessInfo.processInfo.environment["BJ_SEED"].flatMap({ UInt64($0) }) { return seed }
        let seed = UInt64(UInt32.random(in: 0...(.max)))
        print("BJ_SEED=\(seed)")
        return seed
    }()
}

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the same sequence on every platform.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64 = Seed.value) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in `0..<bound`. The modulo bias is at most `bound` / 2³¹; fast in debug builds.
    public mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % bound }
}
