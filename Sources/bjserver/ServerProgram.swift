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
    case accounts(AccountsOptions)
    case backup(BackupOptions)
    case journal(JournalOptions)
    case repair(RepairOptions)
    case audit(AuditOptions)
    case history(HistoryOptions)
    case store(StoreOptions)
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
            Prints 'listening on HOST:PORT' and serves until SIGINT or SIGTERM. Logs to standard error. \
            Connect with 'bjclient HOST:PORT' or 'nc HOST PORT'.

            Precedence: flag, environment variable, configuration file, default. Other settings hold from the next start; --check with the same \
            arguments says what that would do.

            With a data folder SIGTERM or SIGHUP ends the server within a second and keeps seats and hands: they go on at the next start. \
            With a database as --data (postgres://USER@HOST/NAME, made by 'bjserver store create') several servers may run: one owns the tables, the \
            others are spares without a listener, whose /readyz answers 503. A spare takes over once it has seen no sign of life of \
            the owner for --lease, and at once when SIGTERM ends the owner.

            SIGINT and 'ctl drain', or SIGTERM without data, drain: no new seats, hands are played to their end, then all connections \
            close; a second SIGINT stops at once and returns every bet.
            """)
        command.declareServing()
        command.declareTopics()
        command.example("bjserver --bots 3", "one table with three house bots, on loopback")
        command.example("bjserver --listen :2121 --table low --table high", "two tables on all interfaces")
        command.example("bjserver --config bj.json --print-config", "the settings from file, environment and flags")
        command.example("bjserver --config bj.json --check", "what a start would do, beside a server that runs")
        command.dataStatuses(
            takes: true, or: ("The rules or the configuration file are invalid. ", "Listening on an address failed. "))
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
            The server listens on a Unix-domain socket: admin.sock in its data folder, which leads to --admin if it has one. Without --socket \
            and --data the only server that runs is asked: one with data in the default folder, or that of the packaged unit. 'tables', 'players', 'evening', 'bans', \
            'config' and 'stats' are queries; 'owner TABLE', 'kick PLAYER', 'say TEXT', 'ban CIDR', 'unban CIDR', 'log LEVEL' and \
            'drain' are actions, which the server logs.

            'owner TABLE' prints a line with a code, for one use within an hour: the account that logs in with it owns the table, in place \
            of the owner before. An owner may send players away, let them come back, and change the pass phrase. 'evening' ranks the \
            players by the chips that they have won since the last drain.

            Two sources ban a block, each with its own end: the configuration (--ban, --ban-file) and the operator ('ban'). 'ban' \
            replaces the operator's ban of exactly this block; 'unban' lifts it, and reports a remaining ban by the configuration. \
            With '--file FILE' instead of CIDR both take one block on each line.

            'say TEXT' sends a line to all at the tables and in the list of tables, or at the table of --table; clients show it as the \
            host's word.

            'accounts' and 'account NAME' show accounts, also those without a player here. 'credit NAME CHIPS' gives chips of the bank, \
            or takes them back (-100); 'rename NAME NEW' and 'delete NAME' need a player without a seat, as 'credit' does. 'disable NAME' \
            refuses logins, ends the connection and gives up the seat; 'enable NAME' admits logins again. 'reset-secret NAME' prints a \
            new secret once, for 'bjclient accounts import'. 'delete' erases name and secret; chips return to the bank, and older \
            segments of the journal keep the name until --history prunes them. The answer comes once the change is stored. 'delete \
            --unused-since DATE' lists the accounts of this server, and of players whom no server has, that were last used before that day \
            (UTC), except disabled ones, owners of tables and players with a seat; with --yes it deletes them.
            """)
        command.option(
            "--socket", \.socket, .path, short: "s", environment: "BJ_ADMIN",
            help: "The server's socket, as given to --admin.")
        command.option(
            "--data", \.data, .dataFolder, environment: "BJ_DATA",
            help: "The server's data folder, instead of a socket.")
        command.option(
            "--for", \.milliseconds, .milliseconds(1000...31_536_000_000), help: "Duration of a ban. Default: permanent.")
        command.option(
            "--reason", \.reason, .text(upTo: AdminRequest.longestReason),
            help: "A reason shown to players: with kick and drain.")
        command.option(
            "--timeout", \.timeout, .milliseconds(100...3_600_000), help: "Timeout for the complete answer.")
        command.option("--table", \.table, .text(upTo: 256), help: "With say: the table. Default: all tables.")
        command.option(
            "--file", \.file, .path,
            help: "With ban and unban: a file of addresses and networks, one per line; '#' starts a comment.")
        command.flag("--json", \.json, help: "Prints JSON: an array of objects, or an object with a message.")
        command.argument("VERB", \.verb, .choice, required: true, help: "The request: \(ControlOptions.Verb.words).")
        command.argument(
            "TARGET", \.target, .text(upTo: AdminRequest.longestReason),
            help: "The target: a player, an account, a table, an address or a network; with say the text.")
        command.argument("VALUE", \.value, .text(upTo: 256), help: "With credit the chips, with rename the new name.")
        command.option(
            "--limit", \.limit, .int(AdminRequest.accountLimits),
            help: "Accounts to list or to delete at once. Default: \(AdminRequest.standardAccountLimit).")
        command.option("--unused-since", \.unusedSince, .text(upTo: 10), value: "DATE", help: "With delete, in place of TARGET.")
        command.flag("--yes", \.isConfirmed, help: "With --unused-since: deletes the accounts.")
        command.example("bjserver ctl tables", "list the tables")
        command.example("bjserver ctl owner main", "print the line that makes an owner of the table main")
        command.example("bjserver ctl -s /run/bj.sock drain --reason 'Back at noon.'", "stop after all rounds")
        command.example("bjserver ctl -s /run/bj.sock say 'Last rounds at ten.'", "speak to all at the tables")
        command.example("bjserver ctl -s /run/bj.sock ban 192.0.2.0/24 --for 1h", "ban a network for an hour")
        command.example("bjserver ctl --data /var/lib/bjserver credit ann 500", "give ann 500 chips")
        command.exitStatus(1, "The server refused.")
        command.exitStatus(65, "The file of --file is invalid.")
        command.exitStatus(69, "No server answers, or several run and none is named.")
        command.exitStatus(75, "The server did not answer in time: it may be stuck.")
    }

    private static func asked(_ options: ControlOptions) throws(UsageError) -> ServerProgram {
        // Any block: the file is read where the request is sent.
        _ = try options.request(for: options.file == nil ? nil : AddressBlock("127.0.0.1"))
        switch options.data {
        case .database where options.socket == nil:
            throw UsageError("a database has no socket: --socket PATH is the server's --admin")
        case .some(.none) where options.socket == nil:
            throw UsageError("missing: --socket PATH, or --data DIR")
        default: return .control(options)
        }
    }

    private static let healthCommand = Command<HealthOptions, ServerProgram>(
        "healthcheck", "Checks a server's readiness, for a container's health check.", defaults: HealthOptions(),
        program: checked
    ) { command in
        command.discussion("Requests /readyz, and prints the reason if the server is not ready.")
        command.option(
            "--metrics", \.metrics, .endpoint(), environment: "BJ_METRICS",
            help: "The server's --metrics address, from the same variable.")
        command.argument("HOST:PORT", \.endpoint, .endpoint(), help: "The address given to the server as --metrics.")
        command.example("bjserver healthcheck 127.0.0.1:9121", "exit with 0 if the server is ready for players")
        command.exitStatus(1, "Not ready, or no answer within five seconds.")
    }

    private static func checked(_ options: HealthOptions) -> ServerProgram { .healthCheck(options.endpoint ?? options.metrics) }
}
