import ClientCore
import ClientSession
import Testing

@testable import TerminalUI

/// Whether a script's next command is carried out, waits or is needless.
struct ScriptStepTests {
    private func step(_ line: String, _ scene: Scene, _ progress: ScriptStep.Progress = .init()) throws -> ScriptStep? {
        try PlainCommand(line: line).map { ScriptStep($0, in: scene.view.client, progress) }
    }

    @Test func withoutATable_everythingWaits_butHelp() throws {
        let nowhere = ClientState()
        for line in ["bet 10", "stand", "leave", "say hi", "tables", "out"] {
            #expect(try PlainCommand(line: line).map { ScriptStep($0, in: nowhere, .init()) } == .wait, "\(line)")
        }
        #expect(ScriptStep(.help, in: nowhere, .init()) == .now)
    }

    @Test func eachCommand_waitsUntilItIsLegal() throws {
        var scene = try Scene(me: "bob", cards: "9H 8S KD 7D 10C 5C 3S 2C")
        #expect(try step("bet 10", scene) == .now && step("stand", scene) == .now, "the server refuses a stand without a bet")
        try scene.bet(2, 25)
        #expect(try step("stand", scene) == .wait && step("leave", scene) == .wait && step("say hi", scene) == .now)
        try scene.bet(1, 10)
        #expect(try step("stand", scene) == .wait && step("bet 10", scene) == .wait, "it is ann's turn")
        try scene.act(1, .stand)
        #expect(try step("stand", scene) == .now && step("split", scene) == .now, "a split is refused by the server")
        #expect(try step("no", scene) == .skip("'no' is not needed: there is no question."))
        #expect(try step("leave", scene) == .wait && step("bet 10", scene) == .wait)
        try scene.act(2, .stand)
        var progress = ScriptStep.Progress()
        progress.hasHandEnded = true
        #expect(try step("hit", scene, progress) == .skip("'hit' is not needed: the hand is over."))
        #expect(try step("leave", scene, progress) == .now && step("bet 10", scene, progress) == .wait, "results are shown")
        try scene.wait()
        #expect(try step("bet 10", scene, progress) == .now)
    }

    @Test func aMove_waitsForTheQuestionBeforeThePlay() throws {
        var scene = try Scene(chips: [1: 1000], cards: "9H AS 5S 9C 5C 2D 9D KH")
        try scene.bet(1, 10)
        #expect(try step("stand", scene) == .wait && step("no", scene) == .now && step("insurance 5", scene) == .now)
        try scene.act(1, .decline)
        #expect(try step("stand", scene) == .now)
    }

    @Test func anUnansweredRequest_delaysMoves_andAQuestionDelaysLeaving() throws {
        let scene = try Scene(me: "bob", cards: "9H 8S KD 7D 10C 5C 3S 2C")
        var progress = ScriptStep.Progress()
        progress.isAnswerDue = true
        #expect(try step("bet 10", scene, progress) == .wait && step("say hi", scene, progress) == .now)
        progress = .init()
        progress.questions = 1
        #expect(try step("bet 10", scene, progress) == .now && step("leave", scene, progress) == .wait)
    }
}
