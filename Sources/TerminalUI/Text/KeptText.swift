/// Outside characters made safe, and their width.
struct KeptText {
    /// Characters of one emoji: enough for the longest of Unicode, a couple of two skin tones.
    private static let longestEmoji = 10

    private(set) var scalars = String.UnicodeScalarView()
    private(set) var columns = 0
    /// The first character of the last glyph, its number of characters and its width.
    private var base: Unicode.Scalar?
    private var length = 0
    private var width = 0
    private var marks = 0
    /// A joiner, kept only if an emoji follows.
    private var hasJoiner = false
    /// A first letter of a flag, kept only if a second one follows.
    private var hasHalfFlag = false

    /// Appends an outside character or its replacement.
    mutating func add(_ scalar: Unicode.Scalar) {
        if hasJoiner {
            hasJoiner = false
            if scalar.isEmojiPart {
                extend(.joiner, to: 2)
                return extend(scalar, to: 2)
            }
            begin("?")
        }
        if hasHalfFlag {
            hasHalfFlag = false
            if scalar.isFlagLetter { return extend(scalar, to: 2) }
            replaceLast()
        }
        if scalar.value < 0x7F, scalar.value >= 0x20 { return begin(scalar) }
        if addToEmoji(scalar) { return }
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: begin(" ")
        case .control: begin(scalar == "\n" || scalar == "\r" || scalar == "\t" ? " " : "?")
        case .format, .surrogate, .privateUse, .unassigned, .enclosingMark: begin("?")
        case _ where scalar.properties.isDefaultIgnorableCodePoint: begin("?")
        case .nonspacingMark where scalars.isEmpty: begin("?")
        case .nonspacingMark where marks >= 2: break
        case _ where Columns.of(scalar) == 0 && !scalars.isEmpty:
            marks += 1
            extend(scalar, to: width)
        default: begin(scalar)
        }
    }

    /// Handles the characters that emoji are spelt with.
    /// - Returns: false for any other.
    private mutating func addToEmoji(_ scalar: Unicode.Scalar) -> Bool {
        let canGrow = base?.isEmojiPart == true && length < Self.longestEmoji && marks == 0
        if scalar == .joiner, canGrow {
            hasJoiner = true
        } else if scalar == .emojiSelector || scalar.isEmojiTone {
            guard canGrow, scalars.last != scalar else {
                begin("?")
                return true
            }
            extend(scalar, to: 2)
        } else if scalar.isFlagLetter {
            begin(scalar)
            hasHalfFlag = true
        } else {
            return false
        }
        return true
    }

    /// Replaces what is incomplete at the end.
    mutating func finish() {
        if hasJoiner { begin("?") }
        if hasHalfFlag { replaceLast() }
        (hasJoiner, hasHalfFlag) = (false, false)
    }

    private mutating func begin(_ scalar: Unicode.Scalar) {
        (base, length, width, marks) = (scalar, 1, Columns.of(scalar), 0)
        columns += width
        scalars.append(scalar)
    }

    private mutating func extend(_ scalar: Unicode.Scalar, to columns: Int) {
        self.columns += columns - width
        (length, width) = (length + 1, columns)
        scalars.append(scalar)
    }

    private mutating func replaceLast() {
        scalars.removeLast()
        columns -= width
        begin("?")
    }
}
