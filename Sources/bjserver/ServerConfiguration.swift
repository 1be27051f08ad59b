import CommandLineKit
import Operations
import ServerCore
import Sockets

/// A configuration that was read, checked as a whole and worked out: the rules of every table, all limits.
struct ServerConfiguration: Sendable {
    let options: ServeOptions
    /// Each value with its origin, as `--print-config` and `bjserver ctl config` show it.
    let settings: [Setting]
    let tables: [CasinoConfiguration.TableSetting]

    init(_ options: ServeOptions, _ settings: [Setting]) throws(ConfigurationFault) {
        self.options = options
        self.settings = settings
        let rules = try options.rules.load()
        var tables: [CasinoConfiguration.TableSetting] = []
        var names: Set<String> = []
        for spec in options.tables {
            guard tables.count + spec.count <= options.maxTables else {
                throw ConfigurationFault(description: "more tables than maxTables allows: \(options.maxTables)")
            }
            for table in try spec.settings(rules) {
                guard names.insert(table.name).inserted else {
                    throw ConfigurationFault(description: "two tables are called \(table.name)")
                }
                tables.append(table)
            }
        }
        guard !tables.isEmpty else { throw ConfigurationFault(description: "there is no table") }
        self.tables = tables
    }

    /// The house and its bounds.
    var casino: CasinoConfiguration {
        var casino = CasinoConfiguration(tables: tables)
        casino.serverName = "bjserver/\(ServerProgram.version)"
        casino.startingChips = options.chips
        casino.settledMilliseconds = options.settle
        casino.holdMilliseconds = Int64(options.hold)
        casino.loginMilliseconds = Int64(options.loginTimeout)
        casino.idleMilliseconds = Int64(options.idleTimeout)
        casino.maximumConnections = options.maxConnections
        casino.maximumConnectionsPerAddress = options.maxConnectionsPerAddress
        casino.maximumPlayers = options.maxPlayers
        casino.maximumViewers = options.maxViewers
        casino.maximumTables = options.maxTables
        casino.requestBytes = options.maxLine
        casino.requests = .perSecond(options.requestRate, burst: options.requestBurst)
        casino.chat = .perMinute(options.chatRate, burst: options.chatBurst)
        casino.bans = options.bans
        return casino
    }

    /// Where and how the server listens.
    func server(_ logging: LogSettings) -> Server.Options {
        var server = Server.Options()
        server.host = options.listen.host
        server.port = Int(options.listen.port)
        server.loops = options.loops
        server.seed = options.seed
        server.logging = logging
        server.limits = connectionLimits
        return server
    }

    /// What may wait for a client, and how long.
    var connectionLimits: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.outboundBytes = options.maxOutbound
        limits.outboundStall = Int64(options.stallTimeout)
        return limits
    }

    /// The configuration of the process's own command line; ends the process when it is faulty.
    static func resolvedOrExit(_ options: ServeOptions, _ settings: [Setting]) -> Self {
        do throws(ConfigurationFault) { return try Self(options, settings) } catch { Console.fail("bjserver", error, status: 65) }
    }

    /// What the same command line, environment and file come to now.
    static func read() throws(ConfigurationFault) -> Self {
        switch ServerProgram.command.parseProcess() {
        case .run(.serve(let options), let settings): return try Self(options, settings)
        case .refusal(let error): throw ConfigurationFault(description: error.message)
        case .run, .answer: throw ConfigurationFault(description: "the command line serves no tables")
        }
    }

}

/// What is different in a configuration that was read again.
struct ConfigurationChange {
    /// One setting: its key and its two values.
    struct Item: Equatable {
        let key: String
        let old: String
        let new: String
    }

    /// What the running server takes over.
    var applied: [Item] = []
    /// What stays as it was until the next start.
    var needsRestart: [Item] = []
    /// Tables that are new.
    var openedTables: [CasinoConfiguration.TableSetting] = []
    /// Tables that are not there any more.
    var closedTables: [String] = []
    /// Tables whose rules or pass phrase are other ones: they stay as they are until the next start.
    var changedTables: [String] = []

    init(from old: ServerConfiguration, to new: ServerConfiguration) {
        let before = Dictionary(uniqueKeysWithValues: old.settings.map { ($0.name, $0) })
        for setting in new.settings {
            guard let key = setting.key, let known = before[setting.name], known.value != setting.value else { continue }
            let item = Item(key: key, old: known.value ?? "-", new: setting.value ?? "-")
            if setting.isReloadable { applied.append(item) } else { needsRestart.append(item) }
        }
        let tables = Dictionary(uniqueKeysWithValues: old.tables.map { ($0.name, $0) })
        for table in new.tables {
            guard let known = tables[table.name] else {
                openedTables.append(table)
                continue
            }
            if known.rules != table.rules || known.pass != table.pass { changedTables.append(table.name) }
        }
        let names = Set(new.tables.map(\.name))
        closedTables = old.tables.map(\.name).filter { !names.contains($0) }
    }
}
