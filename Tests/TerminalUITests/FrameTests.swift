import TestKit
import Testing

@testable import TerminalUI

struct FrameTests {
    private let size = ScreenSize(columns: 12, rows: 3)

    @Test func drawingOverAnything_givesTheFrame() {
        var generator = SeededGenerator()
        let words: [SafeText] = ["a", "bc", " ", "♠", "王", "e\u{301}", "xyz", "  ", "10", "👨‍👩‍👧", "👍🏽"]
        var terminal = TerminalScreen(size)
        var shown: Frame?
        for _ in 0..<500 {
            let lines = (0..<3).map { _ in
                var line = StyledText()
                for _ in 0..<Int.random(in: 0...6, using: &generator) {
                    line.append(
                        words.randomElement(using: &generator) ?? "", Style(rawValue: .random(in: 0...15, using: &generator)))
                }
                return line
            }
            let frame = Frame(size: size, lines: lines)
            terminal.take(frame.drawing(over: shown, look: Look()))
            #expect(terminal.trimmedText == frame.text && terminal.faults == [], "BJ_SEED=\(Seed.value)")
            shown = frame
        }
    }

    @Test func behindAJoinedEmoji_theLineIsDrawnAgain_forTerminalsThatDoNotJoin() {
        let old = Frame(size: size, lines: [StyledText("ab cdef")])
        let new = Frame(size: size, lines: [StyledText("👨‍👩‍👧 cdef")])
        #expect(new.drawing(over: old, look: Look()) == "\u{1B}[1;1H👨‍👩‍👧\u{1B}[3G\u{1B}[K cdef")
    }

    @Test func whatIsShownAlready_isNotDrawn() {
        let frame = Frame(size: size, lines: [StyledText("hello"), StyledText("12 s", .bold)])
        #expect(frame.drawing(over: frame, look: Look()).isEmpty)
        let next = Frame(size: size, lines: [StyledText("hello"), StyledText("11 s", .bold)])
        #expect(next.drawing(over: frame, look: Look()) == "\u{1B}[2;2H\u{1B}[0;1m1\u{1B}[0m")
    }

    @Test func otherSize_isDrawnWhole() {
        let frame = Frame(size: size, lines: [StyledText("hello")])
        let wider = Frame(size: ScreenSize(columns: 13, rows: 3), lines: [StyledText("hello")])
        #expect(wider.drawing(over: frame, look: Look()).contains("hello"))
    }

    @Test func colors_andSigns_areLeftOut_whereTheyAreNotWanted() {
        let frame = Frame(size: size, lines: [StyledText("K♥ ▶", [.red, .bold])])
        #expect(frame.drawing(over: nil, look: Look()).contains("\u{1B}[0;1;31mK♥ ▶"))
        let plain = frame.drawing(over: nil, look: Look(isUnicode: false, hasColors: false))
        #expect(plain.contains("\u{1B}[0;1mKH >") && plain.utf8.allSatisfy { $0 < 0x80 })
    }
}
