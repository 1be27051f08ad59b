import ClientCore
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// The form by which one joins: keys and findings in, screens and a login out.
struct JoinTests {
    private func view(_ name: String = "", connected: Bool = true) -> JoinView {
        var view = JoinView(server: "127.0.0.1:2121", name: name)
        if connected { view.take(update(.connected), at: 0) }
        return view
    }

    private func update(_ link: ClientState.Link, _ event: ClientEvent = .link) -> ClientUpdate {
        var state = ClientState()
        state.link = link
        return ClientUpdate(state: state, event: event)
    }

    /// The typing has paused, and the server has answered.
    private func answer(_ availability: NameAvailability, _ view: inout JoinView) {
        for link in [ClientState.Link.lost(.silence), .connected] { view.take(update(link), at: 0) }
        #expect(view.check(at: .max) == view.name)
        view.found(availability, of: view.name)
    }

    private let nameTaken = ClientEvent.refused(
        Refusal(
            id: .number(3), type: "login", .rule, code: "name_taken", message: "Somebody else has this name now: choose another.")
    )

    private func type(_ text: String, into view: inout JoinView) {
        for scalar in text.unicodeScalars { #expect(view.press(.character(scalar), at: 0) == nil) }
    }

    private func frame(_ view: JoinView, _ columns: Int = 80, _ rows: Int = 24) -> Frame {
        JoinScreen(view, size: ScreenSize(columns: columns, rows: rows)).frame
    }

    @Test func aName_isTyped_erased_andTypedAgain() {
        var view = view("ann")
        type("é 2", into: &view)
        #expect(view.name == "anné 2")
        #expect(view.press(.backspace, at: 0) == nil && view.press(.left, at: 0) == nil && view.name == "anné ")
        #expect(view.press(.control("u"), at: 0) == nil && view.name.isEmpty && view.nameState == .empty)
        #expect(view.press(.backspace, at: 0) == nil && view.name.isEmpty)
        type("q?", into: &view)
        #expect(view.name == "q?", "letters are letters here")
    }

    @Test func aSuggestedName_isReplacedByTyping_andKeptByEnterAndBackspace() {
        var view = JoinView(server: "x", name: "ann", isSuggestion: true)
        type("bo", into: &view)
        #expect(view.name == "bo")
        view = JoinView(server: "x", name: "ann", isSuggestion: true)
        _ = view.press(.backspace, at: 0)
        type("a", into: &view)
        #expect(view.name == "ana", "editing begins with the suggestion")
        view = JoinView(server: "x", name: "ann", isSuggestion: true)
        view.take(update(.connected), at: 0)
        answer(.free, &view)
        _ = view.press(.enter, at: 0)
        #expect(view.startJoining() == "ann")
    }

    @Test func whatIsKnownOfTheName_isShownWhileItIsTyped() throws {
        var view = view("ann", connected: false)
        try expectGolden(frame(view, 60, 18).text, "join-connecting.txt")
        view.take(update(.connected), at: 0)
        answer(.free, &view)
        try expectGolden(frame(view).text, "join-free.txt")
        answer(.taken, &view)
        try expectGolden(frame(view, 60, 18).text, "join-taken.txt")
        type("!", into: &view)
        #expect(view.check(at: .max) == nil)
        try expectGolden(frame(view, 60, 18).text, "join-invalid.txt")
    }

    @Test func aNameOfThePlayersOwn_isNoFreeOne() {
        var view = view("ann")
        answer(.own, &view)
        let text = frame(view, 40, 12).text
        #expect(text.contains("yours: you were here before") && !text.contains("free") && text.contains("Enter join"), "\(text)")
    }

    @Test func enter_joins_onceTheNameIsFree() {
        var view = view("ann")
        #expect(view.startJoining() == nil)
        answer(.free, &view)
        #expect(view.startJoining() == nil, "nobody has pressed Enter")
        #expect(view.press(.enter, at: 0) == nil)
        #expect(view.startJoining() == "ann" && view.startJoining() == nil)
        type("a", into: &view)
        #expect(view.name == "ann", "the name that was asked for stays until the answer")
    }

    @Test func enter_beforeTheAnswer_isRemembered_untilTheNameChangesOrIsTaken() {
        var view = view("ann")
        _ = view.press(.enter, at: 0)
        #expect(view.startJoining() == nil && frame(view).text.contains("then joining"))
        type("e", into: &view)
        answer(.free, &view)
        #expect(view.startJoining() == nil, "another name")
        type("e", into: &view)
        _ = view.press(.enter, at: 0)
        answer(.taken, &view)
        answer(.free, &view)
        #expect(view.startJoining() == nil, "it was taken")
    }

    @Test(arguments: ["", "a\u{7}b", "ann"]) func enter_doesNothing_whereOneCannotJoin(_ name: String) {
        var view = view(name)
        if name == "ann" { answer(.taken, &view) } else { #expect(view.check(at: .max) == nil) }
        _ = view.press(.enter, at: 0)
        #expect(view.step == .typing && !frame(view).text.contains("Enter"))
    }

    /// Once the typing pauses, and once for each name; an answer about an older name is dropped.
    @Test func theServer_isAskedAboutAName_onceTheTypingPauses() {
        var view = view(connected: false)
        type("ann", into: &view)
        #expect(view.check(at: 249) == nil && view.checkAt == 250 && view.check(at: 250) == nil && view.checkAt == nil)
        view.take(update(.connected), at: 400)
        #expect(view.check(at: 649) == nil && view.check(at: 650) == "ann" && view.check(at: 900) == nil)
        type("e", into: &view)
        view.found(.free, of: "ann")
        #expect(view.nameState == .asking && view.check(at: .max) == "anne")
        view.found(.free, of: "ann")
        #expect(view.nameState == .asking)
        view.found(.taken, of: "anne")
        #expect(view.nameState == .known(.taken))
    }

    @Test func aFreeName_waitsForTheConnection() {
        var view = view("ann")
        answer(.free, &view)
        view.take(update(.lost(.silence)), at: 0)
        _ = view.press(.enter, at: 0)
        #expect(view.startJoining() == nil && frame(view).text.contains("no connection, trying again: the server is silent"))
        view.take(update(.connecting(attempt: 2)), at: 0)
        #expect(frame(view).text.contains("reconnecting, attempt 2"))
        view.take(update(.connected), at: 0)
        #expect(view.startJoining() == "ann")
    }

    @Test func aRefusedLogin_leadsBackToTheForm_withTheReason() throws {
        var view = view("ann")
        answer(.free, &view)
        _ = view.press(.enter, at: 0)
        #expect(view.startJoining() == "ann")
        view.take(update(.connected, nameTaken), at: 0)
        #expect(view.step == .typing && view.nameState == .asking, "free was not true any longer")
        answer(.taken, &view)
        try expectGolden(frame(view, 60, 18).text, "join-refused.txt")
        type("2", into: &view)
        #expect(view.refusal == nil, "it was about another name")
    }

    @Test(arguments: [Key.escape, .control("c")]) func escape_quits_atAnyStep(_ key: Key) {
        var view = view("ann")
        #expect(view.press(key, at: 0) == .quit)
        answer(.free, &view)
        _ = view.press(.enter, at: 0)
        _ = view.startJoining()
        #expect(view.press(key, at: 0) == .quit)
    }

    @Test func theForm_fitsAnyTerminal_whateverIsTyped() {
        var view = view()
        type(String(repeating: "王\u{1B}[2J", count: 60), into: &view)
        #expect(view.name.utf8.count <= 130)
        #expect(view.check(at: .max) == nil)
        for columns in [1, 2, 9, 10, 11, 20, 60, 80, 200] {
            for rows in [1, 2, 5, 9, 10, 18, 24] {
                let frame = frame(view, columns, rows)
                #expect(frame.lines.count == rows && frame.lines.allSatisfy { $0.columns <= columns })
                #expect(!frame.text.unicodeScalars.contains("\u{1B}"))
            }
        }
    }
}
