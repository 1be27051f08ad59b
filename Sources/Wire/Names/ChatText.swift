/// Chat that is safe to show, checked by the only way to make one: one line in any script; nothing that controls a terminal, turns the direction
/// of text, is invisible or not assigned. Marks do not pile up, so that no text grows over its neighbours.
public struct ChatText: Hashable, Sendable, CustomStringConvertible {
    /// The longest text, in characters as people count them.
    public static let maximumCharacters = 200
    /// The longest text, in bytes of UTF-8.
    public static let maximumBytes = 800

    public let text: String

    /// - Throws: ``ProtocolError/invalidText(reason:)``.
    public init(_ text: String) throws(ProtocolError) {
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw .invalidText(reason: "A text has at least one character that can be seen.")
        }
        guard text.utf8.count <= Self.maximumBytes, text.count <= Self.maximumCharacters else {
            throw .invalidText(
                reason: "A text has at most \(Self.maximumCharacters) characters and \(Self.maximumBytes) bytes.")
        }
        var marks = 0
        for scalar in text.unicodeScalars {
            guard Self.isSafe(scalar) else {
                throw .invalidText(reason: "A text has no control, invisible or direction-changing characters.")
            }
            marks = scalar.isMark ? marks + 1 : 0
            guard marks <= PlayerName.maximumMarks else {
                throw .invalidText(reason: "A character has at most \(PlayerName.maximumMarks) marks.")
            }
        }
        self.text = text
    }

    public var description: String { text }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
        // Emoji are spelt with these two: a joiner between two of them, and a selector of their colour.
        if scalar == "\u{200D}" || scalar == "\u{FE0F}" { return true }
        guard !scalar.properties.isDefaultIgnorableCodePoint, !scalar.properties.isBidiControl else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }
}
