/// Cuts text into glyphs: a character with its marks, an emoji joined of several, a flag.
///
/// The width of joined emoji is two columns (UAX #11); a terminal that does not join them draws them wider, see ``Frame/drawing(over:look:)``.
struct Glyphs: Sequence, IteratorProtocol {
    struct Glyph {
        let scalars: Substring.UnicodeScalarView
        let columns: Int
        /// True for several characters that a terminal may draw as one or one by one.
        let isJoined: Bool
    }

    private var rest: Substring.UnicodeScalarView

    init(_ text: String) { rest = Substring(text).unicodeScalars }

    /// Width of a text in columns.
    static func columns(of text: String) -> Int {
        // Fast path: ASCII has one column a byte.
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : Glyphs(text).reduce(0) { $0 + $1.columns }
    }

    mutating func next() -> Glyph? {
        guard let base = rest.first else { return nil }
        var end = rest.index(after: rest.startIndex)
        var isJoined = false
        while end < rest.endIndex {
            let scalar = rest[end]
            let after = rest.index(after: end)
            if scalar == .joiner {
                guard base.isEmojiPart, after < rest.endIndex, rest[after].isEmojiPart else { break }
                end = rest.index(after: after)
                isJoined = true
            } else if scalar == .emojiSelector || scalar.isEmojiTone {
                guard base.isEmojiPart else { break }
                end = after
                isJoined = true
            } else if scalar.isFlagLetter {
                guard base.isFlagLetter, !isJoined else { break }
                end = after
                isJoined = true
            } else {
                guard Columns.of(scalar) == 0 else { break }
                end = after
            }
        }
        defer { rest = rest[end...] }
        return Glyph(scalars: rest[..<end], columns: isJoined ? 2 : Columns.of(base), isJoined: isJoined)
    }
}

extension Unicode.Scalar {
    /// Zero width joiner: makes one emoji of two.
    static let joiner: Unicode.Scalar = "\u{200D}"
    /// Variation selector 16: the emoji form of a character.
    static let emojiSelector: Unicode.Scalar = "\u{FE0F}"

    /// True for a skin tone, which belongs to the emoji before it.
    var isEmojiTone: Bool { (0x1F3FB...0x1F3FF).contains(value) }

    /// True for a regional indicator: two of them are a flag.
    var isFlagLetter: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    /// True for a character that a joiner may join.
    var isEmojiPart: Bool { value > 0x2000 && properties.isEmoji && !isEmojiTone && !isFlagLetter }
}
