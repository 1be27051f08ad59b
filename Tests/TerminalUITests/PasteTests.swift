import TestKit
import Testing
import Wire

@testable import TerminalUI

/// Pasted text is text: in an input that is open, and nowhere a key.
struct PasteTests {
    private func pasted(_ text: String) -> [UInt8] { Array("\u{1B}[200~\(text)\u{1B}[201~".utf8) }

    @Test func aPaste_isOneKey_whereverTheBytesAreCut() {
        let texts = ["hi\nds", "", "\u{1B}[A\u{1B}", "\u{1B}[201", "é王🎲\r\n", "\u{1B}\u{1B}[201x", "[201~"]
        for text in texts {
            let bytes = Array("a".utf8) + pasted(text) + Array("b".utf8)
            for cut in 0...bytes.count {
                var parser = KeyParser()
                let keys = parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...])
                #expect(keys == [.character("a"), .paste(text), .character("b")], "\(text.debugDescription) cut at \(cut)")
            }
        }
    }

    @Test func aPasteWithoutItsEnd_endsBySilence_andALongOneIsCut() {
        var parser = KeyParser()
        #expect(parser.feed(Array("\u{1B}[200~sd".utf8)).isEmpty && parser.timeout == 1000)
        #expect(parser.flush() == [.paste("sd")] && parser.feed(Array("s\u{1B}[201~".utf8)) == [.character("s")])
        let long = parser.feed(pasted(String(repeating: "x", count: 100_000)))
        #expect(long == [.paste(String(repeating: "x", count: KeyParser.longestPaste))])
    }

    @Test func twoPastedLines_areOneLineOfChat_andNeverAMove() throws {
        var scene = try Scene.playing()
        #expect(scene.refuses(.paste("good luck\nsdh\n")) && scene.press(.paste("good luck\nsdh\n")) != nil)
        #expect(scene.view.messages.last?.text.text == "A paste is text, not keys: 't' opens a line to talk.")
        #expect(scene.press(.character("q")) == .perform(.leave) && scene.refuses(.paste("q\ny")), "nor does it leave")
        #expect(scene.press(.character("n")) == .show(.table))
        _ = scene.press(.character("t"))
        _ = scene.press(.paste("good luck\r\n\tsdh\n"))
        #expect(scene.view.draft == "good luck sdh" && scene.press(.enter) == .perform(.say("good luck sdh")))
        _ = scene.press(.character("t"))
        _ = scene.press(.paste("good\u{1B}[2J luck"))
        #expect(scene.press(.enter) == .perform(.say("good[2J luck")), "what cannot be seen is left out")
    }

    @Test func aPasteThatIsTooLong_isTakenAsFarAsItFits_andThatIsSaid() throws {
        var scene = try Scene(cards: "2C")
        _ = scene.press(.character("t"))
        _ = scene.press(.paste("well"))
        _ = scene.press(.paste(String(repeating: "é", count: 197)))
        #expect(scene.view.messages.last?.text == "The line is full: the rest is left out.")
        #expect(scene.view.draft?.count == 200 && scene.frame(80, 24).text.contains(" 0 left"))
    }

    @Test func aPastedNumber_isABet_thatWaitsForEnter() throws {
        var scene = try Scene(cards: "2C")
        #expect(scene.press(.paste(" 250\n")) == .amount(250))
        #expect(scene.view.betAmount == 250)
        for text in ["25b", "-5", "", "99999999999999999999"] { #expect(scene.refuses(.paste(text))) }
        #expect(scene.view.betAmount == 250)
    }
}
