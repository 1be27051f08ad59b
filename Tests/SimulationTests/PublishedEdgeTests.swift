import Rules
import Testing

@testable import Simulation

/// Edges under basic strategy right after a shuffle, against published figures; so here every round has a fresh shoe.
///
/// Sources: [A] bj21.com, "Estimating your edge", table 4: the benchmark rules (dealer stands on soft 17, double any two cards, no
/// double after a split, no surrender) by number of decks, and 0.14 for doubling after a split. [B] gamblingonlinemagazine.com, "A
/// blackjack basic strategy primer": two decks with double after split 0.194, one deck with soft 17 hit 0.19, one deck with doubles on 9
/// to 11 only 0.13. Both give the house's edge in per cent, rounded as printed.
@Suite
struct PublishedEdgeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var changes: [(String, RuleValue)]
        /// The player's, in per cent.
        var edge: Double
        var source: String
        var testDescription: String { "\(changes.map { "\($0.0) \($0.1)" }.joined(separator: ", ")): \(edge) % [\(source)]" }
    }

    static let cases: [Case] = [
        Case(changes: [("decks", .integer(1)), ("doubleAfterSplit", .flag(false))], edge: 0.01, source: "A"),
        Case(changes: [("decks", .integer(2)), ("doubleAfterSplit", .flag(false))], edge: -0.32, source: "A"),
        Case(changes: [("decks", .integer(4)), ("doubleAfterSplit", .flag(false))], edge: -0.49, source: "A"),
        Case(changes: [("decks", .integer(6)), ("doubleAfterSplit", .flag(false))], edge: -0.54, source: "A"),
        Case(changes: [("decks", .integer(8)), ("doubleAfterSplit", .flag(false))], edge: -0.57, source: "A"),
        Case(changes: [("decks", .integer(6))], edge: -0.40, source: "A"),
        Case(changes: [("decks", .integer(2))], edge: -0.194, source: "B"),
        Case(
            changes: [("decks", .integer(1)), ("doubleAfterSplit", .flag(false)), ("soft17", .text("hit"))], edge: -0.19,
            source: "B"),
        Case(
            changes: [("decks", .integer(1)), ("doubleAfterSplit", .flag(false)), ("double", .text("9-11"))], edge: -0.13,
            source: "B"),
    ]

    @Test(arguments: cases)
    func theEdge_isWithinThreeStandardErrors_ofThePublishedOne(published: Case) throws {
        let rules = try HouseRules(published.changes + [("continuousShuffle", .flag(true))])
        let simulator = try Simulator(
            rules: rules, chart: StrategyChart(basicFor: rules), rounds: 6000, seed: 20_261_121, seats: 3)
        let result = simulator.run()
        let distance = abs(result.edge * 100 - published.edge)
        #expect(distance < 3 * result.standardError * 100 + 0.05, "\(result.edge * 100) % ± \(result.standardError * 100)")
    }
}
