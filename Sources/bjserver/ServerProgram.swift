import CommandLineKit
import Rules
import ServerCore
import Sockets
import Wire

/// The commands of `bjserver`.
enum ServerProgram: Sendable {
    case serve(ServeOptions)
    case rules(RulesSpec)
    case control(ControlOptions)
    case healthCheck(Endpoint)
    case schema(SchemaOptions)
    case data(any DataCommand)
    case installFiles(InstallOptions)

    struct RulesOptions: Sendable {
        var rules = RulesSpec.named("default")
    }

    struct HealthOptions: Sendable {
        var endpoint: Endpoint?
        var metrics = Endpoint(host: "127.0.0.1", port: 9121)
    }

    static let command = Command<ServeOptions, ServerProgram>(
        "bjserver", "Hosts blackjack tables over TCP.", defaults: ServeOptions(), program: ServerProgram.serve
    ) { command in
        command.version(Release.text(protocol: WireLimits.versions))
        command.discussion(
            """
            Its first line is 'listening on HOST:PORT', a spare's 'spare of' its database. Runs until SIGINT or SIGTERM. Logs to standard error. \
            Connect with 'bjclient HOST:PORT' or 'nc HOST PORT'.

            Flags override environment variables, which override the configuration file. Settings change only with a restart; \
            --check with the same arguments shows what it would do.

            SIGTERM, SIGHUP and SIGQUIT end the server within a second and keep seats and hands for the next start; with --data none they \
            drain. \
            SIGINT (Ctrl-C), a closed terminal and 'ctl drain' drain: no new seats, hands are played out, then the server exits. A second \
            SIGINT stops at once and returns every bet.

            With a database as --data (postgres://USER@HOST/NAME, see 'bjserver store'), several servers may run: one owns the tables, \
            and a spare takes over when it stops or does not renew its lease (--lease).
            """)
        command.declareServing()
        command.declareTopics()
        command.example("bjserver --bots 3", "a table with three house bots, on loopback")
        command.example("bjserver --listen :2121 --table low --table high", "two tables on all interfaces")
        command.example("bjserver --config bj.json --print-config", "show each setting and its source")
        command.example("bjserver --config bj.json --check", "check what a start would do, even while a server runs")
        command.dataStatuses(
            takes: true, or: ("The rules or the configuration file are invalid. ", "An address cannot be used. "))
        command.exitStatus(DataFault.notCreated, "The data folder cannot be created.")
        command.subcommand(rulesCommand)
        command.subcommand(controlCommand)
        command.subcommand(healthCommand)
        command.subcommand(AccountsOptions.command)
        command.subcommand(AuditOptions.command)
        command.subcommand(HistoryOptions.command)
        command.subcommand(JournalOptions.command)
        command.subcommand(BackupOptions.command)
        command.subcommand(StoreOptions.command)
        command.subcommand(SchemaOptions.command)
        command.subcommand(InstallOptions.command)
    }

    private static let rulesCommand = Command<RulesOptions, ServerProgram>(
        "rules", "Prints house rules as text.", defaults: RulesOptions(), program: shown
    ) { command in
        command.argument("PRESET|FILE", \.rules, RulesSpec.format, help: "A preset, or the path of a JSON file.")
        command.exitStatus(65, "The rules are invalid.")
        command.example("bjserver rules european", "the rules of a preset")
    }

    private static func shown(_ options: RulesOptions) -> ServerProgram { .rules(options.rules) }

    private static let controlCommand = Command<ControlOptions, ServerProgram>(
        "ctl", "Queries or controls a running server.", defaults: ControlOptions(), program: asked
    ) { command in
        command.discussion(
            """
            Without --socket or --data, it finds the server that runs with its data in a default folder or as the packaged service, \
            if there is only one. The socket is admin.sock in the data folder, or the path of the server's --admin.

            'bjserver ctl help' describes each request. The server logs every request, and confirms a change once it is stored.
            """)
        command.option(
            "--socket", \.socket, .path, short: "s", environment: "BJ_ADMIN",
            help: "The server's socket, as given to --admin.")
        command.option(
            "--data", \.data, .dataFolder, environment: "BJ_DATA",
            help: "The server's data folder, instead of a socket.")
        command.option(
            "--file", \.file, .path,
            help: "With ban and unban: a file with more networks, one per line. '#' starts a comment.")
        command.option(
            "--timeout", \.timeout, .milliseconds(100...3_600_000), help: "Timeout for the complete reply.")
        command.flag("--json", \.json, help: "Prints JSON: an array of objects, or an object with a message.")
        command.passOptions()
        command.argument(
            "REQUEST", \.words, .text().completing(.words(["help"] + AdminVerb.all.map(\.word))), required: true,
            help: "The request: help, \(AdminVerb.all.map(\.word).joined(separator: ", ")).")
        command.example("bjserver ctl tables", "list the tables")
        command.example("bjserver ctl owner main", "print the command that makes a player the owner of main")
        command.example("bjserver ctl -s /run/bj.sock drain --reason 'Back at noon.'", "stop once all rounds have ended")
        command.example("bjserver ctl -s /run/bj.sock say 'Last rounds at ten.'", "send a message to all tables")
        command.example("bjserver ctl -s /run/bj.sock ban 192.0.2.0/24 --for 1h", "ban a network for an hour")
        command.example("bjserver ctl --data /var/lib/bjserver credit ann 500", "give ann 500 chips")
        command.exitStatus(1, "The server refused.")
        command.exitStatus(65, "The file of --file is invalid.")
        command.exitStatus(69, "No server is running, or several are and none was chosen.")
        command.exitStatus(75, "The server did not reply in time.")
    }

    private static func asked(_ options: ControlOptions) throws(UsageError) -> ServerProgram {
        var words = options.words
        if options.file != nil {
            guard ["ban", "unban"].contains(words.first) else {
                throw UsageError("--file is valid with ban and unban only")
            }
            // Any block: the file is read where the request is sent.
            words.append("127.0.0.1")
        }
        if words != ["help"] { _ = try AdminVerb.parse(words) }
        switch options.data {
        case .database where options.socket == nil:
            throw UsageError("a database has no socket: give the path of the server's --admin with --socket")
        case .some(.none) where options.socket == nil:
            throw UsageError("missing --socket PATH or --data DIR")
        default: return .control(options)
        }
    }

    private static let healthCommand = Command<HealthOptions, ServerProgram>(
        "healthcheck", "Checks a server's readiness, for a container's health check.", defaults: HealthOptions(),
        program: checked
    ) { command in
        command.discussion("Requests /readyz and prints the reason if the server is not ready.")
        command.option(
            "--metrics", \.metrics, .endpoint(), environment: "BJ_METRICS",
            help: "The server's --metrics address.")
        command.argument("HOST:PORT", \.endpoint, .endpoint(), help: "The address given to the server as --metrics.")
        command.example("bjserver healthcheck 127.0.0.1:9121", "exit with 0 if the server is ready")
        command.exitStatus(1, "Not ready, or no answer within five seconds.")
    }

    private static func checked(_ options: HealthOptions) -> ServerProgram { .healthCheck(options.endpoint ?? options.metrics) }
}
