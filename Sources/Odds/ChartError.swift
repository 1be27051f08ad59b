import Rules

/// Why a strategy chart was refused. Lines and columns count from 1; a column is a cell.
public enum ChartError: Error, Hashable, Sendable {
    case empty
    /// The first line must name the chart and then the up cards.
    case badHeader(line: Int, column: Int, cell: String, expected: String)
    case unknownRow(line: Int, cell: String)
    case duplicateRow(line: Int, row: String, first: Int)
    case missingCell(line: Int, column: Int, row: String)
    case badCell(line: Int, column: Int, cell: String, expected: String)
    case extraCell(line: Int, column: Int, cell: String)
    case missingRows([String])
}

extension ChartError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .empty:
            "the chart is empty: its first line must be NAME,2,3,4,5,6,7,8,9,10,A"
        case .badHeader(let line, let column, let cell, let expected):
            "line \(line), column \(column): \"\(cell)\" in the heading: it must be \(expected)"
        case .unknownRow(let line, let cell):
            "line \(line), column 1: unknown row \"\(cell)\": rows are hard 5 to hard 21, soft 13 to soft 21, pair 2 to pair 10, pair A"
        case .duplicateRow(let line, let row, let first):
            "line \(line), column 1: row \"\(row)\" is given twice, first in line \(first)"
        case .missingCell(let line, let column, let row):
            "line \(line), column \(column): \"\(row)\" has no cell here: every row has ten, for 2 to 10 and A"
        case .badCell(let line, let column, let cell, let expected):
            "line \(line), column \(column): \"\(cell)\" is no play here: it must be \(expected)"
        case .extraCell(let line, let column, let cell):
            "line \(line), column \(column): \"\(cell)\" is one cell too many: every row has ten, for 2 to 10 and A"
        case .missingRows(let rows):
            "the chart has no row for \(rows.joined(separator: ", "))"
        }
    }
}
