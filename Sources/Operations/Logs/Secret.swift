/// A text never shown in logs, errors or printed configurations: a password, a pass phrase.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself.
    public let revealed: String

    public init(_ text: String) { revealed = text }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    // Covers `dump` and failed expectations, which use reflection.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Compares in constant time.
    public func matches(_ text: String) -> Bool { Self.isSame(text, revealed) }

    /// Compares in a time that depends only on `shown`: leaks neither the first difference nor the secret's length.
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
