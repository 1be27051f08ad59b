import ClientCore
import Testing
import Wire

@testable import TerminalUI

/// Chat: its limit, lines that were not sent, the log with what is unread.
struct ChatLineTests {
    @Test func thePrompt_countsDownToTheLimit_inCharactersAndBytes() throws {
        var scene = try Scene.playing()
        _ = scene.press(.character("t"))
        #expect(scene.frame(80, 24).text.contains(" 200 left"))
        for _ in 0..<195 { _ = scene.press(.character("x")) }
        #expect(scene.frame(60, 18).text.contains(" 5 left"))
        for _ in 0..<9 { _ = scene.press(.character("x")) }
        #expect(scene.view.draft?.count == 200 && scene.frame(80, 24).text.contains(" 0 left"))
        _ = scene.press(.escape)
        _ = scene.press(.character("t"))
        for _ in 0..<205 { _ = scene.press(.character("🎲")) }
        #expect(scene.view.draft?.utf8.count == 800 && scene.frame(80, 24).text.contains(" 0 left"))
    }

    @Test func theCursor_moves_andTheLineIsEditedThere() throws {
        var scene = try Scene.playing()
        for key in "tgod luck".unicodeScalars { _ = scene.press(.character(key)) }
        for key in [Key.home, .right, .character("o"), .end, .character("!"), .home, .delete, .character("G")] {
            #expect(scene.press(key) == .edit(key))
        }
        #expect(scene.view.draft == "Good luck!" && scene.frame(40, 12).text.contains(" Say: Good luck!"))
        _ = scene.press(.left)
        _ = scene.press(.left)
        _ = scene.press(.control("u"))
        #expect(scene.view.draft == "Good luck!" && scene.press(.enter) == .perform(.say("Good luck!")))
    }

    @Test func aLineThatTheServerDidNotTake_comesBackWithTheNextTalk() throws {
        var scene = try Scene.playing()
        for text in ["first", "second"] {
            scene.handle(.answered(.command(.say(text), number: 0, nil), .failure(.local)))
        }
        #expect(scene.frame(80, 24).text.contains("Not said: second."))
        _ = scene.press(.character("t"))
        #expect(scene.view.draft == "first" && scene.press(.enter) == .perform(.say("first")))
        _ = scene.press(.character("t"))
        #expect(scene.view.draft == "second")
        _ = scene.press(.escape)
        _ = scene.press(.character("t"))
        #expect(scene.view.draft == "")
    }

    @Test func linesThatWait_areSaidOnce() {
        let refusal = Refusal(id: .number(1), type: "chat", .init(.rateLimited, "Wait.", retryAfter: 2_400))
        var late = ClientState()
        late.isChatDelayed = true
        let sentence = "You talk faster than the server allows: the next line is sent in 3 seconds."
        #expect(told(.postponed(refusal), to: late) == [sentence])
        #expect(told(.postponed(refusal), from: late).isEmpty, "once for all lines that wait")
    }

    @Test func chatThatHasScrolledAway_isCounted_untilAKeyIsPressed() throws {
        var scene = try Scene.playing()
        scene.edit { $0.say(Sentence(.link, "You are bob.")) }
        #expect(scene.press(.character("v")) == .perform(.rules) && scene.press(.character("x")) == .show(.table))
        scene.edit { view in
            for number in 1...3 { view.say(Sentence(.chat, "ann: line \(number)")) }
            for number in 1...60 { view.say(Sentence(.play, "bot \(number) stands.")) }
        }
        #expect(scene.frame(40, 12).text.contains(" 2 unread: ann: line 3"), "\(scene.frame(40, 12).text)")
        // The chat has lines of its own.
        for (columns, rows) in [(80, 24), (200, 60)] {
            let text = scene.frame(columns, rows).text
            #expect(!text.contains("unread") && text.contains("ann: line 3"), "\(text)")
        }
        scene.edit { view in for number in 1...60 { view.say(Sentence(.chat, "bob: more \(number)")) } }
        for (columns, rows) in [(60, 18), (80, 24), (200, 60)] {
            #expect(scene.frame(columns, rows).text.contains(" unread: PgUp"))
        }
        #expect(scene.press(.pageUp) == .show(.log))
        let log = scene.frame(80, 200).text
        #expect(log.contains("ann: line 1") && log.contains("─── new ───"))
        #expect(scene.press(.escape) == .show(.table))
        #expect(!scene.frame(80, 24).text.contains("unread"))
    }

    @Test func theLog_isScrolled_andStaysWhereItIs_whenMoreArrives() throws {
        var scene = try Scene.playing()
        scene.edit { view in for number in 1...100 { view.say(Sentence(.play, "event \(number)")) } }
        _ = scene.press(.pageUp)
        #expect(scene.frame(80, 24).text.contains("event 100 "))
        for _ in 0..<3 { #expect(scene.press(.pageUp) == .scroll(-10)) }
        let shown = scene.frame(80, 24).lines.dropFirst().prefix(21)
        #expect(shown.contains { $0.text.contains("event 70") } && !shown.contains { $0.text.contains("event 71") })
        scene.edit { $0.say(Sentence(.chat, "ann: hello")) }
        #expect(scene.frame(80, 24).lines.dropFirst().prefix(21) == shown)
        for _ in 0..<200 { _ = scene.press(.up) }
        #expect(scene.frame(80, 24).lines[2].columns > 0 && scene.view.log.below < scene.view.messages.count)
        for _ in 0..<200 where scene.view.panel == .log { _ = scene.press(.pageDown) }
        #expect(scene.view.panel == .table, "the end of the log leads back to the table")
    }

    /// The log of many rounds pushes no chat out, nor chat the log.
    @Test func chat_staysBehindALongLog() throws {
        var scene = try Scene.playing()
        scene.edit { view in
            view.say(Sentence(.chat, "ann: hello"))
            for number in 1...2000 { view.say(Sentence(.play, "bot \(number) stands.")) }
        }
        _ = scene.press(.character("v"))
        _ = scene.press(.escape)
        for (columns, rows) in [(40, 12), (80, 24), (120, 40)] {
            #expect(scene.frame(columns, rows).text.contains(" ann: hello"), "\(scene.frame(columns, rows).text)")
        }
    }

    @Test func theLog_hasABound() {
        var log = MessageLog()
        for number in 0..<2000 {
            log.append(Sentence(.chat, "line \(number)"))
            if number == 1000 { log.scroll(-100) }
        }
        #expect(log.sentences.count == MessageLog.limit && log.below < MessageLog.limit && log.newCount == MessageLog.limit)
        #expect(log.sentences.last?.text.text == "line 1999")
    }
}
