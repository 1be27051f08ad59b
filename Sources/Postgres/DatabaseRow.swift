/// A row of an answer, read column by column: each has a type and a range. The first column names the row in a fault.
///
/// A database is an input like any other: the rows that it sends may be damaged, of another program, or an attacker's.
struct DatabaseRow {
    private let table: String
    private var columns: ArraySlice<ArraySlice<UInt8>?>
    private var key = ""

    init(_ columns: [ArraySlice<UInt8>?], of statement: Statement) {
        (self.columns, table) = (columns[...], statement.table)
    }

    /// Reads the next column.
    /// - Parameters:
    ///   - expected: the values that it may have, in words.
    ///   - read: gives nil for another one.
    /// - Returns: nil for NULL.
    mutating func optional<Value>(
        _ column: String, _ expected: String, _ read: (ArraySlice<UInt8>) -> Value?
    ) throws(DatabaseError) -> Value? {
        guard let bytes = columns.popFirst() else { throw fault(column, "is missing") }
        guard let bytes else { return nil }
        guard let value = read(bytes) else {
            let found = Value.self == Int64.self ? bytes.int64.map { "\($0)" } : nil
            throw fault(column, "is \(found.map { "\($0), " } ?? "")not \(expected)")
        }
        if key.isEmpty { key = ", \(column) \("\(value)".printable(upTo: 60))" }
        return value
    }

    /// Reads the next column, which is not NULL.
    mutating func value<Value>(
        _ column: String, _ expected: String, _ read: (ArraySlice<UInt8>) -> Value?
    ) throws(DatabaseError) -> Value {
        guard let value = try optional(column, expected, read) else { throw fault(column, "is NULL") }
        return value
    }

    private func fault(_ column: String, _ fault: String) -> DatabaseError {
        .damaged("the row of \(table)\(key) is damaged: \(column) \(fault). Restore a backup, or repair the row")
    }

    // MARK: Types

    /// Every number that a column of type int8 can have.
    static let anyInt = Int64.min...Int64.max

    mutating func int(_ column: String, in range: some RangeExpression<Int64> = Int64(0)...Int64.max) throws(DatabaseError)
        -> Int64
    {
        try value(column, "in \(range)") { $0.int64.flatMap { range.contains($0) ? $0 : nil } }
    }

    mutating func optionalInt(_ column: String) throws(DatabaseError) -> Int64? { try optional(column, "an int8") { $0.int64 } }

    mutating func flag(_ column: String) throws(DatabaseError) -> Bool { try int(column, in: 0...1) == 1 }

    mutating func text(_ column: String) throws(DatabaseError) -> String {
        try value(column, "a text in UTF-8") { String(validating: $0, as: UTF8.self) }
    }

    mutating func optionalText(_ column: String) throws(DatabaseError) -> String? {
        try optional(column, "a text in UTF-8") { String(validating: $0, as: UTF8.self) }
    }

    mutating func optionalBytes(_ column: String) throws(DatabaseError) -> ArraySlice<UInt8>? {
        try optional(column, "bytes") { $0 }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var int64: Int64? { count == 8 ? reduce(0) { $0 << 8 | Int64($1) } : nil }
}
