import CommandLineKit
import Operations
import Rules
import ServerCore

/// The commands of `bjserver`.
enum ServerProgram: Sendable {
    case serve(ServeOptions)
    case rules(RulesSpec)
    case control(ControlOptions)
    case healthCheck(Endpoint)
    case schema(SchemaOptions)

    struct RulesOptions: Sendable {
        var rules = RulesSpec.named("default")
    }

    struct HealthOptions: Sendable {
        var endpoint: Endpoint?
        var metrics = Endpoint(host: "127.0.0.1", port: 9121)
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

            A flag goes before its environment variable, the variable before the configuration file, the file before the default. On \
            SIGHUP the file is read again: what can change while the server runs does, the log says what needs a restart, and a file \
            that is faulty changes nothing. On SIGTERM nobody gets a new seat, hands are played to their end, then everybody is sent \
            home; a second signal ends that at once, with every bet given back.
            """)
        command.declareServing()
        command.example("bjserver --bots 3", "a table with three house bots on this machine")
        command.example("bjserver --listen :2121 --table low --table high", "two tables for everybody on the network")
        command.example("bjserver --config bj.json --print-config", "what a file, the environment and flags come to")
        command.exitStatus(65, "The rules or the configuration file are faulty.")
        command.exitStatus(69, "An address can't be listened on.")
        command.subcommand(rulesCommand)
        command.subcommand(controlCommand)
        command.subcommand(healthCommand)
        command.subcommand(SchemaOptions.command)
    }

    private static let rulesCommand = Command<RulesOptions, ServerProgram>(
        "rules", "Prints house rules in words.", defaults: RulesOptions(), program: shown
    ) { command in
        command.argument("PRESET|FILE", \.rules, RulesSpec.format, help: "A preset, or the path of a JSON file.")
        command.exitStatus(65, "The rules are faulty.")
        command.example("bjserver rules european", "what a preset means")
    }

    private static func shown(_ options: RulesOptions) -> ServerProgram { .rules(options.rules) }

    private static let controlCommand = Command<ControlOptions, ServerProgram>(
        "ctl", "Asks or tells a running server.", defaults: ControlOptions(), program: asked
    ) { command in
        command.discussion(
            """
            The server listens on a Unix-domain socket when it is started with --admin. 'tables', 'players', 'bans', 'config' and \
            'stats' tell; 'kick PLAYER', 'ban CIDR', 'unban CIDR', 'close-table TABLE' and 'drain' do. Each is logged by the server.

            A block is banned by any of three sources, each with its own end: the configuration (--ban, --ban-file), the operator \
            ('ban') and the server itself (automatic, for a moment). 'ban' replaces the operator's former ban of the very block, \
            and no other; 'unban' lifts the operator's and the automatic one, and says so if the configuration bans it still. \
            'config' shows what holds (effective) beside what was read last (configured), and what is pending where they differ.
            """)
        command.option(
            "--socket", \.socket, .path, short: "s", environment: "BJ_ADMIN", help: "The server's socket: what --admin says.")
        command.option(
            "--for", \.milliseconds, .milliseconds(1000...31_536_000_000), help: "How long a ban lasts; for ever without it.")
        command.option(
            "--reason", \.reason, .text(upTo: AdminRequest.longestReason),
            help: "Why, for those at the table: with kick, close-table and drain.")
        command.option(
            "--timeout", \.timeout, .milliseconds(100...3_600_000), help: "How long the whole answer may take.")
        command.flag("--json", \.json, help: "Prints JSON: an array of objects, or an object with a message.")
        command.argument("VERB", \.verb, .choice, required: true, help: "What to do: \(ControlOptions.Verb.words).")
        command.argument("TARGET", \.target, .text(upTo: 256), help: "Whom or what: a player, a table, an address or a network.")
        command.example("bjserver ctl --socket /run/bj.sock tables", "what is played where")
        command.example("bjserver ctl -s /run/bj.sock drain --reason 'Back at noon.'", "stops when every round is over")
        command.example("bjserver ctl -s /run/bj.sock ban 192.0.2.0/24 --for 1h", "keeps a network out for an hour")
        command.exitStatus(1, "The server refused.")
        command.exitStatus(69, "No server answers on the socket.")
        command.exitStatus(75, "The server has not answered in time: it may be stuck.")
    }

    private static func asked(_ options: ControlOptions) throws(UsageError) -> ServerProgram {
        _ = try options.request()
        guard options.socket != nil else { throw UsageError("missing: --socket PATH, or BJ_ADMIN") }
        return .control(options)
    }

    private static let healthCommand = Command<HealthOptions, ServerProgram>(
        "healthcheck", "Asks a server whether it takes players, as a container's health check.", defaults: HealthOptions(),
        program: checked
    ) { command in
        command.discussion("Asks for /readyz, and says why if the server is not ready.")
        command.option(
            "--metrics", \.metrics, .endpoint(), environment: "BJ_METRICS", help: "The same, as the server is told it.")
        command.argument("HOST:PORT", \.endpoint, .endpoint(), help: "The address that the server was given as --metrics.")
        command.example("bjserver healthcheck 127.0.0.1:9121", "exits with 0 if new players are welcome")
        command.exitStatus(1, "It is not ready, or does not answer within five seconds.")
    }

    private static func checked(_ options: HealthOptions) -> ServerProgram { .healthCheck(options.endpoint ?? options.metrics) }
}
