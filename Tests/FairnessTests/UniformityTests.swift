import Fairness
import Foundation
import TestKit
import Testing

/// Statistics of many shuffles; shuffles that are known to be wrong show that the tests have teeth.
struct UniformityTests {
    /// A right shuffle fails in one of 500,000 runs of one statistic; the seeds are fixed, so the same runs pass each time.
    private static let plausible = 1e-6...(1 - 1e-6)

    @Test func theShuffle_isUniform_byEachStatistic() {
        var generator = SeededGenerator()
        check(decks: 1, shuffles: Thorough.count(5_000, most: 1_000_000), &generator)
        if Thorough.isWanted { check(decks: 6, shuffles: 200_000, &generator) }
    }

    private func check(decks: Int, shuffles: Int, _ generator: inout SeededGenerator) {
        var statistics = ShuffleStatistics(decks: decks)
        let sorted = (0..<UInt16(52 * decks)).map { $0 }
        var order = sorted
        for _ in 0..<shuffles {
            var stream = ShoeStream(ShoeKey(secret: ShoeSecret(using: &generator), mix: Self.mix))
            for i in sorted.indices { order[i] = sorted[i] }
            stream.shuffle(&order)
            statistics.add(order)
        }
        for (name, p) in statistics.probabilities {
            if Thorough.isWanted { print("\(decks) decks, \(shuffles) shuffles, \(name): p = \(p)") }
            #expect(Self.plausible.contains(p), "\(name) of \(shuffles) shuffles of \(decks) decks")
        }
    }

    private static let mix = SHA256.hash("a mix".utf8)

    enum WrongShuffle: CaseIterable {
        case swapWithAny, sattolo, moduloOfAByte, none

        func apply(_ deck: inout [UInt16], _ words: inout TestWords) {
            switch self {
            case .swapWithAny: for i in deck.indices { deck.swapAt(i, words.below(52)) }
            case .sattolo: for i in (1..<52).reversed() { deck.swapAt(i, words.below(i)) }
            case .moduloOfAByte: for i in (1..<52).reversed() { deck.swapAt(i, Int(words.next() >> 24) % (i + 1)) }
            case .none: break
            }
        }
    }

    @Test(arguments: WrongShuffle.allCases)
    func aWrongShuffle_isCaught(_ shuffle: WrongShuffle) {
        let caught = statistics(10_000) { deck, words in shuffle.apply(&deck, &words) }
            .probabilities.filter { !Self.plausible.contains($0.p) }
        #expect(caught.contains { $0.name == "card and place" }, "caught by \(caught)")
    }

    @Test func aRightShuffle_ofTheSameWords_isNotCaught() {
        let caught = statistics(10_000) { deck, words in words.shuffle(&deck) }
            .probabilities.filter { !Self.plausible.contains($0.p) }
        #expect(caught.isEmpty)
    }

    private func statistics(_ shuffles: Int, _ shuffle: (inout [UInt16], inout TestWords) -> Void) -> ShuffleStatistics {
        var words = TestWords(state: 42)
        var statistics = ShuffleStatistics(decks: 1)
        for _ in 0..<shuffles {
            var deck = (0..<UInt16(52)).map { $0 }
            shuffle(&deck, &words)
            statistics.add(deck)
        }
        return statistics
    }

    /// Table values of the chi-square distribution, as printed in NIST's Engineering Statistics Handbook, 1.3.6.7.4.
    @Test(arguments: [(1, 3.841, 0.05), (1, 10.828, 0.001), (10, 18.307, 0.05), (51, 68.669, 0.05), (100, 149.449, 0.001)])
    func theTailOfChiSquare_isThatOfTheTable(degrees: Int, value: Double, p: Double) {
        #expect(abs(ShuffleStatistics.tail(value, degrees: degrees) / p - 1) < 0.001)
    }
}

/// A small generator for shuffles that are tested, not used: PCG-like, 32 bits of a 64-bit state.
struct TestWords: WordStream {
    var state: UInt64
    mutating func next() -> UInt32 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let mixed = (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
        return UInt32(truncatingIfNeeded: (mixed ^ (mixed >> 33)) >> 32)
    }
}
