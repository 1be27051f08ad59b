import Rules

/// A chart as a file that people edit in a spreadsheet.
///
///     my chart,2,3,4,5,6,7,8,9,10,A
///     # what does not matter
///     hard 5,H,H,H,H,H,H,H,H,H,H
///     ...
///     take insurance
extension StrategyChart {
    private static let upCards = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "A"]

    /// Parses a chart.
    ///
    /// - Throws: `ChartError` with the line and column of the first error.
    init(csv text: String, doubleAfterSplit: Bool) throws(ChartError) {
        self.init(name: "", doubleAfterSplit: doubleAfterSplit)
        var lines: [Row: Int] = [:]
        var hasHeader = false
        // "\r\n" is one `Character`, so both line endings split.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let number = index + 1
            let content = line.prefix { $0 != "#" }
            var cells = content.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
            while let last = cells.last, last.isEmpty { cells.removeLast() }
            guard let first = cells.first else { continue }
            if !hasHeader {
                name = try Self.readHeader(cells, line: number)
                hasHeader = true
            } else if first.lowercased() == "take insurance" {
                try Self.refuseMore(than: 1, cells, line: number)
                takesInsurance = true
            } else {
                guard let row = Row(text: first) else {
                    let rows = "rows are hard 5 to hard 21, soft 13 to soft 21, pair 2 to pair 10, pair A"
                    throw ChartError(line: number, "unknown row \"\(first)\": \(rows)")
                }
                if let earlier = lines[row] {
                    throw ChartError(line: number, "row \"\(row.text)\" was already given in line \(earlier)")
                }
                lines[row] = number
                try readRow(row, cells, line: number)
            }
        }
        if !hasHeader {
            throw ChartError(description: "the chart is empty; its first line must be NAME,2,3,4,5,6,7,8,9,10,A")
        }
        let missing = Row.all.filter { lines[$0] == nil }.map(\.text)
        if !missing.isEmpty {
            throw ChartError(description: "the chart has no row for \(missing.joined(separator: ", "))")
        }
    }

    /// The chart as text for `init(csv:)`.
    var csv: String {
        var lines = [([name] + Self.upCards).joined(separator: ",")]
        for row in Row.all {
            let plays = Self.upCards.indices.map { self[row, $0 == 9 ? 1 : $0 + 2].text }
            lines.append(([row.text] + plays).joined(separator: ","))
        }
        if takesInsurance { lines.append("take insurance") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func trimmed(_ cell: Substring) -> String {
        var cell = cell.drop { $0.isWhitespace || $0 == "\u{feff}" || $0 == "\"" }
        while let last = cell.last, last.isWhitespace || last == "\"" { cell.removeLast() }
        return String(cell)
    }

    private static func refuseMore(than count: Int, _ cells: [String], line: Int) throws(ChartError) {
        guard cells.count > count else { return }
        let problem = "\"\(cells[count])\" is one cell too many: every row has ten, for 2 to 10 and A"
        throw ChartError(line: line, column: count + 1, problem)
    }

    /// The first line must name the chart and then the up cards.
    private static func readHeader(_ cells: [String], line: Int) throws(ChartError) -> String {
        for (index, up) in upCards.enumerated() {
            let cell = index + 1 < cells.count ? cells[index + 1] : ""
            guard cell.uppercased() == up else {
                throw ChartError(line: line, column: index + 2, "\"\(cell)\" in the heading must be \"\(up)\"")
            }
        }
        try refuseMore(than: 11, cells, line: line)
        if cells[0].isEmpty { throw ChartError(line: line, "\"\" in the heading must be the chart's name") }
        return cells[0]
    }

    private mutating func readRow(_ row: Row, _ cells: [String], line: Int) throws(ChartError) {
        let isPair = if case .pair = row { true } else { false }
        let plays = Play.allCases.filter { isPair || !$0.splits }
        for index in 0..<10 {
            let cell = index + 1 < cells.count ? cells[index + 1] : ""
            guard !cell.isEmpty else {
                let problem = "\"\(row.text)\" has too few cells: every row has ten, for 2 to 10 and A"
                throw ChartError(line: line, column: index + 2, problem)
            }
            guard let play = plays.first(where: { $0.text.lowercased() == cell.lowercased() }) else {
                let expected = plays.map(\.text).joined(separator: " ")
                throw ChartError(line: line, column: index + 2, "\"\(cell)\" is not a valid play: it must be one of \(expected)")
            }
            self[row, index == 9 ? 1 : index + 2] = play
        }
        try Self.refuseMore(than: 11, cells, line: line)
    }
}

/// Why a strategy chart was refused, in one line for people.
struct ChartError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(description: String) { self.description = description }

    /// Lines and columns count from 1; a column is a cell.
    init(line: Int, column: Int = 1, _ problem: String) { description = "line \(line), column \(column): \(problem)" }
}
