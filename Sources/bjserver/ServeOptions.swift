import CommandLineKit
import Journal
import Rules
import ServerCore
import Sockets
import Wire

/// All settings of an operator, from flags, environment variables or a configuration file.
struct ServeOptions: Sendable {
    // Addresses
    var listen = Endpoint(host: "127.0.0.1", port: 2121)
    var proxyListen: Endpoint?
    var proxyTrust = [AddressBlock("127.0.0.0/8"), AddressBlock("::1")].compactMap(\.self)
    var advertise: Endpoint?
    var metrics: Endpoint?
    var admin: String?

    // Tables and rules
    var tables = [TableSpec(name: "main")]
    var rules = RulesSpec.named("default")
    var bots = 0
    var chips = 1000
    var rebuy: Int?
    var settle = 4000
    var away = 120_000
    var timeBank = 30_000
    var seed: UInt64?

    // Limits
    var maxConnections = 4096
    var maxPlayers = 8192
    var maxAccounts = 100_000
    var requestRate = 20
    var bans: [AddressBlock] = []

    var trust = AddressLimits.loopback.map { OrNone.some($0) }

    // Data
    var data: DataFolder?
    /// Whether ``data`` may be made, or be empty.
    var create = false
    /// Milliseconds.
    var lease = 5000
    var durability = Durability.sync
    var history = JournalHistory.size(bytes: 2_000_000_000)

    // Operation
    var drainTimeout = 60_000
    var log = LogLevel.info
    var logFormat = LogFormat.logfmt
    var config: String?
    var printsConfiguration = false
    var checks = false
}

// MARK: - Declaration

/// Each option once: flag, variable, configuration key, help.
extension Command<ServeOptions, ServerProgram> {
    private typealias Ranges = ShardConfiguration.Ranges

    mutating func declareServing() {
        declareHosting()
        otherOptions()
        declareAddresses()
        declareGames()
        declareLimits()
        declareRunning()
    }

    /// The options that a host needs first.
    private mutating func declareHosting() {
        option(
            "--listen", \.listen, .endpoint(), short: "l", environment: "BJ_LISTEN",
            help: "The address to listen on. Port 0: any free port; an empty host: all local addresses, IPv6 and IPv4.")
        option(
            "--table", \.tables, TableSpec.format, short: "t", environment: "BJ_TABLES", key: "tables",
            help:
                "A table's name. Repeatable. In a file, a table may be an object with \(TableSpec.Key.words).")
        option(
            "--rules", \.rules, RulesSpec.format, short: "r", environment: "BJ_RULES",
            help:
                "The house rules of tables without their own: a preset (\(HouseRules.presetNames.joined(separator: ", "))) or a JSON file. "
                + "See 'bjserver rules'.")
        option("--bots", \.bots, .int(0...7), short: "b", environment: "BJ_BOTS", help: "House bots per table.")
        option(
            "--chips", \.chips, .int(Ranges.startingChips), environment: "BJ_CHIPS",
            help: "Chips of a new account.")
        option(
            "--data", \.data, .dataFolder, environment: "BJ_DATA",
            help:
                "The folder of accounts, chips and hands. Default: $STATE_DIRECTORY, else $XDG_STATE_HOME/bjserver/PORT (in "
                + "~/.local/state); none with port 0 or --seed. With none, nothing outlives the process.")
        flag(
            "--create", \.create, environment: "BJ_CREATE",
            help:
                "Makes the folder of --data if it is missing, with its parents, and a new house in an empty one. Without it a missing or "
                + "empty folder is refused: its disk may not be mounted. The default folder needs no --create.")
        configurationFile(
            "--config", \.config, environment: "BJ_CONFIG",
            help: "A JSON file with these settings: 'timeBank' for --time-bank.")
        flag(
            "--print-config", \.printsConfiguration, inFile: false,
            help: "Prints each setting with its value and source, and exits.")
        flag(
            "--check", \.checks, inFile: false,
            help:
                "Checks settings, files, addresses and data without starting, and lists tables that would be closed. The exit status is that of "
                + "a start.")
    }

    private mutating func declareAddresses() {
        option(
            "--proxy-listen", \.proxyListen, .endpoint(), environment: "BJ_PROXY_LISTEN",
            help:
                "The address for proxies that send the client's address: PROXY protocol, versions 1 and 2. Servers of a database with several "
                + "partitions need it: they relay players to one another.")
        option(
            "--proxy-trust", \.proxyTrust, .addressBlock, environment: "BJ_PROXY_TRUST",
            help:
                "A network of trusted proxies, and of the other servers of a database. Other connections are closed without an answer."
        )
        option(
            "--advertise", \.advertise, .endpoint(), environment: "BJ_ADVERTISE",
            help:
                "With a database of several partitions: the address at which the other servers reach --proxy-listen, which they relay players "
                + "to. Default: that of --proxy-listen, unless it is all local addresses.")
        option(
            "--metrics", \.metrics, .endpoint(), environment: "BJ_METRICS",
            help: "The address for /metrics (Prometheus), /livez and /readyz over HTTP.")
        option(
            "--admin", \.admin, .path, value: "SOCKET", environment: "BJ_ADMIN",
            help: "The Unix-domain socket for 'bjserver ctl', accessible to this server's user only.")
    }

    private mutating func declareGames() {
        option(
            "--rebuy", \.rebuy, .int(Ranges.rebuyChips), value: "CHIPS", environment: "BJ_REBUY",
            help:
                "Chips to which a player is filled up who has too few for the table's smallest bet. A table whose smallest bet is larger refuses "
                + "the player, unless no open table has a smaller one. 0: never. Default: --chips."
        )
        option(
            "--settle", \.settle, .milliseconds(Ranges.settledMilliseconds), environment: "BJ_SETTLE",
            help: "Time to show results after a round.")
        option(
            "--away", \.away, .milliseconds(Ranges.awayMilliseconds), environment: "BJ_AWAY",
            help: "Time to keep the seat of a lost connection, in any number of rounds. A guest's seat is not kept.")
        option(
            "--time-bank", \.timeBank, .milliseconds(Ranges.bankMilliseconds), environment: "BJ_TIME_BANK",
            help:
                "Time for which a player may keep others waiting, beyond 5 s for each bet and each decision. Each round returns 5 s."
        )
        option(
            "--seed", \.seed, .int(), environment: "BJ_SEED",
            help: "Seed of the shoes. For tests only: cards are predictable. Refused beyond loopback.")
    }

    private mutating func declareLimits() {
        option(
            "--max-connections", \.maxConnections, .int(Ranges.connections), environment: "BJ_MAX_CONNECTIONS",
            help: "Maximum number of connections.")
        option(
            "--max-players", \.maxPlayers, .int(Ranges.players), environment: "BJ_MAX_PLAYERS",
            help: "Maximum number of players: connected ones, and absent ones whose seat is kept.")
        option(
            "--max-accounts", \.maxAccounts, .int(Ranges.accounts), environment: "BJ_MAX_ACCOUNTS",
            help:
                "Maximum number of accounts, whose names and chips are kept. At the limit one with fewer than 10 hands makes room."
        )
        option(
            "--request-rate", \.requestRate, .int(1...1_000_000), environment: "BJ_REQUEST_RATE",
            help: "Requests per second and connection, on average; three times as many in a burst.")
        option(
            "--ban", \.bans, .addressBlock, environment: "BJ_BANS", key: "bans",
            help: "A banned address or network. Repeatable.")
        option(
            "--trust", \.trust, .addressBlockOrNone, environment: "BJ_TRUST",
            help: "A network exempt from budgets per address; totals include it. Repeatable.")
    }

    private mutating func declareRunning() {
        option(
            "--lease", \.lease, .milliseconds(500...60_000), environment: "BJ_LEASE",
            help:
                "With a database: time without a sign of life of the owner after which a spare takes over. An owner that gets no answer from "
                + "the database for that long stops play. The same for all servers of a database.")
        option(
            "--durability", \.durability, .choice, environment: "BJ_DURABILITY",
            help:
                "When a change counts as stored. sync: on the disk; neither a crash nor a power cut loses anything that a player was "
                + "told. interval: with the system, and on the disk within a second; a crash of the server loses nothing, a "
                + "power cut the last second. none: within a second; a crash loses the last second, a power cut more.")
        option(
            "--history", \.history, .history, environment: "BJ_HISTORY",
            help: "How much of the journal to keep for audit and history. Accounts and chips are kept in any case.")
        option(
            "--drain-timeout", \.drainTimeout, .milliseconds(Ranges.drainMilliseconds), environment: "BJ_DRAIN_TIMEOUT",
            help: "Time for hands to end on shutdown; after that their bets are returned.")
        option("--log", \.log, .choice, environment: "BJ_LOG", help: "The lowest severity to log.")
        option(
            "--log-format", \.logFormat, .choice, environment: "BJ_LOG_FORMAT",
            help: "Format of log lines.")
    }
}

extension ValueFormat<AddressBlock> {
    /// An address or a block of addresses in CIDR notation.
    static let addressBlock = ValueFormat(
        "CIDR", expected: "an address or a network such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32",
        parse: { AddressBlock($0) }, print: { $0.description })
}

/// A list element or `none`: the only way to replace a default list by an empty one.
enum OrNone<Value: Sendable & Equatable>: Sendable, Equatable {
    case none
    case some(Value)

    var value: Value? { if case .some(let value) = self { value } else { nil } }
}

extension ValueFormat<OrNone<AddressBlock>> {
    /// An address or a network, or `none`.
    static let addressBlockOrNone = ValueFormat(
        "CIDR|none", expected: "an address or a network such as 192.0.2.0/24 or 2001:db8::/32, or none",
        parse: { $0 == "none" ? OrNone.none : AddressBlock($0).map { .some($0) } },
        print: { $0.value?.description ?? "none" })
}
