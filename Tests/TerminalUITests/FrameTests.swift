import ClientCore
import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import TableEngine
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
            terminal.take(frame.drawing(over: shown, for: .init()))
            #expect(terminal.trimmedText == frame.text && terminal.faults == [], "BJ_SEED=\(Seed.value)")
            shown = frame
        }
    }

    @Test func behindAJoinedEmoji_theLineIsDrawnAgain_forTerminalsThatDoNotJoin() {
        let old = Frame(size: size, lines: [StyledText("ab cdef")])
        let new = Frame(size: size, lines: [StyledText("👨‍👩‍👧 cdef")])
        #expect(new.drawing(over: old, for: .init()) == "\u{1B}[1;1H👨‍👩‍👧\u{1B}[3G\u{1B}[K cdef")
    }

    @Test func whatIsShownAlready_isNotDrawn() {
        let frame = Frame(size: size, lines: [StyledText("hello"), StyledText("12 s", .bold)])
        #expect(frame.drawing(over: frame, for: .init()).isEmpty)
        let next = Frame(size: size, lines: [StyledText("hello"), StyledText("11 s", .bold)])
        #expect(next.drawing(over: frame, for: .init()) == "\u{1B}[2;2H\u{1B}[1m1\u{1B}[0m")
    }

    @Test func otherSize_isDrawnWhole() {
        let frame = Frame(size: size, lines: [StyledText("hello")])
        let wider = Frame(size: ScreenSize(columns: 13, rows: 3), lines: [StyledText("hello")])
        #expect(wider.drawing(over: frame, for: .init()).contains("hello"))
    }

    @Test func colors_andSigns_areLeftOut_whereTheyAreNotWanted() {
        let frame = Frame(size: size, lines: [StyledText("K♥ ▶", [.red, .bold])])
        #expect(frame.drawing(over: nil, for: .init()).contains("\u{1B}[1;30;101mK♥ ▶"))
        let plain = frame.drawing(over: nil, for: .init(isUnicode: false, hasColors: false))
        #expect(plain.contains("\u{1B}[1mKH >") && plain.utf8.allSatisfy { $0 < 0x80 })
    }
}

extension TerminalScreen {
    init(_ size: ScreenSize) { self.init(columns: size.columns, rows: size.rows, width: Columns.of) }
}

extension TerminalCapabilities {
    init(isUnicode: Bool = true, hasColors: Bool = true) {
        self.init(isUnicode: isUnicode, palette: Palette(depth: hasColors ? .basic : .none))
    }
}

extension Frame {
    /// The text without styles, trailing spaces removed.
    var text: String {
        lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n") + "\n"
    }

    /// As it is where there are colours.
    fileprivate var withoutEdges: Frame {
        Frame(
            size: size,
            lines: lines.map { line in
                line.spans.reduce(into: StyledText()) { text, span in
                    text.append(span.style.contains(.edge) ? .spaces(span.text.columns) : span.text, span.style)
                }
            })
    }
}

struct VirtualTerminalTests {
    private static let terminals: [TerminalCapabilities] = [
        .init(), .init(palette: Palette(depth: .truecolor, suits: .four)), .init(isUnicode: false, hasColors: false),
    ]

    /// The terminals, and what was drawn on them.
    private struct Recording {
        let size: ScreenSize
        var terminals: [TerminalScreen]
        var shown: Frame?
        /// Lengths of the updates after the first frame, for each terminal.
        var bytes: [[Int]]

        init(_ size: ScreenSize) {
            self.size = size
            terminals = VirtualTerminalTests.terminals.map { _ in TerminalScreen(size) }
            bytes = terminals.map { _ in [] }
        }

        mutating func draw(_ scene: Scene) {
            let frame = scene.frame(size.columns, size.rows)
            for (index, capabilities) in VirtualTerminalTests.terminals.enumerated() {
                let drawing = frame.drawing(over: shown, for: capabilities)
                terminals[index].take(drawing)
                var fresh = TerminalScreen(size)
                fresh.take(frame.drawing(over: nil, for: capabilities))
                let note: Comment = "\(size) BJ_SEED=\(Seed.value)"
                #expect(terminals[index].visible == fresh.visible && terminals[index].faults == [], note)
                #expect(drawing.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\u{1B}" } && fresh.modes.count == 2, note)
                if capabilities.isUnicode { #expect(terminals[index].trimmedText == frame.withoutEdges.text, note) }
                if shown != nil, !drawing.isEmpty { bytes[index].append(drawing.utf8.count) }
            }
            shown = frame
        }
    }

    /// Random rounds with chat, panels and motion at a size.
    /// - Returns: bytes of each update after the first frame, for each terminal.
    private func record(_ size: ScreenSize, rounds: Int, _ generator: inout SeededGenerator) throws -> [[Int]] {
        let cards = (0..<80).map { _ in Card(Rank(rawValue: .random(in: 0...12, using: &generator)) ?? .ace, .spades).description
        }
        var scene = try Scene(me: "bob", chips: [1: 9000, 2: 9000, 4: 9000], cards: cards.joined(separator: " "))
        var recording = Recording(size)
        // Each picture of the motion is a frame as well.
        func draw(_ scene: Scene) throws { try scene.eachMoment { moment, _, _ in recording.draw(moment) } }
        try draw(scene)
        for _ in 0..<rounds {
            for seat in [1, 2, 4] {
                try scene.bet(seat, 10)
                try draw(scene)
            }
            while let (seat, action) = scene.randomDecision(&generator) {
                try scene.act(seat, action)
                try draw(scene)
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    scene.edit { $0.say(Sentence(.chat, "ann: 王 and é 👍🏽, a line of chat")) }
                    recording.draw(scene)
                }
            }
            try scene.wait()
            try draw(scene)
        }
        return recording.bytes
    }

    @Test func afterEveryFrame_theCellsAreTheFrames() throws {
        var generator = SeededGenerator()
        let sizes: [(Int, Int)] =
            Thorough.isWanted
            ? (0..<120).map { _ in (.random(in: 40...200, using: &generator), .random(in: 12...60, using: &generator)) }
            : [(40, 12), (.random(in: 41...119, using: &generator), .random(in: 13...35, using: &generator))]
        for (columns, rows) in sizes { _ = try record(ScreenSize(columns: columns, rows: rows), rounds: 1, &generator) }
    }

    @Test func theMedianUpdate_at80Times24_hasAtMost400Bytes() throws {
        var generator = SeededGenerator()
        let updates = try record(ScreenSize(columns: 80, rows: 24), rounds: Thorough.isWanted ? 20 : 2, &generator)
        for bytes in updates.map({ $0.sorted() }) {
            let median = bytes[bytes.count / 2]
            #expect(bytes.count > 10 && median <= 400, "median \(median) of \(bytes.count) BJ_SEED=\(Seed.value)")
            if Thorough.isWanted { print("median \(median) bytes, 90 % \(bytes[bytes.count * 9 / 10]), \(bytes.count) updates") }
        }
    }
}
