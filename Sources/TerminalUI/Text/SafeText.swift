/// Text that a terminal may be given: one line, nothing in it that moves the cursor, turns the direction of writing or can't be seen,
/// and a known number of columns.
///
/// There is no other way to the terminal than through this type. A literal is our own text; whatever is put into a literal by
/// interpolation, or passed to ``init(_:columns:)``, is taken for text from outside and made harmless.
public struct SafeText: Hashable, Sendable, CustomStringConvertible {
    /// The text, safe to be written.
    public let text: String
    /// The columns that it takes.
    public let columns: Int

    /// Nothing.
    public static let empty = SafeText(trusted: "", columns: 0)

    /// Text from outside, made harmless and cut to a width.
    ///
    /// What must not reach a terminal becomes `?`, so that a name with invisible characters does not look like the one without;
    /// line ends and the many kinds of spaces become a space. No character keeps more than two marks.
    /// - Parameter columns: the greatest width; text that was cut ends in `…`.
    public init(_ outside: String, columns limit: Int = 200) {
        var kept = Kept()
        for scalar in outside.unicodeScalars {
            kept.add(scalar)
            // One more than fits shows that something has to go.
            if kept.columns > limit { break }
        }
        if kept.columns > limit { kept.cut(to: limit) }
        self.init(trusted: String(kept.scalars), columns: kept.columns)
    }

    init(trusted text: String, columns: Int) {
        self.text = text
        self.columns = columns
    }

    public var isEmpty: Bool { text.isEmpty }

    public var description: String { text }

    /// This text within so many columns, the last of which says that something is missing.
    public func cut(to limit: Int) -> SafeText {
        guard columns > limit else { return self }
        var kept = Kept()
        for scalar in text.unicodeScalars { kept.append(scalar) }
        kept.cut(to: limit)
        return SafeText(trusted: String(kept.scalars), columns: kept.columns)
    }

    /// This text in lines of so many columns, cut at its spaces.
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

    public static func + (a: SafeText, b: SafeText) -> SafeText {
        SafeText(trusted: a.text + b.text, columns: a.columns + b.columns)
    }

    public static func += (a: inout SafeText, b: SafeText) { a = a + b }

    /// The same text for a terminal that knows ASCII alone: as wide as before, with a likeness of each character of ours.
    public var inASCII: SafeText {
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

/// Characters that are kept, and the columns that they take.
private struct Kept {
    var scalars = String.UnicodeScalarView()
    var columns = 0
    private var marks = 0

    /// Adds a character from outside, or what stands for it.
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

    /// Takes away from the end until the text with its `…` fits.
    mutating func cut(to limit: Int) {
        guard limit > 0 else {
            self = Kept()
            return
        }
        while columns > limit - 1, let last = scalars.popLast() { columns -= Columns.of(last) }
        append("…")
    }
}
