/// A name and its value in a line of the log.
public struct LogField: Sendable {
    /// `a-z`, `0-9` and `_`: part of the program, never from outside.
    public let key: StaticString
    /// Anything at all; made harmless when it is written.
    public let value: String
    /// Whether the value is written without quotes in JSON.
    let isNumber: Bool

    /// Makes a field of whatever describes itself.
    public init(_ key: StaticString, _ value: some CustomStringConvertible) {
        self.key = key
        self.value = value.description
        isNumber = value is any FixedWidthInteger
    }
}
