import CommandLineKit

/// A program with everything a declaration can say.
enum Sample: Sendable, Equatable {
    case serve(Serve)
    case rules(ShowRules)
    case play(Play)
    case tables(Control)
    case drain(Control)

    struct Serve: Sendable, Equatable {
        var listen = Endpoint(host: "127.0.0.1", port: 2121)
        var bots = 0
        var tables = ["main"]
        var seed: UInt64?
        var turn = 20_000
        var color = true
        var quiet = false
        var penetration = 0.75
        var log = Level.info
        var rules = "vegas"
    }

    enum Level: String, CaseIterable, Sendable { case debug, info, error }

    struct ShowRules: Sendable, Equatable { var source: String? }

    struct Play: Sendable, Equatable {
        var server = Endpoint(host: "", port: 0)
        var bots = 1
        var names: [String] = []
        var json = false
        var verbose = false
        var shift = 0
    }

    struct Control: Sendable, Equatable { var server = Endpoint(host: "127.0.0.1", port: 2121) }

    /// A format of the sample's own: a preset's name or a file.
    static let ruleBook = ValueFormat<String>.text().completing(.words(["vegas", "european"], orFiles: true))

    static let command = Command("bjsample", "Hosts blackjack tables over TCP.", defaults: Serve(), program: checked) {
        $0.version("1.2.3")
        $0.discussion(
            """
            The server owns decks, hands, chips and the clock; whoever joins holds a copy of what may be seen and nothing more.

            It stops on SIGTERM once the rounds that are being played have ended.
            """)
        $0.option("--listen", \.listen, .endpoint(), short: "l", environment: "BJ_LISTEN", help: "Where to listen.")
        $0.option(
            "--bots", \.bots, .int(0...7), short: "b", environment: "BJ_BOTS",
            help: "House bots at each table. They play basic strategy.")
        $0.option("--table", \.tables, .text(upTo: 12), value: "NAME", environment: "BJ_TABLES", help: "A table to open.")
        $0.option("--rules", \.rules, ruleBook, value: "PRESET|FILE", help: "The rules that the tables are played by.")
        $0.option("--seed", \.seed, .int(), help: "Makes the shoes repeatable.")
        $0.option("--turn", \.turn, .milliseconds(1_000...600_000), help: "How long a player may think.")
        $0.option(
            "--penetration", \.penetration, .double(0.1...0.95), help: "The part of a shoe that is dealt before the shuffle.")
        $0.option("--log", \.log, .choice, help: "What is worth a line.")
        $0.flag("--color", \.color, negatable: true, environment: "BJ_COLOR", help: "Colours in the log.")
        $0.flag("--quiet", \.quiet, short: "q", environment: "BJ_QUIET", help: "Logs errors only.")
        $0.topic("Files", "A file has rules.\n\nIts keys:", entries: [("decks", "Packs of 52."), ("soft17", "stand or hit.")])
        $0.example("bjsample --bots 3", "Three bots keep a lone player company.")
        $0.example("bjsample --listen :2121 --table high --table low", "Two tables, for everybody who can reach this machine.")
        $0.exitStatus(1, "The address is taken, or may not be used.")
        $0.subcommand(rulesCommand)
        $0.subcommand(playCommand)
        $0.subcommand(controlCommand)
    }

    private static let rulesCommand = Command("rules", "Prints a rule book.", defaults: ShowRules(), program: Sample.rules) {
        $0.argument("PRESET|FILE", \.source, ruleBook, help: "Which one; all presets by default.")
    }

    private static let playCommand = Command("play", "Seats bots at a server's tables.", defaults: Play(), program: Sample.play) {
        $0.argument("HOST:PORT", \.server, .endpoint(defaultPort: 2121), required: true, help: "The server.")
        $0.argument("NAME", \.names, .text(), help: "Names of the bots.")
        $0.option("--bots", \.bots, .int(1...1_000), short: "n", required: true, help: "How many.")
        $0.option("--shift", \.shift, .int(), help: "Added to each bet.")
        $0.flag("--json", \.json, short: "j", help: "Prints one JSON object.")
        $0.flag("--verbose", \.verbose, short: "v", help: "Tells every hand.")
    }

    private static let controlCommand = Command(group: "ctl", "Talks to a running server.") {
        $0.subcommand(Command("tables", "Lists the tables.", defaults: Control(), program: Sample.tables) { $0.reach() })
        $0.subcommand(Command("drain", "Lets no new round begin.", defaults: Control(), program: Sample.drain) { $0.reach() })
    }

    @Sendable
    private static func checked(_ options: Serve) throws(UsageError) -> Sample {
        if options.quiet, options.log == .debug { throw UsageError("--quiet and --log debug cannot be used together") }
        return .serve(options)
    }
}

/// Options that several commands share are a function of the declaration.
extension Command where Options == Sample.Control {
    fileprivate mutating func reach() {
        option("--server", \.server, .endpoint(), short: "s", environment: "BJ_SERVER", help: "The server.")
    }
}

extension Outcome {
    var program: Program? { if case .run(let program, _) = self { program } else { nil } }
    var settings: [Setting]? { if case .run(_, let settings) = self { settings } else { nil } }
    var answer: String? { if case .answer(let text) = self { text } else { nil } }
    var refusal: UsageError? { if case .refusal(let error) = self { error } else { nil } }
}

extension ValueFormat<Double> {
    /// A finite decimal number within the range.
    static func double(_ range: ClosedRange<Double>) -> Self {
        let bounds = [range.lowerBound, range.upperBound].map(JSONTree.digits(of:)).joined(separator: " to ")
        return Self("X", expected: "a number from \(bounds)", literal: .number) { text in
            // `Double(text)` also accepts "inf", "nan" and hexadecimal: excluded here.
            guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let value = Double(text) else { return nil }
            return range.contains(value) ? value : nil
        } print: {
            String($0)
        }
    }
}
