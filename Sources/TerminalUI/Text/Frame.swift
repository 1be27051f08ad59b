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

    /// The text without styles, trailing spaces removed.
    var text: String {
        lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n") + "\n"
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

    private func draw(_ new: [Glyph], over old: [Glyph], row: Int, with pen: inout Pen) {
        var first = 0
        while first < new.count, first < old.count, new[first] == old[first] { first += 1 }
        var (newEnd, oldEnd) = (new.count, old.count)
        // The rest of the line stays only if its column is unchanged.
        if Self.width(new[...]) == Self.width(old[...]) {
            while newEnd > first, oldEnd > first, new[newEnd - 1] == old[oldEnd - 1] {
                newEnd -= 1
                oldEnd -= 1
            }
        }
        // Clearing behind a joined glyph clears the rest of the line: it is drawn again.
        let clears = new[first..<newEnd].contains(where: \.isJoined)
        if clears { newEnd = new.count }
        let stays = clears ? [:] : Self.runsThatStay(new[..<newEnd], old, from: first)
        var column = Self.width(new[..<first])
        pen.move(row: row, column: column)
        var index = first
        while index < newEnd {
            if let end = stays[index] {
                column += Self.width(new[index..<end])
                index = end
                pen.move(toColumn: column)
                continue
            }
            let glyph = new[index]
            index += 1
            pen.write(glyph.text, glyph.style)
            column += glyph.columns
            // Terminals differ on this character's width: position the cursor explicitly.
            if !glyph.isSure { pen.move(toColumn: column) }
            if glyph.isJoined { pen.clearToEndOfLine() }
        }
        if Self.width(old[...]) > Self.width(new[...]) { pen.clearToEndOfLine() }
    }

    /// Columns that a move of the cursor costs in bytes, at most.
    private static let worthSkipping = 6

    /// Runs of glyphs that are on the line already, in the same columns: their starts and ends.
    private static func runsThatStay(_ new: ArraySlice<Glyph>, _ old: [Glyph], from first: Int) -> [Int: Int] {
        var places: [Int: Int] = [:]
        var column = 0
        for (index, glyph) in old.enumerated() {
            places[column] = index
            column += glyph.columns
        }
        column = width(new[..<first])
        var (runs, start, length): ([Int: Int], Int, Int) = ([:], first, 0)
        for index in new.indices.dropFirst(first) {
            let glyph = new[index]
            if let place = places[column], old[place] == glyph {
                length += glyph.columns
            } else {
                if length > worthSkipping { runs[start] = index }
                (start, length) = (index + 1, 0)
            }
            column += glyph.columns
        }
        return runs
    }

    private static func width(_ glyphs: ArraySlice<Glyph>) -> Int { glyphs.reduce(0) { $0 + $1.columns } }

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

    mutating func move(row: Int, column: Int) { text += "\u{1B}[\(row + 1);\(column + 1)H" }

    mutating func move(toColumn column: Int) { text += "\u{1B}[\(column + 1)G" }

    mutating func clearToEndOfLine() {
        use(.plain, isBlank: true)
        text += "\u{1B}[K"
    }

    mutating func write(_ characters: String, _ style: Style) {
        use(style, isBlank: characters == " ")
        text += characters
    }

    /// - Parameter isBlank: a space shows its ground alone unless it is inverse: it leaves the rest as it is, for the next character.
    private mutating func use(_ style: Style, isBlank: Bool) {
        var wanted = palette.ink(style)
        if isBlank, !wanted.attributes.union(ink.attributes).contains(.inverse) {
            (wanted.attributes, wanted.colors.text) = (ink.attributes, ink.colors.text)
        }
        guard wanted != ink else { return }
        text += "\u{1B}[\(palette.parameters(wanted, over: ink))m"
        ink = wanted
    }

    /// The output with the style reset; empty when nothing was drawn.
    var finished: String { ink == Palette.Ink() ? text : text + "\u{1B}[0m" }
}
