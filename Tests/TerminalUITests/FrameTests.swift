import TestKit
import Testing

@testable import TerminalUI

/// A terminal in memory that knows the few sequences that frames are drawn with.
private struct Paper {
    var cells: [[String]]
    private var row = 0
    private var column = 0

    init(_ size: ScreenSize) { cells = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows) }

    mutating func take(_ drawing: String) {
        var scalars = drawing.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar == "\u{1B}" {
                _ = scalars.next()
                var parameters = ""
                while let next = scalars.next() {
                    if next.properties.isAlphabetic {
                        obey(next, parameters.split(separator: ";").compactMap { Int($0) })
                        break
                    }
                    parameters.unicodeScalars.append(next)
                }
            } else {
                put(scalar)
            }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let width = Columns.of(scalar)
        // A terminal that joins emoji: what forms one character with the one before it joins its cell.
        if let last = cells[row][..<column].lastIndex(where: { !$0.isEmpty }), (cells[row][last] + String(scalar)).count == 1 {
            cells[row][last].unicodeScalars.append(scalar)
            return
        }
        cells[row][column] = String(scalar)
        if width == 2 { cells[row][column + 1] = "" }
        column += width
    }

    private mutating func obey(_ command: Unicode.Scalar, _ numbers: [Int]) {
        switch command {
        case "H": (row, column) = (numbers[0] - 1, numbers[1] - 1)
        case "G": column = numbers[0] - 1
        case "K": for place in column..<cells[row].count { cells[row][place] = " " }
        case "J": for line in cells.indices { cells[line] = cells[line].map { _ in " " } }
        case "m": break
        default: Issue.record("a sequence that no frame needs: \(command)")
        }
    }

    var text: String {
        cells.map { line in
            var text = line.joined()
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n") + "\n"
    }
}

struct FrameTests {
    private let size = ScreenSize(columns: 12, rows: 3)

    @Test func drawingOverAnything_givesTheFrame() {
        var generator = SeededGenerator()
        let words: [SafeText] = ["a", "bc", " ", "♠", "王", "e\u{301}", "xyz", "  ", "10", "👨‍👩‍👧", "👍🏽"]
        var paper = Paper(size)
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
            paper.take(frame.drawing(over: shown, look: Look()))
            #expect(paper.text == frame.text, "BJ_SEED=\(Seed.value)")
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
