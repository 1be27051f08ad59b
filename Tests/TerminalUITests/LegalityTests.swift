import ClientCore
import Testing

@testable import TerminalUI

/// Whether the next command from a pipe is carried out, waits or is needless.
struct LegalityTests {
    private func step(_ line: String, _ scene: Scene, _ progress: Legality.Progress = .init()) throws -> Legality? {
        try PlayerCommand(line: line)?.legality(in: scene.view.client, progress)
    }

    @Test func withoutATable_everythingWaits_butHelp() throws {
        let nowhere = ClientState()
        for line in ["bet 10", "stand", "leave", "say hi", "tables", "out"] {
            #expect(try PlayerCommand(line: line)?.legality(in: nowhere) == .later, "\(line)")
        }
        #expect(PlayerCommand.help.legality(in: nowhere) == .legal)
    }

    @Test func eachCommand_waitsUntilItIsLegal() throws {
        var scene = try Scene(me: "bob", cards: "9H 8S KD 7D 10C 5C 3S 2C")
        #expect(try step("bet 10", scene) == .legal && step("stand", scene) == .legal, "the server refuses a stand without a bet")
        try scene.bet(2, 25)
        #expect(try step("stand", scene) == .later && step("leave", scene) == .later && step("say hi", scene) == .legal)
        try scene.bet(1, 10)
        #expect(try step("stand", scene) == .later && step("bet 10", scene) == .later, "it is ann's turn")
        try scene.act(1, .stand)
        #expect(try step("stand", scene) == .legal && step("split", scene) == .legal, "a split is refused by the server")
        #expect(try step("no", scene) == .needless("'no' is not needed: there is no question."))
        #expect(try step("leave", scene) == .later && step("bet 10", scene) == .later)
        try scene.act(2, .stand)
        var progress = Legality.Progress()
        progress.hasHandEnded = true
        #expect(try step("hit", scene, progress) == .needless("'hit' is not needed: the hand is over."))
        #expect(try step("leave", scene, progress) == .legal && step("bet 10", scene, progress) == .later, "results are shown")
        try scene.wait()
        #expect(try step("bet 10", scene, progress) == .legal)
    }

    @Test func aMove_waitsForTheQuestionBeforeThePlay() throws {
        var scene = try Scene(chips: [1: 1000], cards: "9H AS 5S 9C 5C 2D 9D KH")
        try scene.bet(1, 10)
        #expect(try step("stand", scene) == .later && step("no", scene) == .legal && step("insurance 5", scene) == .legal)
        try scene.act(1, .decline)
        #expect(try step("stand", scene) == .legal)
    }

    @Test func anUnansweredRequest_delaysAllThatNeedsTheServer() throws {
        let scene = try Scene(me: "bob", cards: "9H 8S KD 7D 10C 5C 3S 2C")
        var progress = Legality.Progress()
        progress.isAnswerDue = true
        for line in ["bet 10", "say hi", "tables", "leave"] { #expect(try step(line, scene, progress) == .later) }
        #expect(try step("help", scene, progress) == .legal)
    }
}
