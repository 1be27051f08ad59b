import Dispatch
import Foundation

/// A number with a fixed count of decimal places, rounded to the nearest: `fixed(3.14159, 2)` is `3.14`.
package func fixed(_ value: Double, _ places: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (value * scale).rounded()
    // Beyond this a double has no digits behind the point that mean anything.
    guard abs(scaled) < 9e18 else { return Int64(exactly: value.rounded()).map { String($0) } ?? value.description }
    let whole = Int64(scaled)
    guard places > 0 else { return String(whole) }
    let digits = String(whole.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return (whole < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
}

/// A number with at most this many decimal places, without trailing zeros.
package func plain(_ value: Double, _ places: Int = 1) -> String {
    var text = fixed(value, places)
    guard text.utf8.contains(UInt8(ascii: ".")) else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
}

/// A duration for people, from microseconds: `850 µs`, `12.3 ms`, `1.25 s`.
package func spoken(microseconds value: Double) -> String {
    switch abs(value) {
    case ..<1000: "\(fixed(value, value == value.rounded() ? 0 : 1)) µs"
    case ..<10_000: "\(fixed(value / 1000, 2)) ms"
    case ..<1_000_000: "\(fixed(value / 1000, 1)) ms"
    default: "\(fixed(value / 1_000_000, 2)) s"
    }
}

/// A count for people, its thousands set apart: `1,234,567`.
package func grouped(_ value: Int) -> String {
    let digits = String(value.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0 && (digits.count - index) % 3 == 0 { text += "," }
        text.append(digit)
    }
    return (value < 0 ? "-" : "") + text
}

/// The clock that latencies are measured with: microseconds of the system's monotonic clock.
package enum Microclock {
    package static var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1000) }
}

/// A reproducible generator: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). All randomness of a
/// load run comes from such streams, so that a seed repeats the run's plan.
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
    package mutating func exponential() -> Double { -log(1 - unit()) }

    /// A number below a bound of at least 1.
    package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
