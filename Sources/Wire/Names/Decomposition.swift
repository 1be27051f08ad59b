/// Takes a letter with marks apart, as Unicode's canonical decomposition does, as far as look-alikes need it: `ё` is `е` with two dots.
///
/// The standard library keeps that to itself. But it knows the names of characters, which say the same: `GREEK SMALL LETTER ALPHA WITH PSILI
/// AND OXIA`. A test holds this against the real decomposition, for every character that a name may have.
enum Decomposition {
    /// The letter and its marks; the character alone if it has none, or is nothing that look-alikes have to do with.
    static func parts(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        if scalar.isASCII { return [scalar] }
        if let parts = irregular[scalar] { return parts }
        // Letters without case are many, and their names say nothing about marks.
        guard scalar.properties.generalCategory != .otherLetter else { return [scalar] }
        guard let words = scalar.properties.name?.split(separator: " "), let with = words.firstIndex(of: "WITH"),
            let base = bases[words[..<with].joined(separator: " ")]
        else { return [scalar] }
        var parts = [base]
        for name in words[(with + 1)...].split(separator: "AND") {
            // Strokes, hooks and the like are part of their letter.
            guard let mark = marks[name.joined(separator: " ")] else { return [scalar] }
            parts.append(mark)
        }
        return parts
    }

    /// The letters that may have marks, by their names: those of ASCII and those that look like others.
    private static let bases: [String: Unicode.Scalar] = {
        var bases: [String: Unicode.Scalar] = [:]
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".unicodeScalars
        for scalar in Array(letters) + LookAlikes.models.keys {
            if let name = scalar.properties.name { bases[name] = scalar }
        }
        return bases
    }()

    private static let marks: [String: Unicode.Scalar] = [
        "GRAVE": "\u{300}", "ACUTE": "\u{301}", "CIRCUMFLEX": "\u{302}", "TILDE": "\u{303}", "MACRON": "\u{304}",
        "BREVE": "\u{306}",
        "DOT ABOVE": "\u{307}", "DIAERESIS": "\u{308}", "HOOK ABOVE": "\u{309}", "RING ABOVE": "\u{30A}",
        "DOUBLE ACUTE": "\u{30B}",
        "CARON": "\u{30C}", "DOUBLE GRAVE": "\u{30F}", "DOUBLE GRAVE ACCENT": "\u{30F}", "INVERTED BREVE": "\u{311}",
        "HORN": "\u{31B}", "DOT BELOW": "\u{323}",
        "DIAERESIS BELOW": "\u{324}", "RING BELOW": "\u{325}", "COMMA BELOW": "\u{326}", "CEDILLA": "\u{327}",
        "OGONEK": "\u{328}",
        "CIRCUMFLEX BELOW": "\u{32D}", "BREVE BELOW": "\u{32E}", "TILDE BELOW": "\u{330}", "LINE BELOW": "\u{331}",
        "VARIA": "\u{300}", "OXIA": "\u{301}", "TONOS": "\u{301}", "VRACHY": "\u{306}", "DIALYTIKA": "\u{308}",
        "PSILI": "\u{313}",
        "DASIA": "\u{314}", "PERISPOMENI": "\u{342}", "YPOGEGRAMMENI": "\u{345}", "PROSGEGRAMMENI": "\u{345}",
    ]

    /// Letters whose names do not tell.
    private static let irregular: [Unicode.Scalar: [Unicode.Scalar]] = [
        "Ё": ["Е", "\u{308}"], "ё": ["е", "\u{308}"], "Ї": ["І", "\u{308}"], "ї": ["і", "\u{308}"], "Ў": ["У", "\u{306}"],
        "ў": ["у", "\u{306}"], "Ќ": ["К", "\u{301}"], "ќ": ["к", "\u{301}"], "Ѓ": ["Г", "\u{301}"], "ѓ": ["г", "\u{301}"],
        "ガ": ["カ", "\u{3099}"], "ダ": ["タ", "\u{3099}"], "ド": ["ト", "\u{3099}"], "バ": ["ハ", "\u{3099}"], "パ": ["ハ", "\u{309A}"],
        "ベ": ["ヘ", "\u{3099}"], "ペ": ["ヘ", "\u{309A}"],
    ]
}
