/// Which scripts a name is written in, and whether they go together.
///
/// Letters of one script only, for a Cyrillic `а` in a Latin name is a forgery. Latin letters may stand beside Chinese, Japanese and Korean
/// ones, which resemble none of them: the level that Unicode's UTS #39, §5.2, calls highly restrictive. Digits count with their script, but
/// `0` to `9` go with each; and digits are of one kind, so that none of another kind passes for a letter.
struct ScriptMix {
    /// Beside Latin letters, all of one of these may stand.
    private static let companies: [Set<Substring>] = [
        ["LATIN", "CJK", "HIRAGANA", "KATAKANA"], ["LATIN", "CJK", "BOPOMOFO"], ["LATIN", "CJK", "HANGUL"],
    ]

    private var scripts: Set<Substring> = []
    private var hasLatin = false
    /// The zeros of the kinds of digits.
    private var zeros: Set<UInt32> = []

    mutating func insert(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "a"..."z", "A"..."Z": hasLatin = true
        case "0"..."9": zeros.insert(0x30)
        default:
            guard !scalar.isASCII else { return }
            if let script = Self.script(of: scalar) { scripts.insert(script) }
            // The digits of a kind stand in a row, as the standard promises.
            if let value = scalar.properties.numericValue, scalar.properties.generalCategory == .decimalNumber {
                zeros.insert(scalar.value - UInt32(value))
            }
        }
    }

    /// What is wrong with the mixture, in a sentence; nil for nothing.
    var fault: String? {
        guard zeros.count <= 1 else { return "A name has digits of one kind." }
        guard !scripts.isEmpty else { return nil }
        let all = hasLatin ? scripts.union(["LATIN"]) : scripts
        guard all.count > 1, !Self.companies.contains(where: all.isSubset) else { return nil }
        return "The letters of a name are of one script; Latin ones may stand beside Chinese, Japanese or Korean ones."
    }

    /// The script that a letter, mark or digit belongs to, by the first word of its name, which the standard never changes; nil for what
    /// goes with any script. The standard library has no other word of a character's script.
    private static func script(of scalar: Unicode.Scalar) -> Substring? {
        let words = (scalar.properties.name ?? "?").split(separator: " ", maxSplits: 2)
        let first = words.first ?? "?"
        return switch first {
        case "COMBINING", "MODIFIER", "VEDIC": nil
        case "IDEOGRAPHIC", "VERTICAL": "CJK"
        case "KATAKANA-HIRAGANA": "KATAKANA"
        case "ARABIC-INDIC", "EXTENDED": "ARABIC"
        // Two words that other scripts begin with as well.
        case "OLD", "NEW", "TAI": words.dropFirst().first ?? first
        default: first
        }
    }
}
