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
        var kept = Kept()
        for scalar in outside.unicodeScalars {
            kept.add(scalar)
            // One character over the limit decides that the text is cut.
            if kept.columns > limit { break }
        }
        if kept.columns > limit { kept.cut(to: limit) }
        self.init(trusted: String(kept.scalars), columns: kept.columns)
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
        var kept = Kept()
        for scalar in text.unicodeScalars { kept.append(scalar) }
        kept.cut(to: limit)
        return SafeText(trusted: String(kept.scalars), columns: kept.columns)
    }

    /// Wraps the text at spaces.
    func wrapped(to width: Int) -> [SafeText] {
        var lines: [SafeText] = []
        for word in text.split(separator: " ") {
            let word = SafeText(String(word), columns: width)
            if let last = lines.last, last.columns + 1 + word.columns <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    static func + (a: SafeText, b: SafeText) -> SafeText {
        SafeText(trusted: a.text + b.text, columns: a.columns + b.columns)
    }

    static func += (a: inout SafeText, b: SafeText) { a = a + b }

    /// An ASCII transliteration of the same width.
    var inASCII: SafeText {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var ascii = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                ascii.unicodeScalars.append(scalar)
            } else if let likeness = Self.likenesses[scalar] {
                ascii.append(likeness)
            } else {
                ascii += String(repeating: "?", count: Columns.of(scalar))
            }
        }
        return SafeText(trusted: ascii, columns: columns)
    }

    private static let likenesses: [Unicode.Scalar: Character] = [
        "♠": "S", "♥": "H", "♦": "D", "♣": "C", "…": "~", "·": "-", "–": "-", "−": "-", "’": "'", "▶": ">", "░": "#", "█": "=",
        "─": "-", "│": "|", "┌": "+", "┬": "+", "┐": "+", "└": "+", "┴": "+", "┘": "+",
    ]
}

/// Accepted characters and their width.
private struct Kept {
    var scalars = String.UnicodeScalarView()
    var columns = 0
    private var marks = 0

    /// Appends an outside character or its replacement.
    mutating func add(_ scalar: Unicode.Scalar) {
        if scalar.value < 0x7F, scalar.value >= 0x20 { return append(scalar) }
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: append(" ")
        case .control: append(scalar == "\n" || scalar == "\r" || scalar == "\t" ? " " : "?")
        case .format, .surrogate, .privateUse, .unassigned, .enclosingMark: append("?")
        case _ where scalar.properties.isDefaultIgnorableCodePoint: append("?")
        case .nonspacingMark where scalars.isEmpty: append("?")
        case .nonspacingMark where marks >= 2: break
        default: append(scalar)
        }
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        let width = Columns.of(scalar)
        marks = width == 0 ? marks + 1 : 0
        columns += width
        scalars.append(scalar)
    }

    /// Drops characters from the end until the text and `…` fit.
    mutating func cut(to limit: Int) {
        guard limit > 0 else {
            self = Kept()
            return
        }
        while columns > limit - 1, let last = scalars.popLast() { columns -= Columns.of(last) }
        append("…")
    }
}
