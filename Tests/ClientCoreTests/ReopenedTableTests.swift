import ClientCore
import Fairness
import TestKit
import Testing
import Wire

/// A table that was closed and opened again under its name.
struct ReopenedTableTests {
    /// Found by `bjbots simulate-system`.
    @Test func theProofOfAnEarlierTablesShoe_isNotHeldAgainstTheTableOfTheSameName() throws {
        var house = try ShoeHouse(contributes: false)
        house.answers = false
        for _ in 0..<2 {
            house.start()
        }
        house.loseEverything()
        house.ceremony()
        house.shuffle()
        var session = house.session
        let proof = try #require(house.proof)
        let findings = session.take(.success(.proof(proof)), to: .proof(table: "main", shoe: 1), at: house.now)
        #expect(proof.shoe == 1 && !findings.contains { if case .found(.contradicted) = $0 { true } else { false } })
    }
}
