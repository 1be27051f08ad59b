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
    var rebuyDelay = 0
    var settle = 4000
    var away = 120_000
    var grace = 2000
    var sitOut = 600_000
    var timeBank = 30_000
    var seed: UInt64?
    /// Accepts `seed` beyond loopback.
    var allowInsecureSeed = false
    var loops = 1

    // Limits
    var maxConnections = 4096
    var maxConnectionsPerAddress = 256
    var maxPlayers = 8192
    var maxAccounts = 100_000
    var maxTables = 10_000
    var maxViewers = 1000
    var maxLine = 4096
    var maxOutbound = 256 * 1024
    var maxOutboundTotal = 64 * 1024 * 1024
    var loginTimeout = 60_000
    var idleTimeout = 900_000
    var stallTimeout = 20_000
    var requestRate = 20
    var requestBurst = 60
    var chatRate = 20
    var chatBurst = 5
    var bans: [AddressBlock] = []
    var banFile: String?

    // Limits per address, all connections together
    var trust = AddressLimits.loopback.map { OrNone.some($0) }
    var addressConnectRate = 10
    var addressConnectBurst = 256
    var addressLoginRate = 10
    var addressLoginBurst = 256
    var addressRequestRate = 1000
    var addressRequestBurst = 4000
    var addressClaimRate = 10
    var addressClaimBurst = 256
    var addressChatRate = 120
    var addressChatBurst = 40
    var addressFailures = 5
    var failureDelay = 60_000
    /// Has no effect.
    var maxAwayPerAddress = 256
    var strangerRate = 10_000
    var strangerBurst = 20_000
    var reservedNames = ReservedNames.standard.map { OrNone.some($0) }

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

// MARK: - Data

extension Command<ServeOptions, ServerProgram> {
    /// Options about what outlives the process.
    mutating func declareData() {
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
        option(
            "--lease", \.lease, .milliseconds(500...60_000), environment: "BJ_LEASE",
            help:
                "With a database as --data: time without a sign of life of the owner after which a spare takes its tables over, and play "
                + "stands still at an owner without an answer. The same for all servers of a database.")
        option(
            "--durability", \.durability, .choice, environment: "BJ_DURABILITY",
            help:
                "When a change counts as stored. sync: on the disk; neither a crash nor a power cut loses anything that a player was "
                + "told. interval: with the system, and on the disk within a second; a crash of the server loses nothing, a "
                + "power cut the last second. none: within a second; a crash loses the last second, a power cut more.")
        option(
            "--history", \.history, .history, environment: "BJ_HISTORY",
            help: "How much of the journal to keep for audit and history. Accounts and chips are kept in any case.")
    }
}

// MARK: - Declaration

/// Each option once: flag, variable, configuration key and help.
extension Command<ServeOptions, ServerProgram> {
    private typealias Ranges = ShardConfiguration.Ranges

    mutating func declareServing() {
        declareAddresses()
        declareGames()
        declareLimits()
        declareRates()
        declareAddressBudgets()
        declarePlayers()
        declareData()
        declareRunning()
    }

    private mutating func declareAddresses() {
        option(
            "--listen", \.listen, .endpoint(), short: "l", environment: "BJ_LISTEN",
            help: "The address to listen on. Port 0: any free port; an empty host: all local addresses, IPv6 and IPv4.")
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
            "--rebuy", \.rebuy, .int(Ranges.rebuyChips), value: "CHIPS", environment: "BJ_REBUY",
            help:
                "Chips that a player has after sitting down with too few for the table's smallest bet. Tables with a larger one "
                + "refuse the player, unless no open table has a smaller. 0: never any. Default: as many as --chips."
        )
        option(
            "--rebuy-delay", \.rebuyDelay, .milliseconds(Ranges.rebuyMilliseconds), environment: "BJ_REBUY_DELAY",
            help: "Time from the last chips of the house to the next.")
        option(
            "--settle", \.settle, .milliseconds(Ranges.settledMilliseconds), environment: "BJ_SETTLE",
            help: "Time to show results after a round.")
        option(
            "--away", \.away, .milliseconds(Ranges.awayMilliseconds), environment: "BJ_AWAY",
            help: "Time to keep the seat of a lost connection, in any number of rounds. A guest's seat is not kept.")
        option(
            "--grace", \.grace, .milliseconds(Ranges.graceMilliseconds), environment: "BJ_GRACE",
            help: "Grace period after a lost connection: the table waits for the player and does not show them as away.")
        option(
            "--sit-out", \.sitOut, .milliseconds(Ranges.sitOutMilliseconds), environment: "BJ_SIT_OUT",
            help: "Time to keep the seat of a connected player who sits out.")
        option(
            "--time-bank", \.timeBank, .milliseconds(Ranges.bankMilliseconds), environment: "BJ_TIME_BANK",
            help:
                "Time for which a player may make others wait, beyond 5 s for each betting and each decision; 5 s come back with "
                + "each round. Without any left the clock is 5 s.")
        option(
            "--seed", \.seed, .int(), environment: "BJ_SEED",
            help: "Seed of the shoes. For tests only: cards are predictable. Refused beyond loopback.")
        flag(
            "--allow-insecure-seed", \.allowInsecureSeed, environment: "BJ_ALLOW_INSECURE_SEED",
            help: "Accepts --seed on any address: whoever knows the seed knows every card.")
    }

    private mutating func declareLimits() {
        option(
            "--max-connections", \.maxConnections, .int(Ranges.connections), environment: "BJ_MAX_CONNECTIONS",
            help: "Connections in all, at most.")
        option(
            "--max-connections-per-address", \.maxConnectionsPerAddress, .int(Ranges.connections),
            environment: "BJ_MAX_CONNECTIONS_PER_ADDRESS",
            help:
                "Connections per address (IPv6: per /64), at most; a /56 has 4 times, a /48 16 times as many, and at most a quarter of all. "
                + "Addresses of --trust are exempt.")
        option(
            "--max-players", \.maxPlayers, .int(Ranges.players), environment: "BJ_MAX_PLAYERS",
            help: "Players at a time, at most: connected ones, and absent ones whose seat is kept.")
        option(
            "--max-accounts", \.maxAccounts, .int(Ranges.accounts), environment: "BJ_MAX_ACCOUNTS",
            help:
                "Accounts, at most: players of any time, whose names and chips are kept. One that never played goes after 7 days, or makes room."
        )
        option(
            "--max-tables", \.maxTables, .int(Ranges.tables), environment: "BJ_MAX_TABLES",
            help: "Tables, at most.")
        option(
            "--max-viewers", \.maxViewers, .int(Ranges.viewers), environment: "BJ_MAX_VIEWERS",
            help: "Connections that watch one table, its players included, at most.")
        option(
            "--max-line", \.maxLine, .int(Ranges.requestBytes), value: "BYTES", environment: "BJ_MAX_LINE",
            help: "Bytes per line from a client, at most.")
        option(
            "--max-outbound", \.maxOutbound, .int(65_536...1_073_741_824), value: "BYTES", environment: "BJ_MAX_OUTBOUND",
            help: "Bytes queued for a client that does not read, at most; beyond that it is closed.")
        option(
            "--max-outbound-total", \.maxOutboundTotal, .int(1_048_576...1_099_511_627_776), value: "BYTES",
            environment: "BJ_MAX_OUTBOUND_TOTAL",
            help: "Bytes queued for all clients together, at most; beyond that the largest queues are closed.")
        option(
            "--stall-timeout", \.stallTimeout, .milliseconds(100...3_600_000), environment: "BJ_STALL_TIMEOUT",
            help: "Time a client may leave queued bytes unread.")
    }

    private mutating func declareRates() {
        option(
            "--login-timeout", \.loginTimeout, .milliseconds(Ranges.loginMilliseconds), environment: "BJ_LOGIN_TIMEOUT",
            help: "Time to log in.")
        option(
            "--idle-timeout", \.idleTimeout, .milliseconds(Ranges.idleMilliseconds), environment: "BJ_IDLE_TIMEOUT",
            help: "Idle timeout of a connection.")
        option(
            "--request-rate", \.requestRate, .int(1...1_000_000), environment: "BJ_REQUEST_RATE",
            help: "Requests per second and connection, on average.")
        option(
            "--request-burst", \.requestBurst, .int(1...1_000_000), environment: "BJ_REQUEST_BURST",
            help: "Requests per connection in a burst.")
        option(
            "--chat-rate", \.chatRate, .int(1...1_000_000), environment: "BJ_CHAT_RATE",
            help: "Chat lines per minute and player, on average.")
        option(
            "--chat-burst", \.chatBurst, .int(1...1_000_000), environment: "BJ_CHAT_BURST",
            help: "Chat lines per player in a burst.")
        option(
            "--ban", \.bans, .addressBlock, environment: "BJ_BANS", key: "bans",
            help: "A banned address or network. Repeatable.")
        option(
            "--ban-file", \.banFile, BanFile.format, environment: "BJ_BAN_FILE",
            help: "A file of banned addresses and networks, one per line; '#' starts a comment. With --ban at most 10,000.")
    }

    private mutating func declareAddressBudgets() {
        option(
            "--trust", \.trust, .addressBlockOrNone, environment: "BJ_TRUST",
            help: "A network exempt from budgets per address; totals include it. Repeatable.")
        option(
            "--address-connect-rate", \.addressConnectRate, .int(1...1_000_000), environment: "BJ_ADDRESS_CONNECT_RATE",
            help:
                "New connections per second and address, on average. As all budgets per address: IPv6 counts per /64, and a /56 has 4 times, "
                + "a /48 16 times as much.")
        option(
            "--address-connect-burst", \.addressConnectBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_CONNECT_BURST",
            help: "New connections per address in a burst.")
        option(
            "--address-login-rate", \.addressLoginRate, .int(1...1_000_000), environment: "BJ_ADDRESS_LOGIN_RATE",
            help: "Logins per second and address, on average.")
        option(
            "--address-login-burst", \.addressLoginBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_LOGIN_BURST",
            help: "Logins per address in a burst.")
        option(
            "--address-request-rate", \.addressRequestRate, .int(1...1_000_000), environment: "BJ_ADDRESS_REQUEST_RATE",
            help:
                "Requests per second and address, on average; an expensive one counts as several. Seated players are exempt."
        )
        option(
            "--address-request-burst", \.addressRequestBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_REQUEST_BURST",
            help: "Requests per address in a burst.")
        option(
            "--address-claim-rate", \.addressClaimRate, .int(1...1_000_000), environment: "BJ_ADDRESS_CLAIM_RATE",
            help: "New accounts per minute and address, on average.")
        option(
            "--address-claim-burst", \.addressClaimBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_CLAIM_BURST",
            help: "New accounts per address in a burst.")
        option(
            "--address-chat-rate", \.addressChatRate, .int(1...1_000_000), environment: "BJ_ADDRESS_CHAT_RATE",
            help: "Chat lines per minute and address, on average.")
        option(
            "--address-chat-burst", \.addressChatBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_CHAT_BURST",
            help: "Chat lines per address in a burst.")
        option(
            "--address-failures", \.addressFailures, .int(0...1_000_000), environment: "BJ_ADDRESS_FAILURES",
            help:
                "Wrong secrets, codes and pass phrases per address before a delay: half a second, doubled each time. A table looks at one "
                + "wrong phrase a second of all who never had the right one."
        )
        option(
            "--failure-delay", \.failureDelay, .milliseconds(0...3_600_000), environment: "BJ_FAILURE_DELAY",
            help: "The longest such delay.")
        option(
            "--stranger-rate", \.strangerRate, .int(1...1_000_000), environment: "BJ_STRANGER_RATE",
            help: "Requests per second before login, all connections together, on average.")
        option(
            "--stranger-burst", \.strangerBurst, .int(1...1_000_000), environment: "BJ_STRANGER_BURST",
            help: "Requests before login, all connections together, in a burst.")
    }

    private mutating func declarePlayers() {
        option(
            "--max-away-per-address", \.maxAwayPerAddress, .int(1...1_000_000), environment: "BJ_MAX_AWAY_PER_ADDRESS",
            help:
                "Absent players remembered per address, at most, counted as connections are; the longest absent is dropped first."
        )
        option(
            "--reserved-names", \.reservedNames, .reservedWord, environment: "BJ_RESERVED_NAMES",
            help:
                "A reserved name. Also reserves look-alikes, names that begin with it, and the name with a number. Repeatable."
        )
    }

    private mutating func declareRunning() {
        option(
            "--loops", \.loops, .int(1...256), environment: "BJ_LOOPS",
            help: "Loops, each on its own thread, that share tables and connections.")
        option(
            "--drain-timeout", \.drainTimeout, .milliseconds(Ranges.drainMilliseconds), environment: "BJ_DRAIN_TIMEOUT",
            help: "Time for hands to end on shutdown; after that their bets are returned.")
        option("--log", \.log, .choice, environment: "BJ_LOG", help: "The lowest severity to log.")
        option(
            "--log-format", \.logFormat, .choice, environment: "BJ_LOG_FORMAT",
            help: "Format of log lines.")
        configurationFile(
            "--config", \.config, environment: "BJ_CONFIG",
            help: "A JSON file with these settings: 'idleTimeout' for --idle-timeout.")
        flag(
            "--print-config", \.printsConfiguration, traits: .notInFile,
            help: "Prints each setting with its value and source, and exits.")
        flag(
            "--check", \.checks, traits: .notInFile,
            help:
                "Says what a start would do: settings and files, addresses, the data and which tables with hands in play would not go on. "
                + "Takes no lock and listens nowhere. The status is that of a start.")
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

extension ValueFormat<OrNone<String>> {
    /// A reserved word, or `none`.
    static let reservedWord = ValueFormat(
        "WORD|none", expected: "a name, or none",
        parse: { $0 == "none" ? OrNone.none : (try? PlayerName($0)).map { .some($0.text) } },
        print: { $0.value ?? "none" })
}
