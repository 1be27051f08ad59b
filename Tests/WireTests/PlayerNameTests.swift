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
