import Fairness
import Foundation
import Testing

/// Words from a list, for cases that are counted out.
struct ListedWords: WordStream {
    var words: [UInt32]
    mutating func next() -> UInt32 { words.removeFirst() }
}

struct ShuffleTests {
    private let key = ShoeKey(Array(0..<32))

    @Test func theStream_isTheKeyedHashesWords_inOrder() throws {
        var stream = ShoeStream(try #require(key))
        let words = (0..<10).map { _ in stream.next() }
        // Computed by an independent implementation; the ninth word begins block 1.
        #expect(
            words == [
                3_914_898_083, 1_621_927_499, 4_033_072_453, 1_925_250_453, 2_782_575_163, 85_085_965, 3_033_134_115,
                2_764_680_032, 706_881_922, 2_575_099_195,
            ])
    }

    @Test func theOrderOfADeck_isTheOneComputedIndependently() throws {
        var stream = ShoeStream(try #require(key))
        var deck = Array(0..<52)
        stream.shuffle(&deck)
        #expect(
            deck == [
                20, 37, 35, 11, 38, 41, 25, 30, 1, 5, 0, 13, 23, 40, 21, 14, 49, 42, 9, 29, 36, 44, 16, 17, 8, 19, 15, 22, 18, 51,
                48, 33, 26, 6, 46, 45, 4, 47, 12, 39, 27, 24, 34, 10, 2, 7, 32, 43, 28, 3, 50, 31,
            ])
    }

    @Test func aSegmentsKey_isTheOneComputedIndependently() throws {
        let segment = try #require(key).segment(1)
        #expect(segment.bytes.hex == "f566923bdb59cd385f2a767fdad701af274848b9079da3be581bd01cc71c1466")
    }

    @Test func aKey_isNot31Or33Bytes_andShowsNone() throws {
        #expect(ShoeKey(Array(repeating: 1, count: 31)) == nil)
        #expect(ShoeKey(Array(repeating: 1, count: 33)) == nil)
        let key = try #require(key)
        #expect(key.bytes == Array(0..<32))
        #expect("\(key)" == "ShoeKey(secret)")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("words"))
    }

    @Test func below_passesOverWords_thatWouldFavourSomeRemainders() {
        // 2^32 = 3 · 1431655765 + 1: only the last word is unfair.
        var stream = ListedWords(words: [.max, .max - 1, 7])
        #expect(stream.below(3) == Int((UInt32.max - 1) % 3))
        #expect(stream.below(3) == 1)
        #expect(stream.words.isEmpty)
    }

    @Test func below_acceptsTheSameNumberOfWords_forEachResult_andPassesOverAllOthers() {
        for n in [1, 2, 3, 4, 5, 7, 51, 52, 53, 311, 312, 415, 416] {
            let unfair = (1 << 32) % n
            let least = UInt32(truncatingIfNeeded: (1 << 32) - unfair)
            var stream = ListedWords(words: [least &- 1, 0])
            #expect(stream.below(n) == n - 1)
            if unfair > 0 {
                stream = ListedWords(words: [least, .max, 0])
                #expect(stream.below(n) == 0)
            }
            #expect(stream.words.count <= 1)
        }
    }

    @Test func eachOrderOfFourCards_comesUpEquallyOften_whenAllWordsAreCountedOut() {
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
