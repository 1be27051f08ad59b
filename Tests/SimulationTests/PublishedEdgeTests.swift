import Rules
import TestKit
import Testing

@testable import Odds

/// Edges under basic strategy right after a shuffle, against published figures: a small case of the table on the module's page.
///
/// Shoes are shuffled early rather than every round: faster, and equivalent at this size.
@Suite
struct PublishedEdgeTests {
    /// Every third of them, as a rule: to derive a chart is most of the work.
    private static let cases = PublishedEdge.all.enumerated().filter { Thorough.isWanted || $0.offset % 3 == 0 }.map(\.element)

    @Test(arguments: cases)
    func theEdge_isWithinThreeStandardErrors_ofThePublishedOne(published: PublishedEdge) throws {
        let rules = try HouseRules(published.changes + [("penetration", .number(0.3))])
        let simulator = try Simulator(
            rules: rules, chart: StrategyChart(derivedFor: rules), rounds: 12_000, seed: 20_261_121)
        let result = simulator.run()
        #expect(result.initialBets == 12_000 * 10)
        let distance = abs(result.edge * 100 - published.edge)
        let error = result.standardError * 100
        #expect(distance < 3 * error + published.allowance, "\(result.edge * 100) % ± \(error)")
        #expect(error < 1.1, "the case is large enough to say something")
    }
}
