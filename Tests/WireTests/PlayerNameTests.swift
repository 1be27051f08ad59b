import Foundation
import TestKit
import Testing

@testable import Wire

struct PlayerNameTests {
    static let accepted = [
        "A", "Ann", "ann-marie", "O'Neil", "J. R. Bob", "x_1", "1234", "Zo\u{EB}", "Zoe\u{308}", "\u{410}\u{43D}\u{43D}\u{430}",
        "\u{391}\u{3BD}\u{3BD}\u{3B1}\u{3C2}", "Gro\u{DF}", "\u{5E9}\u{5B8}\u{5C1}\u{5DC}\u{5D5}\u{5B9}\u{5DD}",
        "\u{633}\u{644}\u{627}\u{645}", "\u{645}\u{64F}\u{62D}\u{64E}\u{645}\u{651}\u{64E}\u{62F}",
        "\u{938}\u{94D}\u{928}\u{947}\u{939}\u{93E}",
        "\u{E19}\u{E49}\u{E33}", "\u{738B}\u{5C0F}\u{660E}", "\u{305F}\u{308D}\u{3046}", "\u{30BF}\u{30ED}\u{30FC}",
        "\u{AE40}\u{CCA0}\u{C218}",
        "Nguy\u{1EC5}n", "Nguye\u{302}\u{303}n", "\u{661}\u{662}", "20 characters long.!".replacing("!", with: "x"),
        String(repeating: "\u{738B}", count: 20), String(repeating: "e\u{301}", count: 20),
    ]

    @Test(arguments: accepted) func aNameOfAnyScript_isAccepted_asItIs(_ name: String) throws {
        #expect(try PlayerName(name).text.utf8.elementsEqual(name.utf8))
    }

    static let refused: [(String, why: String)] = [
        ("", "empty"), (" ", "space alone"), (" Ann", "leading space"), ("Ann ", "trailing space"), ("A  B", "two spaces"),
        ("A\nB", "line end"), ("A\tB", "tab"), ("A\u{0}", "NUL"), ("\u{1B}[31mA", "terminal escape"), ("A\u{7F}", "delete"),
        ("A\u{85}", "C1 control"), ("A\u{9B}31m", "C1 escape"), ("A\u{A0}B", "no-break space"), ("A\u{2003}B", "em space"),
        ("A\u{200B}B", "zero width space"), ("A\u{200D}B", "joiner"), ("A\u{200C}B", "non-joiner"), ("A\u{2060}B", "word joiner"),
        ("A\u{FEFF}", "byte order mark"), ("A\u{AD}B", "soft hyphen"), ("A\u{202E}B", "override"), ("A\u{202A}B", "embedding"),
        ("A\u{2066}B", "isolate"), ("A\u{200F}B", "direction mark"), ("A\u{61C}B", "Arabic letter mark"),
        ("A\u{2028}B", "line separator"),
        ("A\u{3164}", "Hangul filler"), ("\u{115F}\u{1160}", "Hangul fillers"), ("A\u{FE0F}", "variation selector"),
        ("A\u{34F}B", "grapheme joiner"), ("A\u{2800}", "blank Braille"), ("A\u{E0041}", "tag"), ("A\u{E000}", "private use"),
        ("\u{646}\u{640}\u{648}\u{631}", "tatweel"), ("\u{7CA}\u{7FA}\u{7CA}", "stretch of N'Ko"),
        ("\u{628}\u{883}", "tatweel and hamza"), ("\u{13000}\u{13441}", "blank hieroglyph"),
        ("\u{13442}", "half a blank hieroglyph"), ("\u{18B00}\u{16FE4}", "Khitan filler"),
        ("A\u{378}", "unassigned"), ("A\u{FFFD}", "replacement"), ("\u{1F600}", "emoji"), ("Ann\u{2660}", "suit"),
        ("\u{1F1E9}\u{1F1EA}", "flag"), ("1\u{FE0F}\u{20E3}", "keycap"), ("<b>", "markup"), ("a\"b", "quote"),
        ("a\\b", "backslash"),
        ("a/b", "slash"), ("a@b", "at"), ("a;b", "semicolon"), ("a,b", "comma"), ("a%b", "percent"), ("$1", "dollar"),
        ("\u{FF21}nn", "full-width letter"), ("\u{1D400}nn", "mathematical letter"), ("\u{FB01}n", "ligature"),
        ("\u{24B6}nn", "circled"),
        ("A\u{B2}", "raised digit"), ("\u{2160}", "Roman numeral"), ("\u{FF76}", "half-width kana"),
        ("\u{1D7D9}", "mathematical digit"),
        ("\u{FEE1}", "presentation form"), ("\u{17F}am", "long s"),
        ("\u{301}A", "mark first"), ("A \u{301}B", "mark on a space"), ("A.\u{301}", "mark on a dot"),
        ("1\u{301}", "mark on a digit"),
        ("A\u{301}\u{301}", "the same mark twice"), ("A\u{300}\u{301}\u{302}\u{303}", "four marks"),
        ("Z\u{310}\u{311}\u{312}\u{313}\u{314}\u{315}\u{316}\u{317}\u{318}", "flood of marks"), ("A\u{20DD}", "enclosing mark"),
        (String(repeating: "x", count: 21), "21 characters"), (String(repeating: "e\u{301}", count: 21), "21 characters of two"),
        (String(repeating: "\u{10330}", count: 16), "64 bytes"),
    ]

    @Test(arguments: refused) func whatCouldDeceive_isRefused(_ name: String, why: String) {
        #expect(throws: ProtocolError.self, "\(why)") { try PlayerName(name) }
    }

    @Test(
        arguments: [
            " ", "\u{3000}", "\u{200D}", "\u{FE0F}\u{200D}", "\u{2800}", "\u{2800} \u{2800}", "\u{3164}", "\u{115F}\u{1160}",
            "\u{FFA0}", "\u{13441}", "\u{13442}", "\u{16FE4}", "\u{1D159}",
        ])
    func chatThatLeavesNoInk_isAnEmptyLine(_ text: String) throws {
        let empty = ProtocolError.invalidText(reason: "A text needs at least one visible character.")
        #expect(throws: empty) { try ChatText(text) }
        if text == "\u{2800}" { #expect(try ChatText("a" + text).text == "a" + text) }
    }

    static let same: [(String, String)] = [
        ("Ann", "ann"), ("ANN", "aNn"), ("Zo\u{EB}", "Zoe\u{308}"), ("ZO\u{CB}", "zoe\u{308}"), ("Gro\u{DF}", "GROSS"),
        ("\u{39F}\u{394}\u{39F}\u{3A3}", "\u{3BF}\u{3B4}\u{3BF}\u{3C2}"),
        ("\u{410}\u{43D}\u{43D}\u{430}", "\u{430}\u{41D}\u{41D}\u{410}"),
        ("\u{212A}im", "kim"), ("\u{212B}sa", "\u{E5}sa"), ("Nguy\u{1EC5}n", "NGUYE\u{302}\u{303}N"), ("\u{131}da", "Ida"),
        ("\u{AC00}", "\u{1100}\u{1161}"), ("\u{1E9B}", "\u{1E61}"),
    ]

    @Test(arguments: same) func namesThatDifferInCaseOrSpelling_haveTheSameKey(_ one: String, _ other: String) {
        // Either they have the same key, or one of them is no name at all.
        guard let first = try? PlayerName(one), let second = try? PlayerName(other) else { return }
        #expect(first.key == second.key && [first.key: 1][second.key] == 1)
    }

    @Test func namesThatDiffer_haveDifferentKeys() throws {
        let names = try Self.accepted.map { try PlayerName($0) }
        let doubles = Set(["Zoe\u{308}", "Nguye\u{302}\u{303}n"])
        let keys = names.filter { !doubles.contains($0.text) }.map(\.key)
        #expect(Set(keys).count >= keys.count - doubles.count)
    }

    @Test func everyScalar_isJudgedWithoutATrap_andItsCapitalHasItsKey() {
        for value in UInt32(0)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value), let name = try? PlayerName(String(scalar)) else { continue }
            for other in [name.text.uppercased(), name.text.lowercased()] {
                guard let other = try? PlayerName(other), other.key != name.key else { continue }
                Issue.record("U+\(String(value, radix: 16)) and \(other) differ")
            }
        }
    }
}

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
            ("house-1", "Carla¤"), ("house low-2", "Lou¤"), ("house-3", "Ada¤"), ("house low-12", "Mia 2¤"), ("houseboat-3", nil),
            ("house-", nil), ("house-0", nil), ("house", nil), ("ann-1", nil),
        ] as [(String, String?)])
    func aBotOfTheHouse_hasANameAndAMark_andNobodyElseHas(_ name: String, _ shown: String?) {
        #expect(HouseBot(name)?.shown == shown)
        if let shown { #expect(throws: ProtocolError.self) { try PlayerName(shown) } }
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
