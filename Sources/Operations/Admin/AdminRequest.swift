/// What an operator can ask a running server to do or to tell. On the wire it is one line of JSON, as players' requests are:
/// `{"type":"kick","name":"ann"}`.
public enum AdminRequest: Sendable, Equatable {
    case tables
    case players
    /// Sends a player home: the hand is played on by the rules for those who are away, then the seat is free. The reason is for all at the
    /// table.
    case kick(name: String, reason: String?)
    /// Keeps a block of addresses out, for so many seconds or for ever, and closes the connections that it has.
    case ban(AddressBlock, seconds: Int?)
    case unban(AddressBlock)
    case bans
    /// Takes a table away once nobody plays at it: no new seats at once.
    case closeTable(name: String, reason: String?)
    /// Lets the hands that are being played end, then stops the server.
    case drain(reason: String?)
    case config
    case stats

    /// How long a ban may last that ends by itself: a year at most.
    public static let banSeconds = 1...31_536_000

    /// The word that calls it, on the wire and on the command line.
    public var verb: String {
        switch self {
        case .tables: "tables"
        case .players: "players"
        case .kick: "kick"
        case .ban: "ban"
        case .unban: "unban"
        case .bans: "bans"
        case .closeTable: "close-table"
        case .drain: "drain"
        case .config: "config"
        case .stats: "stats"
        }
    }
}

/// What comes back: always exactly one line for one request.
public enum AdminReply: Sendable, Equatable {
    /// It was done; in a sentence.
    case done(String)
    case table(AdminTable)
    /// It was not done: a code, and why in a sentence.
    case refused(code: String, message: String)
}

/// Rows under titles: what people are shown as columns and programs as a list of objects.
public struct AdminTable: Sendable, Equatable {
    /// A cell is a text or a number.
    public enum Cell: Sendable, Hashable {
        case text(String)
        case number(Int)
        case none

        var text: String {
            switch self {
            case .text(let text): text
            case .number(let number): String(number)
            case .none: "-"
            }
        }

        var isNumber: Bool { if case .number = self { true } else { false } }
    }

    public var columns: [String]
    public var rows: [[Cell]] = []
    /// What the rows do not say, in a sentence: how many were left out.
    public var note: String?

    /// - Parameter columns: the keys of the objects too: `name`, `seatsTaken`.
    public init(columns: [String]) { self.columns = columns }

    /// Adds a row.
    public mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count, "a cell for each column")
        rows.append(cells)
    }
}

extension AdminTable.Cell: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int) { self = .number(value) }
}

extension AdminTable {
    /// Columns for a terminal: titles, then the rows, numbers to the right. What came from players is shown harmlessly.
    public var text: String {
        let shown = rows.map { $0.map { Self.harmless($0.text) } }
        let widths = columns.indices.map { column in
            max(columns[column].count, shown.map { $0[column].count }.max() ?? 0)
        }
        func line(_ cells: [String], _ isRight: (Int) -> Bool) -> String {
            let padded = cells.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - cells[column].count)
                return isRight(column) ? space + cells[column] : cells[column] + space
            }
            let text = padded.joined(separator: "  ")
            return String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)]) + "\n"
        }
        let numeric = columns.indices.map { column in
            !rows.isEmpty && rows.allSatisfy { $0[column].isNumber || $0[column] == .none }
        }
        let head = line(columns.map { $0.uppercased() }) { numeric[$0] }
        return head + shown.map { line($0) { numeric[$0] } }.joined()
    }

    private static func harmless(_ text: String) -> String {
        text.unicodeScalars.prefix(200).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: "\u{FFFD}"
            default: String(scalar)
            }
        }.joined()
    }
}
