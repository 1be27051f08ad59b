import Rules
import Testing

@testable import bjserver

/// The last sentence of `bjserver rules`.
@Test func theHouseEdge_isThatOfTheBestChart() throws {
    // The exact edge is −0.004059224177.
    let rules = HouseRules()
    #expect(
        HouseEdge.sentence(for: rules)
            == "The house wins 0.4059% of each bet of 10, by the best strategy chart in a fresh shoe (exact).")
    let small = try rules.with([("minimumBet", .integer(5))])
    #expect(
        HouseEdge.sentence(for: small) == """
            The player wins 0.0473% of each bet of 5, by the best strategy chart in a fresh shoe (exact).
            Note: the player wins 0.0473% of bets of 5, since payments are rounded up: betStep 10 avoids that.
            """)
}
