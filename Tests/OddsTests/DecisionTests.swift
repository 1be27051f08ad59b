import Rules
import TestKit
import Testing

@testable import Odds

/// The values of decisions, compared with every order of a small shoe's cards.
struct DecisionTests {
    /// Knows the rules, and none of the solver's formulas: cards are drawn one by one from worlds that differ in the hole card.
    private final class Enumeration {
        typealias Worlds = [Double]
        /// A hand that waits for the dealer.
        struct Finished {
            var cards: [Int]
            var stake: Double
            var isFirst: Bool
        }

        let rules: HouseRules
        let up: Int
        let isFirst: Bool
        /// The best actions of a hand that began with one card of a pair, by its sorted cards; filled while `records`.
        var choices: [[Int]: Action] = [:]
        // The rest of the shoe decides the worlds, whatever the order of the cards drawn.
        private var finals: [[Int]: [Int: Double]] = [:]
        private var bests: [[Int]: Double] = [:]
        private var splits: [[Int]: Double] = [:]

        init(_ rules: HouseRules, up: Rank, isFirst: Bool) {
            (self.rules, self.up, self.isFirst) = (rules, Int(up.rawValue), isFirst)
        }

        static func total(_ cards: [Int]) -> (sum: Int, isSoft: Bool) {
            let hard = cards.reduce(0) { $0 + min(10, $1 + 1) }
            return cards.contains(0) && hard <= 11 ? (hard + 10, true) : (hard, false)
        }

        func isBlackjack(_ hole: Int) -> Bool { Self.total([up, hole]).sum == 21 }

        /// The chances of the hole cards; none of a blackjack after a peek.
        func worlds(_ rest: [Int]) -> Worlds {
            let all = Double(rest.reduce(0, +))
            return rest.indices.map { rules.holeCard == .peek && isBlackjack($0) ? 0 : Double(rest[$0]) / all }
        }

        /// Each next card, with what is left and the worlds after it.
        private func draws(_ rest: [Int], _ worlds: Worlds) -> [(card: Int, rest: [Int], worlds: Worlds)] {
            let others = Double(rest.reduce(0, +) - 1)
            return rest.indices.filter { rest[$0] > 0 }.map { card in
                var left = rest
                left[card] -= 1
                return (card, left, worlds.indices.map { worlds[$0] * Double(rest[card] - ($0 == card ? 1 : 0)) / others })
            }
        }

        /// The chances of the dealer's totals; 0 for a bust.
        private func finals(_ cards: [Int], _ rest: [Int]) -> [Int: Double] {
            let key = cards.sorted() + rest
            if let known = finals[key] { return known }
            let (sum, isSoft) = Self.total(cards)
            var found: [Int: Double] = [:]
            if sum > 17 || sum == 17 && !(isSoft && rules.soft17 == .hit) {
                found[sum > 21 ? 0 : sum] = 1
            } else {
                // Nobody asks for the end of a dealer who runs out of cards: the player is bust.
                if rest.reduce(0, +) == 0 { return [0: 1] }
                for card in rest.indices where rest[card] > 0 {
                    var left = rest
                    left[card] -= 1
                    let chance = Double(rest[card]) / Double(rest.reduce(0, +))
                    for (total, more) in finals(cards + [card], left) { found[total, default: 0] += chance * more }
                }
            }
            finals[key] = found
            return found
        }

        private func win(_ hand: Finished, _ dealer: Int, isBlackjack: Bool) -> Double {
            let sum = Self.total(hand.cards).sum
            if hand.cards.count == rules.charlie, sum <= 21 { return 1 }
            if isBlackjack { return rules.holeCard == .original ? (hand.isFirst ? -1 : 0) : -hand.stake }
            return sum > 21 ? -hand.stake : hand.stake * Double((sum - dealer).signum())
        }

        /// The win of all hands, times the chance of the worlds.
        func settle(_ hands: [Finished], _ rest: [Int], _ worlds: Worlds) -> Double {
            var sum = 0.0
            for hole in worlds.indices where worlds[hole] > 0 {
                var left = rest
                left[hole] -= 1
                let ends = isBlackjack(hole) ? [21: 1] : finals([up, hole], left)
                for hand in hands {
                    sum += worlds[hole] * ends.reduce(0) { $0 + $1.value * win(hand, $1.key, isBlackjack: isBlackjack(hole)) }
                }
            }
            return sum
        }

        private func isOpen(_ cards: [Int]) -> Bool { Self.total(cards).sum < 21 && cards.count != rules.charlie }

        /// Of one hand; if `isSplit`, of both by turns, each as the first: cards in any order have the same chance.
        func value(
            _ action: Action, _ cards: [Int], _ rest: [Int], _ worlds: Worlds, doubling: Double = 1, isSplit: Bool = false
        ) -> Double {
            func settle(_ cards: [Int], _ stake: Double, _ rest: [Int], _ worlds: Worlds) -> Double {
                let owners = isSplit ? [isFirst, false] : [isFirst]
                return self.settle(owners.map { Finished(cards: cards, stake: stake, isFirst: $0) }, rest, worlds)
            }
            if action == .stand { return settle(cards, 1, rest, worlds) }
            return draws(rest, worlds).reduce(0) { sum, draw in
                let next = cards + [draw.card]
                return sum
                    + (action == .double
                        ? settle(next, 1 + doubling, draw.rest, draw.worlds) : best(next, draw.rest, draw.worlds))
            }
        }

        /// Best play of a hand of one bet, or of both hands by one strategy, which may double, if `isSplit`.
        func best(_ cards: [Int], _ rest: [Int], _ worlds: Worlds, isSplit: Bool = false) -> Double {
            let key = [cards[0]] + cards.dropFirst().sorted()
            if let known = bests[key] { return known }
            func hit() -> Double {
                draws(rest, worlds).reduce(0) { $0 + best(cards + [$1.card], $1.rest, $1.worlds, isSplit: isSplit) }
            }
            if cards.count == 1 { return hit() }
            var values = [Action.stand: value(.stand, cards, rest, worlds, isSplit: isSplit)]
            if isOpen(cards), !isSplit || cards[0] != 0 || rules.hitSplitAces {
                values[.hit] = hit()
                let value = cards.reduce(HandValue()) { $0.adding(Rank(points: min(10, $1 + 1))) }
                if isSplit, cards.count == 2, rules.doubleAfterSplit, rules.double.allows(value) {
                    values[.double] = self.value(.double, cards, rest, worlds, isSplit: isSplit)
                }
            }
            let most = values.values.max() ?? 0
            choices[key] = values.first { $0.value == most }?.key
            bests[key] = most
            return most
        }

        /// Plays both hands of a split, the second after the first, by `choices`.
        func split(_ done: [Finished], _ cards: [Int], _ rest: [Int], _ worlds: Worlds) -> Double {
            let sorted = [cards[0]] + cards.dropFirst().sorted()
            let key = rest + sorted + done.flatMap { [-1, Self.total($0.cards).sum, $0.cards.count, $0.stake > 1 ? 2 : 1] }
            if let known = splits[key] { return known }
            let choice = cards.count == 1 ? .hit : choices[sorted] ?? .stand
            func next(_ hand: [Int], _ stake: Double, _ rest: [Int], _ worlds: Worlds) -> Double {
                let all = done + [Finished(cards: hand, stake: stake, isFirst: done.isEmpty && isFirst)]
                return all.count == 2 ? settle(all, rest, worlds) : split(all, [cards[0]], rest, worlds)
            }
            let value =
                choice == .stand
                ? next(cards, 1, rest, worlds)
                : draws(rest, worlds).reduce(0) { sum, draw in
                    let hand = cards + [draw.card]
                    return sum
                        + (choice == .double ? next(hand, 2, draw.rest, draw.worlds) : split(done, hand, draw.rest, draw.worlds))
                }
            splits[key] = value
            return value
        }
    }

    /// A shoe that cannot run out, and a decision of its cards.
    private static func decision(_ random: inout RandomPlayers) -> (Decision, Composition) {
        while true {
            let ranks = (0..<4).map { _ in random.pick(Rank.allCases) } + [random.pick([.ten, .king, .nine])]
            var shoe = [.ace, .ace, .king] + (0..<(7 + random.random.below(6))).map { _ in random.pick(ranks) }
            var cards = random.random.below(8) == 0 ? [.ace, .king] : [shoe[3], random.pick([shoe[3], shoe[4], shoe[4]])]
            let isSplit = random.random.below(3) == 0 && cards[0] != .ace || cards == [.ace, .ace]
            let isBlackjack = cards == [.ace, .king]
            if !isBlackjack, random.random.below(3) == 0 { cards += shoe[5..<(6 + random.random.below(2))] }
            while shoe.reduce(0, { $0 + $1.points }) < (cards.count == 2 ? 80 : 48) {
                shoe.append(random.pick([.ten, .nine, ranks[0]]))
            }
            let decision = Decision(
                cards, up: isBlackjack ? .ace : random.pick(shoe + [.ace, .ace, .ace]),
                origin: isSplit ? (cards[0].isAce ? .splitAces : .split) : .dealt, hands: isSplit ? 2 : 1,
                isFirst: !isSplit || random.random.below(2) == 0)
            let value = cards.reduce(HandValue()) { $0.adding($1) }
            let rest = decision.rest(of: Composition(shoe))
            let isPossible = Rank.allCases.allSatisfy { rest[$0] >= 0 } && rest[10] < rest.total && rest[1] < rest.total
            if value.total < 21 || value.isTwoCard21, isPossible {
                return (decision, Composition(shoe))
            }
        }
    }

    private static func legal(_ random: inout RandomPlayers, _ decision: Decision, _ rules: HouseRules) -> ActionSet {
        let isBlackjack = decision.cards.reduce(HandValue()) { $0.adding($1) }.isTwoCard21
        if decision.cards.count == 2, decision.origin == .dealt, isBlackjack || random.random.below(2) == 0 {
            if rules.asksEarlySurrender(upCard: decision.upCard), !isBlackjack { return [.surrender, .decline] }
            if rules.insurance, decision.upCard.isAce { return [isBlackjack ? .evenMoney : .insurance, .decline] }
        }
        return decision.legalActions(under: rules)
    }

    @Test func theValueOfEachAction_isTheMeanOverEveryOrderOfTheCards() throws {
        var random = RandomPlayers()
        var counts: [Action: Int] = [:]
        for _ in 0..<(Thorough.isWanted ? 2000 : 200) {
            var rules = try random.house().with([("maxHands", .integer(2))])
            let (decision, shoe) = Self.decision(&random)
            // A pair that may be split again may become two hands.
            if decision.origin != .dealt { rules = try rules.with([("maxHands", .integer(3)), ("resplitAces", .flag(true))]) }
            let legal = Self.legal(&random, decision, rules)
            let (doubling, insuring) = (random.pick([1, 0.3]), random.pick([0.5, 0.2]))
            let found = try #require(
                decision.values(of: legal, under: rules, shoe: shoe, doubling: doubling, insuring: insuring))
            #expect(ActionSet(found.keys.map { ActionSet($0) }) == legal)
            let rest = decision.rest(of: shoe)
            let left = Rank.allCases.map { Int(rest[$0]) }
            for (action, value) in found {
                let mean = Self.mean(action, legal, decision, rules, left, doubling, insuring)
                #expect(
                    abs(value - mean) < 1e-9,
                    "\(action): \(value), not \(mean), \(decision) of \(left) left, \(rules.canonicalText)")
                counts[action, default: 0] += 1
            }
        }
        #expect(Action.allCases.allSatisfy { counts[$0, default: 0] > 0 }, "\(counts)")
    }

    /// With 9, 2, 2 and 6 it is best for the first hand to draw, since a charlie saves its bet from a blackjack. For both it is best to stand.
    @Test func aSplit_isPlayedAsIsBestForBothHands_whereACharlieSavesOnlyTheFirst() throws {
        let rules = try HouseRules([
            ("charlie", .integer(5)), ("holeCard", .text("original")), ("doubleAfterSplit", .flag(false)),
            ("maxHands", .integer(2)), ("splitBy", .text("rank")),
        ])
        let decision = Decision([.nine, .nine], up: .ace)
        let left: [Rank] = [.ace, .two, .two, .two, .two, .four, .six, .nine, .nine, .nine, .nine, .king]
        let found = decision.values(of: [.split], under: rules, shoe: Composition(left + [.nine, .nine, .ace]))
        let counts = Rank.allCases.map { rank in left.count { $0 == rank } }
        // By exact fractions; by the first hand's best strategy it would be −68809/277200.
        for value in [try #require(found?[.split]), Self.mean(.split, [.split], decision, rules, counts, 1, 0.5)] {
            #expect(abs(value - -1433 / 5775) < 1e-12, "\(value)")
        }
    }

    private static func mean(
        _ action: Action, _ legal: ActionSet, _ decision: Decision, _ rules: HouseRules, _ rest: [Int], _ doubling: Double,
        _ insuring: Double
    ) -> Double {
        let orders = Enumeration(rules, up: decision.upCard, isFirst: decision.isFirst)
        let cards = decision.cards.map { Int($0.rawValue) }
        let worlds = orders.worlds(rest)
        let known = worlds.reduce(0, +)
        // Against an ace, by drawing the hole card: 2 for 1, and 1 for a blackjack that would be paid 3:2.
        let tens = Double(rest[9...].reduce(0, +)) / Double(rest.reduce(0, +))
        switch action {
        case .insurance: return insuring * (2 * tens - (1 - tens))
        case .evenMoney: return 1 - 1.5 * (1 - tens)
        case .decline where !legal.contains(.surrender): return 0
        case .decline:
            // A dealer's blackjack takes the bet.
            let actions = decision.legalActions(under: rules).actions.filter { $0 != .surrender }
            let best = actions.map { mean($0, [], decision, rules, rest, doubling, insuring) }.max() ?? 0
            return known * best - (1 - known)
        case .surrender:
            if rules.surrender != .late || rules.holeCard == .peek { return -0.5 }
            return -0.5 * (1 + worlds.indices.reduce(0) { $0 + (orders.isBlackjack($1) ? worlds[$1] : 0) })
        case .split:
            _ = orders.best([cards[0]], rest, worlds, isSplit: true)
            return orders.split([], [cards[0]], rest, worlds) / known
        case .stand, .hit, .double: return orders.value(action, cards, rest, worlds, doubling: doubling) / known
        }
    }
}
