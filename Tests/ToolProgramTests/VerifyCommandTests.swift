import Foundation
import TestKit
import Testing

/// `bjclient verify`, as a process.
@Suite(.ownThread) struct VerifyCommandTests {
    /// A shoe of one deck that only the server shuffled: its secret and the digest of the rules are 32 zero bytes.
    private static let proof = """
        {"type":"ok","to":"proof","table":"main","shoe":1,"commitment":"\(commitment)",\
        "secret":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","contributors":[],"seen":{"table":"main","shoe":1,\
        "rules":{"decks":1,"isContinuous":false,"digest":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},\
        "commitment":"\(commitment)","orders":[],"faces":{}}}
        """
    private static let commitment = "ZZVXQ7j7g3ZIBRvy5m7SSf1qNQFpWgkzzXEqW9w3Jpk"

    private func verify(_ text: String) throws -> Tool.Ending {
        let scratch = ScratchFolder()
        return try Tool.run("bjclient", ["verify", scratch.file("proof.json", text)])
    }

    @Test func aProofWithoutAnAnnouncedOrder_isRight_andItsLimitsAreSaid() throws {
        let ending = try verify(Self.proof)
        #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
        #expect(ending.output.hasPrefix("table main, shoe 1\n1 deck\n") && !ending.output.contains("verified"))
        #expect(
            ending.output.contains("contributors: none but the server")
                && ending.output.contains("not compared: the order's digest, your contribution"))
    }

    @Test func aWrongProof_endsWith65_andTheFirstWrongThing() throws {
        for (text, fault) in [
            (Self.proof.replacing("AAAA\"", with: "AAAE\""), "the server's secret does not give its commitment"),
            (Self.proof.replacing("\"shoe\":1", with: "\"shoe\":2"), "the server's secret does not give its commitment"),
            (Self.proof.replacing("\"decks\":1", with: "\"decks\":9"), "'seen' is damaged: no client notes such 'rules'"),
            (Self.proof.replacing("\"orders\"", with: "\"order\""), "'orders' is missing"),
            (Self.proof.replacing("\"rules\"", with: "\"rule\""), "'seen' has no 'rules'"),
            (Self.proof.replacing("\"seen\"", with: "\"saw\""), "'seen' is missing"),
            ("{}", "not a proof file"), ("[", "not a JSON object"),
        ] {
            let ending = try verify(text)
            #expect(ending.status == 65 && ending.errors.contains(fault), "\(ending)")
        }
        #expect(try Tool.run("bjclient", ["verify", "/none"]).status == 74)
    }
}
