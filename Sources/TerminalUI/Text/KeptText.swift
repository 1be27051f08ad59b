import Wire

/// Outside characters made safe, and the width of characters. The standard library joins scalars to characters: an emoji of several, a flag.
///
/// The width of a joined emoji is two columns (UAX #11); a terminal that does not join it draws it wider, see ``Frame/drawing(over:for:)``.
extension Character {
    /// Scalars of one emoji: enough for the longest of Unicode, a couple of two skin tones.
    private static var longestEmoji: Int { 10 }

    /// Columns on a terminal.
    var columns: Int { utf8.count == 1 ? 1 : isJoined ? 2 : unicodeScalars.reduce(0) { $0 + Columns.of($1) } }

    /// True for several scalars that a terminal may draw as one or one by one; of safe text alone.
    var isJoined: Bool {
        guard let first = unicodeScalars.first, unicodeScalars.count > 1 else { return false }
        return first.isFlagLetter || unicodeScalars.dropFirst().contains(where: \.joinsEmoji)
    }

    /// The character, or a replacement for what moves the cursor, turns text or cannot be seen.
    var safe: String.UnicodeScalarView {
        let scalars = unicodeScalars
        if isWholeEmoji { return scalars }
        var (kept, marks) = (String.UnicodeScalarView(), 0)
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator: kept.append(" ")
            case .control: kept.append(scalar == "\n" || scalar == "\r" || scalar == "\t" ? " " : "?")
            case .format, .surrogate, .privateUse, .unassigned, .enclosingMark: kept.append("?")
            case _ where scalar.properties.isDefaultIgnorableCodePoint || scalar.joinsEmoji || scalar.isFlagLetter:
                kept.append("?")
            case .nonspacingMark where kept.isEmpty: kept.append("?")
            case .nonspacingMark where marks >= 2: break
            default:
                if Columns.of(scalar) == 0 { marks += 1 }
                kept.append(scalar)
            }
        }
        return kept
    }

    private var isWholeEmoji: Bool {
        let scalars = unicodeScalars
        guard let first = scalars.first, let last = scalars.last, (2...Self.longestEmoji).contains(scalars.count) else {
            return false
        }
        if first.isFlagLetter { return scalars.count == 2 && last.isFlagLetter }
        return first.isEmojiPart && last != .joiner && scalars.allSatisfy { $0.isEmojiPart || $0.joinsEmoji }
    }
}

extension Unicode.Scalar {
    /// Zero width joiner: makes one emoji of two.
    static let joiner: Unicode.Scalar = "\u{200D}"

    /// True for a joiner, variation selector 16, and a skin tone, which belongs to the emoji before it.
    fileprivate var joinsEmoji: Bool { self == .joiner || self == "\u{FE0F}" || (0x1F3FB...0x1F3FF).contains(value) }

    /// True for a regional indicator: two of them are a flag.
    fileprivate var isFlagLetter: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    /// True for a character that a joiner may join.
    fileprivate var isEmojiPart: Bool { value > 0x2000 && properties.isEmoji && !joinsEmoji && !isFlagLetter }
}
