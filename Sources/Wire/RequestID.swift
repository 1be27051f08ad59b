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

    /// Byte for byte: two spellings of what looks the same (`é` as one scalar or as two) are two ids, as they are to the client.
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
