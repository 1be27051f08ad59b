/// Size of a terminal, in columns and rows.
public struct ScreenSize: Equatable, Sendable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

/// The content of a terminal: one line per row, none wider than the size.
public struct Frame: Equatable, Sendable {
    public let size: ScreenSize
    public let lines: [StyledText]

    /// Cuts surplus lines and columns; pads missing lines.
    public init(size: ScreenSize, lines: [StyledText]) {
        self.size = size
        var all = lines.prefix(max(0, size.rows)).map { $0.cut(to: size.columns) }
        while all.count < size.rows { all.append(StyledText()) }
        self.lines = all
    }

    /// The text without styles, trailing spaces removed.
    public var text: String {
        lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n") + "\n"
    }
}
