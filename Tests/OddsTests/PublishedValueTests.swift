import Rules
import Testing

@testable import Odds

/// The solver's values against published ones.
@Suite
struct PublishedValueTests {
    /// As good as an infinite deck: the difference is in the seventh place.
    private static let infinite = ExpectedValues(for: HouseRules(), decks: 1_000_000)

    @Test func standing_isWorthWhatIsPublished_forAnInfiniteDeck() {
        for (total, values) in PublishedValues.standing {
            for (column, value) in values.enumerated() {
                let found = Self.infinite[.hard(total), column == 9 ? 1 : column + 2].stand
                #expect(abs(found - value) < 0.000_051, "\(total) against column \(column): \(found)")
            }
        }
        for total in 5...15 {
            for up in 1...10 {
                #expect(abs(Self.infinite[.hard(total), up].stand - Self.infinite[.hard(16), up].stand) < 1e-5)
            }
        }
    }

    @Test func wellKnownCells_areWorthWhatIsPublished_forAnInfiniteDeck() {
        for (row, up, action, value) in PublishedValues.infinite {
            let found = Self.infinite[row, up][action] ?? 9
            #expect(abs(found - value) < 2e-6, "\(row.text) against \(up), \(action): \(found)")
        }
    }

    @Test func theEdge_isThePublishedOne_forAnInfiniteDeck() {
        #expect(abs(100 * Self.infinite.edge - PublishedValues.infiniteEdge) < 1e-4, "\(100 * Self.infinite.edge)")
    }

    /// The solver's player draws by the shoe's proportions after the first two cards, the published one without replacement.
    @Test func twoCardHands_areWorthWhatIsPublished_forFiniteDecks() throws {
        for game in PublishedValues.games {
            let rules = try HouseRules(game.changes)
            let dealer = DealerPaths(up: 1, rules: rules)
            for (first, second, values) in game.againstAnAce {
                var shoe = Composition(decks: game.decks)
                for card in [first, second, 1] { shoe.remove(card) }
                let hand = HandValue().adding(Rank(points: first)).adding(Rank(points: second))
                let found = HandSolver(rules: rules, shoe: shoe, up: 1, dealer: dealer).values(hand, pair: nil)
                for (action, value) in zip([Action.stand, .hit, .double], values) {
                    let error = abs((found[action] ?? 9) - value)
                    // Standing is exact; the module's page gives the other bound.
                    let bound = action == .stand ? 1e-6 : 0.018 / Double(game.decks)
                    #expect(error < bound, "\(game.name): \(first), \(second), \(action): \(error)")
                }
            }
        }
    }

    @Test(arguments: PublishedValues.games.indices)
    func theEdge_isThePublishedOne(_ index: Int) throws {
        let game = PublishedValues.games[index]
        for (isDoubled, published) in [(true, game.edges.0), (false, game.edges.1)] {
            let rules = try HouseRules(game.changes + [("doubleAfterSplit", .flag(isDoubled))])
            let edge = 100 * ExpectedValues(for: rules).edge
            #expect(abs(edge - published) < 0.018 / Double(game.decks), "\(game.name): \(edge), published \(published)")
        }
    }
}
