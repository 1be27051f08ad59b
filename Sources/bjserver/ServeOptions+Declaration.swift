import CommandLineKit
import Operations
import ServerCore

/// Each option once: flag, variable, configuration key, help, and whether it is `reloadable`.
extension Command<ServeOptions, ServerProgram> {
    private typealias Ranges = ShardConfiguration.Ranges

    mutating func declareServing() {
        declareAddresses()
        declareGames()
        declareLimits()
        declareRates()
        declareAddressBudgets()
        declarePlayers()
        declareRunning()
    }

    private mutating func declareAddresses() {
        option(
            "--listen", \.listen, .endpoint(), short: "l", environment: "BJ_LISTEN",
            help: "Where to listen. Port 0 takes any free port; an empty host every local address, IPv6 and IPv4.")
        option(
            "--proxy-listen", \.proxyListen, .endpoint(), environment: "BJ_PROXY_LISTEN",
            help: "Where to listen for proxies that say whom they speak for: the PROXY protocol, versions 1 and 2.")
        option(
            "--proxy-trust", \.proxyTrust, .addressBlock, environment: "BJ_PROXY_TRUST", traits: .reloadable,
            help: "A network whose proxies are believed. Others are closed without a word.")
        option(
            "--metrics", \.metrics, .endpoint(), environment: "BJ_METRICS",
            help: "Where to serve /metrics (Prometheus), /livez and /readyz over HTTP.")
        option(
            "--admin", \.admin, .path, value: "SOCKET", environment: "BJ_ADMIN",
            help: "A Unix-domain socket for 'bjserver ctl', open to this server's user alone.")
    }

    private mutating func declareGames() {
        option(
            "--table", \.tables, TableSpec.format, short: "t", environment: "BJ_TABLES", key: "tables", traits: .reloadable,
            help:
                "A table's name. Repeat it for more tables. In a file, a table may be an object with rules, bets, a pass phrase.")
        option(
            "--rules", \.rules, RulesSpec.format, short: "r", environment: "BJ_RULES", traits: .reloadable,
            help:
                "The house rules of all tables that have none of their own: a preset or a JSON file. See 'bjserver rules'. A table "
                + "that is open keeps its rules.")
        option("--bots", \.bots, .int(0...7), short: "b", environment: "BJ_BOTS", help: "House bots at each table, for company.")
        option(
            "--chips", \.chips, .int(Ranges.startingChips), environment: "BJ_CHIPS", traits: .reloadable,
            help: "Chips that a new player gets.")
        option(
            "--settle", \.settle, .milliseconds(Ranges.settledMilliseconds), environment: "BJ_SETTLE",
            help: "How long results lie on the table.")
        option(
            "--away", \.away, .milliseconds(Ranges.awayMilliseconds), environment: "BJ_AWAY", traits: .reloadable,
            help: "How long the seat and the chips of a lost connection are kept, whatever rounds pass.")
        option(
            "--grace", \.grace, .milliseconds(Ranges.graceMilliseconds), environment: "BJ_GRACE",
            help: "How long a player whose connection was lost counts as present: waited for, and not shown as away.")
        option(
            "--sit-out", \.sitOut, .milliseconds(Ranges.sitOutMilliseconds), environment: "BJ_SIT_OUT",
            help: "How long the seat of a connected player who sits out is kept.")
        option(
            "--seed", \.seed, .int(), environment: "BJ_SEED",
            help: "Deals the same shoes at every start. For tests only: they can be foreseen.")
    }

    private mutating func declareLimits() {
        option(
            "--max-connections", \.maxConnections, .int(Ranges.connections), environment: "BJ_MAX_CONNECTIONS",
            traits: .reloadable,
            help: "The most connections in all.")
        option(
            "--max-connections-per-address", \.maxConnectionsPerAddress, .int(Ranges.connections),
            environment: "BJ_MAX_CONNECTIONS_PER_ADDRESS", traits: .reloadable,
            help: "The most connections of one address, or of one /64 of IPv6. Those of --trust are not counted.")
        option(
            "--max-players", \.maxPlayers, .int(Ranges.players), environment: "BJ_MAX_PLAYERS", traits: .reloadable,
            help: "The most players who are known at a time, those who are away for a while included.")
        option(
            "--max-tables", \.maxTables, .int(Ranges.tables), environment: "BJ_MAX_TABLES", traits: .reloadable,
            help: "The most tables.")
        option(
            "--max-viewers", \.maxViewers, .int(Ranges.viewers), environment: "BJ_MAX_VIEWERS", traits: .reloadable,
            help: "The most connections that watch one table, its players' included.")
        option(
            "--max-line", \.maxLine, .int(Ranges.requestBytes), value: "BYTES", environment: "BJ_MAX_LINE", traits: .reloadable,
            help: "The longest line from a client. A change holds for new connections: the others were told the former one.")
        option(
            "--max-outbound", \.maxOutbound, .int(65_536...1_073_741_824), value: "BYTES", environment: "BJ_MAX_OUTBOUND",
            traits: .reloadable,
            help: "The most bytes that may wait for a client that does not read; then it is closed.")
        option(
            "--max-outbound-total", \.maxOutboundTotal, .int(1_048_576...1_099_511_627_776), value: "BYTES",
            environment: "BJ_MAX_OUTBOUND_TOTAL", traits: .reloadable,
            help: "The most bytes that may wait for all clients together; then those are closed for whom most waits.")
        option(
            "--stall-timeout", \.stallTimeout, .milliseconds(100...3_600_000), environment: "BJ_STALL_TIMEOUT",
            traits: .reloadable,
            help: "How long a client may read nothing of what waits for it.")
    }

    private mutating func declareRates() {
        option(
            "--login-timeout", \.loginTimeout, .milliseconds(Ranges.loginMilliseconds), environment: "BJ_LOGIN_TIMEOUT",
            traits: .reloadable,
            help: "How long a connection may take to log in.")
        option(
            "--idle-timeout", \.idleTimeout, .milliseconds(Ranges.idleMilliseconds), environment: "BJ_IDLE_TIMEOUT",
            traits: .reloadable,
            help: "How long a connection may say nothing.")
        option(
            "--request-rate", \.requestRate, .int(1...1_000_000), environment: "BJ_REQUEST_RATE", traits: .reloadable,
            help: "Requests a second that a connection may send in the long run.")
        option(
            "--request-burst", \.requestBurst, .int(1...1_000_000), environment: "BJ_REQUEST_BURST", traits: .reloadable,
            help: "Requests that it may send at once.")
        option(
            "--chat-rate", \.chatRate, .int(1...1_000_000), environment: "BJ_CHAT_RATE", traits: .reloadable,
            help: "Lines of chat a minute that a player may say in the long run.")
        option(
            "--chat-burst", \.chatBurst, .int(1...1_000_000), environment: "BJ_CHAT_BURST", traits: .reloadable,
            help: "Lines of chat that a player may send at once.")
        option(
            "--ban", \.bans, .addressBlock, environment: "BJ_BANS", key: "bans", traits: .reloadable,
            help: "An address or network that is not let in. Repeat it for more.")
        option(
            "--ban-file", \.banFile, BanFile.format, environment: "BJ_BAN_FILE", traits: .reloadable,
            help: "A file of addresses and networks that are not let in, one on each line; '#' begins a comment.")
        option(
            "--max-bans", \.maxBans, .int(Ranges.bans), environment: "BJ_MAX_BANS", traits: .reloadable,
            help: "The most bans of the configuration, and the most of 'bjserver ctl ban'. More are refused as a whole.")
    }

    private mutating func declareAddressBudgets() {
        option(
            "--trust", \.trust, .addressBlockOrNone, environment: "BJ_TRUST", traits: .reloadable,
            help: "A network whose addresses have no budget of their own; they count in totals. Repeat it for more.")
        option(
            "--address-connect-rate", \.addressConnectRate, .int(1...1_000_000), environment: "BJ_ADDRESS_CONNECT_RATE",
            traits: .reloadable, help: "New connections a second of one address (or /64 of IPv6) in the long run.")
        option(
            "--address-connect-burst", \.addressConnectBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_CONNECT_BURST",
            traits: .reloadable, help: "New connections of one address at once.")
        option(
            "--address-login-rate", \.addressLoginRate, .int(1...1_000_000), environment: "BJ_ADDRESS_LOGIN_RATE",
            traits: .reloadable, help: "Logins a second of one address in the long run.")
        option(
            "--address-login-burst", \.addressLoginBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_LOGIN_BURST",
            traits: .reloadable, help: "Logins of one address at once.")
        option(
            "--address-request-rate", \.addressRequestRate, .int(1...1_000_000), environment: "BJ_ADDRESS_REQUEST_RATE",
            traits: .reloadable,
            help:
                "Requests a second of one address in the long run; one that takes longer counts for several. Seated players are free."
        )
        option(
            "--address-request-burst", \.addressRequestBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_REQUEST_BURST",
            traits: .reloadable, help: "Requests of one address at once.")
        option(
            "--address-chat-rate", \.addressChatRate, .int(1...1_000_000), environment: "BJ_ADDRESS_CHAT_RATE",
            traits: .reloadable, help: "Lines of chat a minute of one address in the long run.")
        option(
            "--address-chat-burst", \.addressChatBurst, .int(1...1_000_000), environment: "BJ_ADDRESS_CHAT_BURST",
            traits: .reloadable, help: "Lines of chat of one address at once.")
        option(
            "--address-failures", \.addressFailures, .int(0...1_000_000), environment: "BJ_ADDRESS_FAILURES",
            traits: .reloadable,
            help:
                "Wrong tokens and pass phrases of one address before it has to wait: half a second, then twice as long each time."
        )
        option(
            "--failure-delay", \.failureDelay, .milliseconds(0...3_600_000), environment: "BJ_FAILURE_DELAY",
            traits: .reloadable, help: "The longest that it has to wait.")
        option(
            "--auto-ban", \.autoBan, .milliseconds(0...60_000), environment: "BJ_AUTO_BAN", traits: .reloadable,
            help: "How long an address is kept out that goes on after many refusals; 0 for never. Who has logged in stays.")
        option(
            "--stranger-rate", \.strangerRate, .int(1...1_000_000), environment: "BJ_STRANGER_RATE", traits: .reloadable,
            help: "Requests a second before a login, of all connections together, in the long run.")
        option(
            "--stranger-burst", \.strangerBurst, .int(1...1_000_000), environment: "BJ_STRANGER_BURST", traits: .reloadable,
            help: "Requests before a login, of all connections together, at once.")
    }

    private mutating func declarePlayers() {
        option(
            "--max-away-per-address", \.maxAwayPerAddress, .int(1...1_000_000), environment: "BJ_MAX_AWAY_PER_ADDRESS",
            traits: .reloadable,
            help: "The most players of one address who are away and still known; the one longest away makes room.")
        option(
            "--reserved-names", \.reservedNames, .reservedWord, environment: "BJ_RESERVED_NAMES", traits: .reloadable,
            help:
                "A name that nobody may have, nor one that looks like it, begins with it or has a number behind it. Repeat it for more."
        )
    }

    private mutating func declareRunning() {
        option(
            "--loops", \.loops, .int(1...256), environment: "BJ_LOOPS",
            help: "How many loops, each on a thread of its own, share the tables and their connections.")
        option(
            "--drain-timeout", \.drainTimeout, .milliseconds(Ranges.drainMilliseconds), environment: "BJ_DRAIN_TIMEOUT",
            traits: .reloadable,
            help: "How long hands may take to end when the server stops; then their bets go back.")
        option("--log", \.log, .choice, environment: "BJ_LOG", traits: .reloadable, help: "The least severe events to log.")
        option(
            "--log-format", \.logFormat, .choice, environment: "BJ_LOG_FORMAT", traits: .reloadable,
            help: "How lines of the log are written.")
        option(
            "--log-rate", \.logRate, .int(1...100_000), environment: "BJ_LOG_RATE", traits: .reloadable,
            help:
                "Lines a second of each event that clients cause, ten times as many at once. Others are counted, and told as 'suppressed'."
        )
        configurationFile(
            "--config", \.config, environment: "BJ_CONFIG",
            help: "A JSON file with any of these settings: 'idleTimeout' for --idle-timeout. Read again on SIGHUP.")
        flag(
            "--print-config", \.printsConfiguration, traits: .notInFile,
            help: "Prints each setting, its value and where that comes from, and exits.")
    }
}

extension ValueFormat<AddressBlock> {
    /// An address or a block of addresses in CIDR notation.
    static let addressBlock = ValueFormat(
        "CIDR", expected: "an address or a network such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32",
        parse: { AddressBlock($0) }, print: { $0.description })
}
