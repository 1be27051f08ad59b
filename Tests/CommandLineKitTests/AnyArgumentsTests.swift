import CommandLineKit
import Foundation
import TestKit
import Testing

/// Whatever the words are, there is a value, a text or a clear error.
struct AnyArgumentsTests {
    static let pieces = [
        "--", "-", "---", "--=", "=", "", " ", "--listen", "--listen=:1", "--listen=", "-l", "-l:2", "-l=", ":3", "h:4",
        "[::1]:5", "[",
        "--bots", "--bots=7", "--bots=8", "-b", "-b0", "3", "-3", "-.5", "--table", "--table=x", "high", "--rules", "--seed=9",
        "--seed",
        "--turn=1m", "--turn", "2s", "--penetration=.5", "--log", "--log=debug", "info", "--color", "--no-color", "--no-",
        "--quiet", "-q",
        "-qq", "-qb2", "-qh", "--quiet=1", "--help", "-h", "--version", "--manual", "--completions", "--completions=zsh", "fish",
        "rules", "play", "ctl", "tables", "drain", "--json", "-jv", "-jvn4", "-n", "-n5", "--shift", "-9", "--server", "-s:6",
        "--vrebose",
        "\u{0}", "\u{301}", "-\u{301}", "--\u{301}", "👩‍👩‍👧", "-👩‍👩‍👧", "\u{1B}[31m", "--é=1", "\r\n", "-\r\n", "½", "-½",
    ]

    @Test func anyWords_giveAValueOrAClearError() {
        var random = SeededGenerator()
        for _ in 0..<Thorough.count(5_000, most: 20_000) {
            let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in word(using: &random) }
            let environment =
                Bool.random(using: &random) ? [:] : ["BJ_BOTS": word(using: &random), "BJ_TABLES": word(using: &random)]
            check(Sample.command.parse(words, environment: environment), words, Seed.value)
        }
    }

    /// What was understood, written out from its settings, is understood the same.
    @Test func settings_writtenOutAgain_giveTheSameProgram() {
        var random = SeededGenerator()
        var runs = 0
        let understood = Self.pieces.filter { !["", "--help", "-h", "-qh", "--version", "--manual", "--"].contains($0) }
        while runs < 500 {
            let words = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in understood.randomElement(using: &random) }
            guard case .run(let program, let settings) = Sample.command.parse(words) else { continue }
            runs += 1
            let again = Sample.command.parse(
                commands(of: program) + settings.flatMap(Self.options) + ["--"] + settings.flatMap(Self.operands))
            guard case .run(let same, _) = again else {
                Issue.record("\(words): \(again) (BJ_SEED=\(Seed.value))")
                return
            }
            #expect(same == program, "\(words) (BJ_SEED=\(Seed.value))")
        }
    }

    private func check(_ outcome: Outcome<Sample>, _ words: [String], _ seed: UInt64) {
        switch outcome {
        case .run(_, let settings):
            #expect(!settings.isEmpty)
        case .answer(let text):
            #expect(text.count > 10 && text.hasSuffix("\n"), "\(words) (BJ_SEED=\(seed))")
        case .refusal(let error):
            let isClear = error.command.hasPrefix("bjsample") && !error.message.isEmpty && error.message.count < 250
            let isOneLine = error.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            #expect(isClear && isOneLine, "\(words): \(error) (BJ_SEED=\(seed))")
        }
    }

    private func word(using random: inout SeededGenerator) -> String {
        let piece = Self.pieces.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return piece + (Self.pieces.randomElement(using: &random) ?? "")
        case 1: return String(piece.dropLast())
        case 2: return String(piece.shuffled(using: &random))
        default: return piece
        }
    }

    private func commands(of program: Sample) -> [String] {
        switch program {
        case .serve: []
        case .rules: ["rules"]
        case .play: ["play"]
        case .tables: ["ctl", "tables"]
        case .drain: ["ctl", "drain"]
        }
    }

    /// No text of the pieces contains a comma, so that a repeated option can be taken apart at them.
    private static func options(_ setting: Setting) -> [String] {
        guard setting.name.hasPrefix("--"), let value = setting.value else { return [] }
        switch (setting.name, value) {
        case ("--color", "no"): return ["--no-color"]
        case ("--color", _), ("--quiet", "yes"), ("--json", "yes"), ("--verbose", "yes"): return [setting.name]
        case ("--quiet", _), ("--json", _), ("--verbose", _): return []
        default: return value.split(separator: ",").map { "\(setting.name)=\($0)" }
        }
    }

    private static func operands(_ setting: Setting) -> [String] {
        setting.name.hasPrefix("--") ? [] : (setting.value ?? "").split(separator: ",").map(String.init)
    }
}
