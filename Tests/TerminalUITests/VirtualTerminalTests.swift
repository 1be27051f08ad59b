import ClientCore
import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine
@testable import TerminalUI

/// A terminal that carries out our output, cell by cell with its style; anything that frames do not use is an issue.
private struct VirtualTerminal: Equatable {
    struct Cell: Equatable {
        var text = " "
        /// Parameters of the last SGR.
        var style = "0"
    }

    private(set) var cells: [[Cell]]
    private var (row, column) = (0, 0)
    private var style = "0"

    init(_ size: ScreenSize) { cells = Array(repeating: Array(repeating: Cell(), count: size.columns), count: size.rows) }

    static func == (a: Self, b: Self) -> Bool { a.cells == b.cells }

    mutating func take(_ drawing: String) {
        var scalars = drawing.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "\u{1B}" else {
                put(scalar)
                continue
            }
            #expect(scalars.next() == "[")
            var parameters = ""
            while let next = scalars.next() {
                if (0x40...0x7E).contains(next.value) {
                    obey(next, parameters)
                    break
                }
                parameters.unicodeScalars.append(next)
            }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) { Issue.record("control \(scalar.value)") }
        let width = Columns.of(scalar)
        if let last = cells[row][..<column].lastIndex(where: { !$0.text.isEmpty }),
            (cells[row][last].text + String(scalar)).count == 1
        {
            cells[row][last].text.unicodeScalars.append(scalar)
            return
        }
        guard column + width <= cells[row].count else {
            Issue.record("written beyond column \(column)")
            return
        }
        cells[row][column] = Cell(text: String(scalar), style: style)
        if width == 2 { cells[row][column + 1] = Cell(text: "", style: style) }
        column += width
    }

    private mutating func obey(_ command: Unicode.Scalar, _ parameters: String) {
        let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
        switch command {
        case "H": (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
        case "G": column = (numbers.first ?? 1) - 1
        case "K": for place in column..<cells[row].count { cells[row][place] = Cell(text: " ", style: style) }
        case "J": for line in cells.indices { cells[line] = cells[line].map { _ in Cell(text: " ", style: style) } }
        case "m": style = parameters.isEmpty ? "0" : parameters
        default: Issue.record("a sequence that no frame needs: \(parameters)\(command)")
        }
    }

    /// Spaces look alike without inverse video, whatever their colour.
    var text: String {
        cells.map { line in
            var text = line.map(\.text).joined()
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n") + "\n"
    }

    /// The cells, with the styles of spaces that show none.
    var visible: [[Cell]] {
        cells.map { $0.map { $0.text == " " && !$0.style.split(separator: ";").contains("7") ? Cell() : $0 } }
    }
}

struct VirtualTerminalTests {
    private static let looks = [Look(), Look(isUnicode: false, hasColors: false)]

    /// One terminal for each look, and what was drawn on it.
    private struct Recording {
        let size: ScreenSize
        var terminals: [VirtualTerminal]
        var shown: Frame?
        var bytes: [Int] = []

        init(_ size: ScreenSize) {
            self.size = size
            terminals = VirtualTerminalTests.looks.map { _ in VirtualTerminal(size) }
        }

        mutating func draw(_ scene: Scene) {
            let frame = scene.frame(size.columns, size.rows)
            for (index, look) in VirtualTerminalTests.looks.enumerated() {
                let drawing = frame.drawing(over: shown, look: look)
                terminals[index].take(drawing)
                var fresh = VirtualTerminal(size)
                fresh.take(frame.drawing(over: nil, look: look))
                let note: Comment = "\(size) BJ_SEED=\(Seed.value)"
                #expect(terminals[index].visible == fresh.visible, note)
                if index == 0 {
                    #expect(terminals[index].text == frame.text, note)
                    if shown != nil, !drawing.isEmpty { bytes.append(drawing.utf8.count) }
                }
            }
            shown = frame
        }
    }

    /// Random rounds with chat, panels and motion at a size.
    /// - Returns: bytes of each update after the first frame.
    private func record(_ size: ScreenSize, rounds: Int, _ generator: inout SeededGenerator) throws -> [Int] {
        let cards = (0..<80).map { _ in Card(Rank(rawValue: .random(in: 0...12, using: &generator)) ?? .ace, .spades).description
        }
        var scene = try Scene(me: "bob", chips: [1: 9000, 2: 9000, 4: 9000], cards: cards.joined(separator: " "))
        var (recording, motion, now): (Recording, Motion, Int64) = (Recording(size), Motion(), 0)
        func draw(_ scene: Scene) throws {
            var scene = scene
            now += 5000
            let change = try #require(scene.change)
            _ = motion.take(change, [], at: now, left: nil)
            while motion.isMoving {
                scene.show(motion, at: now)
                // Each picture of the motion is a frame as well.
                recording.draw(scene)
                guard let next = motion.nextChange(after: now) else { break }
                now = next
                _ = motion.advance(to: now)
            }
            scene.show()
            recording.draw(scene)
        }
        try draw(scene)
        for _ in 0..<rounds {
            for seat in [1, 2, 4] {
                try scene.bet(seat, 10)
                try draw(scene)
            }
            while scene.snapshot.round?.phase.isInPlay == true {
                guard let seat = [1, 2, 4].first(where: { scene.snapshot.choice($0) != nil }),
                    let action = scene.snapshot.choice(seat)?.options.randomElement(using: &generator)?.action
                else { break }
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
        let bytes = try record(ScreenSize(columns: 80, rows: 24), rounds: Thorough.isWanted ? 20 : 2, &generator).sorted()
        let median = bytes[bytes.count / 2]
        #expect(bytes.count > 10 && median <= 400, "median \(median) of \(bytes.count) BJ_SEED=\(Seed.value)")
        if Thorough.isWanted { print("median \(median) bytes, 90 % \(bytes[bytes.count * 9 / 10]), \(bytes.count) updates") }
    }
}
