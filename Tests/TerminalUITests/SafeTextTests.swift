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

    /// Scalars that move the cursor, turn text or cannot be seen, and neighbours of theirs.
    private static let hostile: [ClosedRange<UInt32>] = [
        0...0x1F, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xE000...0xE00F, 0xE0000...0xE007F,
        0xFE00...0xFE0F, 0x20...0x7E, 0x300...0x36F, 0x4E00...0x4E20, 0x1F300...0x1F64F, 0x1F1E6...0x1F1FF,
    ]

    @Test func noControlCharacter_survives_andTheWidthIsBounded() {
        var generator = SeededGenerator()
        for number in 0..<Thorough.count(4_000, most: 500_000) {
            let scalars = (0..<40).compactMap { _ in
                let range = number.isMultiple(of: 2) ? Self.hostile.randomElement(using: &generator) : nil
                return Unicode.Scalar(UInt32.random(in: range ?? 0...0x2FFFF, using: &generator))
            }
            let limit = Int.random(in: 0...30, using: &generator)
            let safe = SafeText(String(String.UnicodeScalarView(scalars)), columns: limit)
            #expect(safe.columns <= limit, "BJ_SEED=\(Seed.value)")
            #expect(safe.columns == safe.text.columns, "BJ_SEED=\(Seed.value)")
            #expect(HostileText.isHarmless(safe.text), "BJ_SEED=\(Seed.value) \(safe.text.debugDescription)")
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

    @Test(arguments: ["👨‍👩‍👧‍👦", "❤️", "👍🏽", "🇩🇪", "👩🏽‍❤️‍💋‍👨🏽", "🏴‍☠️"])
    func anEmojiOfSeveralCharacters_staysWhole_andTakesTwoColumns(_ emoji: String) {
        let safe = SafeText("a\(emoji)b")
        #expect(Array(safe.text.unicodeScalars) == Array("a\(emoji)b".unicodeScalars) && safe.columns == 4)
        #expect(safe.inASCII.text == "a??b")
        #expect(SafeText(emoji, columns: 1).text == "…" && SafeText("\(emoji)xyz", columns: 3).text == "\(emoji)…")
    }

    @Test(arguments: [
        ("a\u{200D}b", "a?b"), ("👨\u{200D}x", "👨?x"), ("👨\u{200D}", "👨?"), ("\u{200D}👨", "?👨"), ("a\u{FE0F}", "a?"),
        ("\u{1F3FD}", "?"), ("a\u{1F3FD}", "a?"), ("\u{1F1E9}", "?"), ("\u{1F1E9}x", "?x"), ("\u{1F1E9}\u{1F1EA}\u{1F1E9}", "🇩🇪?"),
    ])
    func aPartOfAnEmojiAlone_isReplaced(outside: String, safe: String) {
        #expect(Array(SafeText(outside).text.unicodeScalars) == Array(safe.unicodeScalars))
    }

    @Test func anEndlessEmoji_isCut() {
        let chain = SafeText(Array(repeating: "👨", count: 60).joined(separator: "\u{200D}"))
        #expect(chain.columns > 10 && !chain.text.contains { $0.unicodeScalars.count > 11 })
    }

    @Test func joinedText_isAsWideAsItsParts() {
        var generator = SeededGenerator()
        let pieces = ["👨", "\u{200D}", "\u{FE0F}", "❤", "\u{1F3FD}", "\u{1F1E9}", "\u{1F1EA}", "a", "\u{301}", "王", " ", "1"]
        for _ in 0..<5000 {
            let parts = (0..<2).map { _ in
                SafeText(
                    (0..<Int.random(in: 0...6, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
                        .joined())
            }
            let whole = parts[0] + parts[1]
            #expect(whole.columns == whole.text.columns, "BJ_SEED=\(Seed.value)")
            for limit in 0...whole.columns { #expect(whole.cut(to: limit).columns <= limit, "BJ_SEED=\(Seed.value)") }
        }
    }

    @Test func aLongWord_isWrapped_andNothingIsLost() {
        let text = SafeText("see " + String(repeating: "x", count: 50) + " 王王王 end", columns: 200)
        for width in [2, 5, 20, 78] {
            let lines = text.wrapped(to: width)
            #expect(lines.allSatisfy { $0.columns <= width && $0.columns == $0.text.columns })
            #expect(lines.map(\.text).joined().filter { $0 != " " } == text.text.filter { $0 != " " })
        }
    }

    @Test func aParagraph_hasWholeWords_andKeepsItsIndent() {
        let text = SafeText("  seat 1, bet 500: 10D AH, blackjack")
        #expect(text.paragraph(columns: 80) == [text])
        #expect(
            text.paragraph(columns: 20).map(\.text) == ["  seat 1, bet 500:", "    10D AH,", "    blackjack"])
        #expect(SafeText("<Fay> hello SHOE 8").paragraph(columns: 13).map(\.text) == ["<Fay> hello", "  SHOE 8"])
        for width in [1, 7, 40] { #expect(text.paragraph(columns: width).allSatisfy { $0.columns <= width }) }
    }

    @Test func interpolation_trustsOurWordsAlone() {
        let name = "\u{1B}]0;x\u{7}"
        #expect(("Hello \(name)!" as SafeText).text == "Hello ?]0;x?!")
        #expect(("\(7) × \(SafeText("♠"))" as SafeText).text == "7 × ♠")
    }

    @Test func aBotOfTheHouse_hasAName() {
        #expect(SafeText.player("house main-1") == "Carla¤" && SafeText.player("house-12") == "Mia 2¤")
        for name in ["house", "ann-1", "house main", "house-x"] { #expect(SafeText.player(name).text == name) }
        #expect(Subject("house low-2", me: "ann").does("bets", "bet") == "Lou¤ bets")
    }

    @Test func styledText_fitsExactly() {
        var text = StyledText("abc", .bold)
        text.append("defg", .red)
        for width in 0...10 { #expect(text.fitted(to: width).columns == width) }
        #expect(text.cut(to: 3).text == "ab…")
        #expect(text.cut(to: 5).text == "abcd…")
    }

    @Test func terminalCapabilities_areReadFromTheEnvironment() {
        func read(_ environment: [String: String]) -> TerminalCapabilities { .init(environment: environment) }
        let (colors, ascii) = (TerminalCapabilities(), TerminalCapabilities(isUnicode: false))
        #expect(read(["LANG": "en_US.UTF-8", "TERM": "xterm"]) == colors)
        #expect(read(["LANG": "en_US.UTF-8", "LC_ALL": "C", "TERM": "xterm"]) == ascii)
        #expect(read(["LC_CTYPE": "C.utf8", "NO_COLOR": "1"]) == .init(hasColors: false))
        #expect(["dumb", nil, "xterm"].map(TerminalCapabilities.canDraw) == [false, false, true])
    }
}
