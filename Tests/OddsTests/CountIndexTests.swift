import Rules
import TestKit
import Testing

@testable import Odds

/// True counts at which plays change, beside the published ones.
struct CountIndexTests {
    /// For six decks, soft 17 stood on and double after a split: the published number, and ours as on the page of Odds.
    ///
    /// Source: Schlesinger, Blackjack Attack: the "Illustrious 18" without insurance, and the "Fab 4" of late surrender. Hi-Lo.
    private static let plays: [(row: StrategyChart.Row, up: Int, play: StrategyChart.Play, published: Double, ours: Double)] = [
        (.hard(16), 10, .stand, 0, 0.4), (.hard(15), 10, .stand, 4, 4.0), (.pair(10), 5, .split, 5, 4.7),
        (.pair(10), 6, .split, 4, 4.4), (.hard(10), 10, .doubleElseHit, 4, 3.6), (.hard(12), 3, .stand, 2, 1.7),
        (.hard(12), 2, .stand, 3, 3.4), (.hard(11), 1, .doubleElseHit, 1, 0.8), (.hard(9), 2, .doubleElseHit, 1, 0.9),
        (.hard(10), 1, .doubleElseHit, 4, 3.4), (.hard(9), 7, .doubleElseHit, 3, 3.3), (.hard(16), 9, .stand, 5, 4.9),
        (.hard(13), 2, .stand, -1, -0.8), (.hard(12), 4, .stand, 0, 0.2), (.hard(12), 5, .stand, -2, -1.5),
        (.hard(12), 6, .stand, -1, -0.9), (.hard(13), 3, .stand, -2, -2.2), (.hard(14), 10, .surrenderElseHit, 3, 3.1),
        (.hard(15), 10, .surrenderElseHit, 0, -0.4), (.hard(15), 9, .surrenderElseHit, 2, 2.2),
        (.hard(15), 1, .surrenderElseHit, 1, 1.4),
    ]

    private static func system(_ name: String) throws -> CountingSystem { try #require(CountingSystem(name: name)) }

    @Test func thePublishedIndexes_areOurs_toTheNextWholeCount() throws {
        let houses = try ["none", "late"].map { try HouseRules([("surrender", .text($0))]) }
        let solvers = try houses.map { IndexSolver(try Self.system("hi-lo"), $0) }
        for known in Self.plays {
            let solver = solvers[known.play == .surrenderElseHit ? 1 : 0]
            let plays = solver.cell(known.row, known.up).plays
            let found = try #require(plays.first { $0.play == known.play }?.from)
            #expect(abs(found - known.ours) < 0.051 && abs(found - known.published) < 0.7, "\(known): \(plays)")
        }
        // Insurance with one, two and six decks.
        for (decks, published) in [(1, 1.4), (2, 2.4), (6, 3.0)] {
            let rules = try HouseRules([("decks", .integer(decks))])
            let found = IndexSolver(try Self.system("hi-lo"), rules).insurance ?? 99
            #expect(abs(found - published) < 0.05, "\(found)")
        }
    }

    @Test func theCardsNotSeen_haveTheCount_andWithNoneKnownTheTagsAlone() throws {
        for system in CountingSystem.all where system.isBalanced {
            let solver = IndexSolver(system, HouseRules())
            let squares = system.tags.reduce(0.0) { $0 + Double($1 * $1) }
            for count in [-10.0, 2.5, 10] {
                let plain = solver.unseen(at: count, knowing: [])
                let known = solver.unseen(at: count, knowing: [.ten, .six, .ace])
                for rank in Rank.allCases {
                    let tag = Double(system.tags[Int(rank.rawValue)])
                    #expect(abs(plain[rank] - 3 * (4 - count * tag / squares)) < 1e-12 && known[rank] > 0)
                }
                let tags = Rank.allCases.reduce(0) { $0 + known[$1] * Double(system.tags[Int($1.rawValue)]) }
                #expect(abs(known.total - 156) < 1e-9 && abs(tags + 3 * count) < 1e-9)
            }
        }
    }

    @Test func systems_haveATagForEachRank_andOneIsUnbalanced() throws {
        #expect(CountingSystem.all.map(\.name) == ["hi-lo", "hi-opt-1", "hi-opt-2", "omega-2", "zen", "ko"])
        #expect(CountingSystem.all.allSatisfy { $0.tags.count == 13 && $0.isBalanced == ($0.name != "ko") })
        #expect(CountingSystem(name: "hilo") == nil)
        // An ace, two fives and three kings.
        #expect(try Self.system("zen").runningCount(of: [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3]) == -3)
    }
}
