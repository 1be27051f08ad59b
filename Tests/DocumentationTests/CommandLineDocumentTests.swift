import Foundation
import Testing

@testable import CommandLineKit
@testable import bjbench
@testable import bjbots
@testable import bjclient
@testable import bjserver
@testable import bjverify

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private let pages: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    let others = ["Sources", "Tests/Verification"].flatMap { folder in
        FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.compactMap { "\(folder)/\($0)" } ?? []
    }
    return (names + others).filter { $0.hasSuffix(".md") }.sorted().compactMap {
        try? String(contentsOf: root.appending(path: $0), encoding: .utf8)
    }
}()

/// Every command line of our programs in the documents, without `swift run`.
private let commandLines: [String] = pages.flatMap { page in
    page.matches(of: /```sh\n([\s\S]*?)```/).flatMap { block in
        block.1.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces).replacing("swift run ", with: "") }.filter {
            $0.hasPrefix("bj")
        }
    }
}

/// The files that the documents write down, such as ```` ```json bj.json ````.
private func file(_ name: String) -> [UInt8] {
    let blocks = pages.flatMap { $0.matches(of: /```json ([\w.]+)\n([\s\S]*?)```/) }
    return Array((blocks.first { $0.1 == name }?.2 ?? "{}").utf8)
}

private func isUnderstood(_ line: String) -> Bool {
    // Single quotes make one word, as in a shell; a redirection and a job in the background are the shell's own.
    var words: [String] = []
    for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
        let own = index.isMultiple(of: 2) ? part.prefix { $0 != ">" && $0 != "&" } : part
        words += index.isMultiple(of: 2) ? own.split(separator: " ").map(String.init) : [String(part)]
        if own.endIndex < part.endIndex { break }
    }
    return switch words[0] {
    case "bjserver": runs(ServerProgram.command.parse(words.dropFirst(), readFile: { file($0) }))
    case "bjclient": runs(ClientProgram.command.parse(words.dropFirst()))
    case "bjbots": runs(BotsProgram.command.parse(words.dropFirst()))
    case "bjbench": runs(BenchProgram.command.parse(words.dropFirst()))
    case "bjverify": runs(VerifyProgram.command.parse(words.dropFirst()))
    default: false
    }
}

private func runs<Program>(_ outcome: Outcome<Program>) -> Bool { if case .run = outcome { true } else { false } }

@Test func theDocumentsHaveCommandLines() { #expect(commandLines.count >= 10) }

@Test(arguments: commandLines)
func everyCommandLineInTheDocumentsIsUnderstood(_ line: String) { #expect(isUnderstood(line)) }

@Test func everyExampleInTheHelpIsUnderstood() {
    let helps = [ServerProgram.command.help, ClientProgram.command.help, BotsProgram.command.help, VerifyProgram.command.help]
    let lines = helps.joined(separator: "\n").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let examples = lines.filter { $0.hasPrefix("bj") && !$0.contains("[") && !$0.contains("…") }
    #expect(examples.count >= 3)
    for example in examples { #expect(isUnderstood(example), "\(example)") }
}

/// Of the bounds that have a setting.
@Test func theBoundsThatSecurityNames_areTheDefaults() throws {
    let page = try String(contentsOf: root.appending(path: "SECURITY.md"), encoding: .utf8)
    let help = ServerProgram.command.help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let rows = page.matches(of: /\n\|([^|]+)\|([^|]+)\| `(--[a-z-]+)` \|/)
    #expect(rows.count == 6)
    for row in rows where row.3 != "--trust" {
        let text = try #require(help.split(separator: " \(row.3) ").dropFirst().first { $0.contains("(default: ") })
        let value = try #require(text.firstMatch(of: /\(default: ([0-9]+)/)).1
        #expect(row.2.filter { $0 != "," }.contains(value), "\(row.3): \(value)")
    }
}

@Test func theHelpOfEveryCommand_fitsOnAScreen() {
    expectScreens(ServerProgram.command)
    expectScreens(ClientProgram.command)
    expectScreens(BotsProgram.command)
    expectScreens(BenchProgram.command)
}

private func expectScreens<Options, Program>(_ command: Command<Options, Program>) {
    for (path, syntax) in command.syntax.walk() {
        let isRoot = path == command.syntax.name
        let help = syntax.helpText(path: path, isRoot: isRoot, isComplete: false)
        #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 24, "\(path)")
        let complete = syntax.helpText(path: path, isRoot: isRoot, isComplete: true)
        #expect(help == complete || help.contains("'\(path) --help all'"), "\(path)")
    }
}

/// The manual page has what a host types and reads: keys of a table, words of `ctl`.
@Test func theManualOfTheServer_hasEveryKeyAndWord() throws {
    guard case .answer(let page) = ServerProgram.command.parse(["--manual"]),
        case .answer(let help) = ServerProgram.command.parse(["--help", "all"])
    else {
        Issue.record("both are answers")
        return
    }
    // As roff writes it.
    func isThere(_ text: String) -> Bool {
        page.contains(
            text.replacing("-", with: "\\-").replacing("'", with: "\\(aq").replacing("\"", with: "\\(dq").replacing(
                "…", with: "..."))
    }
    for key in TableSpec.Key.allCases {
        #expect(isThere(".B \(key.rawValue)\n\(key.meaning)"), "\(key)")
        #expect(help.contains(key.rawValue), "\(key)")
    }
    for verb in AdminVerb.all { #expect(isThere(".B \(verb.usage)\n\(verb.meaning)"), "\(verb)") }
}
