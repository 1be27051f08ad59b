import Testing

@testable import TerminalUI

/// Frames in one piece, where the terminal says that it can.
struct FrameMarksTests {
    private func marks(_ answer: String, after milliseconds: Int64 = 10, isAsked: Bool = true) -> FrameMarks {
        var (marks, parser) = (FrameMarks(), KeyParser())
        if isAsked { marks.ask(at: 1000) }
        for case .report(let mode, let state) in parser.feed(Array(answer.utf8)) {
            marks.take(mode: mode, state: state, at: 1000 + milliseconds)
        }
        return marks
    }

    @Test func aTerminalThatKnowsTheMode_getsMarks() {
        for state in 0...4 { #expect(marks("\u{1B}[?2026;\(state)$y").areOn == (state == 1 || state == 2)) }
        let on = marks("\u{1B}[?2026;2$y")
        #expect(on.around("x") == "\u{1B}[?2026hx\u{1B}[?2026l" && on.around("") == "")
        #expect(FrameMarks().around("x") == "x" && FrameMarks.question == "\u{1B}[?2026$p")
    }

    @Test func anAnswerUnasked_late_orAboutAnotherMode_isNone() {
        #expect(!marks("\u{1B}[?2026;2$y", isAsked: false).areOn)
        #expect(!marks("\u{1B}[?2026;2$y", after: 2001).areOn)
        #expect(!marks("\u{1B}[?2004;2$y").areOn)
        #expect(!marks("\u{1B}[?2026;0$y\u{1B}[?2026;2$y").areOn, "one answer is heard")
        #expect(!marks("\u{1B}[?99999999999999999999;2$y").areOn)
    }

    @Test func theAnswer_isNoKey() {
        var parser = KeyParser()
        #expect(
            parser.feed(Array("a\u{1B}[?2026;2$yb".utf8)) == [.character("a"), .report(mode: 2026, state: 2), .character("b")])
        #expect(parser.feed(Array("\u{1B}[?20\u{1B}[A".utf8)) == [.unknown, .up])
        #expect(parser.feed(Array("\u{1B}[?1c".utf8)) == [.unknown], "another report")
    }
}
