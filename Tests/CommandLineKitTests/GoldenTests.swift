import CommandLineKit
import TestKit
import Testing

/// Texts made from the sample's declaration, compared with files in `Golden`.
struct GoldenTests {
    @Test(arguments: [
        ("help.txt", ["--help"]), ("help-all.txt", ["--help", "all"]), ("help-play.txt", ["play", "-h"]),
        ("help-ctl.txt", ["ctl", "--help"]),
        ("help-ctl-drain.txt", ["ctl", "drain", "--help"]), ("bjsample.1", ["--manual"]),
        ("completions.bash", ["--completions", "bash"]), ("completions.zsh", ["--completions=zsh"]),
        ("completions.fish", ["--completions", "fish"]),
    ])
    func text_isTheRecordedOne(file: String, arguments: [String]) throws {
        try expectGolden(try #require(Sample.command.parse(arguments).answer), file)
    }

    @Test(arguments: [[], ["rules"], ["play"], ["ctl"], ["ctl", "tables"]], [[], ["all"]])
    func help_isAtMost80ColumnsWide(path: [String], rest: [String]) throws {
        let text = try #require(Sample.command.parse(path + ["--help"] + rest).answer)
        for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test func manual_isPlainASCII_andNothingInATextIsTakenForARequest() {
        var command = Command("x", "Prints 'é' \\ and “…”.", defaults: (), program: { () })
        command.discussion(".SH not a heading\n\n'br neither")
        let lines = command.manualPage.split(separator: "\n")
        #expect(command.manualPage.utf8.allSatisfy { $0 < 128 })
        #expect(lines.contains("Prints \\(aq\\[u00E9]\\(aq \\e and \\[u201C]...\\[u201D]."))
        #expect(lines.contains("\\&.SH not a heading"))
        #expect(lines.contains("\\(aqbr neither"))
    }

    @Test func version_isPrintedByTheRoot() {
        #expect(Sample.command.parse(["--version"]) == .answer("bjsample 1.2.3\n"))
        #expect(Sample.command.help.contains("--version"))
    }
}
