/// A text that no log, error or printed configuration shows: a password, a token, a pass phrase.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for the one place that needs it.
    public let revealed: String

    public init(_ text: String) { revealed = text }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    // `dump` and a failed expectation look inside.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Whether it is this text.
    public func matches(_ text: String) -> Bool { Self.isSame(text, revealed) }

    /// Compares in a time that depends on what was shown alone: neither where the two differ nor how long the secret is can be measured.
    public static func isSame(_ shown: String, _ secret: String) -> Bool {
        var (shown, secret) = (shown, secret)
        return shown.withUTF8 { shown in
            secret.withUTF8 { secret in
                var difference = shown.count ^ secret.count
                for index in shown.indices {
                    difference |= Int(shown[index] ^ (secret.isEmpty ? 0 : secret[index % secret.count]))
                }
                return difference == 0
            }
        }
    }
}
