import Rules
import Testing

@testable import Odds

struct CompositionPlayTests {
    @Test(arguments: ["single-deck", "downtown"])
    func play_isTheBestActionOfEachHand(_ preset: String) throws {
        let rules = try HouseRules(preset: preset)
        let (best, shoe) = (CompositionPlay(under: rules), Composition(decks: rules.decks))
        for up in [Rank.two, .six, .ten, .ace] {
            let hands: [[Rank]] = [
                [.ten, .two], [.ten, .six], [.nine, .seven], [.seven, .seven], [.eight, .eight], [.ace, .seven], [.ace, .ace],
                [.six, .five], [.five, .five], [.four, .two, .ten], [.ace, .three, .four], [.five, .three, .eight],
            ]
            for cards in hands {
                let decision = Decision(cards, up: up)
                let legal = decision.legalActions(under: rules)
                let values = try #require(decision.values(of: legal, under: rules, shoe: shoe))
                let code = cards.reduce(0) { $0 + CompositionPlay.code(of: $1) }
                let chosen = best.action(of: code, up: up, legal: legal)
                #expect((values[chosen] ?? -9) > (values.values.max() ?? 0) - 1e-9, "\(cards) \(up): \(chosen)")
                // The best of the allowed actions is played.
                let others = legal.subtracting(ActionSet(chosen))
                #expect((values[best.action(of: code, up: up, legal: others)] ?? -9) < (values[chosen] ?? 0) + 1e-9)
            }
        }
    }

    @Test func aCardThatNobodyKnows_changesNothing_soTheEffectsOfRemovalAddUpToNothing() {
        let (rules, shoe) = (HouseRules(), Composition(decks: 6))
        let chart = StrategyChart(derivedFor: rules)
        let edge = Edge(of: chart, under: rules).total
        let effects = (1...10).map { points -> Double in
            var less = shoe
            less[Rank(points: points)] -= 1
            return Edge(of: chart, under: rules, shoe: less).total - edge
        }
        #expect(abs(zip(effects, 1...10).reduce(0) { $0 + $1.0 * shoe[$1.1] }) < 1e-9)
    }

    /// Wizard of Odds, blackjack appendix 7: six decks, a pair split once, the best play of each shoe; late surrender, which it does not name.
    @Test(arguments: [(Rank.five, 0.141), (.ten, -0.091)])
    func theEffectOfRemoval_isThePublishedOne(_ card: Rank, _ percent: Double) throws {
        let rules = try HouseRules().with([("maxHands", .integer(2)), ("surrender", .text("late"))])
        var shoe = Composition(decks: 6)
        let edge = Edge(ofBestPlayUnder: rules, shoe: shoe).total
        shoe[card] -= 1
        #expect(abs(100 * (Edge(ofBestPlayUnder: rules, shoe: shoe).total - edge) - percent) < 0.003)
    }
}
