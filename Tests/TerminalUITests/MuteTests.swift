import ClientCore
import Testing
import Wire

@testable import TerminalUI

struct MuteTests {
    private func heard(_ name: String, _ muted: MuteList) -> [String] {
        let state = ClientState()
        let update = ClientUpdate(state: state, event: .chat(ChatLine(sequence: 1, name: name, text: "hello", time: 0)))
        return LinkNarrator(wording: Wording(suits: .words), muted: muted).sentences(from: state, to: update).map(\.text.text)
    }

    @Test func whatAMutedPlayerSays_isNotShown_untilUnmuted() {
        var muted = MuteList()
        #expect(heard("Bob", muted) == ["Bob: hello"])
        #expect(muted.apply(.mute("bob")) == .success("bob is muted: their chat is not shown."))
        #expect(heard("Bob", muted).isEmpty && heard("B0b", muted).isEmpty, "however it is spelled, and what looks like it")
        #expect(heard("ann", muted) == ["ann: hello"])
        #expect(muted.apply(.unmute("BOB")) == .success("BOB is no longer muted."))
        #expect(heard("Bob", muted) == ["Bob: hello"])
    }

    @Test func whatCannotBeDone_isSaid() {
        var muted = MuteList()
        #expect(muted.apply(.unmute("bob")) == .failure(.init(text: "bob is not muted.")))
        #expect(muted.apply(.mute("")) == .failure(.init(text: "'' is not a player's name.")))
        for number in 0..<MuteList.capacity { _ = muted.apply(.mute("player\(number + 1000)")) }
        let before = muted
        #expect(throws: MuteList.Misunderstanding.self) { try muted.apply(.mute("one too many")).get() }
        #expect(muted == before)
    }

    @Test func onTheScreen_aSlashMutes_andIsNeverSaid() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C")
        func type(_ text: String) -> Intent? {
            _ = scene.press(.character("t"))
            for scalar in text.unicodeScalars { _ = scene.press(.character(scalar)) }
            return scene.press(.enter)
        }
        #expect(type("/mute bob") == .mute(.mute("bob")))
        #expect(scene.view.draft == nil && scene.view.muted.contains("bob"))
        #expect(scene.view.messages.last?.text.text == "bob is muted: their chat is not shown.")
        #expect(type("/unmute bob") == .mute(.unmute("bob")) && !scene.view.muted.contains("bob"))
        #expect(type("/mtue bob") == .refuse(SlashCommand.misunderstanding(of: "/mtue bob")) && scene.view.draft == "/mtue bob")
        #expect(scene.press(.escape) == .hush)
    }
}
