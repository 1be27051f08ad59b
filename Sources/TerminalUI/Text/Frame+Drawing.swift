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
    func drawing(over previous: Frame?, look: Look) -> String {
        let known = previous.flatMap { $0.size == size ? $0 : nil }
        var pen = Pen(look: look)
        if known == nil { pen.clear() }
        for (row, line) in lines.enumerated() {
            let old = known?.lines[row] ?? StyledText()
            if line != old { draw(Self.glyphs(line, look), over: Self.glyphs(old, look), row: row, with: &pen) }
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

    private static func glyphs(_ line: StyledText, _ look: Look) -> [Glyph] {
        var glyphs: [Glyph] = []
        for span in line.spans {
            let style = look.hasColors ? span.style : span.style.subtracting(.colors)
            for glyph in Glyphs((look.isUnicode ? span.text : span.text.inASCII).text) {
                guard let base = glyph.scalars.first else { continue }
                let isSure =
                    glyph.scalars.count == 1 && glyph.columns == 1
                    && (base.value < 0x300 || (0x2500...0x266F).contains(base.value))
                glyphs.append(
                    Glyph(
                        text: String(glyph.scalars), style: style, columns: glyph.columns, isSure: isSure,
                        isJoined: glyph.isJoined))
            }
        }
        return glyphs
    }
}

/// Control sequences of ECMA-48, the subset common to current terminals.
private struct Pen {
    private var text = ""
    private var style = Style.plain
    private let palette: Palette

    init(look: Look) { palette = look.palette }

    mutating func clear() { text += "\u{1B}[0m\u{1B}[2J" }

    mutating func move(row: Int, column: Int) { text += "\u{1B}[\(row + 1);\(column + 1)H" }

    mutating func move(toColumn column: Int) { text += "\u{1B}[\(column + 1)G" }

    mutating func clearToEndOfLine() {
        use(.plain)
        text += "\u{1B}[K"
    }

    mutating func write(_ characters: String, _ style: Style) {
        use(style)
        text += characters
    }

    private mutating func use(_ wanted: Style) {
        guard wanted != style else { return }
        style = wanted
        text += "\u{1B}[\(palette.parameters(wanted))m"
    }

    /// The output with the style reset; empty when nothing was drawn.
    var finished: String { style == .plain ? text : text + "\u{1B}[0m" }
}
