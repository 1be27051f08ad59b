import TestKit
import Testing

@testable import LoadGenerator

/// Durations as loads have them: short ones, long ones, and a few that are off any scale.
private func sample(_ count: Int, seed: UInt64) -> [Int64] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
        switch random.below(4) {
        case 0: Int64(random.below(2048))
        case 1: Int64(random.exponential() * 3000)
        case 2: Int64(random.exponential() * 100_000)
        default: Int64(random.below(3_000_000_000))
        }
    }
}

private let percentiles = [0, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 100]

@Test(arguments: [1, 2, 7, 1000, 20_000])
func percentilesAreExact_withinTheirPrecision(_ count: Int) {
    let values = sample(count, seed: Seed.value &+ UInt64(count))
    var histogram = Histogram()
    for value in values { histogram.record(value) }
    let sorted = values.sorted()
    for percentile in percentiles {
        // The nearest rank, in whole numbers: a hundred-thousandth is the unit.
        let product = Int((percentile * 1000).rounded()) * count
        let exact = sorted[max(1, (product + 99_999) / 100_000) - 1]
        let told = histogram.value(at: percentile)
        #expect(told >= exact && Double(told) <= Double(exact) * 1.001 + 0.5, "p\(percentile) of \(count), seed \(Seed.value)")
    }
    #expect(histogram.max == sorted.last && histogram.min == sorted.first && histogram.count == UInt64(count))
    let mean = sorted.reduce(0.0) { $0 + Double($1) } / Double(count)
    #expect(abs(histogram.mean - mean) <= mean * 1e-9)
}

@Test func everyDurationHasOneCounter_andNeighboursMeet() {
    var next: Int64 = 0
    for slot in 0..<Histogram.slots {
        let range = Histogram.range(of: slot)
        #expect(range.lowerBound == next)
        #expect(Histogram.slot(of: range.lowerBound) == slot && Histogram.slot(of: range.upperBound) == slot)
        #expect(Double(range.upperBound - range.lowerBound) <= Double(range.lowerBound) / 1000)
        next = range.upperBound + 1
    }
    #expect(next > Histogram.highest)
}

@Test func whatIsOutOfRange_isCountedAtTheBound() {
    var histogram = Histogram()
    histogram.record(-5)
    histogram.record(.max)
    #expect(histogram.min == 0 && histogram.max == Histogram.highest && histogram.count == 2)
}

@Test func merging_isTheSameAsRecordingEverythingInOne() {
    let values = sample(5000, seed: Seed.value)
    var (one, parts) = (Histogram(), [Histogram(), Histogram(), Histogram()])
    for (index, value) in values.enumerated() {
        one.record(value)
        parts[index % 2].record(value)
    }
    var merged = Histogram()
    for part in parts { merged.merge(part) }
    #expect(merged.curve == one.curve)
    #expect(merged.min == one.min && merged.max == one.max)
}

@Test func anEmptyHistogram_saysNothing() {
    var histogram = Histogram()
    #expect(histogram.value(at: 99) == 0 && histogram.mean == 0 && histogram.max == 0)
    histogram.record(7)
    histogram.reset()
    #expect(histogram == Histogram())
}

@Test func theCurve_risesToTheLongestDuration() throws {
    var histogram = Histogram()
    for value in 1...10_000 { histogram.record(Int64(value)) }
    let curve = histogram.curve
    #expect(
        curve[1] == .init(percentile: 10, value: 1000, count: 1000)
            && curve.last == .init(percentile: 100, value: 10_000, count: 10_000))
    for (point, next) in zip(curve, curve.dropFirst()) {
        #expect(point.value <= next.value && point.percentile < next.percentile)
    }
}

@Test func numbersAreWrittenInFixedPoint() {
    #expect(fixed(3.14159, 2) == "3.14" && fixed(-0.005, 2) == "-0.01" && fixed(0.04, 1) == "0.0" && fixed(12, 0) == "12")
    #expect(spoken(microseconds: 850) == "850 µs" && spoken(microseconds: 12_340) == "12.3 ms")
    #expect(spoken(microseconds: 1_250_000) == "1.25 s" && grouped(1_234_567) == "1,234,567" && grouped(-12) == "-12")
}
