import Foundation
import Sockets
import Wire

/// An operator's request to a running server. On the wire one line of JSON: `{"type":"kick","name":"ann"}`.
public enum AdminRequest: Sendable, Equatable {
    case tables
    case players
    /// Ranks the players of the evening.
    case evening
    /// Makes a code, for one use, whose user owns a table; the reply has the line to paste.
    case owner(table: String)
    /// Removes a player: the rules for absent players finish the hand, then the seat is free. The table sees the reason.
    case kick(name: String, reason: String?)
    /// Sends a line to all at a table; nil: at all tables.
    case say(text: String, table: String?)
    /// Bans a block of addresses for some seconds or for ever, and closes its connections.
    case ban(AddressBlock, seconds: Int?)
    case unban(AddressBlock)
    case bans
    /// Logs lines from a severity on, until the next start.
    case log(LogLevel)
    /// Drains the server: finishes the hands in play, then stops.
    case drain(reason: String?)
    case config
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
    /// Lists the accounts that were not used since a day, at most so many; confirmed, erases them.
    case deleteUnused(since: String, limit: Int, isConfirmed: Bool)

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
        case .evening: "evening"
        case .owner: "owner"
        case .kick: "kick"
        case .say: "say"
        case .ban: "ban"
        case .unban: "unban"
        case .bans: "bans"
        case .log: "log"
        case .drain: "drain"
        case .config: "config"
        case .stats: "stats"
        case .accounts: "accounts"
        case .account: "account"
        case .credit: "credit"
        case .rename: "rename"
        case .disable: "disable"
        case .enable: "enable"
        case .resetSecret: "reset-secret"
        case .delete, .deleteUnused: "delete"
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
        let shown = rows.map { $0.map { $0.text.printable(upTo: 200) } }
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
}

/// Why a line does not parse as a request or a reply.
public struct AdminCodingError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
}

// A cold path: Foundation's coder suffices.

extension AdminRequest {
    private struct Form: Codable {
        var type: String
        var name: String?
        var address: String?
        var seconds: Int?
        var reason: String?
        var chips: Int?
        var newName: String?
        var limit: Int?
        var text: String?
        var unusedSince: String?
        var yes: Bool?
    }

    /// Bytes of UTF-8 per reason.
    public static let longestReason = 800

    /// Parses a line.
    public init(line: [UInt8]) throws(AdminCodingError) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(line)) else {
            throw AdminCodingError(description: "not a JSON object with a type")
        }
        try self.init(
            verb: form.type, name: form.name, address: form.address, seconds: form.seconds, reason: form.reason,
            chips: form.chips, newName: form.newName, limit: form.limit, text: form.text,
            unusedSince: form.unusedSince, isConfirmed: form.yes)
    }

    /// Makes a request from its parts on a command line.
    /// - Parameters:
    ///   - seconds: one of ``banSeconds``.
    ///   - reason: at most ``longestReason`` bytes.
    ///   - limit: one of ``accountLimits``.
    ///   - text: at most ``longestReason`` bytes.
    public init(
        verb: String, name: String? = nil, address: String? = nil, seconds: Int? = nil, reason: String? = nil,
        chips: Int? = nil, newName: String? = nil, limit: Int? = nil, text: String? = nil,
        unusedSince: String? = nil, isConfirmed: Bool? = nil
    ) throws(AdminCodingError) {
        guard reason.map({ $0.utf8.count <= Self.longestReason }) ?? true else {
            throw AdminCodingError(description: "\(verb): reason has at most \(Self.longestReason) bytes")
        }
        func named() throws(AdminCodingError) -> String {
            guard let name, !name.isEmpty, name.utf8.count <= 256 else {
                throw AdminCodingError(description: "\(verb): name is missing")
            }
            return name
        }
        func block() throws(AdminCodingError) -> AddressBlock {
            guard let address else { throw AdminCodingError(description: "\(verb): address is missing") }
            guard let block = AddressBlock(address) else {
                let hint = AddressBlock(masking: address).map { "; did you mean \($0)?" } ?? ""
                throw AdminCodingError(description: "\(verb): not an address or a block such as 192.0.2.7 or 192.0.2.0/24\(hint)")
            }
            return block
        }
        func limited() throws(AdminCodingError) -> Int {
            let range = Self.accountLimits
            let limit = limit ?? Self.standardAccountLimit
            guard range.contains(limit) else {
                throw AdminCodingError(description: "\(verb): limit is a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return limit
        }
        switch verb {
        case "tables": self = .tables
        case "players": self = .players
        case "evening": self = .evening
        case "owner": self = .owner(table: try named())
        case "kick": self = .kick(name: try named(), reason: reason)
        case "say":
            guard let text, !text.isEmpty, text.utf8.count <= Self.longestReason else {
                throw AdminCodingError(description: "say: text is missing, or has more than \(Self.longestReason) bytes")
            }
            self = .say(text: text, table: name)
        case "ban":
            guard seconds.map(Self.banSeconds.contains) ?? true else {
                let range = Self.banSeconds
                throw AdminCodingError(description: "ban: seconds is a number from \(range.lowerBound) to \(range.upperBound)")
            }
            self = .ban(try block(), seconds: seconds)
        case "unban": self = .unban(try block())
        case "bans": self = .bans
        case "log":
            guard let level = name.flatMap(LogLevel.init(rawValue:)) else {
                let words = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                throw AdminCodingError(description: "log: the level is one of \(words)")
            }
            self = .log(level)
        case "drain": self = .drain(reason: reason)
        case "config": self = .config
        case "stats": self = .stats
        case "accounts": self = .accounts(limit: try limited())
        case "account": self = .account(name: try named())
        case "credit":
            guard let chips else { throw AdminCodingError(description: "credit: chips is missing") }
            self = .credit(name: try named(), chips: chips)
        case "rename":
            guard let newName, !newName.isEmpty, newName.utf8.count <= 256 else {
                throw AdminCodingError(description: "rename: newName is missing")
            }
            self = .rename(name: try named(), to: newName)
        case "disable": self = .disable(name: try named())
        case "enable": self = .enable(name: try named())
        case "reset-secret": self = .resetSecret(name: try named())
        case "delete":
            guard let unusedSince else {
                self = .delete(name: try named())
                break
            }
            guard name == nil, unusedSince.wholeMatch(of: /\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/) != nil else {
                throw AdminCodingError(description: "delete: unusedSince is a date such as 2026-05-01, without a name")
            }
            self = .deleteUnused(since: unusedSince, limit: try limited(), isConfirmed: isConfirmed ?? false)
        default: throw AdminCodingError(description: "unknown request")
        }
    }

    /// The line with its line break.
    public var line: [UInt8] {
        var form = Form(type: verb)
        switch self {
        case .kick(let name, let reason): (form.name, form.reason) = (name, reason)
        case .log(let level): form.name = level.rawValue
        case .drain(let reason): form.reason = reason
        case .say(let text, let table): (form.text, form.name) = (text, table)
        case .ban(let block, let seconds):
            form.address = block.description
            form.seconds = seconds
        case .unban(let block): form.address = block.description
        case .accounts(let limit): form.limit = limit
        case .deleteUnused(let date, let limit, let isConfirmed):
            (form.unusedSince, form.limit, form.yes) = (date, limit, isConfirmed)
        case .credit(let name, let chips): (form.name, form.chips) = (name, chips)
        case .rename(let name, let new): (form.name, form.newName) = (name, new)
        case .account(let name), .disable(let name), .enable(let name), .resetSecret(let name), .delete(let name):
            form.name = name
        case .owner(let table): form.name = table
        case .tables, .players, .evening, .bans, .config, .stats: break
        }
        return encoded(form)
    }
}

extension AdminReply {
    private struct Form: Codable {
        var type: String
        var code: String?
        var message: String?
        var columns: [String]?
        var rows: [[AdminTable.Cell]]?
    }

    /// Parses a line.
    public init(line: [UInt8]) throws(AdminCodingError) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(line)) else {
            throw AdminCodingError(description: "the reply is not valid for this program's version")
        }
        switch (form.type, form.message, form.columns, form.rows) {
        case ("done", let message?, _, _): self = .done(message)
        case ("error", let message?, _, _): self = .refused(code: form.code ?? "error", message: message)
        case ("table", _, let columns?, let rows?) where rows.allSatisfy({ $0.count == columns.count }):
            var table = AdminTable(columns: columns)
            table.rows = rows
            table.note = form.message
            self = .table(table)
        default: throw AdminCodingError(description: "the reply is not valid for this program's version")
        }
    }

    /// The line with its line break.
    public var line: [UInt8] {
        switch self {
        case .done(let message): encoded(Form(type: "done", message: message))
        case .refused(let code, let message): encoded(Form(type: "error", code: code, message: message))
        case .table(let table): encoded(Form(type: "table", message: table.note, columns: table.columns, rows: table.rows))
        }
    }

    /// For programs: an array of objects, or an object with a message.
    public var json: String {
        switch self {
        case .done(let message): return String(decoding: encoded(["message": message]).dropLast(), as: UTF8.self)
        case .refused(let code, let message):
            return String(decoding: encoded(["code": code, "message": message]).dropLast(), as: UTF8.self)
        case .table(let table):
            let objects = table.rows.map { row in
                Dictionary(uniqueKeysWithValues: zip(table.columns, row))
            }
            return String(decoding: encoded(objects).dropLast(), as: UTF8.self)
        }
    }
}

extension AdminTable.Cell: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .none
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .none: try container.encodeNil()
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}

private func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and numbers always encode.
    guard let data = try? encoder.encode(value) else { preconditionFailure("texts and numbers always encode") }
    return Array(data) + [UInt8(ascii: "\n")]
}
