import ClientCore
import Rules
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// Each key of the screen has a word in the plain frontend.
struct WordsAndKeysTests {
    private enum Equal {
        case line(String)
        /// Sentences follow each other, and nothing is drawn.
        case needless
        case missing
    }

    /// The line that does what a key does.
    private func equal(_ intent: Intent) -> Equal {
        switch intent {
        case .perform(.say(let text)): .line("say \(text)")
        case .perform(.pass(let phrase)): .line("pass \(phrase ?? "none")")
        case .perform(.kick(let name)): .line("kick \(name)")
        case .perform(.pause(let reason)): .line("pause \(reason ?? "")")
        case .perform(.match(let rounds)): .line("match \(rounds)")
        case .perform(.again(let name)): .line("again \(name)")
        case .perform(let command): .line(command.effect.text)
        case .show(.game): .line("help")
        case .amount: .line("max")
        case .talk, .react, .edit, .hush, .redraw, .scroll, .show(.table),
            .show(.log), .refuse, .complete:
            .needless
        default: .missing
        }
    }

    private static let keys: [Key] =
        (32..<127).compactMap { Unicode.Scalar($0).map { Key.character($0) } } + [
            .enter, .escape, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .tab, .backspace, .delete, .control("l"),
            .control("c"), .paste("x"),
        ]

    /// The intents of every key in situations of every kind.
    private func intents() throws -> [Intent] {
        var scenes: [Scene] = []
        var scene = try Scene(chips: [1: 1000, 2: 1000], cards: "8S 5D 9H 8C AS 7D 9H 8C")
        scenes.append(scene)
        for seat in [1, 2] { try scene.bet(seat, 10) }
        scenes.append(scene)
        try scene.act(1, .stand)
        scenes.append(scene)
        scenes.append(try Scene(me: "nobody", cards: "8S 5D 9H 8C"))
        var broke = try Scene(chips: [1: 10], cards: "TS TD 6H 9C")
        try broke.bet(1, 10)
        try broke.act(1, .stand)
        try broke.wait()
        scenes.append(broke)
        var insured = try Scene(chips: [1: 1000], cards: "8S AD 9H 8C")
        try insured.bet(1, 10)
        scenes.append(insured)
        var result: [Intent] = []
        for scene in scenes {
            for panel in [ScreenState.Panel.table, .rules, .help, .log, .history] {
                var shown = scene
                shown.edit { $0.screen.panel = panel }
                result += Self.keys.compactMap { KeyMap(shown.view).intent(for: $0) }
            }
            for words in [
                "hi", "/kick bob", "/again bob", "/pass x", "/pass none", "/pause x", "/match 30", "/mute bob", "/unmute bob",
            ] {
                var talking = scene
                guard talking.press(.character("t")) == .talk else { continue }
                for scalar in words.unicodeScalars { _ = talking.press(.character(scalar)) }
                if let intent = KeyMap(talking.view).intent(for: .enter) { result.append(intent) }
            }
        }
        return result
    }

    @Test func eachKey_hasAWord() throws {
        let intents = try intents()
        #expect(intents.count > 500)
        var lines: Set<String> = []
        for intent in intents {
            switch equal(intent) {
            case .line(let line): lines.insert(line)
            case .needless: break
            case .missing: Issue.record("no word does \(intent)")
            }
        }
        for line in lines { #expect(try PlayerCommand(line: line) != nil, "\(line)") }
        let words = Set(lines.map { String($0.prefix { $0 != " " }) })
        let expected = [
            "bet", "max", "rebet", "hit", "stand", "double", "split", "insurance", "no", "sit", "out", "say", "mute", "unmute",
            "kick", "again",
            "pass", "pause", "match", "coach", "rules", "help", "history", "leave",
        ]
        #expect(Set(expected).isSubset(of: words), "\(Set(expected).subtracting(words))")
    }

    @Test(arguments: ["", " ", "  ", "\u{A0}", "\u{3000}", "\u{200D}", "\u{2800} "])
    func aLineWhoseFirstVisibleCharacterIsASlash_isNoChat(_ blank: String) throws {
        for (words, intent) in [
            ("/pass s3cret2", .perform(.pass("s3cret2"))), ("/\u{301}pass s3cret2", .perform(.pass("s3cret2"))), ("/", .hush),
            ("/pas s", .refuse("Unknown command '/pas'. Did you mean '/pass'? '/help' lists the commands.")),
        ] as [(String, Intent)] {
            var talking = try Scene(chips: [1: 1000], cards: "2C")
            _ = talking.press(.character("t"))
            for scalar in (blank + words).unicodeScalars { _ = talking.press(.character(scalar)) }
            #expect(KeyMap(talking.view).intent(for: .enter) == intent, "\(blank.debugDescription) \(words)")
        }
    }

    @Test func eachWord_isExplained() throws {
        let help = CommandWord.help(isPractice: false).map(\.text).joined(separator: " ")
        let explained = Set(help.lowercased().split { !$0.isLetter }.map(String.init))
        for word in CommandWord.all.flatMap(\.names) {
            #expect(explained.contains(word), "\(word)")
        }
        let practice = CommandWord.help(isPractice: true).map(\.text).joined(separator: " ")
        #expect(["kick", "lobby", "mute", "TABLE"].allSatisfy { !practice.contains($0) } && practice.contains("bet N"))
        #expect(practice.contains("react WORD"), "its key works there")
    }
}
