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
                if cells.count > 1 { throw .extraCell(line: number, column: 2, cell: cells[1]) }
                takesInsurance = true
            } else {
                guard let row = Row(text: first) else { throw .unknownRow(line: number, cell: first) }
                if let earlier = lines[row] { throw .duplicateRow(line: number, row: row.text, first: earlier) }
                lines[row] = number
                try readRow(row, cells, line: number)
            }
        }
        if !hasHeader { throw .empty }
        let missing = Row.all.filter { lines[$0] == nil }
        if !missing.isEmpty { throw .missingRows(missing.map(\.text)) }
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

    private static func readHeader(_ cells: [String], line: Int) throws(ChartError) -> String {
        for (index, up) in upCards.enumerated() {
            guard index + 1 < cells.count else {
                throw .badHeader(line: line, column: index + 2, cell: "", expected: "\"\(up)\"")
            }
            guard cells[index + 1].uppercased() == up else {
                throw .badHeader(line: line, column: index + 2, cell: cells[index + 1], expected: "\"\(up)\"")
            }
        }
        if cells.count > 11 { throw .extraCell(line: line, column: 12, cell: cells[11]) }
        if cells[0].isEmpty { throw .badHeader(line: line, column: 1, cell: "", expected: "the chart's name") }
        return cells[0]
    }

    private mutating func readRow(_ row: Row, _ cells: [String], line: Int) throws(ChartError) {
        let isPair = if case .pair = row { true } else { false }
        let plays = Play.allCases.filter { isPair || !$0.splits }
        for index in 0..<10 {
            guard index + 1 < cells.count, !cells[index + 1].isEmpty else {
                throw .missingCell(line: line, column: index + 2, row: row.text)
            }
            let cell = cells[index + 1]
            guard let play = plays.first(where: { $0.text.lowercased() == cell.lowercased() }) else {
                let expected = "one of " + plays.map(\.text).joined(separator: " ")
                throw .badCell(line: line, column: index + 2, cell: cell, expected: expected)
            }
            self[row, index == 9 ? 1 : index + 2] = play
        }
        if cells.count > 11 { throw .extraCell(line: line, column: 12, cell: cells[11]) }
    }
}

/// Why a strategy chart was refused. Lines and columns count from 1; a column is a cell.
enum ChartError: Error, Hashable, CustomStringConvertible {
    case empty
    /// The first line must name the chart and then the up cards.
    case badHeader(line: Int, column: Int, cell: String, expected: String)
    case unknownRow(line: Int, cell: String)
    case duplicateRow(line: Int, row: String, first: Int)
    case missingCell(line: Int, column: Int, row: String)
    case badCell(line: Int, column: Int, cell: String, expected: String)
    case extraCell(line: Int, column: Int, cell: String)
    case missingRows([String])

    /// One line for people.
    var description: String {
        switch self {
        case .empty:
            "the chart is empty; its first line must be NAME,2,3,4,5,6,7,8,9,10,A"
        case .badHeader(let line, let column, let cell, let expected):
            "line \(line), column \(column): \"\(cell)\" in the heading must be \(expected)"
        case .unknownRow(let line, let cell):
            "line \(line), column 1: unknown row \"\(cell)\": rows are hard 5 to hard 21, soft 13 to soft 21, pair 2 to pair 10, pair A"
        case .duplicateRow(let line, let row, let first):
            "line \(line), column 1: row \"\(row)\" was already given in line \(first)"
        case .missingCell(let line, let column, let row):
            "line \(line), column \(column): \"\(row)\" has too few cells: every row has ten, for 2 to 10 and A"
        case .badCell(let line, let column, let cell, let expected):
            "line \(line), column \(column): \"\(cell)\" is not a valid play: it must be \(expected)"
        case .extraCell(let line, let column, let cell):
            "line \(line), column \(column): \"\(cell)\" is one cell too many: every row has ten, for 2 to 10 and A"
        case .missingRows(let rows):
            "the chart has no row for \(rows.joined(separator: ", "))"
        }
    }
}
