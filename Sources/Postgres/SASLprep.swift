/// The preparation of passwords for SCRAM (SASLprep, RFC 4013), as PostgreSQL does it: text that the standard prohibits is used byte for byte.
///
/// Of Unicode's normal form NFKC this has no tables: it finds out whether the form may differ from the text, and refuses the password then.
enum SASLprep {
    struct Refusal: Error, Hashable { var text: String }

    static func prepared(_ password: [UInt8]) throws(Refusal) -> [UInt8] {
        guard password.contains(where: { $0 >= 0x80 }), let text = String(validating: password, as: UTF8.self) else {
            return password
        }
        var mapped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // Table C.1.2 of RFC 3454, then B.1.
            case 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: mapped.append(" ")
            case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200C, 0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF: break
            default: mapped.append(scalar)
            }
        }
        guard !mapped.isEmpty, !mapped.contains(where: isProhibited) else { return password }
        guard !mayChange(mapped) else {
            throw Refusal(
                text:
                    "the password has a character that Unicode NFKC replaces, such as a ligature, a full-width letter or a spacing "
                    + "accent: set another one")
        }
        let result = Array(String(mapped).utf8)
        // Whether letters of both directions are allowed matters only if something was mapped.
        guard result == password || !mapped.contains(where: isRightToLeft) else {
            throw Refusal(text: "the password mixes right-to-left letters with spaces other than U+0020: set another one")
        }
        return result
    }

    /// Prohibited, or not yet in Unicode 3.2 (tables A.1, C.2 to C.9).
    private static func isProhibited(_ scalar: Unicode.Scalar) -> Bool {
        guard let age = scalar.properties.age, (age.major, age.minor) <= (3, 2) else { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned: return true
        default: return [0x2FF0...0x2FFB, 0xFFFC...0xFFFD].contains { $0.contains(scalar.value) }
        }
    }

    /// The blocks of table D.1.
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        [0x590...0x7BF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE].contains { $0.contains(scalar.value) }
    }

    private static func mayChange(_ scalars: String.UnicodeScalarView) -> Bool {
        var last: UInt8 = 0
        for scalar in scalars {
            let order = scalar.properties.canonicalCombiningClass.rawValue
            if hasOtherForm(scalar) || composes(scalar) || order > 0 && order < last { return true }
            last = order
        }
        return false
    }

    /// The property is that of NFKC and of letter case together: a letter that does not have it keeps its form, and so does its capital, but for
    /// four symbols. Three letters have it for their case alone.
    private static func hasOtherForm(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{DF}", "\u{1E9E}", "\u{3C2}": return false
        case "\u{3F4}", "\u{2126}", "\u{212A}", "\u{212B}": return true
        default:
            let small = scalar.properties.lowercaseMapping.unicodeScalars
            return scalar.properties.changesWhenNFKCCaseFolded
                && (small.count > 1 || small.first?.properties.changesWhenNFKCCaseFolded ?? true)
        }
    }

    /// Whether a pair with the character as the second one may be another character: accents and, of a few scripts, vowels.
    private static func composes(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x345, 0x653...0x655, 0x93C, 0x1161...0x1175, 0x11A8...0x11C2, 0x3099...0x309A, 0x110BA: true
        case 0x9BE, 0x9D7, 0xB3E, 0xB56...0xB57, 0xBBE, 0xBD7, 0xC56, 0xCC2, 0xCD5...0xCD6, 0xD3E, 0xD57, 0xDCA...0xDDF, 0x102E,
            0x1B35, 0x11127, 0x1133E, 0x11357, 0x114B0...0x114BD, 0x115AF, 0x11930:
            true
        default: false
        }
    }
}
