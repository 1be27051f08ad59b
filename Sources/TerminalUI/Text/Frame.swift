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

    /// The effect of a click; nil for none, and outside.
    func target(column: Int, row: Int) -> ClickTarget? {
        lines.indices.contains(row) && column >= 0 ? lines[row].target(column: column) : nil
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
