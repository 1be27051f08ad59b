import Fairness
import Foundation
import Testing

/// Words from a list, for cases that are counted out.
struct ListedWords: WordStream {
    var words: [UInt32]
    mutating func next() -> UInt32 { words.removeFirst() }
}

@Suite
struct ShuffleTests {
    private let key = ShoeKey(Array(0..<32))

    @Test
    func theStream_isTheKeyedHashesWords_inOrder() throws {
        var stream = ShoeStream(try #require(key))
        let words = (0..<10).map { _ in stream.next() }
        // Computed by an independent implementation; the ninth word begins block 1.
        #expect(
            words == [
                3_914_898_083, 1_621_927_499, 4_033_072_453, 1_925_250_453, 2_782_575_163, 85_085_965, 3_033_134_115,
                2_764_680_032, 706_881_922, 2_575_099_195,
            ])
    }

    @Test
    func theOrderOfADeck_isTheOneComputedIndependently() throws {
        var stream = ShoeStream(try #require(key))
        var deck = Array(0..<52)
        stream.shuffle(&deck)
        #expect(
            deck == [
                20, 37, 35, 11, 38, 41, 25, 30, 1, 5, 0, 13, 23, 40, 21, 14, 49, 42, 9, 29, 36, 44, 16, 17, 8, 19, 15, 22, 18, 51,
                48, 33, 26, 6, 46, 45, 4, 47, 12, 39, 27, 24, 34, 10, 2, 7, 32, 43, 28, 3, 50, 31,
            ])
    }

    @Test
    func aSegmentsKey_isTheOneComputedIndependently() throws {
        let segment = try #require(key).segment(1)
        #expect(segment.bytes.hex == "f566923bdb59cd385f2a767fdad701af274848b9079da3be581bd01cc71c1466")
    }

    @Test
    func aKey_isNot31Or33Bytes_andShowsNone() throws {
        #expect(ShoeKey(Array(repeating: 1, count: 31)) == nil)
        #expect(ShoeKey(Array(repeating: 1, count: 33)) == nil)
        let key = try #require(key)
        #expect(key.bytes == Array(0..<32))
        #expect("\(key)" == "ShoeKey(secret)")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("words"))
    }

    @Test
    func below_passesOverWords_thatWouldFavourSomeRemainders() {
        // 2^32 = 3 · 1431655765 + 1: only the last word is unfair.
        var stream = ListedWords(words: [.max, .max - 1, 7])
        #expect(stream.below(3) == Int((UInt32.max - 1) % 3))
        #expect(stream.below(3) == 1)
        #expect(stream.words.isEmpty)
    }

    @Test
    func eachOrderOfFourCards_comesUpEquallyOften_whenAllWordsAreCountedOut() {
        var counts: [[Int]: Int] = [:]
        for a in 0..<UInt32(12) {
            for b in 0..<UInt32(12) {
                for c in 0..<UInt32(12) {
                    var stream = ListedWords(words: [a, b, c])
                    var cards = [0, 1, 2, 3]
                    stream.shuffle(&cards)
                    counts[cards, default: 0] += 1
                }
            }
        }
        #expect(counts.count == 24)
        #expect(Set(counts.values) == [12 * 12 * 12 / 24])
    }
}

/// Chi-square tests; they are shown to have teeth by shuffles that are known to be wrong.
@Suite
struct UniformityTests {
    static let shuffles = 3000

    @Test
    func theShuffle_putsEachCardInEachPlace_equallyOften() throws {
        var orders: [[Int]] = []
        for n in 0..<Self.shuffles {
            let bytes = (0..<32).map { UInt8(truncatingIfNeeded: $0 < 4 ? n >> (8 * $0) : $0) }
            var stream = ShoeStream(try #require(ShoeKey(bytes)))
            var deck = Array(0..<52)
            stream.shuffle(&deck)
            orders.append(deck)
        }
        #expect(abs(placeZ(orders)) < limit)
        #expect(abs(pairZ(orders)) < limit)
        #expect(abs(stayZ(orders)) < limit)
    }

    @Test
    func wrongShuffles_areCaught() {
        var generator = TestWords(state: 42)
        func orders(_ shuffle: (inout [Int]) -> Void) -> [[Int]] {
            (0..<4 * Self.shuffles).map { _ in
                var deck = Array(0..<52)
                shuffle(&deck)
                return deck
            }
        }
        let any = orders { deck in for i in deck.indices { deck.swapAt(i, generator.below(52)) } }
        let sattolo = orders { deck in for i in (1..<52).reversed() { deck.swapAt(i, generator.below(i)) } }
        let byte = orders { deck in
            for i in (1..<52).reversed() { deck.swapAt(i, Int(generator.next() >> 24) % (i + 1)) }
        }
        #expect(placeZ(any) > limit)
        #expect(placeZ(sattolo) > limit)
        #expect(placeZ(byte) > limit)
        #expect(placeZ(orders { _ in }) > limit)
        let right = orders { deck in generator.shuffle(&deck) }
        #expect(abs(placeZ(right)) < limit)
    }

    /// p in [1e-6, 1 − 1e-6].
    private let limit = 4.75

    /// Card × place: 51 · 52 degrees of freedom, for the places of one order are not independent: the statistic times (N−1)/N has
    /// 51 · 51.
    private func placeZ(_ orders: [[Int]]) -> Double {
        var counts = Array(repeating: 0, count: 52 * 52)
        for order in orders { for (place, card) in order.enumerated() { counts[place * 52 + card] += 1 } }
        let expected = Double(orders.count) / 52
        let chi = counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
        return z(chi * 51 / 52, degrees: 51 * 51)
    }

    /// The first two cards, in order, by rank modulo 7 so that each cell is well filled.
    private func pairZ(_ orders: [[Int]]) -> Double {
        var counts = Array(repeating: 0.0, count: 49)
        var expected = Array(repeating: 0.0, count: 49)
        for order in orders { counts[order[0] % 7 * 7 + order[1] % 7] += 1 }
        for a in 0..<52 { for b in 0..<52 where a != b { expected[a % 7 * 7 + b % 7] += 1 / (52.0 * 51) } }
        var chi = 0.0
        for i in 0..<49 {
            let mean = expected[i] * Double(orders.count)
            chi += (counts[i] - mean) * (counts[i] - mean) / mean
        }
        return z(chi, degrees: 48)
    }

    /// Cards in the same place in the next shoe: one a shuffle on average, with a variance of one.
    private func stayZ(_ orders: [[Int]]) -> Double {
        var same = 0
        for (a, b) in zip(orders, orders.dropFirst()) { for i in 0..<52 where a[i] == b[i] { same += 1 } }
        let n = Double(orders.count - 1)
        return (Double(same) - n) / n.squareRoot()
    }

    /// Wilson and Hilferty's normal approximation of chi-square.
    private func z(_ chi: Double, degrees: Int) -> Double {
        let k = Double(degrees)
        return (pow(chi / k, 1.0 / 3) - (1 - 2 / (9 * k))) / (2 / (9 * k)).squareRoot()
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
