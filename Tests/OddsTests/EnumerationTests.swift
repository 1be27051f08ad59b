import Rules
import Testing

@testable import Odds

/// The solver, compared with a naive recomputation that shares no code with it: cards as plain numbers, every order enumerated.
@Suite
struct EnumerationTests {
    /// Cards by value, 1…10, of one deck.
    private static let deck = (1...9).flatMap { Array(repeating: $0, count: 4) } + Array(repeating: 10, count: 16)

    private func total(_ cards: [Int]) -> Int {
        let low = cards.reduce(0, +)
        return cards.contains(1) && low + 10 <= 21 ? low + 10 : low
    }

    private func isSoft(_ cards: [Int]) -> Bool { total(cards) != cards.reduce(0, +) }

    /// Chances of 17, 18, 19, 20, 21, bust, blackjack.
    private func dealer(_ cards: [Int], _ counts: [Int], hitsSoft17: Bool) -> [Double] {
        if cards.count >= 2 {
            let sum = total(cards)
            if cards.count == 2, sum == 21 { return [0, 0, 0, 0, 0, 0, 1] }
            if sum > 21 { return [0, 0, 0, 0, 0, 1, 0] }
            if sum > 17 || (sum == 17 && !(isSoft(cards) && hitsSoft17)) {
                var result = [0.0, 0, 0, 0, 0, 0, 0]
                result[sum - 17] = 1
                return result
            }
        }
        let rest = Double(counts.reduce(0, +))
        var result = [0.0, 0, 0, 0, 0, 0, 0]
        for card in 1...10 where counts[card] > 0 {
            var fewer = counts
            fewer[card] -= 1
            let part = dealer(cards + [card], fewer, hitsSoft17: hitsSoft17)
            for i in 0..<7 { result[i] += Double(counts[card]) / rest * part[i] }
        }
        return result
    }

    private func counts(without gone: [Int]) -> [Int] {
        var counts = Array(repeating: 0, count: 11)
        for card in Self.deck { counts[card] += 1 }
        for card in gone { counts[card] -= 1 }
        return counts
    }

    @Test(arguments: [(6, "stand"), (10, "stand"), (7, "hit"), (9, "stand"), (6, "hit")])
    func theDealersFinals_areTheNaiveOnes(up: Int, soft17: String) throws {
        let rules = try HouseRules([("decks", .integer(1)), ("soft17", .text(soft17))])
        let naive = dealer([up], counts(without: [up, 10, 6]), hitsSoft17: soft17 == "hit")
        var shoe = Composition(decks: 1)
        for card in [up, 10, 6] { shoe.remove(card) }
        let finals = DealerFinals(DealerPaths(up: up, rules: rules), shoe: shoe)
        for i in 0..<6 { #expect(abs(finals.totals[i] - naive[i]) < 1e-12) }
        #expect(abs(finals.blackjack - naive[6]) < 1e-12)
    }

    @Test
    func standHitAndDouble_areWorthWhatTheNaiveSumSays() throws {
        // Ten and six against a nine: the dealer's finals given no blackjack (there is none), then each card that may come.
        let rules = try HouseRules([("decks", .integer(1))])
        for (first, second, up) in [(10, 6, 9), (5, 6, 6), (10, 2, 4)] {
            let counts = counts(without: [first, second, up])
            let finals = dealer([up], counts, hitsSoft17: false)
            func stand(_ cards: [Int]) -> Double {
                let sum = total(cards)
                if sum > 21 { return -1 }
                var value = finals[5]
                for i in 0..<5 { value += finals[i] * Double((sum - 17 - i).signum()) }
                return value
            }
            func best(_ cards: [Int]) -> Double {
                if total(cards) >= 21 { return stand(cards) }
                return max(stand(cards), hit(cards))
            }
            func hit(_ cards: [Int]) -> Double {
                let rest = Double(counts.reduce(0, +))
                return (1...10).reduce(0) { $0 + Double(counts[$1]) / rest * best(cards + [$1]) }
            }
            let rest = Double(counts.reduce(0, +))
            let double = (1...10).reduce(0) { $0 + 2 * Double(counts[$1]) / rest * stand([first, second, $1]) }
            var shoe = Composition(decks: 1)
            for card in [first, second, up] { shoe.remove(card) }
            let hand = HandValue().adding(Rank(points: first)).adding(Rank(points: second))
            let values = HandSolver(rules: rules, shoe: shoe, up: up, dealer: DealerPaths(up: up, rules: rules)).values(
                hand, pair: nil)
            #expect(abs(values.stand - stand([first, second])) < 1e-12)
            #expect(abs(values.hit - hit([first, second])) < 1e-12)
            #expect(abs((values.double ?? 9) - double) < 1e-12)
        }
    }
}
