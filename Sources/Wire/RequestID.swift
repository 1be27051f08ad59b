/// What a client calls a request, so that it knows the reply: a string of at most 64 bytes or a whole number, given back as it came.
public enum RequestID: Hashable, Sendable, CustomStringConvertible {
    /// The longest string, in bytes of UTF-8.
    public static let maximumBytes = 64

    case text(String)
    case number(Int)

    public var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        }
    }
}
