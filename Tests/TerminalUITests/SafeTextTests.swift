import TestKit
import Testing

@testable import TerminalUI

struct SafeTextTests {
    @Test(arguments: [
        ("\u{1B}[31mred\u{7}", "?[31mred?"), ("a\u{202E}b\u{200B}c\u{2066}d\u{FEFF}e", "a?b?c?d?e"),
        ("a\nb\tc\u{2028}d\u{3000}e", "a b c d e"), ("a\u{9B}b\u{E000}c\u{AD}d", "a?b?c?d"), ("\u{301}a", "?a"),
        ("a\u{301}\u{302}\u{303}\u{304}", "a\u{301}\u{302}"),
    ])
    func whatMovesTheCursor_turnsText_orCannotBeSeen_isReplaced(outside: String, safe: String) {
        // Scalar by scalar: strings that look the same are equal.
        #expect(Array(SafeText(outside).text.unicodeScalars) == Array(safe.unicodeScalars))
    }

    @Test func literal_isOurOwnText() {
        #expect(("K♠ …" as SafeText).columns == 4)
    }

    @Test func noControlCharacter_survives_andTheWidthIsBounded() {
        var generator = SeededGenerator()
        for _ in 0..<2000 {
            let scalars = (0..<40).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FFFF, using: &generator)) }
            let limit = Int.random(in: 0...30, using: &generator)
            let safe = SafeText(String(String.UnicodeScalarView(scalars)), columns: limit)
            #expect(safe.columns <= limit, "BJ_SEED=\(Seed.value)")
            #expect(safe.columns == safe.text.unicodeScalars.reduce(0) { $0 + Columns.of($1) }, "BJ_SEED=\(Seed.value)")
            for scalar in safe.text.unicodeScalars {
                let category = scalar.properties.generalCategory
                #expect(
                    ![.control, .format, .lineSeparator, .privateUse, .unassigned].contains(category), "BJ_SEED=\(Seed.value)")
            }
            #expect(safe.inASCII.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            #expect(safe.inASCII.text.utf8.count == safe.columns, "as wide as before, BJ_SEED=\(Seed.value)")
        }
    }

    @Test func wideCharacters_takeTwoColumns_andMarksNone() {
        #expect(SafeText("王小明").columns == 6)
        #expect(SafeText("e\u{301}").columns == 1)
        #expect(SafeText("Ann").columns == 3)
        #expect(SafeText("🂡🎲").columns == 3)
        #expect(SafeText("王小明", columns: 4).text == "王…")
        #expect(SafeText("abcdef", columns: 4).text == "abc…")
    }

    @Test func interpolation_trustsOurWordsAlone() {
        let name = "\u{1B}]0;x\u{7}"
        #expect(("Hello \(name)!" as SafeText).text == "Hello ?]0;x?!")
        #expect(("\(7) × \(SafeText("♠"))" as SafeText).text == "7 × ♠")
    }

    @Test func styledText_fitsExactly() {
        var text = StyledText("abc", .bold)
        text.append("defg", .red)
        for width in 0...10 { #expect(text.fitted(to: width).columns == width) }
        #expect(text.cut(to: 3).text == "ab…")
        #expect(text.cut(to: 5).text == "abcd…")
    }

    @Test func look_isReadFromTheEnvironment() {
        #expect(Look(environment: ["LANG": "en_US.UTF-8"]) == Look(isUnicode: true, hasColors: true))
        #expect(Look(environment: ["LANG": "en_US.UTF-8", "LC_ALL": "C"]) == Look(isUnicode: false, hasColors: true))
        #expect(Look(environment: ["LC_CTYPE": "C.utf8", "NO_COLOR": "1"]) == Look(isUnicode: true, hasColors: false))
        #expect(!Look.canDraw(terminal: "dumb") && !Look.canDraw(terminal: nil) && Look.canDraw(terminal: "xterm"))
    }
}
