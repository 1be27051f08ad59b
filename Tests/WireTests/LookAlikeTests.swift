import Foundation
import TestKit
import Testing

@testable import Wire

/// Every character that a name may consist of.
private let letters: [Unicode.Scalar] = (UInt32(0x21)...0x1FFFF).compactMap { Unicode.Scalar($0) }.filter {
    (try? PlayerName(String($0))) != nil || (try? PlayerName("a" + String($0))) != nil
}

struct LookAlikeTests {
    static let alike: [(String, String)] = [
        ("Oleg", "0leg"), ("Ian", "lan"), ("Ian", "1an"), ("IAN", "LAN"), ("b0b", "BOB"), ("lI1", "111"),
        ("apple", "\u{430}\u{440}\u{440}\u{4CF}\u{435}"), ("Bob", "\u{412}\u{43E}\u{42C}"), ("Anna", "\u{391}nna"),
        ("HOPE", "\u{397}\u{39F}\u{3A1}\u{395}"), ("HOPE", "\u{41D}\u{41E}\u{420}\u{415}"), ("Zo\u{EB}", "\u{396}\u{43E}\u{451}"),
        ("\u{391}\u{39D}\u{39D}\u{391}", "ANNA"), ("\u{13A0}\u{13A1}", "DR"), ("\u{54F}\u{555}", "SO"),
        ("\u{A4EE}\u{A4E0}\u{A4E0}", "ann"),
        ("\u{1D00}\u{274}\u{274}", "Ann"), ("O'Neil", "O\u{2BC}Neil"), ("\u{131}da", "ida"), ("\u{1F00}\u{3BD}", "a\u{313}v"),
        ("\u{1CE}", "\u{103}"), ("\u{15F}", "\u{219}"), ("\u{30ED}\u{30B7}\u{30A2}", "\u{53E3}\u{30B7}\u{30A2}"),
        ("\u{967}\u{966}", "\u{967}o"),
        ("mario", "rnario"), ("William", "vvilliam"), ("Amy", "Arny"), ("dan", "clan"), ("d", "CI"), ("rnrn", "mm"),
        ("vvv", "wv"),
        ("\u{433}n", "m"), ("rn\u{303}", "r\u{F1}"),
        ("\u{10C}ap", "\u{421}\u{30C}\u{430}\u{440}"),
    ]

    @Test(
        arguments: [
            ("house-1", "Bot 1"), ("house low-12", "Bot 12"), ("houseboat-3", nil), ("house-", nil), ("house", nil),
            ("ann-1", nil),
        ] as [(String, String?)])
    func aBotOfTheHouse_isShownByItsNumber_andNobodyElseIs(_ name: String, _ shown: String?) {
        #expect(PlayerName.houseBot(name) == shown)
    }

    @Test(arguments: alike) func namesThatLookAlike_haveTheSameSkeleton(_ one: String, _ other: String) {
        #expect(LookAlikes.skeleton(of: one) == LookAlikes.skeleton(of: other), "\(one) \(LookAlikes.skeleton(of: one))")
    }

    static let unlike: [(String, String)] = [
        ("Karl", "Kari"), ("Rene", "Ren\u{E9}"), ("Muller", "M\u{FC}ller"), ("Ann", "An n"), ("r n", "m"),
        ("v-v", "w"),
        ("a-b", "a_b"),
        ("a.b", "ab"), ("house-1", "house-7"), ("Ali", "Ail"), ("\u{41B}\u{435}\u{43D}\u{430}", "\u{41B}\u{438}\u{43D}\u{430}"),
    ]

    @Test(arguments: unlike) func namesThatDoNot_haveDifferentOnes(_ one: String, _ other: String) throws {
        let (one, other) = (try PlayerName(one), try PlayerName(other))
        #expect(one.skeleton != other.skeleton && one.key != other.key)
    }

    /// Those that look alike, and each with its other case.
    @Test func ofASCII_onlyTheMeantOnesAreJoined() {
        let groups = Dictionary(grouping: (0x21...0x7E).map { Unicode.Scalar($0 as UInt8) }) {
            LookAlikes.skeleton(of: String($0))
        }
        var joined = Set(groups.values.map { String(String.UnicodeScalarView($0)) }.filter { $0.count > 1 })
        #expect(joined.remove("1ILl") != nil && joined.remove("0Oo") != nil && joined.remove("i") == nil)
        let pairs = "ABCDEFGHJKMNPQRSTUVWXYZ".map { "\($0)\($0.lowercased())" }
        #expect(joined == Set(pairs))
        #expect(groups["i"] == ["i"])
    }

    @Test func theTable_hasWhatANameMayHave_eachOnce_andEachLooksLikeItsModel() {
        var seen: Set<Unicode.Scalar> = []
        for (model, others) in LookAlikes.rows {
            for scalar in others.unicodeScalars where scalar != " " {
                let text = "U+" + String(scalar.value, radix: 16)
                #expect(seen.insert(scalar).inserted, "\(text) is there twice")
                #expect(
                    (try? PlayerName(String(scalar))) != nil || scalar.properties.generalCategory == .nonspacingMark, "\(text)")
                #expect(LookAlikes.skeleton(of: String(scalar)) == LookAlikes.skeleton(of: model), "\(text)")
            }
        }
        #expect(seen.count > 350)
    }

    /// All there are, with what Unicode's own decomposition makes of them.
    @Test func aSkeleton_isItsOwn_andThatOfEveryEquivalentSpelling() {
        #expect(letters.count > 60_000)
        var wrong: [String] = []
        for scalar in letters {
            let text = String(scalar)
            let skeleton = LookAlikes.skeleton(of: text)
            if LookAlikes.skeleton(of: skeleton) != skeleton { wrong.append("\(text) twice") }
            let apart = text.decomposedStringWithCanonicalMapping
            guard !apart.unicodeScalars.elementsEqual(text.unicodeScalars) else { continue }
            if LookAlikes.skeleton(of: apart) != skeleton { wrong.append("\(text) apart") }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(20))")
    }

    @Test func randomNames_haveTheSkeletonOfTheirPartsTogether_andOfTheirOtherSpellings() {
        var random = SeededGenerator()
        let models = LookAlikes.models.keys.sorted()
        for _ in 0..<2_000 {
            let scalars = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                Bool.random(using: &random) ? models.randomElement(using: &random)! : letters.randomElement(using: &random)!
            }
            let text = String(String.UnicodeScalarView(scalars))
            let skeleton = LookAlikes.skeleton(of: text)
            let hint: Comment = "\(text.unicodeScalars.map { String($0.value, radix: 16) }), seed \(Seed.value)"
            #expect(LookAlikes.skeleton(of: skeleton) == skeleton, hint)
            #expect(LookAlikes.skeleton(of: text.decomposedStringWithCanonicalMapping) == skeleton, hint)
            // Foundation composes some letters beyond U+FFFF by their lower half: U+10053 with a comma like an S with one.
            let composed = text.precomposedStringWithCanonicalMapping
            if composed == text { #expect(LookAlikes.skeleton(of: composed) == skeleton, hint) }
        }
    }
}

struct ScriptTableTests {
    /// The first word of a character's name, as far as that says the script.
    private func word(_ scalar: Unicode.Scalar) -> Substring? {
        let words = (scalar.properties.name ?? "?").split(separator: " ", maxSplits: 2)
        let first = words.first ?? "?"
        return switch first {
        case "COMBINING", "MODIFIER", "VEDIC": nil
        case "IDEOGRAPHIC", "VERTICAL": "CJK"
        case "KATAKANA-HIRAGANA": "KATAKANA"
        case "ARABIC-INDIC", "EXTENDED": "ARABIC"
        case "OLD", "NEW", "TAI": words.dropFirst().first ?? first
        default: first
        }
    }

    @Test func theTableOfScriptsSaysWhatTheNamesSay() {
        var numbers: [Substring: UInt8] = [:]
        var scripts: [UInt8: Substring] = [:]
        var wrong: [String] = []
        for scalar in letters where !scalar.isASCII {
            let number = ScriptRanges.script(of: scalar)
            guard let word = word(scalar) else {
                if number != ScriptRanges.common { wrong.append("U+" + String(scalar.value, radix: 16)) }
                continue
            }
            if numbers[word, default: number] != number || scripts[number, default: word] != word || number == ScriptRanges.common
            {
                wrong.append("U+" + String(scalar.value, radix: 16))
            }
            numbers[word] = number
            scripts[number] = word
        }
        #expect(
            wrong.isEmpty && numbers["LATIN"] == ScriptRanges.latin && numbers["CJK"] == ScriptRanges.cjk, "\(wrong.prefix(20))")
        #expect(numbers["HIRAGANA"] == ScriptRanges.hiragana && numbers["KATAKANA"] == ScriptRanges.katakana)
        #expect(numbers["BOPOMOFO"] == ScriptRanges.bopomofo && numbers["HANGUL"] == ScriptRanges.hangul)
    }

    @Test func theTableOfDecompositionsIsUnicodes() {
        for (scalar, parts) in Decomposition.table {
            let text = String(String.UnicodeScalarView(parts))
            // Equal as texts whatever the order of marks above and below the letter.
            #expect(text == String(scalar) && parts.count > 1, "\(scalar) \(text)")
        }
        #expect(Decomposition.table.count > 600)
    }
}

struct ReservedNameTests {
    static let reserved = [
        "admin", "ADMIN", "Admin ", "a.d.m.i.n", "adm1n", "adrnin", "Dealer", "d3aler", "clealer", "house", "house-1", "House 12",
        "h0use", "H0U5E", "house low-3", "\u{430}dmin", "\u{405}\u{443}\u{455}", "admin_bob", "root", "r00t", "bank7",
    ]

    @Test(arguments: reserved) func aNameThatPassesForTheHosts_isReserved(_ text: String) throws {
        guard let name = try? PlayerName(text) else { return }
        #expect(ReservedNames(ReservedNames.standard + ["sys"]).contains(name))
    }

    static let free = [
        "ann", "Household", "Hostile", "Bankole", "Rooty", "my house", "madmin", "Ada", "dea", "1", "\u{738B}\u{5C0F}",
    ]

    @Test(arguments: free) func anOtherOneIsNot(_ text: String) throws {
        let name = try PlayerName(text)
        #expect(!ReservedNames().contains(name) && !ReservedNames([]).contains(name))
    }

    @Test func theHostChoosesTheWords() throws {
        let names = ReservedNames(["Ann-Marie", "\u{410}\u{434}\u{43C}\u{438}\u{43D}"])
        for text in ["ann.marie", "AnnMarie2", "\u{430}\u{434}\u{43C}\u{438}\u{43D} 2"] {
            #expect(names.contains(try PlayerName(text)), "\(text)")
        }
        for text in ["ann", "admin", "marie"] { #expect(!names.contains(try PlayerName(text)), "\(text)") }
    }
}

struct ScriptMixTests {
    static let together = [
        "Ann 1", "\u{410}\u{43D}\u{44F} 2", "\u{738B}\u{5C0F}\u{660E} Bob", "\u{30BF}\u{30ED}\u{30FC}san",
        "\u{305F}\u{308D}\u{3046} \u{5C71}\u{3005}",
        "\u{AE40} Kim", "Zoe\u{308}", "O\u{2BC}Neil", "\u{633}\u{644}\u{627}\u{645} \u{661}\u{662}", "\u{938}\u{94D}\u{928} 12",
        "\u{3105} Li",
    ]

    @Test(arguments: together) func scriptsThatGoTogether_areAccepted(_ name: String) throws { _ = try PlayerName(name) }

    static let apart: [(String, String)] = [
        ("\u{430}nn", "Cyrillic and Latin"), ("Ann\u{3B1}", "Latin and Greek"), ("\u{3B1}\u{430}", "Greek and Cyrillic"),
        ("\u{13A0}r", "Cherokee and Latin"), ("B\u{585}b", "Latin and Armenian"), ("\u{430}\u{585}", "Cyrillic and Armenian"),
        ("\u{A4EE}nn", "Lisu and Latin"), ("\u{430}\u{738B}", "Cyrillic and Chinese"),
        ("\u{AE40}\u{30BF}", "Korean and Japanese"),
        ("L\u{5D5}", "Latin and Hebrew"), ("a\u{5B8}", "Latin and a Hebrew mark"), ("B\u{9E6}b", "Latin and a Bengali digit"),
        ("1\u{661}", "digits of two kinds"), ("\u{661}\u{6F1}", "Arabic and Persian digits"),
        ("\u{2C9F}\u{3B1}", "Coptic and Greek"),
        ("\u{430}\u{301}nn", "behind a mark"), ("Ann-\u{410}", "behind a dash"),
    ]

    @Test(arguments: apart) func scriptsThatDoNot_areRefused(_ name: String, _ what: String) {
        let error = #expect(throws: ProtocolError.self, "\(what)") { try PlayerName(name) }
        #expect(
            error?.code == .invalidName && error?.message.contains("digits of one script") == true
                || error?.message.contains("one script") == true)
    }
}
