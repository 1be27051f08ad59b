/// A name that is safe to show, checked by the only way to make one. Letters, digits and marks of one script, inner single spaces, `. _ - '`;
/// nothing invisible, turned, or another spelling of a plain letter (`Ａ`, `ﬁ`). Names differ in ``key`` and in ``skeleton``, how they look.
public struct PlayerName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in characters as people count them.
    public static let maximumCharacters = 20
    /// The longest name, in bytes of UTF-8.
    public static let maximumBytes = 60
    /// The most marks that follow one letter. Vietnamese, Hebrew, Arabic and the scripts of India get by with three.
    static let maximumMarks = 3
    /// Characters allowed between letters.
    static let separators: [UInt8] = Array(" ._-'".utf8)

    public let text: String

    /// Unique per player. Ignores case (`ß` equals `SS`) and equivalent spellings (`é` in one scalar or two).
    /// Folded to upper case first, so that letters that share a capital (`σ`, `ς`) are equal.
    public let key: String

    /// Unique per player, too: equal for names that look alike, such as `Oleg` and `0leg`, `аррӏе` in Cyrillic letters and `apple`,
    /// `Ian` and `lan`, `rnario` and `mario`.
    public let skeleton: String

    /// - Throws: ``ProtocolError/invalidName(reason:)``.
    public init(_ text: String) throws(ProtocolError) {
        guard !text.isEmpty else { throw .invalidName(reason: "A name has at least one character.") }
        guard text.utf8.count <= Self.maximumBytes, text.count <= Self.maximumCharacters else {
            throw .invalidName(reason: "A name has at most \(Self.maximumCharacters) characters and \(Self.maximumBytes) bytes.")
        }
        var marks = 0
        var previous: Unicode.Scalar = " "
        var previousKind = Kind.other
        var scripts = ScriptMix()
        for scalar in text.unicodeScalars {
            guard let kind = Kind(scalar), !(scalar == " " && previous == " ") else {
                throw .invalidName(reason: "A name has letters, digits, single spaces inside, and . _ - '")
            }
            marks = kind == .mark ? marks + 1 : 0
            let isStray = kind == .mark && (scalar == previous || marks == 1 && previousKind != .letter)
            guard marks <= Self.maximumMarks, !isStray else {
                throw .invalidName(
                    reason: "A letter has at most \(Self.maximumMarks) marks, each once, and nothing else has any.")
            }
            scripts.insert(scalar)
            previous = scalar
            previousKind = kind
        }
        guard previous != " " else { throw .invalidName(reason: "A name does not end with a space.") }
        if let reason = scripts.fault { throw .invalidName(reason: reason) }
        self.text = text
        key = text.uppercased().lowercased()
        skeleton = LookAlikes.skeleton(of: text)
    }

    public var description: String { text }

    /// Whether two texts name one player to a server: the same text, or names with one ``key`` or one ``skeleton``.
    public static func areOfOnePlayer(_ a: String, _ b: String) -> Bool {
        guard a != b else { return true }
        guard let a = try? PlayerName(a), let b = try? PlayerName(b) else { return false }
        return a.key == b.key || a.skeleton == b.skeleton
    }

    public static func == (a: Self, b: Self) -> Bool { a.text == b.text }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    private enum Kind {
        case letter, mark, other

        /// Nil for what a name may not have.
        init?(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "a"..."z", "A"..."Z": self = .letter
            case "0"..."9", " ", ".", "_", "-", "'": self = .other
            default:
                guard !scalar.isASCII, !scalar.properties.isDefaultIgnorableCodePoint, !Self.isOtherSpelling(scalar) else {
                    return nil
                }
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: self = .letter
                case .nonspacingMark, .spacingMark: self = .mark
                case .decimalNumber: self = .other
                default: return nil
                }
            }
        }

        /// Whether compatibility makes it something else, case aside: full-width letters, ligatures, raised ones. Four are letters of their own:
        /// `ß`, `ς`, the Thai and Lao vowel `am`. Folding leads to small letters, in Cherokee alone to capitals.
        private static func isOtherSpelling(_ scalar: Unicode.Scalar) -> Bool {
            func changes(_ text: String) -> Bool { text.unicodeScalars.contains { $0.properties.changesWhenNFKCCaseFolded } }
            switch scalar {
            case "ß", "ς", "\u{E33}", "\u{EB3}": return false
            default: return changes(scalar.properties.lowercaseMapping) && changes(scalar.properties.uppercaseMapping)
            }
        }
    }
}
