import Testing

@testable import CommandLineKit

struct ParsingTests {
    @Test func nothing_givesTheDefaults() {
        #expect(program("") == .serve(Sample.Serve()))
    }

    @Test(arguments: ["--bots 3", "--bots=3", "-b 3", "-b3", "-b=3", "--bots 1 --bots 3", "--bots +3"])
    func option_isReadInEveryForm(line: String) {
        #expect(program(line) == serve { $0.bots = 3 })
    }

    @Test func option_ofEachFormat_setsItsProperty() {
        let line = "--listen [::1]:0 --seed 18446744073709551615 --turn 1m30s --penetration .5 --log error --rules ./my.rules"
        #expect(
            program(line)
                == serve {
                    $0.listen = Endpoint(host: "::1", port: 0)
                    $0.seed = .max
                    $0.turn = 90_000
                    $0.penetration = 0.5
                    $0.log = .error
                    $0.rules = "./my.rules"
                })
    }

    @Test func repeatedOption_replacesItsDefault() {
        #expect(program("--table high --table=low") == serve { $0.tables = ["high", "low"] })
    }

    @Test func flag_isSetAndNegated_theLastOneHolds() {
        #expect(program("-q --no-color") == serve { ($0.quiet, $0.color) = (true, false) })
        #expect(program("--no-color --color") == .serve(Sample.Serve()))
    }

    @Test func shortFlags_goTogether_andAnOptionMayEndThem() {
        var play = Sample.Play()
        (play.server, play.bots, play.json, play.verbose) = (Endpoint(host: "h", port: 1), 9, true, true)
        #expect(program("play -jvn9 h:1") == .play(play))
        #expect(program("play -jvn 9 h:1") == .play(play))
        #expect(program("play h:1 -vj --bots=9") == .play(play))
    }

    @Test func arguments_areTakenInOrder_amongOptions_andAfterTwoDashes() {
        var play = Sample.Play()
        (play.server, play.bots, play.names) = (Endpoint(host: "example.org", port: 2121), 2, ["ann", "--bots", "-"])
        #expect(program("play example.org --bots 2 ann -- --bots -") == .play(play))
        #expect(program("play -n2 -- example.org ann --bots -") == .play(play))
    }

    @Test func negativeNumber_isAValue() {
        var play = Sample.Play()
        (play.server, play.shift) = (Endpoint(host: "h", port: 1), -5)
        #expect(program("play h:1 -n1 --shift -5") == .play(play))
        #expect(program("play h:1 -n1 --shift=-5") == .play(play))
    }

    @Test(arguments: [["--rules", "\u{301}x"], ["--rules=\u{301}x"]])
    func value_mayBeginWithACombiningMark(arguments: [String]) {
        #expect(Sample.command.parse(arguments) == Sample.command.parse(["--rules", "\u{301}x"]))
        #expect(Sample.command.parse(arguments).program == serve { $0.rules = "\u{301}x" })
    }

    @Test func subcommand_isFoundAtEachLevel() {
        #expect(program("rules") == .rules(.init(source: nil)))
        #expect(program("rules vegas") == .rules(.init(source: "vegas")))
        #expect(program("ctl tables") == .tables(.init()))
        #expect(program("ctl drain -s :9") == .drain(.init(server: Endpoint(host: "", port: 9))))
    }

    @Test func wordAfterAnArgument_isNoSubcommand() {
        struct Join: Sendable { var words: [String] = [] }
        var command = Command("join", "Joins.", defaults: Join(), program: { $0.words })
        command.argument("WORD", \.words, .text(), help: "Words.")
        command.subcommand(Command("practice", "Plays alone.", defaults: (), program: { ["practised"] }))
        func words(_ arguments: String...) -> [String]? { command.parse(arguments).program }
        #expect(words("practice") == ["practised"])
        #expect(words("here", "practice") == ["here", "practice"])
        #expect(words("--", "practice") == ["practice"])
        for typo in ["practise", "pratcice", "practic", "practices"] {
            #expect(words(typo) == nil && words("--", typo) == [typo] && words("here", typo) == ["here", typo])
        }
        #expect(
            command.parse(["practise"]).refusal?.message
                == "unknown command 'practise'; did you mean 'practice'? To use it as WORD, put '--' before it")
        for host in ["practice.example.org", "practice:2121", "prac", "localhost", "x"] { #expect(words(host) == [host]) }
    }

    @Test func help_goesBeforeWhatIsMissing_andBeforeWhatFollows() {
        for arguments in [["play", "--help"], ["play", "-h", "--nonsense"], ["play", "-jh"], ["ctl", "--help"]] {
            let text = Sample.command.parse(arguments).answer
            #expect(text?.hasPrefix("Usage: bjsample \(arguments[0])") == true, "\(arguments)")
        }
    }

    @Test func environment_standsIn_butTheCommandLineGoesBefore() {
        let environment = ["BJ_LISTEN": ":80", "BJ_TABLES": "a,b", "BJ_COLOR": "off", "BJ_QUIET": "", "OTHER": "1"]
        let expected = serve { ($0.listen, $0.tables, $0.color) = (Endpoint(host: "", port: 80), ["a", "b"], false) }
        #expect(program("", environment) == expected)
        #expect(
            program("--listen :81 --color --table c", environment)
                == serve { ($0.listen, $0.tables) = (Endpoint(host: "", port: 81), ["c"]) })
    }

    @Test func overriddenVariable_isNotEvenRead() {
        #expect(program("--bots 1", ["BJ_BOTS": "many"]) == serve { $0.bots = 1 })
    }

    @Test func settings_tellEachValueAndItsSource() {
        let outcome = Sample.command.parse(["--bots", "2", "-q"], environment: ["BJ_LISTEN": ":80", "BJ_TABLES": "a,b"])
        #expect(
            outcome.settings == [
                Setting(name: "--listen", value: ":80", source: .environment("BJ_LISTEN")),
                Setting(name: "--bots", value: "2", source: .commandLine),
                Setting(name: "--table", value: "a,b", source: .environment("BJ_TABLES")),
                Setting(name: "--rules", value: "vegas", source: .default),
                Setting(name: "--seed", value: nil, source: .default),
                Setting(name: "--turn", value: "20s", source: .default),
                Setting(name: "--penetration", value: "0.75", source: .default),
                Setting(name: "--log", value: "info", source: .default),
                Setting(name: "--color", value: "yes", source: .default),
                Setting(name: "--quiet", value: "yes", source: .commandLine),
            ])
    }

    private func serve(_ change: (inout Sample.Serve) -> Void) -> Sample {
        var options = Sample.Serve()
        change(&options)
        return .serve(options)
    }

    private func program(_ line: String, _ environment: [String: String] = [:]) -> Sample? {
        let outcome = Sample.command.parse(line.split(separator: " ").map(String.init), environment: environment)
        if let program = outcome.program { return program }
        Issue.record("\(line): \(outcome)")
        return nil
    }
}

/// They come from the C library: CommandLine's are read from /proc, which may be missing.
@Test func theWordsOfAProcess_areThoseThatItWasStartedWith() {
    #expect(Console.arguments == CommandLine.arguments && !Console.arguments.isEmpty)
    #if canImport(Glibc)
        #expect(Console.givenArguments == CommandLine.arguments)
    #endif
}
