/// The client's id of a request, which its reply repeats: a string of at most 64 bytes or a whole number.
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

    /// Compares bytes: two spellings of `é` (one scalar or two) are two ids.
    public static func == (one: RequestID, other: RequestID) -> Bool {
        switch (one, other) {
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.number(let one), .number(let other)): one == other
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        case .number(let number): hasher.combine(number)
        }
    }
}
