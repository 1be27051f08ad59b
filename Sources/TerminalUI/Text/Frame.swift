/// Size of a terminal, in columns and rows.
struct ScreenSize: Equatable, Sendable {
    var columns: Int
    var rows: Int
}

/// The content of a terminal: one line per row, none wider than the size.
struct Frame: Equatable, Sendable {
    let size: ScreenSize
    let lines: [StyledText]

    /// Cuts surplus lines and columns; pads missing lines.
    init(size: ScreenSize, lines: [StyledText]) {
        self.size = size
        var all = lines.prefix(max(0, size.rows)).map { $0.cut(to: size.columns) }
        while all.count < size.rows { all.append(StyledText()) }
        self.lines = all
    }
}

// MARK: - Drawing

/// A character with its combining marks, one or two columns wide.
private struct Glyph: Equatable {
    var text: String
    var style: Style
    var columns: Int
    /// True when all terminals agree on the width.
    var isSure: Bool
    /// True for several characters in one: a terminal that does not join them draws beyond ``columns``.
    var isJoined: Bool
}

extension Sequence<Glyph> {
    fileprivate var columns: Int { reduce(0) { $0 + $1.columns } }
}

extension Frame {
    /// Control sequences that turn `previous` into this frame: only changed parts of changed lines.
    /// - Parameter previous: nil when the terminal's content is unknown; then draws everything.
    func drawing(over previous: Frame?, for capabilities: TerminalCapabilities) -> String {
        let known = previous.flatMap { $0.size == size ? $0 : nil }
        var pen = Pen(capabilities)
        if known == nil { pen.clear() }
        for (row, line) in lines.enumerated() {
            let old = known?.lines[row] ?? StyledText()
            if line != old { draw(Self.glyphs(line, capabilities), over: Self.glyphs(old, capabilities), row: row, with: &pen) }
        }
        return pen.finished
    }

    /// From the first glyph that differs to the last one.
    private func draw(_ new: [Glyph], over old: [Glyph], row: Int, with pen: inout Pen) {
        let start = zip(new, old).prefix { $0 == $1 }.count
        let (width, before) = (new.columns, old.columns)
        let kept = width == before ? zip(new[start...].reversed(), old[start...].reversed()).prefix { $0 == $1 }.count : 0
        var changed = new[start..<new.count - kept]
        guard !changed.isEmpty || before > width else { return }
        // Clearing behind a joined glyph clears the rest of the line: it is drawn again.
        if changed.contains(where: \.isJoined) { changed = new[start...] }
        var column = new[..<start].columns
        pen.move(row: row, column: column)
        for glyph in changed {
            pen.write(glyph, at: column)
            column += glyph.columns
        }
        if before > width { pen.clearToEndOfLine() }
    }

    private static func glyphs(_ line: StyledText, _ capabilities: TerminalCapabilities) -> [Glyph] {
        var glyphs: [Glyph] = []
        for span in line.spans {
            let style = span.style.subtracting(capabilities.hasColors ? .edge : [.colors, .edge])
            let text = capabilities.hasColors && span.style.contains(.edge) ? .spaces(span.text.columns) : span.text
            for character in (capabilities.isUnicode ? text : text.inASCII).text {
                let (scalars, columns) = (character.unicodeScalars, character.columns)
                let isSure =
                    character.utf8.count == 1
                    || scalars.count == 1 && columns == 1
                        && scalars.allSatisfy { $0.value < 0x300 || (0x2500...0x266F).contains($0.value) }
                glyphs.append(
                    Glyph(text: String(character), style: style, columns: columns, isSure: isSure, isJoined: character.isJoined))
            }
        }
        return glyphs
    }
}

/// Control sequences of ECMA-48, the subset common to current terminals.
private struct Pen {
    private var text = ""
    private var ink = Palette.Ink()
    private let palette: Palette

    init(_ capabilities: TerminalCapabilities) { palette = capabilities.palette }

    mutating func clear() { text += "\u{1B}[0m\u{1B}[2J" }

    /// - Parameter row: nil: the cursor's.
    mutating func move(row: Int? = nil, column: Int) {
        text += row.map { "\u{1B}[\($0 + 1);\(column + 1)H" } ?? "\u{1B}[\(column + 1)G"
    }

    mutating func clearToEndOfLine() {
        use(.plain, isBlank: true)
        text += "\u{1B}[K"
    }

    mutating func write(_ glyph: Glyph, at column: Int) {
        use(glyph.style, isBlank: glyph.text == " ")
        text += glyph.text
        // Terminals differ on this character's width: position the cursor explicitly.
        if !glyph.isSure { move(column: column + glyph.columns) }
        if glyph.isJoined { clearToEndOfLine() }
    }

    /// - Parameter isBlank: a space shows its ground alone unless it is inverse: it leaves the rest as it is, for the next character.
    private mutating func use(_ style: Style, isBlank: Bool) {
        var wanted = palette.ink(style)
        if isBlank, !wanted.attributes.union(ink.attributes).contains(.inverse) {
            (wanted.attributes, wanted.text) = (ink.attributes, ink.text)
        }
        guard wanted != ink else { return }
        text += "\u{1B}[\(palette.parameters(wanted, over: ink))m"
        ink = wanted
    }

    /// The output with the style reset; empty when nothing was drawn.
    var finished: String { ink == Palette.Ink() ? text : text + "\u{1B}[0m" }
}
