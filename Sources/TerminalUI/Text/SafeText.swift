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
        var kept = KeptText()
        for scalar in outside.unicodeScalars {
            kept.add(scalar)
            // Two columns over the limit decide that the text is cut, a half flag included.
            if kept.columns > limit + 2 { break }
        }
        kept.finish()
        self = SafeText(trusted: String(kept.scalars), columns: kept.columns).cut(to: limit)
    }

    init(trusted text: String, columns: Int) {
        self.text = text
        self.columns = columns
    }

    var isEmpty: Bool { text.isEmpty }

    public var description: String { text }

    /// The text within `limit` columns; `…` marks a cut.
    func cut(to limit: Int) -> SafeText {
        guard columns > limit else { return self }
        guard limit > 0 else { return .empty }
        var (kept, width) = (String.UnicodeScalarView(), 0)
        for glyph in Glyphs(text) {
            guard width + glyph.columns < limit else { break }
            kept.append(contentsOf: glyph.scalars)
            width += glyph.columns
        }
        kept.append("…")
        return SafeText(trusted: String(kept), columns: width + 1)
    }

    /// Wraps the text at spaces, and a word wider than a line at any character.
    func wrapped(to width: Int) -> [SafeText] {
        var lines: [SafeText] = []
        for word in text.split(separator: " ") {
            for piece in SafeText(trusted: String(word), columns: Glyphs.columns(of: String(word))).pieces(of: max(1, width)) {
                if let last = lines.last, last.columns + 1 + piece.columns <= width, piece.isStart {
                    lines[lines.count - 1] = last + " " + piece.text
                } else {
                    lines.append(piece.text)
                }
            }
        }
        return lines
    }

    /// The text in lines of whole words; the indent of the first one is kept, and doubled in the others.
    func paragraph(columns width: Int) -> [SafeText] {
        guard columns > width, width > 0 else { return [self] }
        let indent = min(text.prefix { $0 == " " }.count, width / 4)
        let (first, rest) = (SafeText.filled(with: " ", indent), SafeText.filled(with: " ", indent * 2))
        return wrapped(to: max(1, width - indent * 2)).enumerated().map { $0 == 0 ? first + $1 : rest + $1 }
    }

    /// The word in pieces no wider than a line.
    private func pieces(of width: Int) -> [(text: SafeText, columns: Int, isStart: Bool)] {
        guard columns > width else { return [(self, columns, true)] }
        var pieces: [SafeText] = []
        for glyph in Glyphs(text) {
            let glyph = SafeText(trusted: String(glyph.scalars), columns: glyph.columns)
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
        for glyph in Glyphs(text) {
            guard let base = glyph.scalars.first else { continue }
            if base.isASCII {
                ascii.unicodeScalars.append(base)
            } else if let likeness = Self.likenesses[base], glyph.columns == 1 {
                ascii.append(likeness)
            } else {
                ascii += String(repeating: "?", count: glyph.columns)
            }
        }
        return SafeText(trusted: ascii, columns: columns)
    }

    private static let likenesses: [Unicode.Scalar: Character] = [
        "♠": "S", "♥": "H", "♦": "D", "♣": "C", "…": "~", "·": "-", "–": "-", "−": "-", "’": "'", "▶": ">", "•": "*", "░": "#",
        "█": "=", "●": "o",
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
        self.init(trusted: literal, columns: Glyphs.columns(of: literal))
    }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.result }
}

extension SafeText {
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
