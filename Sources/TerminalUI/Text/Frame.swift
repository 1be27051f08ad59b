/// The size of a terminal, in characters.
public struct ScreenSize: Equatable, Sendable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

/// Everything that is to be seen on a terminal at one moment: as many lines as it has rows, none wider than it is.
public struct Frame: Equatable, Sendable {
    public let size: ScreenSize
    public let lines: [StyledText]

    /// Lines that are too many or too wide are cut; missing ones are empty.
    public init(size: ScreenSize, lines: [StyledText]) {
        self.size = size
        var all = lines.prefix(max(0, size.rows)).map { $0.cut(to: size.columns) }
        while all.count < size.rows { all.append(StyledText()) }
        self.lines = all
    }

    /// The words alone, line by line, without spaces at the ends of lines.
    public var text: String {
        lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n") + "\n"
    }
}
