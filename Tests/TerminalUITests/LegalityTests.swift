import ClientCore
import Rules
import Testing

@testable import TerminalUI

/// Whether the next command from a pipe is carried out, waits or is needless.
struct LegalityTests {
    private func step(_ line: String, _ scene: Scene) throws -> Legality? {
        try PlayerCommand(line: line).map(scene.view.legality)
    }

    private func scene(chips: [Int: Int] = [1: 1000, 2: 1000], cards: String = "9H 8S KD 7D 10C 5C 3S 2C") throws -> Scene {
        try Scene(me: chips.count > 1 ? "bob" : "ann", chips: chips, cards: cards, controls: .pipe)
    }

    @Test func withoutATable_everythingWaits_butHelp() throws {
        let nowhere = PlayerSession(.init(host: "", port: 0, name: .given("ann")), .pipe)
        for line in ["bet 10", "stand", "leave", "say hi", "tables", "out"] {
            #expect(try PlayerCommand(line: line).map(nowhere.legality) == .later, "\(line)")
        }
        #expect(nowhere.legality(of: .help) == .legal)
    }

    @Test func eachCommand_waitsUntilItIsLegal() throws {
        var scene = try scene()
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
        #expect(try step("hit", scene) == .needless("'hit' is not needed: the hand is over."))
        #expect(try step("leave", scene) == .legal && step("bet 10", scene) == .later, "results are shown")
        try scene.wait()
        #expect(try step("bet 10", scene) == .legal)
    }

    @Test func aMove_waitsForTheQuestionBeforeThePlay() throws {
        var scene = try scene(chips: [1: 1000], cards: "9H AS 5S 9C 5C 2D 9D KH")
        try scene.bet(1, 10)
        #expect(try step("stand", scene) == .later && step("no", scene) == .legal && step("insurance 5", scene) == .legal)
        try scene.act(1, .decline)
        #expect(try step("stand", scene) == .legal)
    }

    @Test func theEndOfTheInput_standsOpenHands_declinesQuestions_andLeavesBehindTheRound() throws {
        var scene = try scene(chips: [1: 1000], cards: "9H AS 5S 9C 5C 2D 9D KH")
        try scene.bet(1, 10)
        guard case .send(.act(.decline, seat: 1, _, _, _), _)? = scene.handle(.inputEnded(.end)).first else {
            Issue.record("the question is declined")
            return
        }
        #expect(scene.handle(.tick) == [], "once")
        for action in [Action.decline, .stand] {
            #expect(scene.view.lines.answer == .due)
            let request = PlayerSession.Request.command(.act(action), number: 0, nil)
            scene.handle(.answered(request, .success(.applied("act", at: scene.view.state.revision + 1))))
            try scene.act(1, action)
        }
        #expect(scene.view.stage == .leaving(.init(status: 0), bets: nil, until: scene.view.now + 1000))
    }

    /// The second line waits for the answer to the first, and is given up after its time.
    @Test func anUnansweredRequest_delaysAllThatNeedsTheServer() throws {
        var scene = try scene()
        let hi = PlayerSession.Request.command(.say("hi"), number: 1, nil)
        #expect(scene.handle(.line("say hi")) == [.send(.chat(text: "hi"), hi)])
        for line in ["bet 10", "say hi", "tables", "leave"] { #expect(try step(line, scene) == .later) }
        #expect(try step("help", scene) == .legal)
        #expect(scene.handle(.line("out")) == [])
        var late = scene
        #expect(late.handle(.tick, after: 180_000) == [.print("out: not possible within 180 seconds.")])
        guard case .send(.sitOut, _?)? = scene.handle(.answered(hi, .success(.done("chat")))).first else {
            Issue.record("the line behind it is carried out")
            return
        }
    }
}
