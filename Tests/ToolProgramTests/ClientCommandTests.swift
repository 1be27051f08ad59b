import Foundation
import TestKit
import Testing

private func line(_ name: String, _ digits: String = String(repeating: "5e", count: 32)) -> String {
    #"{"house":"00000000000000aa","name":"\#(name)","secret":"\#(digits)","server":"example.org:2121","used":0}"#
}

/// `bjclient accounts`, as processes.
@Suite(.ownThread) struct AccountCommandTests {
    private func run(_ words: [String], _ home: ScratchFolder) throws -> Tool.Ending {
        try Tool.run("bjclient", ["accounts"] + words, environment: ["HOME": home.path])
    }

    @Test func processesAtTheSameTime_loseNobodysAccount() throws {
        let home = ScratchFolder()
        let processes = try (1...12).map { number in
            let file = try home.file("\(number).json", line("p\(number)"))
            let process = Tool.process("bjclient", ["accounts", "import", file], environment: ["HOME": home.path])
            process.standardOutput = FileHandle.nullDevice
            try process.start()
            return process
        }
        for process in processes {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let listed = try run([], home)
        #expect(listed.status == 0 && listed.output.split(separator: "\n").count == 12)
        #expect(!listed.output.contains("5e5e") && listed.output.contains("example.org:2121  p7  house 00000000000000aa"))
    }

    @Test func anExportedAccount_isImportedAsItIs() throws {
        let (home, other) = (ScratchFolder(), ScratchFolder())
        let file = try home.file("ann.json", line("ann", String(repeating: "0a", count: 32)))
        #expect(try run(["import", file, "--server", "[::1]:7"], home).status == 0)
        let exported = try run(["export", "ann"], home)
        #expect(exported.status == 0 && exported.output.contains(#""server":"[::1]:7""#))
        #expect(try run(["import", file, "--server", "[::1]:8"], home).status == 0)
        let again = try run(["export", "ann"], home)
        #expect(again.status == 0, "one account at two addresses: \(again)")
        let copy = try other.file("copy.json", exported.output)
        #expect(try run(["import", copy], other).status == 0)
        #expect(try run(["export", "ann"], other).output == exported.output)
        let another = try home.file("another.json", line("ann").replacing("example.org:2121", with: "[::1]:7"))
        let refused = try run(["import", another], other)
        #expect(refused.status == 65 && refused.errors.contains("'ann' is here with another secret"), "\(refused)")
        #expect(try run(["export", "ann"], other).output == exported.output)
        #expect(try run(["import", another, "--replace"], other).status == 0)
    }

    @Test func whatATerminalObeys_isShownAsItsCode() throws {
        let home = ScratchFolder()
        let hostile = line("ann").replacing("example.org", with: #"\u001b[2Jexa\u202emple.org"#)
        let imported = try run(["import", home.file("h.json", hostile)], home)
        let listed = try run([], home)
        #expect(imported.status == 0 && imported.output == listed.output)
        #expect(listed.output.hasPrefix(#"\u{1b}[2Jexa\u{202e}mple.org:2121  ann"#), "\(listed.output)")
        let exported = try run(["export", "ann"], home)
        #expect(
            exported.output.contains(#"\u202emple.org"#)
                && exported.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
        let again = try run(["import", home.file("e.json", exported.output)], home)
        #expect(again.output == listed.output, "the line is the same account")
    }

    @Test func mistakes_areNamed() throws {
        let home = ScratchFolder()
        let file = try home.file("none.json", "{}")
        for (arguments, status, reason) in [
            (["export", "ann"], 65, "no account 'ann'"), (["import", file], 65, "not a line of 'bjclient accounts export'"),
            (["import", "/nowhere"], 74, "/nowhere"), (["export"], 64, "export requires a NAME"),
            (["list", "ann"], 64, "list takes no argument, but got 'ann'"),
        ] as [([String], Int32, String)] {
            let ending = try run(arguments, home)
            #expect(ending.status == status && ending.errors.contains(reason), "\(arguments): \(ending)")
        }
        let empty = try run([], home)
        #expect(empty.status == 0 && empty.output.isEmpty && empty.errors.contains("no accounts yet"))
    }
}

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
            (Self.proof.replacing("AAAA\"", with: "AAAE\""), "the server's secret does not match its commitment"),
            (Self.proof.replacing("\"shoe\":1", with: "\"shoe\":2"), "the server's secret does not match its commitment"),
            (Self.proof.replacing("\"decks\":1", with: "\"decks\":9"), "'seen' is damaged: 'rules' is invalid"),
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
