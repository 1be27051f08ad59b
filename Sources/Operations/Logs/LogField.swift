/// A key and value of a log line.
public struct LogField: Sendable {
    /// `a-z`, `0-9` and `_`: part of the program, never from outside.
    public let key: StaticString
    /// Any text; escaped when written.
    public let value: String
    /// True for values without quotes in JSON.
    let isNumber: Bool

    public init(_ key: StaticString, _ value: some CustomStringConvertible) {
        self.key = key
        self.value = value.description
        isNumber = value is any FixedWidthInteger
    }
}
