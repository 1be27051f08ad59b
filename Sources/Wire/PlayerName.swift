/// A name that is safe to show: checked once, where it comes in, by the only way to make one.
///
/// Letters, digits and marks of any script, inner single spaces, and `. _ - '`; nothing that controls a terminal, turns the direction
/// of text, or can't be seen.
public struct PlayerName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in characters as people count them.
    public static let maximumCharacters = 20
    /// The longest name, in bytes of UTF-8.
    public static let maximumBytes = 60

    public let text: String

    /// - Throws: ``ProtocolError/invalidName(reason:)``.
    public init(_ text: String) throws(ProtocolError) {
        guard !text.isEmpty else { throw .invalidName(reason: "A name has at least one character.") }
        guard text.utf8.count <= Self.maximumBytes, text.count <= Self.maximumCharacters else {
            throw .invalidName(reason: "A name has at most \(Self.maximumCharacters) characters and \(Self.maximumBytes) bytes.")
        }
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            guard Self.allows(scalar), !(scalar == " " && previous == " ") else {
                throw .invalidName(reason: "A name has letters, digits, single spaces inside, and . _ - '")
            }
            previous = scalar
        }
        guard previous != " " else { throw .invalidName(reason: "A name does not end with a space.") }
        self.text = text
    }

    public var description: String { text }

    /// What two names must differ in: case and equivalent spellings make no difference.
    public var key: String { text.lowercased() }

    private static func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ", ".", "_", "-", "'": return true
        default: break
        }
        guard !scalar.isASCII, !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            return true
        default: return false
        }
    }
}
