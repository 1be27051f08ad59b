import ClientCore
import Testing
import Wire

@testable import TerminalUI

/// The screen of a server that does not answer.
struct HonestLinkTests {
    private func silence(_ scene: inout Scene, _ since: Int64?) {
        scene.update(.silence) { $0.silentSince = since }
    }

    @Test func aSilentServer_isSaid_andNoKeyThatNeedsItIsOffered() throws {
        var scene = try Scene.playing()
        silence(&scene, scene.view.now - 4000)
        let text = scene.frame(80, 24).text
        #expect(text.contains("No answer: last heard 4 s ago."))
        #expect(!text.contains("h hit") && !text.contains("talk"))
        #expect(scene.view.secondsLeft == nil && !text.contains("15 s"), "no clock that stands still")
        for key in "hsdt".unicodeScalars { #expect(scene.refuses(.character(key))) }
        #expect(scene.press(.character("q")) == .perform(.leave), "leaving works")
        #expect(scene.frame(80, 24).text.contains("last heard 4 s ago. Leave anyway?"), "and promises nothing")
        _ = scene.press(.escape)
        silence(&scene, nil)
        #expect(scene.view.silentSeconds == nil && scene.frame(80, 24).text.contains("h hit"))
    }

    @Test func aSlowRoundTrip_isShown() throws {
        var scene = try Scene.playing()
        for (time, isShown) in [(nil, false), (12, false), (320, true)] as [(Int64?, Bool)] {
            scene.edit { $0.state.roundTrip = time }
            #expect(scene.frame(80, 24).text.contains("answers take 320 ms") == isShown)
        }
    }

    @Test func aRequestWithoutAnAnswer_isMarked_onceItIsLate() throws {
        var scene = try Scene.playing()
        var numbers: [Int] = []
        scene.edit {
            numbers.append($0.pending.sent(.bet(25), at: $0.now))
            for _ in 0..<2 { numbers.append($0.pending.sent(.say("hi"), at: $0.now)) }
        }
        #expect(!scene.frame(80, 24).text.contains("pending"))
        scene.handle(.tick, after: 299)
        #expect(!scene.frame(80, 24).text.contains("pending"))
        scene.handle(.tick, after: 1)
        #expect(scene.frame(80, 24).text.contains("pending: bet 25, talk, talk"))
        scene.edit { view in for number in numbers { view.pending.answered(number) } }
        #expect(!scene.frame(80, 24).text.contains("pending"))
    }

    @Test func silence_isSaidOnce_andItsEnd() {
        var silent = ClientState()
        silent.silentSince = 5
        #expect(told(.silence, to: silent) == ["The server does not answer: requests wait."])
        #expect(told(.silence, from: silent, to: ClientState()) == ["The server answers again."])
    }

    @Test func aResult_doesNotHideThatTheConnectionIsLost() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C")
        try scene.bet(1, 10)
        try scene.act(1, .stand)
        #expect(scene.frame(80, 24).text.contains("WIN +10"))
        scene.edit { $0.state.link = .lost(.silence) }
        #expect(scene.frame(80, 24).text.contains("reconnecting ..."))
    }
}
