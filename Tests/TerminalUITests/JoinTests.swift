import ClientCore
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// The form by which one joins: keys, answers and time in, screens, questions and a login out.
struct JoinTests {
    @Test func aName_isTyped_erased_andTypedAgain() {
        var form = PlayerScene(form: "", typed: "anné 2")
        #expect(form.view?.name == "anné 2")
        form.press(.backspace, .left)
        #expect(form.view?.name == "anné ")
        form.press(.control("u"))
        #expect(form.view?.name == "" && form.view?.nameState == .empty)
        form.press(.backspace)
        form.type("q?")
        #expect(form.view?.name == "q?", "letters are letters here")
    }

    @Test func aSuggestedName_isReplacedByTyping_andKeptByEnterAndBackspace() {
        var form = PlayerScene(form: "ann", typed: "bo")
        #expect(form.view?.name == "bo")
        form = PlayerScene(form: "ann")
        form.press(.backspace)
        form.type("a")
        #expect(form.view?.name == "ana", "editing begins with the suggestion")
        form = PlayerScene(form: "ann")
        form.answer(.free)
        form.press(.enter)
        #expect(form.effects == [.logIn("ann")])
    }

    @Test func whatIsKnownOfTheName_isShownWhileItIsTyped() throws {
        var form = PlayerScene(form: "ann", connected: false)
        try expectGolden(form.frame(60, 18).text, "join-connecting.txt")
        form.link(.connected)
        form.answer(.free)
        try expectGolden(form.frame().text, "join-free.txt")
        form.press(.backspace, .character("n"))
        form.answer(.taken)
        try expectGolden(form.frame(60, 18).text, "join-taken.txt")
        form.type("!")
        form.handle(.tick, after: 250)
        try expectGolden(form.frame(60, 18).text, "join-invalid.txt")
    }

    @Test func aNameOfThePlayersOwn_isNoFreeOne() {
        var form = PlayerScene(form: "ann")
        form.answer(.own)
        let text = form.frame(40, 12).text
        #expect(text.contains("yours: you were here before") && !text.contains("free") && text.contains("Enter join"), "\(text)")
    }

    @Test func enter_joins_onceTheNameIsFree() {
        var form = PlayerScene(form: "ann")
        form.answer(.free)
        #expect(form.effects.isEmpty, "nobody has pressed Enter")
        form.press(.enter)
        #expect(form.effects == [.logIn("ann")])
        form.press(.enter)
        #expect(form.effects.isEmpty)
        form.type("a")
        #expect(form.view?.name == "ann", "the name that was asked for stays until the answer")
    }

    @Test func enter_beforeTheAnswer_isRemembered_untilTheNameChangesOrIsTaken() {
        var form = PlayerScene(form: "ann")
        form.press(.enter)
        #expect(form.effects.isEmpty && form.frame().text.contains("then joining"))
        form.press(.backspace)
        form.answer(.free)
        #expect(form.effects.isEmpty, "another name")
        form.type("n")
        form.press(.enter)
        form.answer(.taken)
        #expect(form.effects.isEmpty && form.view?.step == .typing)
        form.type("e")
        form.press(.enter)
        form.answer(.free)
        #expect(form.effects == [.logIn("anne")])
    }

    @Test(arguments: ["", "a!", "ann"]) func enter_doesNothing_whereOneCannotJoin(_ name: String) {
        var form = PlayerScene(form: "", typed: name)
        if name == "ann" { form.answer(.taken) } else { form.handle(.tick, after: 250) }
        #expect(form.effects.isEmpty, "what is no name is said without asking the server")
        form.press(.enter)
        #expect(form.view?.step == .typing && !form.frame().text.contains("Enter"))
    }

    /// Once the typing pauses, and once for each name; an answer about an older name is dropped.
    @Test func theServer_isAskedAboutAName_onceTheTypingPauses() {
        var form = PlayerScene(form: "", typed: "ann", connected: false)
        form.handle(.tick, after: 250)
        #expect(form.effects.isEmpty && form.player.nextTick == nil)
        form.link(.connected)
        form.handle(.tick, after: 249)
        #expect(form.effects.isEmpty && form.player.nextTick == form.player.now + 1)
        form.handle(.tick, after: 1)
        #expect(form.effects == [.askAbout(name: "ann")])
        form.type("e")
        form.handle(.availability(of: "ann", .free))
        #expect(form.view?.nameState == .asking)
        form.answer(.taken)
        form.handle(.availability(of: "ann", .free))
        #expect(form.view?.nameState == .known(.taken))
    }

    @Test func aFreeName_waitsForTheConnection() {
        var form = PlayerScene(form: "ann")
        form.answer(.free)
        form.link(.lost(.silence))
        form.press(.enter)
        #expect(form.effects.isEmpty && form.frame().text.contains("no connection, trying again: the server does not respond"))
        form.link(.connecting(attempt: 2))
        #expect(form.frame().text.contains("reconnecting, attempt 2"))
        form.link(.connected)
        #expect(form.effects == [.logIn("ann")])
    }

    @Test func aRefusedLogin_leadsBackToTheForm_withTheReason() throws {
        var form = PlayerScene(form: "ann")
        form.answer(.free)
        form.press(.enter)
        let words = "Somebody else has this name now: choose another."
        form.link(.connected, .refused(Refusal(id: .number(3), type: "login", .rule, code: "name_taken", message: words)))
        #expect(form.view?.step == .typing && form.view?.nameState == .asking, "free was not true any longer")
        form.answer(.taken)
        try expectGolden(form.frame(60, 18).text, "join-refused.txt")
        form.type("2")
        #expect(form.view?.refusal == nil, "it was about another name")
    }

    @Test(arguments: [Key.escape, .control("c")]) func escape_quits_atAnyStep(_ key: Key) {
        var form = PlayerScene(form: "ann")
        form.answer(.free)
        for joins in [false, true] {
            var left = form
            if joins { left.press(.enter) }
            left.press(key)
            #expect(left.effects == [.end(.init(status: 0))])
        }
    }

    @Test func theForm_fitsAnyTerminal_whateverIsTyped() {
        var form = PlayerScene(form: "", typed: String(repeating: "王\u{1B}[2J", count: 60))
        #expect(form.view.map { $0.name.utf8.count <= 130 } == true)
        form.handle(.tick, after: 250)
        for columns in [1, 2, 9, 10, 11, 20, 60, 80, 200] {
            for rows in [1, 2, 5, 9, 10, 18, 24] {
                let frame = form.frame(columns, rows)
                #expect(frame.lines.count == rows && frame.lines.allSatisfy { $0.columns <= columns })
                #expect(!frame.text.unicodeScalars.contains("\u{1B}"))
            }
        }
    }

    @Test func aPastedName_isTyped_notJoinedWith() {
        var form = PlayerScene(form: "")
        form.press(.paste("  Big\nBob\r\n"), .paste(String(repeating: "x", count: 4000)))
        #expect(form.view?.name == "Big Bob" && form.view?.step == .typing)
    }

    @Test func aSilentServer_isSaid() {
        var form = PlayerScene(form: "ann")
        form.player.state.silentSince = 0
        form.handle(.tick, after: 3000)
        #expect(form.frame().text.contains("no answer, last heard 3 s ago"))
    }
}

extension PlayerScene {
    fileprivate var view: JoinView? { player.join }

    fileprivate init(form suggestion: String, typed: String = "", connected: Bool = true) {
        self.init(.asked(suggestion: suggestion))
        if connected { link(.connected) }
        type(typed)
    }

    /// The typing pauses, and the server answers the question about the name.
    fileprivate mutating func answer(_ availability: NameAvailability) {
        let name = view?.name ?? ""
        handle(.tick, after: 250)
        #expect(effects == [.askAbout(name: name)])
        handle(.availability(of: name, availability))
    }

    fileprivate func frame(_ columns: Int = 80, _ rows: Int = 24) -> Frame {
        JoinScreen(player.join ?? JoinView(server: ""), player, size: ScreenSize(columns: columns, rows: rows)).frame
    }
}
