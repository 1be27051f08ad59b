import Rules
import Testing

struct CardTests {
    @Test func aCard_isItsCode_suitTimes13PlusRank() throws {
        #expect(Card.deck.count == 52)
        for (index, card) in Card.deck.enumerated() {
            #expect(Int(card.code) == index)
            #expect(Int(card.suit.rawValue) * 13 + Int(card.rank.rawValue) == index)
            #expect(Card(card.description) == card)
            #expect(Card(card.description.lowercased()) == card)
        }
        #expect(Set(Card.deck.map(\.description)).count == 52)
        #expect(Card("10D") == Card(.ten, .diamonds))
        #expect(Card("AS")?.code == 0)
        #expect(Card("KC")?.code == 51)
        for wrong in ["", "A", "AX", "1S", "11S", "ASS", "é♠", "10"] { #expect(Card(wrong) == nil) }
    }

    @Test func aHand_countsOneAceAs11_whereThatDoesNotBust() {
        let cases: [(String, Int, Bool)] = [
            ("AS AD", 12, true), ("AS AD 9C", 21, true), ("AS 5D TC", 16, false), ("AS KD", 21, true), ("TS 9D 5C", 24, false),
            ("AS AD AH AC", 14, true), ("AS 6D", 17, true), ("AS 6D TH", 17, false), ("2S 3S", 5, false),
        ]
        for (text, total, isSoft) in cases {
            let value = HandValue(text.split(separator: " ").compactMap { Card(String($0)) })
            #expect(value.total == total && value.isSoft == isSoft, "\(text)")
            #expect(value.isBust == (total > 21))
        }
    }

    @Test func everyOrderOfACardSet_countsTheSame_asTheNaiveSum() {
        // All hands of up to five ranks, counted from scratch: the best of the sums with each number of aces as 11.
        func naive(_ ranks: [Rank]) -> Int {
            let low = ranks.reduce(0) { $0 + $1.points }
            let sums = (0...ranks.count { $0.isAce }).map { low + 10 * $0 }
            return sums.filter { $0 <= 21 }.max() ?? low
        }
        func walk(_ ranks: [Rank]) {
            var value = HandValue()
            for rank in ranks { value.add(rank) }
            if value.total != naive(ranks) { Issue.record("\(ranks)") }
            if ranks.count < 4 { for rank in Rank.allCases where rank.rawValue <= Rank.ten.rawValue { walk(ranks + [rank]) } }
        }
        walk([])
    }

    @Test func onlyAnAceAndATen_areATwoCard21() {
        for first in Card.deck.prefix(13) {
            for second in Card.deck.prefix(13) {
                let natural = first.rank.isAce && second.rank.isTenValued || second.rank.isAce && first.rank.isTenValued
                #expect(HandValue([first, second]).isTwoCard21 == natural)
            }
        }
        #expect(!HandValue(["7S", "7D", "7C"].compactMap { Card($0) }).isTwoCard21)
    }
}
