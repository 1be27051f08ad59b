import ClientCore
import CommandLineKit
import Dispatch
import Foundation
import Rules
import TerminalUI
import Wire

/// The commands of `bjclient`.
enum ClientProgram: Sendable {
    case join(JoinOptions)
    case practice(PracticeOptions)
    case host(HostOptions)
    case door(DoorOptions)
    case accounts(AccountOptions)
    case verify(VerifyOptions)
    case history(HistoryOptions)
    case replay(ReplayOptions)

    struct JoinOptions: DisplayedOptions {
        /// From the command line, else from the environment.
        var server: Endpoint?
        var name: String?
        var table: String?
        var seat: Int?
        var pass: String?
        var owner: String?
        var isGuest = false
        var isBySSHKey = false
        /// With it alone.
        var proxy: ProxyAddress?
        var watches = false
        var record: String?
        var display = ClientSettings()
    }

    struct PracticeOptions: DisplayedOptions {
        /// nil: 2, and none in a drill.
        var bots: Int?
        var rules = "default"
        var seed: UInt64?
        var drill: Practice.DrillKind?
        var name: String?
        var display = ClientSettings()
    }

    static let command = Command<JoinOptions, ClientProgram>(
        "bjclient", "Joins a blackjack table over TCP.", defaults: JoinOptions(), program: checked
    ) { command in
        command.version(Release.text(protocol: WireLimits.versions))
        command.discussion(
            """
            Without arguments it lists practice, your own table and eight others, the last played first. At a terminal it \
            draws a screen and reads keys. With --plain, or when standard input or output is not a terminal, it prints a \
            sentence per event and reads commands; 'help' lists them. A command from a file or pipe waits until it is legal, \
            for up to three minutes; 'leave' and the end of the input stand on the hand in play.

            Each name you play under is an account, whose chips are kept between sessions. Its secret is stored in \
            $XDG_CONFIG_HOME/bjclient/accounts.json, else in ~/.config/bjclient/accounts.json; see 'bjclient accounts'.

            Keys, with the equivalent commands in parentheses: l (lobby, sit TABLE, watch TABLE) lists the tables, m (bet max) bets the \
            maximum, R (rebet) repeats your last bet each round, y (history) shows your last hands, w (standings) shows who has won \
            the most, c (chart) shows basic strategy. The owner of a table can also type /kick NAME, /again NAME, /pass PHRASE, /pause and /match ROUNDS, \
            without the '/' in plain mode.

            The client contributes to the shuffle of each shoe, and verifies the shoe when it is over, and the rules. A contradiction raises \
            an alarm; the evidence is kept in $XDG_STATE_HOME/bjclient/proofs, else in ~/.local/state/bjclient/proofs; see 'bjclient verify'.

            To write your own client, start from 'bjserver schema', which prints the protocol as a JSON Schema or a Python module.
            """)
        command.argument(
            "HOST:PORT", \.server, serverAddress,
            help: "The server. Default: the environment variable BJ_SERVER, else 127.0.0.1:2121.")
        command.option(
            "--name", \.name, playerName, short: "n",
            help:
                "Your name; if it is taken, the screen asks for another. Default: the screen asks; in plain mode the last or only one at "
                + "this server, else at any, else your user name, with a number if taken. With --watch, a guest name."
        )
        command.option(
            "--table", \.table, tableName, short: "t",
            help: "The table. Default: the only one, or your choice from the list.")
        command.flag("--watch", \.watches, short: "w", help: "Watches without a seat, as a guest unless --name is given.")
        command.option("--seat", \.seat, .int(1...7), short: "s", help: "The seat. Default: the first free one.")
        command.option(
            "--pass", \.pass, .text(upTo: WireLimits.passBytes), value: "PHRASE", environment: "BJ_PASS",
            help: "The pass phrase of a private table. Default: the terminal asks.")
        command.option(
            "--owner", \.owner, .text(upTo: WireLimits.codeBytes), value: "CODE", environment: "BJ_OWNER_CODE",
            help: "A one-time code from the host that makes you the owner of a table.")
        command.flag(
            "--guest", \.isGuest,
            help: "Plays without an account: seat and chips are lost when the program ends.")
        command.option(
            "--record", \.record, .path, value: "FILE",
            help:
                "Writes what the server sends to a file, for 'bjclient replay': all that you see, your name, chips and hands included."
        )
        command.flag(
            "--by-ssh-key", \.isBySSHKey,
            help: "For sshd: plays with the account of the key of this login; see sshd-play.conf of 'bjserver install-files'.")
        command.option(
            "--proxy", \.proxy, .proxyAddress,
            help: "With --by-ssh-key, the server's --proxy-listen, which gets the player's address.")
        command.displayOptions()
        command.example("bjclient", "choose to practice, host or join")
        command.example("bjclient 127.0.0.1 --name ann", "play at a server on this machine")
        command.example("bjclient example.org:2121 --watch --plain", "watch a table as text")
        command.exitStatus(65, "A command from a file or pipe was refused.")
        command.exitStatus(69, "The server is unreachable or ended the session.")
        command.exitStatus(74, "The account cannot be stored, or standard input or output cannot be used.")
        command.exitStatus(
            77, "The table's pass phrase is missing or wrong, and there is no terminal to ask for it; or sshd names no key.")
        command.subcommand(practiceCommand)
        command.subcommand(HostOptions.command)
        command.subcommand(DoorOptions.command)
        command.subcommand(AccountOptions.command)
        command.subcommand(VerifyOptions.command)
        command.subcommand(HistoryOptions.command)
        command.subcommand(ReplayOptions.command)
    }

    private static let practiceCommand = Command<PracticeOptions, ClientProgram>(
        "practice", "Plays against bots in this process, without a server.", defaults: PracticeOptions(),
        program: checked
    ) { practice in
        practice.discussion(
            """
            Chips, hands and your name are kept in $XDG_STATE_HOME/bjclient/practice, else in ~/.local/state/bjclient/practice, and an \
            interrupted hand continues. Nothing is kept with --seed or --drill, or while another practice is running. The bots bet after \
            you, and there is no time limit.

            Hands that you play wrong, in practice or elsewhere, are kept in mistakes.json beside the accounts, for --drill mistakes.
            """)
        practice.option("--bots", \.bots, .int(0...6), short: "b", help: "Number of bots. Default: 2, with --drill none.")
        practice.option(
            "--rules", \.rules, rulesName, short: "r",
            help: "The house rules: a preset (\(HouseRules.presetNames.joined(separator: ", "))) or a JSON file.")
        practice.option(
            "--seed", \.seed, .int(),
            help: "Seed of the shuffles. The same seed, bots, rules and play give the same cards, whatever your name.")
        practice.option(
            "--count", \.display.count, countingSystem,
            help: "Asks you for the running count now and then; k shows it.")
        practice.option(
            "--drill", \.drill, .choice, value: "KIND",
            help: "Begins each round with such a hand (pairs, soft, hard, or your own mistakes), from shoes that prove nothing.")
        practice.option(
            "--name", \.name, playerName, short: "n",
            help: "Your name. Default: the last one; the first time, the screen asks.")
        practice.displayOptions()
        practice.example(
            "printf 'bet 10\\nstand\\n' | bjclient practice --seed 7 --name ann", "the same hand each time, from a pipe")
        practice.example("bjclient practice --bots 4 --rules european", "a European table with four bots")
        practice.example("bjclient practice --count hi-lo", "practise counting cards")
        practice.exitStatus(
            65, "The rules are invalid, there are no mistakes to drill, or a command from a file or pipe was refused.")
        practice.exitStatus(69, "The session was ended.")
    }

    static let serverAddress = ValueFormat<Endpoint>.endpoint(defaultPort: 2121)

    static let playerName = ValueFormat<String>(
        "NAME",
        expected: "a name of letters, digits, single spaces and . _ - ', at most \(PlayerName.maximumCharacters) characters",
        parse: { (try? PlayerName($0))?.text }, print: { $0 })

    static let tableName = ValueFormat<String>.text(upTo: WireLimits.tableNameBytes)

    private static let rulesName = ValueFormat<String>.text(upTo: 4096)
        .completing(.words(["default"] + HouseRules.presetNames, orFiles: true))

    private static let countingSystem = ValueFormat<CountingSystem>(
        "NAME", expected: "one of " + CountingSystem.all.map(\.name).joined(separator: ", "),
        completion: .words(CountingSystem.all.map(\.name)), parse: { CountingSystem(name: $0) }, print: \.name)

    private static func checked(_ given: PracticeOptions) throws(UsageError) -> ClientProgram {
        if given.drill != nil, given.display.count != nil { throw UsageError("--drill and --count cannot be used together") }
        return .practice(given)
    }

    private static func checked(_ given: JoinOptions) throws(UsageError) -> ClientProgram {
        if given.watches, given.seat != nil { throw UsageError("--watch and --seat cannot be used together") }
        if given.isBySSHKey, given.isGuest { throw UsageError("--by-ssh-key and --guest cannot be used together") }
        if given.proxy != nil, !given.isBySSHKey { throw UsageError("--proxy is for --by-ssh-key") }
        var options = given
        if given.server == nil { options.server = try serverOfEnvironment() }
        return .join(options)
    }

    /// The server of this machine.
    static let ownServer = Endpoint(host: "127.0.0.1", port: 2121)

    static func serverOfEnvironment() throws(UsageError) -> Endpoint {
        guard let text = ProcessInfo.processInfo.environment["BJ_SERVER"], !text.isEmpty else {
            return ownServer
        }
        guard let server = serverAddress.parse(text) else {
            throw UsageError("BJ_SERVER is not \(serverAddress.expected)")
        }
        return server
    }
}

extension ClientProgram {
    /// Prints how a session has ended.
    static func show(_ ending: TableSession.Ending) {
        for summary in ending.summaries { Console.print(summary.text) }
        if let reason = ending.reason { Console.printError("bjclient: \(reason)") }
    }
}

extension ClientProgram.JoinOptions {
    func run(_ environment: [String: String], _ finish: @escaping @Sendable (TableSession.Ending) -> Void) -> Never {
        let recorder = record.map(Recorder.init)
        var options = isBySSHKey ? SSHLogin.session(self, environment) : session(environment, accounts(environment))
        options.client.record = recorder?.write
        let session = TableSession.start(options) { [isGuest, server = server.map { "\($0)" }] ending in
            if !isGuest { Visit.keep(.table, server: server, ending, environment) }
            if let recorder { recorder.end(ending) } else { finish(ending) }
        }
        withExtendedLifetime(session) { dispatchMain() }
    }

    /// - Parameter accounts: nil for a guest.
    func session(_ environment: [String: String], _ accounts: AccountFile?) -> TableSession.Options {
        let server = server ?? ClientProgram.ownServer
        let suggestion =
            accounts?.lastName(server: "\(server)") ?? userName(environment)
        var session = TableSession.Options(
            host: server.host, port: Int(server.port), name: name.map { .given($0) } ?? .asked(suggestion: suggestion))
        session.client.accounts = accounts
        if isGuest {
            var generator = SystemRandomNumberGenerator()
            (session.client.credential, session.client.isBrief) = (.secret(AccountSecret(using: &generator)), true)
        }
        session.client.owner = owner
        session.initialPlacement = watches ? .watch(table: table) : .sit(table: table, seat: seat)
        session.pass = pass
        session.show(display, environment)
        return session
    }

    /// The accounts of this device; nil for a guest. Exits if the file there can't be used.
    func accounts(_ environment: [String: String]) -> AccountFile? {
        // A viewer without a name is a guest, too.
        guard !isGuest, !watches || name != nil else { return nil }
        guard let file = AccountFile(environment: environment) else {
            Console.printError("bjclient: HOME is not set: playing as a guest, without an account")
            return nil
        }
        do throws(AccountFile.Failure) {
            try file.check()
        } catch {
            Console.fail("bjclient", "\(error.description); --guest plays without an account", status: 74)
        }
        return file
    }
}

/// The user's name where a player may have it, else empty: `root` is the host's.
func userName(_ environment: [String: String]) -> String {
    guard let name = try? PlayerName(environment["USER"] ?? ""), !ReservedNames().contains(name) else { return "" }
    return name.text
}
