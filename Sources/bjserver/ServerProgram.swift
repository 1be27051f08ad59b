import CommandLineKit
import Rules
import ServerCore

/// What `bjserver` can be told to do.
enum ServerProgram: Sendable {
    case serve(ServeOptions)
    case rules(String)
    case schema(SchemaOptions)

    struct ServeOptions: Sendable {
        var listen = Endpoint(host: "127.0.0.1", port: 2121)
        var tables = ["main"]
        var rules = "default"
        var bots = 0
        var chips = 1000
        var settle: Int = 4000
        var hold: Int = 120_000
        var seed: UInt64?
        var log = LogLevel.info
    }

    struct RulesOptions: Sendable {
        var name = "default"
    }

    static let version = "0.1.0"

    static let command = Command<ServeOptions, ServerProgram>(
        "bjserver", "Hosts blackjack tables over TCP.", defaults: ServeOptions(), program: ServerProgram.serve
    ) { command in
        command.version(version)
        command.discussion(
            """
            Prints 'listening on HOST:PORT' and serves until it gets SIGINT or SIGTERM. Logs go to standard error. \
            Join with 'bjclient HOST:PORT', or speak to it with 'nc HOST PORT'.
            """)
        command.option(
            "--listen", \.listen, .endpoint(), short: "l", environment: "BJ_LISTEN",
            help: "Where to listen. Port 0 takes any free port; an empty host every local IPv4 address.")
        command.option(
            "--table", \.tables, tableName, short: "t", environment: "BJ_TABLES",
            help: "A table's name. Repeat it for more tables.")
        command.option(
            "--rules", \.rules, rulesName, short: "r", environment: "BJ_RULES",
            help: "The house rules of all tables: a preset or a JSON file. See 'bjserver rules'.")
        command.option(
            "--bots", \.bots, .int(0...7), short: "b", environment: "BJ_BOTS", help: "House bots at each table, for company.")
        command.option(
            "--chips", \.chips, .int(1...1_000_000_000), environment: "BJ_CHIPS", help: "Chips that a new player gets.")
        command.option(
            "--settle", \.settle, .milliseconds(0...60_000), environment: "BJ_SETTLE", help: "How long results lie on the table.")
        command.option(
            "--hold", \.hold, .milliseconds(0...86_400_000), environment: "BJ_HOLD",
            help: "How long the seat and the chips of a lost connection are kept.")
        command.option(
            "--seed", \.seed, .int(), environment: "BJ_SEED",
            help: "Deals the same shoes at every start. For tests only: they can be foreseen.")
        command.option("--log", \.log, .choice, environment: "BJ_LOG", help: "The least severe events to log.")
        command.example("bjserver --bots 3", "a table with three house bots on this machine")
        command.example("bjserver --listen :2121 --table low --table high", "two tables for everybody on the network")
        command.exitStatus(65, "the rules are faulty")
        command.exitStatus(69, "the address can't be listened on")
        command.subcommand(
            Command<RulesOptions, ServerProgram>(
                "rules", "Prints house rules in words.", defaults: RulesOptions(), program: { .rules($0.name) }
            ) { rules in
                rules.argument("PRESET|FILE", \.name, rulesName, help: "A preset, or the path of a JSON file.")
                rules.exitStatus(65, "the rules are faulty")
                rules.example("bjserver rules european", "what a preset means")
            })
        command.subcommand(SchemaOptions.command)
    }

    private static let rulesName = ValueFormat<String>.text(upTo: 4096)
        .completing(.words(["default"] + HouseRules.presetNames, orFiles: true))

    private static let tableName = ValueFormat<String>(
        "NAME", expected: "a table's name of a-z, 0-9 and -, at most 32",
        parse: { CasinoConfiguration.isTableName($0) ? $0 : nil }, print: { $0 })

    /// The rules of that name; ends the process when they are faulty.
    static func rules(named name: String) -> HouseRules {
        if name == "default" { return HouseRules() }
        do {
            return try RulesSource.load(name)
        } catch {
            Console.fail("bjserver", error, status: 65)
        }
    }
}
