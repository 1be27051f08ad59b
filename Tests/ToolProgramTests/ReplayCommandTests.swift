import Foundation
import TestKit
import Testing

@Suite(.ownThread, .timeLimit(.minutes(2)))
struct ReplayCommandTests {
    private let scratch = ScratchFolder()

    private func replay(_ text: String, _ options: String...) throws -> Tool.Ending {
        let path = scratch.path + "/evening.txt"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return try Tool.run("bjclient", ["replay", path] + options, input: "", environment: ["HOME": scratch.path])
    }

    @Test func aRecording_isPrinted_andABadOneIsRefusedByItsLine() throws {
        let text = """
            # blackjack recording 1
            # \u{1B}[31mred
            0 < {"type":"snapshot","table":"main","epoch":"e","rev":1,"items":{"round":3,"phase":"waiting"}}

            """
        let good = try replay(text)
        #expect(
            good.status == 0 && good.errors == "" && good.output == "?[31mred\nTable main, round 3, waiting for bets.\n",
            "\(good)")
        #expect(try replay(text, "--from", "3").output == "Table main, round 3, waiting for bets.\n")
        for (bad, options, words) in [
            (text + "5 < {", [], "line 4: cut: the line has no end"), ("binary\0", [], "line 1: not a recording"),
            (text, ["--from", "4"], "there is no round 4"),
        ] {
            let ending = try replay(bad, options.first ?? "--plain", options.last ?? "--plain")
            #expect(ending.status == 65 && ending.output == "" && ending.errors.contains(words), "\(ending)")
        }
        #expect(try Tool.run("bjclient", ["replay", scratch.path + "/none"], input: "").status == 74)
    }
}
