/// Chance that repeats itself: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). Everything that a load
/// run leaves to chance is drawn from streams of this kind, so that a seed repeats the run's plan.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// A stream of its own for part of a run: the numbers of one part do not depend on how many another has drawn.
    public init(seed: UInt64, stream: UInt64) {
        var root = SeededRandom(seed: seed ^ (stream &* 0xD1B5_4A32_D192_ED03))
        state = root.next()
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Uniform in 0 ≤ x < 1.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Exponentially distributed with a mean of 1.
    package mutating func exponential() -> Double { -Math.log(1 - unit()) }

    /// Normally distributed with mean 0 and standard deviation 1 (Box and Muller, 1958).
    package mutating func normal() -> Double {
        (-2 * Math.log(1 - unit())).squareRoot() * Math.cos(2 * .pi * unit())
    }

    /// A number below a bound of at least 1.
    package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
