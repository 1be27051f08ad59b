/// A text that no log, error or printed configuration shows: a password, a token, a pass phrase.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for the one place that needs it.
    public let revealed: String

    public init(_ text: String) { revealed = text }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    // `dump` and a failed expectation look inside.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Whether it is this text, in a time that says nothing about where the two differ.
    public func matches(_ text: String) -> Bool {
        let (mine, other) = (Array(revealed.utf8), Array(text.utf8))
        guard mine.count == other.count else { return false }
        return zip(mine, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
