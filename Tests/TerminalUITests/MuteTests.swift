import ClientCore
import Testing
import Wire

@testable import TerminalUI

struct MuteTests {
    private func heard(_ name: String, _ muted: MuteList) -> [String] {
        told(.chat(ChatLine(sequence: 1, name: name, text: "hello", time: 0)), muted: muted)
    }

    @Test func whatAMutedPlayerSays_isNotShown_untilUnmuted() {
        var muted = MuteList()
        #expect(heard("Bob", muted) == ["Bob: hello"])
        #expect(muted.mute("bob") == "bob is muted: their chat is not shown.")
        #expect(heard("Bob", muted).isEmpty && heard("B0b", muted).isEmpty, "however it is spelled, and what looks like it")
        #expect(heard("ann", muted) == ["ann: hello"])
        #expect(muted.unmute("BOB") == "BOB is no longer muted.")
        #expect(heard("Bob", muted) == ["Bob: hello"])
    }

    @Test func whoIsNotMuted_cannotBeUnmuted() {
        var muted = MuteList()
        #expect(muted.unmute("bob") == "bob is not muted.")
    }

    @Test func onTheScreen_aSlashMutes_andIsNeverSaid() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C")
        func type(_ text: String) -> Intent? {
            _ = scene.press(.character("t"))
            for scalar in text.unicodeScalars { _ = scene.press(.character(scalar)) }
            return scene.press(.enter)
        }
        #expect(type("/mute bob") == .perform(.mute("bob")) && scene.view.draft == nil)
        #expect(type("/unmute bob") == .perform(.unmute("bob")))
        #expect(type("/mtue bob") == .refuse("Unknown command '/mtue'. '/help' lists the commands."))
        #expect(scene.view.draft == "/", "the next word is not appended to it")
        #expect(scene.press(.escape) == .hush)
    }
}
