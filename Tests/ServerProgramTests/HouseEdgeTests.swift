import Rules
import Testing

@testable import bjserver

/// The last sentence of `bjserver rules`.
@Test func theHouseEdge_isThatOfTheBestChart() throws {
    let rules = try HouseRules([("continuousShuffle", .flag(true))])
    // The exact edge is −0.004059224177; without a cut card there is no other.
    #expect(
        HouseEdge.sentence(for: rules)
            == "The house wins 0.4059 % of the bets of a player who plays the best chart in a fresh shoe (exact).")
}
