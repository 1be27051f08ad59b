import Fairness

/// A name that is safe to show, checked by the only way to make one. Letters, digits and marks of one script, inner single spaces, `. _ - '`;
/// nothing invisible, stretched, turned, or another spelling of a plain letter (`Ａ`, `ﬁ`). Names differ in ``key`` and in ``skeleton``, how they look.
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
        guard !text.isEmpty else { throw .invalidName(reason: "A name needs at least one character.") }
        guard text.utf8.count <= Self.maximumBytes, text.count <= Self.maximumCharacters else {
            throw .invalidName(
                reason: "A name may have at most \(Self.maximumCharacters) characters and \(Self.maximumBytes) bytes.")
        }
        var marks = 0
        var previous: Unicode.Scalar = " "
        var previousKind = Kind.other
        var scripts = ScriptMix()
        for scalar in text.unicodeScalars {
            guard let kind = Kind(scalar), !(scalar == " " && previous == " ") else {
                throw .invalidName(reason: "A name may have letters, digits, single spaces between them, and . _ - '")
            }
            marks = kind == .mark ? marks + 1 : 0
            let isStray = kind == .mark && (scalar == previous || marks == 1 && previousKind != .letter)
            guard marks <= Self.maximumMarks, !isStray else {
                throw .invalidName(
                    reason: "A letter may have at most \(Self.maximumMarks) different marks, and other characters none.")
            }
            scripts.insert(scalar)
            previous = scalar
            previousKind = kind
        }
        guard previous != " " else { throw .invalidName(reason: "A name must not end with a space.") }
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
                guard !scalar.isASCII, !scalar.isBlank, !scalar.isStretch, !Self.isOtherSpelling(scalar) else { return nil }
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

/// The secret that opens a player's account: 32 random bytes that the client makes. The server keeps a digest only.
public struct AccountSecret: Hashable, Sendable {
    /// Bytes of randomness.
    public static let byteCount = 32

    /// 64 lower-case hexadecimal digits.
    public let digits: String

    /// - Parameter digits: nil unless exactly 64 lower-case hexadecimal digits.
    public init?(_ digits: String) {
        guard digits.utf8.bytesFromHex?.count == Self.byteCount else { return nil }
        self.digits = digits
    }

    /// A secret from a generator; for real accounts a cryptographically secure one.
    public init(using generator: inout some RandomNumberGenerator) {
        let table = Array("0123456789abcdef".utf8)
        let digits = (0..<2 * Self.byteCount).map { _ in table[Int(generator.next() >> 60)] }
        self.digits = String(decoding: digits, as: UTF8.self)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { digits.utf8.bytesFromHex ?? [] }
}

// Never shown in logs, errors or failed expectations, which use reflection.
extension AccountSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AccountSecret: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> AccountSecret {
        try value.string(expecting: "64 lower-case hexadecimal digits") { bytes in
            AccountSecret(String(decoding: bytes, as: UTF8.self))
        }
    }
    func write(to writer: inout JSONWriter) { writer.string(digits) }
    static func shape(_: NoBounds) -> Shape { .text(pattern: "^[0-9a-f]{64}$") }
}

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
        guard text.unicodeScalars.contains(where: { !$0.isBlank }) else {
            throw .invalidText(reason: "A text needs at least one visible character.")
        }
        guard text.utf8.count <= Self.maximumBytes, text.count <= Self.maximumCharacters else {
            throw .invalidText(
                reason: "A text may have at most \(Self.maximumCharacters) characters and \(Self.maximumBytes) bytes.")
        }
        var marks = 0
        for scalar in text.unicodeScalars {
            guard let isMark = Self.isMark(scalar) else {
                throw .invalidText(reason: "A text must not have control, invisible or direction-changing characters.")
            }
            marks = isMark ? marks + 1 : 0
            guard marks <= PlayerName.maximumMarks else {
                throw .invalidText(reason: "A character may have at most \(PlayerName.maximumMarks) marks.")
            }
        }
        self.text = text
    }

    public var description: String { text }

    /// Nil for what chat may not have.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool? {
        switch scalar {
        // Emoji are spelt with two that are ignorable: a joiner between two of them, and a selector of their colour.
        case " "..."~", "\u{200D}": return false
        case "\u{FE0F}": return true
        default:
            // One look: each takes 35 ns.
            let category = scalar.properties.generalCategory
            guard !category.isUnprintable, !scalar.properties.isDefaultIgnorableCodePoint else { return nil }
            return category.isMark
        }
    }
}

/// A line of chat of one word, which clients may show as a picture at the speaker's seat.
public enum Reaction: String, CaseIterable, Sendable, WireWord {
    case nice, ouch, wow, gg, haha, unlucky
}

extension StringProtocol {
    /// Outside text for an error, a table of an administrator or a history: `?` for each character that a terminal or a log obeys, hides or does not
    /// know, and at most this many scalars; `…` marks a cut.
    package func printable(upTo limit: Int = .max) -> String {
        let scalars = unicodeScalars.prefix(limit)
        let kept = String(String.UnicodeScalarView(scalars.map { $0.isUnprintable ? "?" : $0 }))
        return scalars.endIndex < unicodeScalars.endIndex ? kept + "…" : kept
    }
}

extension Unicode.Scalar {
    /// Whether a terminal or a log obeys it, hides it, or does not know it.
    package var isUnprintable: Bool { properties.generalCategory.isUnprintable }

    /// Whether it leaves no ink: beside white space and ignorable characters the empty glyphs of Braille, Khitan, hieroglyphs and notes. These were
    /// found by name (blank, filler, null) in the standard library's Unicode 17.0.
    package var isBlank: Bool {
        switch self {
        case "\u{2800}", "\u{13441}", "\u{13442}", "\u{16FE4}", "\u{1D159}": true
        default: properties.isWhitespace || properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether it only stretches the line between two letters: `Join_Causing` in Unicode 14.0, by Perl's tables; the standard library has none. `نـور`
    /// looks like `نور`.
    fileprivate var isStretch: Bool {
        switch self {
        case "\u{640}", "\u{7FA}", "\u{883}"..."\u{885}", "\u{180A}", "\u{200D}": true
        default: false
        }
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isUnprintable: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    fileprivate var isMark: Bool {
        switch self {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }
}

/// Names that would pass for the host's: only the host's own bots may have one. Refused if the first word is a reserved one, or all words run
/// together are: `admin`, `Dealer 2`, `h0use`, `a.d.m.i.n`. Words that look alike are the same, also with a digit for a letter.
public struct ReservedNames: Sendable, Equatable {
    /// The default list.
    public static let standard: [String] = [
        "admin", "administrator", "bank", "casino", "croupier", "dealer", "host", "house", "moderator", "operator", "root",
        "server", "thedealer", "thehost", "thehouse", "theserver", "you",
        "staff", "support", "system",
    ]

    /// `Bot 1` is a house bot to clients of version 1.0: no player's new account has such a name, only bots have.
    public static let bots = ReservedNames(["bot"])

    private let forms: Set<[UInt8]>

    public init(_ words: [String] = Self.standard) {
        forms = Set(words.map { Self.form(LookAlikes.skeleton(of: $0)) }.filter { !$0.isEmpty })
    }

    /// Whether a name is kept for the host.
    public func contains(_ name: PlayerName) -> Bool {
        // Nearly every name ends here: the rest takes 30 µs.
        let compact = Self.form(name.skeleton)
        guard forms.contains(where: { compact.starts(with: $0) }) else { return false }
        let words = name.text.split { !($0.isLetter || $0.isNumber) }
        guard let first = words.first else { return false }
        return isReserved(first) || words.count > 1 && isReserved(words.joined()[...])
    }

    /// With and without digits at its end: `house2` is one house of many, `h0use` a disguise.
    private func isReserved(_ word: Substring) -> Bool {
        var stem = word
        while stem.last?.isNumber == true { stem.removeLast() }
        return forms.contains(Self.form(LookAlikes.skeleton(of: String(stem))))
            || forms.contains(Self.form(LookAlikes.skeleton(of: String(word))))
    }

    /// The same for words that a glance takes for each other, whatever stands between their letters.
    private static func form(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for byte in text.utf8 where !PlayerName.separators.contains(byte) { LookAlikes.append(byte, to: &bytes) }
        for index in bytes.indices { bytes[index] = disguised(bytes[index]) }
        return bytes
    }

    /// The letter that a digit or another letter stands for in a disguise.
    private static func disguised(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "i"): UInt8(ascii: "l")
        case UInt8(ascii: "3"): UInt8(ascii: "e")
        case UInt8(ascii: "4"): UInt8(ascii: "a")
        case UInt8(ascii: "5"): UInt8(ascii: "s")
        case UInt8(ascii: "7"): UInt8(ascii: "t")
        default: byte
        }
    }
}
