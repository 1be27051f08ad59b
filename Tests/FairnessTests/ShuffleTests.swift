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
