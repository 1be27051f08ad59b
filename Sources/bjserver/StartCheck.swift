import CommandLineKit
import Foundation
import Journal
import Postgres
import Rules
import ServerCore
import Sockets

/// `bjserver --check`: says what a start with the same settings would do. Takes no lock, listens nowhere and changes nothing.
enum StartCheck {
    /// Returns where a start would serve; exits with its status otherwise.
    static func run(_ configuration: ServerConfiguration) {
        let options = configuration.options
        _ = Host.descriptors(for: configuration)
        Console.orFail("bjserver", status: DataFault.unavailable) {
            for endpoint in [options.listen, options.proxyListen?.endpoint, options.metrics].compactMap(\.self) {
                try Listener.check(host: endpoint.host, port: Int(endpoint.port))
            }
            if let path = options.proxyListen?.socket { _ = try SocketAddress(unixPath: path) }
        }
        Console.print("settings valid: players connect to \(options.listen)")
        for doubt in configuration.doubts { Console.printError("bjserver: warning: \(doubt)") }
        switch Host.dataFolder(configuration) {
        case nil, .some(.none): judge(configuration.tables, "no data: nothing is stored")
        case .path(let path): check(path, configuration)
        case .database:
            guard let url = Host.database(in: Host.dataFolder(configuration)) else { return }
            switch Host.opened(url) {
            case .success(let store): check(store, configuration)
            case .failure(let error):
                let reason = "\(error); a start would wait as a spare"
                Console.fail("bjserver", reason, status: DataFault.unavailable)
            }
        }
    }

    private static func check(_ path: String, _ configuration: ServerConfiguration) {
        let options = configuration.options
        do throws(JournalError) {
            let storage: FileStorage
            do { storage = try FileStorage(path: path, creating: false) } catch {
                guard error.isMissingFile, options.create || options.data == nil else { throw error }
                return judge(configuration.tables, "\(path) will be created, for a new house")
            }
            try storage.checkAccess()
            try report(storage, in: path, configuration)
        } catch { Host.refuse(error, in: path, options) }
    }

    /// Of each server of the house.
    private static func check(_ store: PostgresStore, _ configuration: ServerConfiguration) {
        for partition in 1...store.partitions {
            var store = store
            store.partition = partition
            do throws(JournalError) {
                try report(store.snapshot, in: "partition \(partition)", Host.hosted(configuration, by: store))
            } catch {
                DataFault.fail("bjserver", error, in: store.url.description)
            }
        }
    }

    private static func report(
        _ storage: any JournalStorage, in location: String, _ configuration: ServerConfiguration
    ) throws(JournalError) {
        let plan = try plan(of: storage, configuration)
        let tables = plan.tables.map(\.name).joined(separator: ", ")
        Console.print("\(location): \(plan.accounts) \(plan.accounts == 1 ? "account" : "accounts"), tables \(tables)")
        for closure in closures(in: plan) { Console.print(closure) }
        judge(plan.tables)
    }

    static func plan(of storage: any JournalStorage, _ configuration: ServerConfiguration) throws(JournalError) -> StartPlan {
        try StartPlan(
            reading: storage, configuration: configuration.shards, options: Host.recoveryOptions(configuration),
            wallClock: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// A sentence about each table that a start would close.
    static func closures(in plan: StartPlan) -> [String] {
        plan.closedTables.map { table in
            let bets = table.players.filter { $0.bets > 0 }.map { "\($0.bets) to \($0.name)" }
            let returned = bets.isEmpty ? "no hand is in play" : "bets will be returned: \(bets.joined(separator: ", "))"
            return "table \(table.name) will be closed: \(table.reason); \(returned)"
        }
    }

    /// Warns of rules that favour the player. Takes tenths of a second for each set of rules.
    /// - Parameter finding: printed before.
    private static func judge(_ tables: [ShardConfiguration.TableSetting], _ finding: String? = nil) {
        if let finding { Console.print(finding) }
        var judged: Set<HouseRules> = []
        for table in tables where judged.insert(table.rules).inserted {
            guard let doubt = table.rules.doubt else { continue }
            Console.printError("bjserver: warning: rules of table \(table.name): \(doubt)")
        }
    }
}
