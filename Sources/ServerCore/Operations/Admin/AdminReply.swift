import Foundation
import Wire

/// The reply: exactly one line per request.
public enum AdminReply: Sendable, Equatable {
    /// Done: a sentence, and a note for the operator.
    case done(String, advice: String? = nil)
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
            case .number(let number): number < 0 ? "−\(number.magnitude)" : String(number)
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
        let titles = columns.map { $0.replacing(/[A-Z]/) { " \($0.output)" }.uppercased() }
        let widths = columns.indices.map { column in
            max(titles[column].count, shown.map { $0[column].width }.max() ?? 0)
        }
        func line(_ cells: [String], _ isRight: (Int) -> Bool) -> String {
            let padded = cells.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - cells[column].width)
                return isRight(column) ? space + cells[column] : cells[column] + space
            }
            let text = padded.joined(separator: "  ")
            return String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)]) + "\n"
        }
        let numeric = columns.indices.map { column in
            !rows.isEmpty && rows.allSatisfy { $0[column].isNumber || $0[column] == .none }
        }
        let head = line(titles) { numeric[$0] }
        return head + shown.map { line($0) { numeric[$0] } }.joined()
    }
}

extension String {
    fileprivate var width: Int { unicodeScalars.reduce(0) { $0 + Columns.of($1) } }
}

// A cold path: Foundation's coder suffices.

extension AdminReply {
    private struct Form: Codable {
        var type: String
        var code: String?
        var message: String?
        var advice: String?
        var columns: [String]?
        var rows: [[AdminTable.Cell]]?
    }

    /// Parses a line; nil for one that is no reply of this version.
    init?(line: [UInt8]) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(line)) else { return nil }
        switch (form.type, form.message, form.columns, form.rows) {
        case ("done", let message?, _, _): self = .done(message, advice: form.advice)
        case ("error", let message?, _, _): self = .refused(code: form.code ?? "error", message: message)
        case ("table", _, let columns?, let rows?) where rows.allSatisfy({ $0.count == columns.count }):
            var table = AdminTable(columns: columns)
            table.rows = rows
            table.note = form.message
            self = .table(table)
        default: return nil
        }
    }

    /// The line with its line break.
    public var line: [UInt8] {
        switch self {
        case .done(let message, let advice): encoded(Form(type: "done", message: message, advice: advice))
        case .refused(let code, let message): encoded(Form(type: "error", code: code, message: message))
        case .table(let table): encoded(Form(type: "table", message: table.note, columns: table.columns, rows: table.rows))
        }
    }

    /// The reply for programs: an array of objects, or an object with a message.
    public var json: String {
        let line =
            switch self {
            case .done(let message, _): encoded(["message": message])
            case .refused(let code, let message): encoded(["code": code, "message": message])
            case .table(let table): encoded(table.rows.map { Dictionary(uniqueKeysWithValues: zip(table.columns, $0)) })
            }
        return String(decoding: line.dropLast(), as: UTF8.self)
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

func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and numbers always encode.
    guard let data = try? encoder.encode(value) else { preconditionFailure("texts and numbers always encode") }
    return Array(data) + [UInt8(ascii: "\n")]
}
