import CommandLineKit
import Foundation
import ServerCore
import Sockets
import Wire

/// A validated configuration with resolved rules and limits.
struct ServerConfiguration: Sendable {
    let options: ServeOptions
    /// Each value with its source, for `--print-config`.
    let settings: [Setting]
    /// Where the server keeps its data.
    let data: DataFolder
    /// Tables of this server; of all servers before ``hosted(by:of:)``.
    private(set) var tables: [ShardConfiguration.TableSetting]
    /// Partitions of tables that other servers have, by name.
    private(set) var tablesElsewhere: [String: Int] = [:]
    /// Partitions of the store for which no table is configured.
    private(set) var emptyPartitions: [Int] = []
    /// Blocks of `--ban`.
    let bans: Set<AddressBlock>

    init(
        _ options: ServeOptions, _ settings: [Setting], environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFault) {
        self.options = options
        let (port, isSeeded) = (options.listen.port, options.seed != nil)
        data = options.data ?? .standard(port: port, isSeeded: isSeeded, environment: environment)
        // Defaults that depend on other settings.
        var applied = ["data": ValueFormat.dataFolder.print(data), "rebuy": String(options.chips)]
        if case .path(let folder) = data { applied["admin"] = ServerSocket.path(in: folder) }
        self.settings = settings.map { $0.value == nil ? $0.showing(applied[$0.key ?? ""]) : $0 }
        let rules = try options.rules.load()
        var tables: [ShardConfiguration.TableSetting] = []
        var names: Set<String> = []
        for spec in options.tables {
            guard tables.count + spec.count <= TableSpec.countRange.upperBound else {
                throw ConfigurationFault(description: "more than \(TableSpec.countRange.upperBound) tables")
            }
            for table in try spec.settings(rules) {
                guard names.insert(table.name).inserted else {
                    throw ConfigurationFault(description: "duplicate table name \(table.name)")
                }
                tables.append(table)
            }
        }
        guard !options.trust.contains(nil) || options.trust.count == 1 else {
            throw ConfigurationFault(description: "trust: none must be the only element")
        }
        try Self.checkSeed(options)
        if let least = tables.map(\.rules.minimumBet).min(), options.chips < least, options.rebuy == 0 {
            throw ConfigurationFault(
                description: "chips: \(options.chips) is less than the minimum bet of every table, \(least), and rebuy is 0")
        }
        guard !tables.isEmpty else { throw ConfigurationFault(description: "no tables are configured") }
        self.tables = tables
        guard options.bans.count <= BanList.limit else {
            throw ConfigurationFault(description: "bans: \(options.bans.count) is more than the limit of \(BanList.limit)")
        }
        bans = Set(options.bans)
    }

    /// The configuration of a partition's owner, with its tables alone.
    /// - Parameter count: of the store's partitions; 1 for other data.
    func hosted(by partition: Int, of count: Int) throws(ConfigurationFault) -> Self {
        var partitions: [String: Int] = [:]
        for spec in options.tables {
            guard spec.partition ?? 1 <= count else {
                let there = count == 1 ? "there is only one" : "there are \(count)"
                throw ConfigurationFault(description: "table \(spec.name) names partition \(spec.partition ?? 1), but \(there)")
            }
            for name in spec.names { partitions[name] = spec.partition ?? TableSpec.partition(ofTable: name, of: count) }
        }
        var result = self
        result.tables = tables.filter { partitions[$0.name] == partition }
        result.tablesElsewhere = partitions.filter { $0.value != partition }
        result.emptyPartitions = Set(1...count).subtracting(partitions.values).sorted()
        return result
    }

    /// Whether a setting has a value of its own.
    private func names(_ key: String) -> Bool { settings.contains { $0.key == key && $0.source != .default } }

    /// Without `tables`, open tables continue, and `rules` apply to "main", the default table of a new house.
    func continuing(_ open: [ShardConfiguration.TableSetting]) -> Self {
        guard !names("tables") else { return self }
        var result = self
        result.tables = names("rules") ? tables : []
        let own = Set(result.tables.map(\.name))
        result.tables += open.filter { !own.contains($0.name) && tablesElsewhere[$0.name] == nil }
        return result.tables.isEmpty ? self : result
    }

    /// Where the other servers of a house reach this one's listener for proxies.
    /// - Parameter bound: the listener's address.
    func relay(boundTo bound: SocketAddress) -> String { options.advertise?.description ?? bound.description }

    /// - Throws: if the other servers of a house of several partitions cannot reach this one.
    func checkRelay() throws(ConfigurationFault) {
        guard let relays = options.proxyListen?.endpoint else {
            throw ConfigurationFault(
                description:
                    "the database has several partitions: set --proxy-listen HOST:PORT, to which the other servers relay players"
            )
        }
        guard options.advertise == nil, ["", "0.0.0.0", "::"].contains(relays.host) else { return }
        throw ConfigurationFault(
            description:
                "proxyListen is all local addresses: set --advertise HOST:PORT to the one that the other servers can reach")
    }

    /// Suspicious settings, a sentence each.
    var doubts: [String] {
        var doubts: [String] = []
        if let least = tables.map(\.rules.minimumBet).min(), options.chips < least {
            doubts.append("chips: \(options.chips) is less than the minimum bet of every table, \(least)")
        }
        if data == .none, options.data == nil, options.listen.port != 0, options.seed == nil {
            doubts.append("data: nothing is stored, since $HOME names no folder: choose one with --data DIR, or --data none")
        }
        if !emptyPartitions.isEmpty {
            let list = emptyPartitions.map(String.init).joined(separator: ", ")
            doubts.append(
                "tables: partition \(list) has no table, so its server is idle: see \"partition\" of a table")
        }
        let full = tables.filter { options.bots >= $0.rules.seats }
        if let first = full.first {
            let others = full.count > 1 ? " and \(full.count - 1) more" : ""
            doubts.append("bots: \(options.bots) leave no seat for players at \(first.name)\(others)")
        }
        return doubts
    }

    /// A seeded server's cards can be predicted, so only this machine may play there.
    private static func checkSeed(_ options: ServeOptions) throws(ConfigurationFault) {
        guard options.seed != nil else { return }
        for endpoint in [options.listen, options.proxyListen?.endpoint].compactMap(\.self) where !Self.isLoopback(endpoint.host) {
            throw ConfigurationFault(
                description: "--seed makes the cards predictable: listen on loopback, not on \(endpoint)")
        }
    }

    private static func isLoopback(_ host: String) -> Bool { IPAddress(host)?.isLoopback ?? (host == "localhost") }

    /// Configuration of the server core.
    var shards: ShardConfiguration {
        var shards = ShardConfiguration(tables: tables)
        shards.serverName = "bjserver/\(Release.version)"
        shards.startingChips = options.chips
        shards.rebuyChips = options.rebuy
        shards.settledMilliseconds = options.settle
        shards.awayMilliseconds = Int64(options.away)
        shards.bankMilliseconds = options.timeBank
        shards.maximumConnections = options.maxConnections
        shards.maximumPlayers = options.maxPlayers
        shards.maximumAccounts = options.maxAccounts
        shards.requests = .perSecond(options.requestRate, burst: 3 * options.requestRate)
        shards.addresses = AddressLimits(trusted: options.trust.compactMap(\.self))
        return shards
    }

    /// Listener options.
    func server(_ logging: LogSettings) -> Server.Options {
        var server = Server.Options()
        server.host = options.listen.host
        server.port = Int(options.listen.port)
        server.seed = options.seed
        server.logging = logging
        // A start has other work first.
        server.edgeDelay = 3000
        return server
    }

    /// Connections that fit into the process's descriptors. A quarter of these is for refused connections and for proxies that have sent no header
    /// yet, 100 are for loops, files and admins, one for the other end of each house bot. A relayed connection takes two.
    func connections(descriptors limit: Int, hasRelays: Bool = false) -> Int {
        (limit / 4 * 3 - 100 - options.bots * tables.count) / (hasRelays ? 2 : 1)
    }

    /// Resolves the process's own configuration; exits with an error if it is invalid.
    static func resolvedOrExit(_ options: ServeOptions, _ settings: [Setting]) -> Self {
        do throws(ConfigurationFault) { return try Self(options, settings) } catch { Console.fail("bjserver", error, status: 65) }
    }
}
