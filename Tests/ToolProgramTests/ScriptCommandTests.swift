import Foundation
import TestKit
import Testing

/// `bjclient --script` and `--json`, as the documents show them.
@Suite(.ownThread, .timeLimit(.minutes(2)))
struct ScriptCommandTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func play(_ script: String, _ options: String...) throws -> Tool.Ending {
        let file = try scratch.file("round.bj", script)
        let words = ["practice", "--bots", "0", "--seed", "7", "--name", "ann", "--script", file] + options
        return try Tool.run("bjclient", words, home: scratch.url.path)
    }

    private var page: String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appending(path: "Sources/bjclient/bjclient.docc/Playing.md")
        return (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    }

    /// Blocks of the page that are scripts.
    private var documented: [String] { page.matches(of: /```bj\n([\s\S]*?)```/).map { String($0.1) } }

    @Test func theScriptOnTheClientsPage_plays() throws {
        #expect(documented.count == 1)
        for script in documented {
            let ending = try play(script)
            #expect(ending.status == 0 && ending.errors == "", "\(ending.errors) \(ending.output)")
            #expect(ending.output.contains("The round brings you"), "\(ending.output)")
        }
    }

    @Test func thePast_isAnsweredInPractice_andNothingIsRefused() throws {
        let ending = try play("bet 10\nhistory\nstatement\n")
        #expect(ending.status == 0 && ending.errors == "", "\(ending)")
        for line in ["In practice there is no account", "You have ", "last as long as this session"] {
            #expect(ending.output.contains(line), "\(ending.output)")
        }
        #expect(!ending.output.contains("You left a hand") && !ending.output.contains("without you"), "\(ending.output)")
    }

    /// The example of a tool on the client's page plays its two rounds.
    @Test func theToolOnTheClientsPage_plays() throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        guard let python = path.split(separator: ":").map({ "\($0)/python3" }).first(where: FileManager.default.isExecutableFile)
        else { return }
        let tool = try #require(page.firstMatch(of: /```python tool.py\n([\s\S]*?)```/))
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments =
            [try scratch.file("tool.py", String(tool.1)), Tool.path("bjclient")]
            + ["practice", "--bots", "0", "--seed", "7", "--name", "ann"]
        process.environment = ["HOME": scratch.url.path, "PATH": path]
        let output = Pipe()
        process.standardOutput = output
        try process.start()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && text.contains("2 hands"), "\(text)")
    }

    @Test(arguments: ["--plain", "--json"])
    func aReaderWhoHasGone_endsTheSessionInSilence(_ option: String) throws {
        let words = ["practice", "--bots", "0", "--seed", "7", "--name", "ann", option]
        let ending = try Tool.run("bjclient", words, output: .closedPipe, home: scratch.url.path)
        #expect(ending.status == 141 && ending.errors == "", "\(ending.status) \(ending.errors)")
    }

    @Test func aLineThatFails_isNamed_withItsStatus() throws {
        let unmet = try play("bet 10\nexpect \"no such words\" within 1s")
        #expect(unmet.status == 75, "\(unmet.output)")
        #expect(
            unmet.errors.contains("round.bj, line 2 (expect \"no such words\" within 1s): not met within 1 s"), "\(unmet.errors)")
        let refused = try play("# too small\nbet 7\nbet 10")
        #expect(refused.status == 65 && refused.errors.contains("line 2 (bet 7): A bet of 7 is too small"), "\(refused.errors)")
        let wrong = try play("bett 7")
        #expect(wrong.status == 65 && wrong.errors.contains("round.bj, line 1: Unknown command 'bett'."), "\(wrong.errors)")
        let missing = try Tool.run("bjclient", ["practice", "--script", scratch.url.path + "/none"], home: scratch.url.path)
        #expect(missing.status == 66, "\(missing.errors)")
    }

    @Test func everyLineOfJSON_isAnObject_andTheLastIsTheEnd() throws {
        let ending = try play("bet 10\nexpect turn\nstand\nexpect event result", "--json")
        #expect(ending.status == 0, "\(ending.errors)")
        let objects = try ending.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let types = Set(objects.compactMap { $0["type"] as? String })
        #expect(types == ["hello", "event", "table", "link", "lobby", "command", "bye", "end"], "\(types)")
        #expect(objects.first?["type"] as? String == "hello" && objects.first?["version"] as? Int == 1)
        #expect(objects.contains { ($0["rules"] as? [String: Any])?["decks"] as? Int == 6 && $0["turn"] != nil })
        #expect(objects.last?["type"] as? String == "end" && objects.last?["status"] as? Int == 0)
        #expect(objects.contains { ($0["question"] as? [String: Any])?["legal"] != nil })
        #expect(objects.contains { $0["event"] as? String == "result" })
        #expect(objects.contains { $0["link"] as? String == "loggedIn" && $0["player"] as? String == "ann" })
    }
}
