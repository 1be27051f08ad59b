/// An operator's request to a running server. On the wire one line of JSON: `{"type":"kick","name":"ann"}`.
public enum AdminRequest: Sendable, Equatable {
    case tables
    case players
    /// Removes a player: the rules for absent players finish the hand, then the seat is free. The table sees the reason.
    case kick(name: String, reason: String?)
    /// Sends a line to all at a table; nil: at all tables.
    case say(text: String, table: String?)
    /// Bans a block of addresses for some seconds or for ever, and closes its connections.
    case ban(AddressBlock, seconds: Int?)
    case unban(AddressBlock)
    case bans
    /// Closes a table: no new seats; it goes once no hand is in play.
    case closeTable(name: String, reason: String?)
    /// Drains the server: finishes the hands in play, then stops.
    case drain(reason: String?)
    case config
    /// Reads the configuration again, as SIGHUP does.
    case reload
    case stats
    /// The accounts by name, at most so many.
    case accounts(limit: Int)
    case account(name: String)
    /// Gives an account chips of the bank; negative: takes them back.
    case credit(name: String, chips: Int)
    case rename(name: String, to: String)
    /// Refuses logins to an account, closes its connection and gives up its seat.
    case disable(name: String)
    case enable(name: String)
    /// Replaces an account's secret; the reply has the new one.
    case resetSecret(name: String)
    /// Erases an account.
    case delete(name: String)

    /// Accounts in one reply.
    public static let accountLimits = 1...50_000
    public static let standardAccountLimit = 1000

    /// Duration of a temporary ban in seconds: up to a year.
    public static let banSeconds = 1...31_536_000

    /// The request's name, on the wire and on the command line.
    public var verb: String {
        switch self {
        case .tables: "tables"
        case .players: "players"
        case .kick: "kick"
        case .say: "say"
        case .ban: "ban"
        case .unban: "unban"
        case .bans: "bans"
        case .closeTable: "close-table"
        case .drain: "drain"
        case .config: "config"
        case .reload: "reload"
        case .stats: "stats"
        case .accounts: "accounts"
        case .account: "account"
        case .credit: "credit"
        case .rename: "rename"
        case .disable: "disable"
        case .enable: "enable"
        case .resetSecret: "reset-secret"
        case .delete: "delete"
        }
    }
}

/// The reply: exactly one line per request.
public enum AdminReply: Sendable, Equatable {
    /// Done, with a sentence.
    case done(String)
    case table(AdminTable)
    /// Refused, with a code and a sentence.
    case refused(code: String, message: String)
}

/// Rows under titles: columns for people, a list of objects for programs.
public struct AdminTable: Sendable, Equatable {
    /// Text or a number.
    public enum Cell: Sendable, Hashable {
        case text(String)
        case number(Int)
        case none

        public var text: String {
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
    /// A sentence about the rows: how many were omitted.
    public var note: String?

    /// - Parameter columns: titles, also the keys of the objects: `name`, `seatsTaken`.
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
    /// Columns for a terminal: titles, then rows, numbers right-aligned. Escapes players' text.
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
