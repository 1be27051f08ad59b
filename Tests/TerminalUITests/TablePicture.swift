import ClientCore
import Foundation
import Rules
import TableModel
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// The picture at the top of README: a hand of practice, drawn as the screen draws it.
struct TablePictureTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/TerminalUI/TerminalUI.docc/Resources/table.svg")

    /// With `BJ_RECORD=1` it is written down.
    @Test func theReadmesPicture_isTheScreenOfAHand() throws {
        let picture = try hand().frame(120, 36).svg(Palette(depth: .truecolor, suits: .four))
        if ProcessInfo.processInfo.environment["BJ_RECORD"] != nil {
            try picture.write(to: Self.path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.path, encoding: .utf8) == picture, "BJ_RECORD=1 records it")
        #expect(picture.utf8.count < 60_000 && !picture.contains("font-face"))
        #expect(picture.hasPrefix("<svg ") && picture.hasSuffix("</svg>\n"))
    }

    /// A hand of practice, played by rote from a fixed seed.
    private func hand() throws -> Scene {
        let players = [1: "bob", 2: "you", 3: "cleo", 5: "dmitri", 6: "eve"]
        var scene = try Scene("practice", players: players, me: "you", seed: 51)
        for _ in 0..<3 {
            try playRound(&scene, untilMine: false)
            try scene.wait()
        }
        try playRound(&scene, untilMine: true)
        try scene.wait(4_000)
        return scene
    }

    /// Bets, and decides for each seat that is asked.
    /// - Parameter untilMine: whether to stop where the player decides.
    private func playRound(_ scene: inout Scene, untilMine: Bool) throws {
        for seat in [1, 2, 3, 5, 6] { try scene.bet(seat, 10 * seat + 5) }
        while let seat = scene.snapshot.seats.first(where: { scene.snapshot.choice($0) != nil }),
            let choice = scene.snapshot.choice(seat)
        {
            let isLast = choice.hand == scene.snapshot.hands(ofSeat: seat).count
            if untilMine, seat == 2, isLast, !choice.allows(.split) { return }
            let total = scene.snapshot.total(HandIdentifier(seat: seat, number: choice.hand))?.points ?? 0
            try scene.wait(1_000)
            try scene.act(
                seat, choice.allows(.decline) ? .decline : choice.allows(.split) ? .split : total < 15 ? .hit : .stand)
        }
    }
}

// MARK: - SVG

extension Frame {
    /// The frame as a drawing: text in the reader's own monospaced font, each run as wide as its columns; lines of boxes as paths.
    fileprivate func svg(_ palette: Palette) -> String {
        var drawing = Drawing(palette, size)
        for (row, line) in lines.enumerated() { drawing.add(line, row: row) }
        return drawing.text
    }
}

/// SVG 1.1 in the making.
private struct Drawing {
    /// Of a character, in user units; a font of 15 units is 9 wide in most monospaced fonts.
    private static let (width, height) = (9, 19)
    private static let margin = 14
    private static let terminal: (text: UInt32, ground: UInt32) = (0xDCDFE4, 0x16181D)

    private let palette: Palette
    private let size: ScreenSize
    private var grounds = ""
    private var texts = ""
    /// Path data by colour and width of the pen, in order of first use.
    private var paths: [(pen: String, data: String)] = []

    init(_ palette: Palette, _ size: ScreenSize) {
        (self.palette, self.size) = (palette, size)
    }

    mutating func add(_ line: StyledText, row: Int) {
        var column = 0
        for span in line.spans {
            let (ink, ground) = colors(span.style)
            if let ground {
                let x = Self.x(column)
                let y = Self.margin + row * Self.height
                grounds +=
                    "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(span.text.columns * Self.width)\" height=\"\(Self.height)\" fill=\"\(ground)\"/>\n"
            }
            if !span.style.contains(.edge) { add(span, ink, column: column, row: row) }
            column += span.text.columns
        }
    }

    private mutating func add(_ span: StyledText.Span, _ ink: String, column: Int, row: Int) {
        var column = column
        var (run, start) = ("", column)
        for character in span.text.text {
            let text = String(character)
            // Browsers make one space of several, and would stretch the rest of the run.
            if text == " ", run.last == " " {
                write(run, from: start, to: column, row, ink, span.style)
                (run, start) = ("", column)
            }
            if let arms = Arms(text) {
                write(run, from: start, to: column, row, ink, span.style)
                draw(arms, column, row, ink)
                (run, start) = ("", column + character.columns)
            } else {
                run += text
            }
            column += character.columns
        }
        write(run, from: start, to: column, row, ink, span.style)
    }

    private mutating func write(_ run: String, from start: Int, to end: Int, _ row: Int, _ ink: String, _ style: Style) {
        // Spaces at the ends need no ink.
        let lead = run.prefix { $0 == " " }.count
        let text = run.dropFirst(lead)
        let trail = text.reversed().prefix { $0 == " " }.count
        guard trail < text.count else { return }
        let columns = end - start - lead - trail
        let weight = style.contains(.bold) ? " font-weight=\"bold\"" : ""
        let y = Self.margin + row * Self.height + 14
        texts += "<text x=\"\(Self.x(start + lead))\" y=\"\(y)\" textLength=\"\(columns * Self.width)\" fill=\"\(ink)\"\(weight)>"
        texts += text.dropLast(trail).replacing("&", with: "&amp;").replacing("<", with: "&lt;") + "</text>\n"
    }

    private mutating func draw(_ arms: Arms, _ column: Int, _ row: Int, _ ink: String) {
        let (x, y) = (Self.x(column), Self.margin + row * Self.height)
        // Half a unit: thin lines cover whole pixels.
        let (middle, center) = ("\(x + 4).5", "\(y + 9).5")
        var data = ""
        if arms.left || arms.right {
            data += "M\(arms.left ? "\(x)" : middle),\(center)H\(arms.right ? "\(x + Self.width)" : middle)"
        }
        if arms.up || arms.down {
            data += "M\(middle),\(arms.up ? "\(y)" : center)V\(arms.down ? "\(y + Self.height)" : center)"
        }
        let pen = "stroke=\"\(ink)\" stroke-width=\"\(arms.isHeavy ? 3 : 1)\""
        if let place = paths.firstIndex(where: { $0.pen == pen }) { paths[place].data += data } else { paths.append((pen, data)) }
    }

    private static func x(_ column: Int) -> Int { margin + column * width }

    /// Text and ground of a style; nil for the ground of the picture.
    private func colors(_ style: Style) -> (ink: String, ground: String?) {
        let attributes = palette.attributes(style)
        let pair = palette.colors(style)
        let own = Self.terminal
        var (text, ground) = (pair.text?.rgb ?? own.text, pair.ground?.rgb)
        if attributes.contains(.inverse) { (text, ground) = (ground ?? own.ground, text) }
        if attributes.contains(.dim) { text = Self.mixed(text, own.ground) }
        return (Self.hex(text), ground.map(Self.hex))
    }

    /// Five parts of one colour, three of another.
    private static func mixed(_ a: UInt32, _ b: UInt32) -> UInt32 {
        var mixed: UInt32 = 0
        for shift: UInt32 in [16, 8, 0] {
            let (first, second) = (a >> shift & 0xFF, b >> shift & 0xFF)
            mixed = mixed << 8 | (first * 5 + second * 3) / 8
        }
        return mixed
    }

    private static func hex(_ rgb: UInt32) -> String { "#" + String(0x100_0000 | rgb, radix: 16).dropFirst() }

    var text: String {
        let (wide, high) = (size.columns * Self.width + 2 * Self.margin, size.rows * Self.height + 2 * Self.margin)
        let lines = paths.map { "<path d=\"\($0.data)\" \($0.pen) fill=\"none\"/>\n" }.joined()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(wide) \(high)" role="img">
            <title>A hand of blackjack at a terminal</title>
            <rect width="\(wide)" height="\(high)" rx="10" fill="\(Self.hex(Self.terminal.ground))"/>
            \(grounds)\(lines)<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="15" \
            lengthAdjust="spacingAndGlyphs" xml:space="preserve">
            \(texts)</g>
            </svg>

            """
    }
}

/// The lines of a box-drawing character, from its middle.
private struct Arms {
    var (up, down, left, right) = (false, false, false, false)
    var isHeavy = false

    /// nil for any other character.
    init?(_ character: String) {
        switch character {
        case "─": (left, right) = (true, true)
        case "━": (left, right, isHeavy) = (true, true, true)
        case "│": (up, down) = (true, true)
        case "┃": (up, down, isHeavy) = (true, true, true)
        case "┌": (down, right) = (true, true)
        case "┐": (down, left) = (true, true)
        case "└": (up, right) = (true, true)
        case "┘": (up, left) = (true, true)
        case "┬": (down, left, right) = (true, true, true)
        case "┴": (up, left, right) = (true, true, true)
        default: return nil
        }
    }
}
