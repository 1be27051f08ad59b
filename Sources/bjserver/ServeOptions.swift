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
    var proxyListen: ProxyAddress?
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

    var trust = AddressLimits.loopback.map(Optional.some)

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
        moreOptions()
        declareAddresses()
        declareGames()
        declareLimits()
        declareRunning()
    }

    /// The options that a host needs first.
    private mutating func declareHosting() {
        option(
            "--listen", \.listen, .endpoint(), short: "l", environment: "BJ_LISTEN",
            help:
                "Address to listen on. Port 0 is any free port; an empty host is all local addresses, IPv6 and IPv4; a name such as "
                + "localhost is one of its addresses.")
        option(
            "--table", \.tables, TableSpec.format, short: "t", environment: "BJ_TABLES", key: "tables",
            help:
                "Table to open. Without it, the open tables of --data go on. In a configuration file, a table may be an object with \(TableSpec.Key.words)."
        )
        option(
            "--rules", \.rules, RulesSpec.format, short: "r", environment: "BJ_RULES",
            help:
                "House rules: a preset or a JSON file. Presets are \(HouseRules.presetNames.joined(separator: ", ")); see "
                + "'bjserver rules'.")
        option("--bots", \.bots, .int(0...7), short: "b", environment: "BJ_BOTS", help: "House bots per table.")
        option(
            "--chips", \.chips, .int(Ranges.startingChips), environment: "BJ_CHIPS",
            help: "Chips of a new account.")
        option(
            "--data", \.data, .dataFolder, environment: "BJ_DATA",
            help:
                "Where accounts, chips and hands are stored. Default: $STATE_DIRECTORY, else none with port 0 or --seed, else "
                + "$XDG_STATE_HOME/bjserver/PORT (in ~/.local/state). With none, nothing is stored.")
        flag(
            "--create", \.create, environment: "BJ_CREATE",
            help:
                "Creates a missing --data folder. An empty folder becomes a new house. Without --create both are "
                + "refused, since a disk may not be mounted. The default folder needs no --create.")
        configurationFile(
            "--config", \.config, environment: "BJ_CONFIG",
            help: "JSON file with settings. Keys are names of options in camel case, such as timeBank.")
        flag(
            "--print-config", \.printsConfiguration, inFile: false,
            help: "Prints each setting and its source, and exits.")
        flag(
            "--check", \.checks, inFile: false,
            help:
                "Checks what a start would do, and exits. Covers settings, files, addresses and data, and lists tables that would be closed. The exit status is that of "
                + "a start while no server runs.")
    }

    private mutating func declareAddresses() {
        option(
            "--proxy-listen", \.proxyListen, .proxyAddress, environment: "BJ_PROXY_LISTEN",
            help:
                "Address for proxies, which send the client's address (PROXY protocol, versions 1 and 2), or a Unix-domain socket (mode 0600). "
                + "Servers of a database with several partitions need an address to relay players to one another.")
        option(
            "--proxy-trust", \.proxyTrust, .addressBlock, environment: "BJ_PROXY_TRUST",
            help:
                "Network of trusted proxies, and of the other servers of a database. Other connections to --proxy-listen are closed."
        )
        option(
            "--advertise", \.advertise, .endpoint(), environment: "BJ_ADVERTISE",
            help:
                "With several partitions: the address at which the other servers reach --proxy-listen. "
                + "Default: the address of --proxy-listen, unless it is all local addresses.")
        option(
            "--metrics", \.metrics, .endpoint(), environment: "BJ_METRICS",
            help: "Address for /metrics (Prometheus), /livez and /readyz over HTTP.")
        option(
            "--admin", \.admin, .path, value: "SOCKET", environment: "BJ_ADMIN",
            help: "Unix-domain socket for 'bjserver ctl', accessible only to the server's user.")
    }

    private mutating func declareGames() {
        option(
            "--rebuy", \.rebuy, .int(Ranges.rebuyChips), value: "CHIPS", environment: "BJ_REBUY",
            help:
                "Tops up a player who has fewer chips than the table's minimum bet to this many. A table with a higher minimum refuses "
                + "the player, unless no open table has a lower one. 0: never. Default: --chips."
        )
        option(
            "--settle", \.settle, .milliseconds(Ranges.settledMilliseconds), environment: "BJ_SETTLE",
            help: "Pause after each round, to show the results.")
        option(
            "--away", \.away, .milliseconds(Ranges.awayMilliseconds), environment: "BJ_AWAY",
            help: "How long to keep the seat of a player who lost the connection. A guest's seat is not kept.")
        option(
            "--time-bank", \.timeBank, .milliseconds(Ranges.bankMilliseconds), environment: "BJ_TIME_BANK",
            help:
                "How long a player may keep others waiting in total, beyond 5 s for each bet and decision. Each round refills 5 s."
        )
        option(
            "--seed", \.seed, .int(), environment: "BJ_SEED",
            help: "Seed of the shoes. For tests only: cards become predictable. Requires a loopback address.")
    }

    private mutating func declareLimits() {
        option(
            "--max-connections", \.maxConnections, .int(Ranges.connections), environment: "BJ_MAX_CONNECTIONS",
            help: "Maximum number of connections.")
        option(
            "--max-players", \.maxPlayers, .int(Ranges.players), environment: "BJ_MAX_PLAYERS",
            help: "Maximum number of players, connected or absent with a seat.")
        option(
            "--max-accounts", \.maxAccounts, .int(Ranges.accounts), environment: "BJ_MAX_ACCOUNTS",
            help:
                "Maximum number of accounts. At the limit, an account with fewer than 10 hands is removed to make room."
        )
        option(
            "--request-rate", \.requestRate, .int(1...1_000_000), environment: "BJ_REQUEST_RATE",
            help: "Average requests per second and connection; three times as many in a burst.")
        option(
            "--ban", \.bans, .addressBlock, environment: "BJ_BANS", key: "bans",
            help: "Address or network to ban.")
        option(
            "--trust", \.trust, .addressBlockOrNone, environment: "BJ_TRUST",
            help: "Network exempt from the limits per address, but not from the totals.")
    }

    private mutating func declareRunning() {
        option(
            "--lease", \.lease, .milliseconds(500...60_000), environment: "BJ_LEASE",
            help:
                "With a database: how long after the owner's last renewal a spare takes over. An owner that cannot reach "
                + "the database for that long pauses play. Must be the same on all servers.")
        option(
            "--durability", \.durability, .choice, environment: "BJ_DURABILITY",
            help:
                "When a change counts as stored. sync: once on disk; neither a crash nor a power cut loses anything that a player has "
                + "seen. interval: once written, and on disk within a second; a crash loses nothing, a "
                + "power cut the last second. none: written within a second; a crash loses the last second, a power cut more.")
        option(
            "--history", \.history, .history, environment: "BJ_HISTORY",
            help: "How much of the journal to keep for audit and history. Accounts and chips are always kept.")
        option(
            "--drain-timeout", \.drainTimeout, .milliseconds(Ranges.drainMilliseconds), environment: "BJ_DRAIN_TIMEOUT",
            help: "Maximum duration of a drain. Bets of hands that are still in play are then returned.")
        option("--log", \.log, .choice, environment: "BJ_LOG", help: "Lowest severity to log.")
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

extension ValueFormat<AddressBlock?> {
    /// An address or a network; nil for `none`, the only way to replace a default list by an empty one.
    static let addressBlockOrNone = ValueFormat(
        "CIDR|none", expected: "an address or a network such as 192.0.2.0/24 or 2001:db8::/32, or none",
        parse: { $0 == "none" ? .some(nil) : AddressBlock($0).map { .some($0) } },
        print: { $0?.description ?? "none" })
}
