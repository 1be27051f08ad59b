import CommandLineKit
import TestKit
import Testing

struct UsageErrorTests {
    /// A command line, and the message that it gets; the command that refuses stands before the colon.
    static let refusals: [(line: [String], text: String)] = [
        (["--lisetn", ":1"], "bjsample: unknown option '--lisetn'; did you mean '--listen'?"),
        (["--pen=1"], "bjsample: unknown option '--pen'; did you mean '--penetration'?"),
        (["--no-colour"], "bjsample: unknown option '--no-colour'; did you mean '--no-color'?"),
        (["--hepl"], "bjsample: unknown option '--hepl'; did you mean '--help'?"),
        (["--xyzzy"], "bjsample: unknown option '--xyzzy'"),
        (["--=3"], "bjsample: unknown option '--'"),
        (["-x"], "bjsample: unknown option '-x'"),
        (["-qx"], "bjsample: unknown option '-x'"),
        (["--no-quiet"], "bjsample: unknown option '--no-quiet'"),
        (["rules", "--version"], "bjsample rules: unknown option '--version'"),
        (["rules", "--manual"], "bjsample rules: unknown option '--manual'"),
        (["rulse"], "bjsample: unknown command 'rulse'; did you mean 'rules'?"),
        (["host"], "bjsample: unknown command 'host'; known: rules, play, ctl"),
        ([""], "bjsample: unknown command ''; known: rules, play, ctl"),
        (["ctl", "drian"], "bjsample ctl: unknown command 'drian'; did you mean 'drain'?"),
        (["ctl"], "bjsample ctl: missing command: one of tables, drain"),
        (["--bots"], "bjsample: --bots requires a value: a whole number from 0 to 7"),
        (["--bots", "--quiet"], "bjsample: --bots requires a value: a whole number from 0 to 7"),
        (["-qb"], "bjsample: --bots requires a value: a whole number from 0 to 7"),
        (["--bots", "--", "3"], "bjsample: --bots requires a value: a whole number from 0 to 7"),
        (["--quiet=yes"], "bjsample: --quiet takes no value"),
        (["--no-color=yes"], "bjsample: --no-color takes no value"),
        (["--help=play"], "bjsample: --help takes no value"),
        (["--bots", "abc"], "bjsample: --bots: 'abc' is not a whole number from 0 to 7"),
        (["-b8"], "bjsample: --bots: '8' is not a whole number from 0 to 7"),
        (["-b", "-1"], "bjsample: --bots: '-1' is not a whole number from 0 to 7"),
        (["--bots="], "bjsample: --bots: '' is not a whole number from 0 to 7"),
        (["--bots", "x", "--bots", "1"], "bjsample: --bots: 'x' is not a whole number from 0 to 7"),
        (["--seed", "-1"], "bjsample: --seed: '-1' is not a whole number from 0 to 18446744073709551615"),
        (["--table", ""], "bjsample: --table: '' is not a text of 1 to 12 characters"),
        (
            ["--table", "a", "--table", "far too long a name"],
            "bjsample: --table: 'far too long a name' is not a text of 1 to 12 characters"
        ),
        (["--turn", "90"], "bjsample: --turn: '90' is not a time from 1s to 10m, such as 250ms, 60s, 5m or 1h30m"),
        (["--penetration", "nan"], "bjsample: --penetration: 'nan' is not a number from 0.1 to 0.95"),
        (["--log", "debgu"], "bjsample: --log: 'debgu' is not one of debug, info, error; did you mean 'debug'?"),
        (["--log", "loud"], "bjsample: --log: 'loud' is not one of debug, info, error"),
        (
            ["--listen", "localhost"],
            "bjsample: --listen: 'localhost' is not a host and port such as 127.0.0.1:2121, [::1]:2121 or :2121"
        ),
        (["--completions"], "bjsample: --completions requires a value: one of bash, zsh, fish"),
        (["--completions", "csh"], "bjsample: --completions: 'csh' is not one of bash, zsh, fish; did you mean 'zsh'?"),
        (["play"], "bjsample play: missing HOST:PORT, --bots N"),
        (["play", "h:1"], "bjsample play: missing --bots N"),
        (
            ["play", "h:", "-n1"],
            "bjsample play: HOST:PORT: 'h:' is not a host and port such as 127.0.0.1:2121, example.org or [::1]:2121"
        ),
        (["rules", "a", "b"], "bjsample rules: unexpected argument 'b'"),
        (["--", "rules"], "bjsample: unexpected argument 'rules'"),
        (["--bots", "3", "rules"], "bjsample rules: does not take --bots, which was given before it"),
        (["--quiet", "--log", "debug"], "bjsample: --quiet and --log debug cannot be used together"),
        (["--log", "\u{1B}[2J"], "bjsample: --log: '\\u{1b}[2J' is not one of debug, info, error"),
        (
            ["--log", String(repeating: "a", count: 61)],
            "bjsample: --log: '\(String(repeating: "a", count: 60))…' is not one of debug, info, error"
        ),
    ]

    @Test(arguments: refusals)
    func mistake_isToldWithWhatWouldBeRight(line: [String], text: String) throws {
        let error = try #require(Sample.command.parse(line).refusal)
        #expect(error.description == "\(text)\nTry '\(error.command) --help'.")
        #expect(text == "\(error.command): \(error.message)")
    }

    @Test func badVariable_isNamed_withTheOptionItStandsInFor() {
        let outcome = Sample.command.parse([], environment: ["BJ_BOTS": "many"])
        #expect(outcome.refusal?.message == "BJ_BOTS (for --bots): 'many' is not a whole number from 0 to 7")
        let flag = Sample.command.parse([], environment: ["BJ_QUIET": "maybe"])
        #expect(flag.refusal?.message == "BJ_QUIET (for --quiet): 'maybe' is not yes or no")
    }

    @Test func status_isThatOfSysexits() {
        #expect(UsageError.exitStatus == 64)
    }

    @Test func faultyDeclaration_traps() async {
        await #expect(processExitsWith: .failure) {
            declare {
                $0.flag("--a", \.flag, help: "")
                $0.flag("--a", \.flag, help: "")
            }
        }
        await #expect(processExitsWith: .failure) { declare { $0.flag("--version", \.flag, help: "") } }
        await #expect(processExitsWith: .failure) { declare { $0.flag("-a", \.flag, help: "") } }
        await #expect(processExitsWith: .failure) {
            declare {
                $0.argument("A", \.list, .text(), help: "")
                $0.argument("B", \.text, .text(), help: "")
            }
        }
        await #expect(processExitsWith: .failure) {
            declare {
                $0.argument("A", \.text, .text(), help: "")
                $0.argument("B", \.text, .text(), required: true, help: "")
            }
        }
        await #expect(processExitsWith: .failure) { declare { $0.subcommand(Command("-x", "", defaults: (), program: { 1 })) } }
        await #expect(processExitsWith: .success) { declare { $0.flag("--a", \.flag, negatable: true, help: "") } }
    }
}

private struct Faulty: Sendable {
    var list: [String] = []
    var text = ""
    var flag = false
}

private func declare(_ more: (inout Command<Faulty, Int>) -> Void) {
    _ = Command("x", "X.", defaults: Faulty(), program: { _ in 1 }, declare: more)
}

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
