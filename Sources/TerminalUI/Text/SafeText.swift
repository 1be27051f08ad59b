/// Text safe for a terminal: one line without control, bidirectional or invisible characters, of a known width.
///
/// The only way to the terminal. Literals are trusted; text passed to ``init(_:columns:)`` or interpolated is sanitised.
public struct SafeText: Hashable, Sendable, CustomStringConvertible {
    /// The sanitised text.
    public let text: String
    /// Its width in columns.
    let columns: Int

    /// Empty text.
    static let empty = SafeText(trusted: "", columns: 0)

    /// Sanitises outside text and cuts it to a width: a forbidden character becomes `?`, so that a name with invisible characters looks different;
    /// line ends and spaces of all kinds become a space; a character keeps at most two combining marks.
    init(_ outside: String, columns limit: Int = 200) {
        // Fast path: nothing to replace, one column a byte.
        if outside.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            self = SafeText(trusted: outside, columns: outside.utf8.count).cut(to: limit)
            return
        }
        var (kept, width) = (String.UnicodeScalarView(), 0)
        // Two columns over the limit decide that the text is cut.
        for character in outside where width <= limit + 2 {
            let safe = character.safe
            kept.append(contentsOf: safe)
            width += String(safe).columns
        }
        self = SafeText(trusted: String(kept), columns: width).cut(to: limit)
    }

    init(trusted text: String, columns: Int) {
        (self.text, self.columns) = (text, columns)
    }

    var isEmpty: Bool { text.isEmpty }

    public var description: String { text }

    /// The text within `limit` columns; `…` marks a cut.
    func cut(to limit: Int) -> SafeText {
        guard columns > limit else { return self }
        guard limit > 0 else { return .empty }
        if text.utf8.count == columns { return SafeText(trusted: text.prefix(limit - 1) + "…", columns: limit) }
        var (kept, width) = ("", 0)
        for character in text {
            guard width + character.columns < limit else { break }
            kept.append(character)
            width += character.columns
        }
        return SafeText(trusted: kept + "…", columns: width + 1)
    }

    /// The end of an outside text, in at most so many columns.
    static func tail(of text: String, columns: Int) -> SafeText {
        var (start, width) = (text.endIndex, 0)
        while start > text.startIndex {
            let before = text.index(before: start)
            width += SafeText(String(text[before])).columns
            guard width <= columns else { break }
            start = before
        }
        return SafeText(String(text[start...]), columns: columns)
    }

    /// Wraps the text at spaces, and a word wider than a line at any character.
    func wrapped(to width: Int) -> [SafeText] {
        var lines: [SafeText] = []
        for word in text.split(separator: " ") {
            for piece in SafeText(trusted: String(word), columns: String(word).columns).pieces(of: max(1, width)) {
                if let last = lines.last, last.columns + 1 + piece.columns <= width, piece.isStart {
                    lines[lines.count - 1] = last + " " + piece.text
                } else {
                    lines.append(piece.text)
                }
            }
        }
        return lines
    }

    /// The text in lines of whole words. The indent of the first one is kept, and doubled in the others: these have one always, or a long
    /// line of chat could put any sentence at the start of a line.
    func paragraph(columns width: Int) -> [SafeText] {
        guard columns > width, width > 0 else { return [self] }
        let indent = min(text.prefix { $0 == " " }.count, width / 4)
        let further = max(indent * 2, min(2, width / 4))
        let (first, rest) = (SafeText.filled(with: " ", indent), SafeText.filled(with: " ", further))
        return wrapped(to: max(1, width - further)).enumerated().map { $0 == 0 ? first + $1 : rest + $1 }
    }

    /// The word in pieces no wider than a line.
    func pieces(of width: Int) -> [(text: SafeText, columns: Int, isStart: Bool)] {
        guard columns > width else { return [(self, columns, true)] }
        var pieces: [SafeText] = []
        for character in text {
            let glyph = SafeText(trusted: String(character), columns: character.columns)
            if let last = pieces.last, last.columns + glyph.columns <= width {
                pieces[pieces.count - 1] = last + glyph
            } else {
                pieces.append(glyph)
            }
        }
        return pieces.enumerated().map { ($1, $1.columns, $0 == 0) }
    }

    static func + (a: SafeText, b: SafeText) -> SafeText {
        SafeText(trusted: a.text + b.text, columns: a.columns + b.columns)
    }

    static func += (a: inout SafeText, b: SafeText) { a = a + b }

    /// An ASCII transliteration of the same width.
    var inASCII: SafeText {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var ascii = ""
        for character in text {
            guard let base = character.unicodeScalars.first else { continue }
            var likeness = base.isASCII ? Character(base) : Self.likenesses[base]
            if character.isJoined { likeness = nil }
            if let likeness { ascii.append(likeness) }
            ascii += String(repeating: "?", count: max(0, character.columns - (likeness == nil ? 0 : 1)))
        }
        return SafeText(trusted: ascii, columns: columns)
    }

    private static let likenesses: [Unicode.Scalar: Character] = [
        "♠": "S", "♥": "H", "♦": "D", "♣": "C", "…": "~", "·": "-", "–": "-", "−": "-", "’": "'", "▶": ">", "•": "*", "░": "#",
        "█": "=",
        "★": "*", "¤": "%", "☾": "z", "◌": "-", "»": ">",
        "─": "-", "━": "=", "┃": "|", "│": "|", "┌": "+", "┬": "+", "┐": "+", "└": "+", "┴": "+", "┘": "+",
    ]
}

// MARK: - Interpolation

extension SafeText: ExpressibleByStringInterpolation {
    /// Joins literals with interpolated values: numbers and safe text verbatim, all other text sanitised.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var result = SafeText.empty

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { result += SafeText(stringLiteral: literal) }

        public mutating func appendInterpolation(_ text: SafeText) { result += text }

        public mutating func appendInterpolation(_ number: some BinaryInteger) {
            result += SafeText(stringLiteral: String(number))
        }

        /// Sanitises outside text.
        public mutating func appendInterpolation(_ outside: String) { result += SafeText(outside) }
    }

    public init(stringLiteral literal: String) {
        self.init(trusted: literal, columns: literal.columns)
    }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.result }
}

extension SafeText {
    var capitalized: SafeText { SafeText(trusted: text.prefix(1).uppercased() + text.dropFirst(), columns: columns) }

    /// The mark of bots is a word where it is read aloud.
    var aloud: SafeText {
        text.contains("¤" as Character) ? SafeText(stringLiteral: text.replacing("¤", with: " (bot)")) : self
    }

    /// With one full stop at the end.
    var stopped: SafeText { text.hasSuffix(".") ? self : self + "." }
}

extension Sequence<SafeText> {
    /// Joins the elements with a separator.
    func joined(_ separator: SafeText = ", ") -> SafeText {
        var result = SafeText.empty
        for (index, text) in enumerated() { result += index == 0 ? text : separator + text }
        return result
    }
}

extension Collection<SafeText> {
    /// `Ann`, `Ann and Bob`, `Ann, Bob and Cid`.
    var listed: SafeText { [dropLast().joined(), suffix(1).joined()].filter { !$0.isEmpty }.joined(" and ") }
}

extension String {
    /// Columns on a terminal.
    var columns: Int {
        // Fast path: ASCII has one column a byte.
        utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columns }
    }
}
