import ClientCore
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// The form by which one joins: keys and findings in, screens and a login out.
struct JoinTests {
    private func view(_ name: String = "", connected: Bool = true) -> JoinView {
        var view = JoinView(server: "127.0.0.1:2121", name: name)
        if connected { view.take(update(.connected)) }
        return view
    }

    private func update(_ link: ClientState.Link, _ event: ClientEvent = .link) -> ClientUpdate {
        var state = ClientState()
        state.link = link
        return ClientUpdate(state: state, event: event)
    }

    private let nameTaken = ClientEvent.refused(
        Refusal(
            id: .number(3), type: "login", .rule, code: "name_taken", message: "Somebody else has this name now: choose another.")
    )

    private func type(_ text: String, into view: inout JoinView) {
        for scalar in text.unicodeScalars { #expect(view.press(.character(scalar)) == nil) }
    }

    private func frame(_ view: JoinView, _ columns: Int = 80, _ rows: Int = 24) -> Frame {
        JoinScreen(view, size: ScreenSize(columns: columns, rows: rows)).frame
    }

    @Test func aName_isTyped_erased_andTypedAgain() {
        var view = view("ann")
        type("é 2", into: &view)
        #expect(view.name == "anné 2")
        #expect(view.press(.backspace) == nil && view.press(.left) == nil && view.name == "anné ")
        #expect(view.press(.control("u")) == nil && view.name.isEmpty && view.nameState == .empty)
        #expect(view.press(.backspace) == nil && view.name.isEmpty)
        type("q?", into: &view)
        #expect(view.name == "q?", "letters are letters here")
    }

    @Test func aSuggestedName_isReplacedByTyping_andKeptByEnterAndBackspace() {
        var view = JoinView(server: "x", name: "ann", isSuggestion: true)
        type("bo", into: &view)
        #expect(view.name == "bo")
        view = JoinView(server: "x", name: "ann", isSuggestion: true)
        _ = view.press(.backspace)
        type("a", into: &view)
        #expect(view.name == "ana", "editing begins with the suggestion")
        view = JoinView(server: "x", name: "ann", isSuggestion: true)
        view.take(update(.connected))
        view.found(.free)
        _ = view.press(.enter)
        #expect(view.startJoining() == "ann")
    }

    @Test func whatIsKnownOfTheName_isShownWhileItIsTyped() throws {
        var view = view("ann", connected: false)
        try expectGolden(frame(view, 60, 18).text, "join-connecting.txt")
        view.take(update(.connected))
        view.found(.free)
        try expectGolden(frame(view).text, "join-free.txt")
        view.found(.taken)
        try expectGolden(frame(view, 60, 18).text, "join-taken.txt")
        type("!", into: &view)
        view.found(.invalid("A name has letters, digits, single spaces inside, and . _ - '"))
        try expectGolden(frame(view, 60, 18).text, "join-invalid.txt")
    }

    @Test func aNameOfThePlayersOwn_isNoFreeOne() {
        var view = view("ann")
        view.found(.own)
        let text = frame(view, 40, 12).text
        #expect(text.contains("yours: you were here before") && !text.contains("free") && text.contains("Enter join"), "\(text)")
    }

    @Test func enter_joins_onceTheNameIsFree() {
        var view = view("ann")
        #expect(view.startJoining() == nil)
        view.found(.free)
        #expect(view.startJoining() == nil, "nobody has pressed Enter")
        #expect(view.press(.enter) == nil)
        #expect(view.startJoining() == "ann" && view.startJoining() == nil)
        type("a", into: &view)
        #expect(view.name == "ann", "the name that was asked for stays until the answer")
    }

    @Test func enter_beforeTheAnswer_isRemembered_untilTheNameChangesOrIsTaken() {
        var view = view("ann")
        view.found(.asking)
        _ = view.press(.enter)
        #expect(view.startJoining() == nil && frame(view).text.contains("then joining"))
        type("e", into: &view)
        view.found(.free)
        #expect(view.startJoining() == nil, "another name")
        view.found(.asking)
        _ = view.press(.enter)
        view.found(.taken)
        view.found(.free)
        #expect(view.startJoining() == nil, "it was taken")
    }

    @Test(arguments: [JoinForm.NameState.empty, .invalid("no"), .taken])
    func enter_doesNothing_whereOneCannotJoin(_ state: JoinForm.NameState) {
        var view = view(state == .empty ? "" : "ann")
        view.found(state)
        _ = view.press(.enter)
        #expect(view.step == .typing && !frame(view).text.contains("Enter"))
    }

    @Test func aFreeName_waitsForTheConnection() {
        var view = view("ann")
        view.found(.free)
        view.take(update(.lost(.silence)))
        _ = view.press(.enter)
        #expect(view.startJoining() == nil && frame(view).text.contains("no connection, trying again: the server is silent"))
        view.take(update(.connecting(attempt: 2)))
        #expect(frame(view).text.contains("reconnecting, attempt 2"))
        view.take(update(.connected))
        #expect(view.startJoining() == "ann")
    }

    @Test func aRefusedLogin_leadsBackToTheForm_withTheReason() throws {
        var view = view("ann")
        view.found(.free)
        _ = view.press(.enter)
        #expect(view.startJoining() == "ann")
        view.take(update(.connected, nameTaken))
        #expect(view.step == .typing && view.nameState == .asking, "free was not true any longer")
        view.found(.taken)
        try expectGolden(frame(view, 60, 18).text, "join-refused.txt")
        type("2", into: &view)
        #expect(view.refusal == nil, "it was about another name")
    }

    @Test(arguments: [Key.escape, .control("c")]) func escape_quits_atAnyStep(_ key: Key) {
        var view = view("ann")
        #expect(view.press(key) == .quit)
        view.found(.free)
        _ = view.press(.enter)
        _ = view.startJoining()
        #expect(view.press(key) == .quit)
    }

    @Test func theForm_fitsAnyTerminal_whateverIsTyped() {
        var view = view()
        type(String(repeating: "王\u{1B}[2J", count: 60), into: &view)
        #expect(view.name.utf8.count <= 130)
        view.found(.invalid("A name has at most 20 characters and 60 bytes."))
        for columns in [1, 2, 9, 10, 11, 20, 60, 80, 200] {
            for rows in [1, 2, 5, 9, 10, 18, 24] {
                let frame = frame(view, columns, rows)
                #expect(frame.lines.count == rows && frame.lines.allSatisfy { $0.columns <= columns })
                #expect(!frame.text.unicodeScalars.contains("\u{1B}"))
            }
        }
    }
}
