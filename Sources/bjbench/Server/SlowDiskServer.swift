import CommandLineKit
import Dispatch
import Foundation
import Journal
import Rules
import ServerCore
import Sockets

/// This program as a server whose disk is slow, started by ``ServerComparison``: `bjserver` itself has no such option.
enum SlowDiskServer {
    struct Settings: Codable {
        var tables: Int
        var folder: String
        /// Nil for a server in memory.
        var durability: String?
        /// Added to each sync.
        var milliseconds: Int

        init(tables: Int, folder: String, durability: Durability?, milliseconds: Int) {
            (self.tables, self.folder, self.milliseconds) = (tables, folder, milliseconds)
            self.durability = durability?.rawValue
        }
    }

    private static let variable = "BJ_BENCH_SLOW_DISK"

    static func start(_ settings: Settings) throws(BenchFailure) -> MeasuredProcess {
        guard let program = Bundle.main.executableURL, let text = try? JSONEncoder().encode(settings),
            let process = MeasuredProcess(program, [], environment: [variable: String(decoding: text, as: UTF8.self)])
        else { throw BenchFailure("the server with a slow disk cannot start") }
        RunningServers.add(process)
        return process
    }

    /// Serves for ever if the environment asks for it.
    static func runIfAsked() {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return }
        do {
            let server = try serve(try JSONDecoder().decode(Settings.self, from: Data(text.utf8)))
            withExtendedLifetime(server) { dispatchMain() }
        } catch {
            Console.fail("bjbench", "\(variable) is set by bjbench only: \(error)", status: 64)
        }
    }

    private static func serve(_ settings: Settings) throws -> Server {
        DescriptorLimit.raise()
        var shards = ShardConfiguration(tables: (0..<settings.tables).map { .init(name: "t\($0)", rules: HouseRules()) })
        shards.startingChips = 100_000_000
        shards.settledMilliseconds = 0
        shards.requests = .unreached
        shards.addresses = .unreached
        shards.maximumConnections = 7 * settings.tables + 100
        shards.maximumConnectionsPerAddress = shards.maximumConnections
        shards.maximumPlayers = shards.maximumConnections
        var recovery: Recovery?
        if let durability = settings.durability.flatMap(Durability.init(rawValue:)) {
            var options = Recovery.Options()
            options.journal.durability = durability
            let disk = SlowStorage(
                try FileStorage(path: settings.folder, creating: true), microseconds: settings.milliseconds * 1000)
            recovery = try Recovery.open(
                disk, configuration: shards, options: options, wallClock: Int64(Date().timeIntervalSince1970 * 1000),
                callbacks: .init { Console.fail("bjbench", "\($0)", status: 74) })
        }
        var options = Server.Options()
        options.port = 0
        let server = Server(shards: shards, options: options, recovery: recovery)
        Console.print("listening on \(try server.start())")
        return server
    }
}

/// A disk whose syncs take longer.
private final class SlowStorage: JournalStorage {
    private let base: FileStorage
    private let microseconds: UInt32

    init(_ base: FileStorage, microseconds: Int) {
        self.base = base
        self.microseconds = UInt32(microseconds)
    }

    func sync(_ file: StorageFile) throws(StorageError) {
        try base.sync(file)
        usleep(microseconds)
    }

    func syncFolder() throws(StorageError) {
        try base.syncFolder()
        usleep(microseconds)
    }

    var location: String { base.location }
    func lock() throws(JournalError) { try base.lock() }
    func unlock() { base.unlock() }
    func names() throws(StorageError) -> [String] { try base.names() }
    func create(_ name: String) throws(StorageError) -> StorageFile { try base.create(name) }
    func open(_ name: String, forWriting: Bool) throws(StorageError) -> StorageFile {
        try base.open(name, forWriting: forWriting)
    }
    func close(_ file: StorageFile) { base.close(file) }
    func size(of file: StorageFile) throws(StorageError) -> Int { try base.size(of: file) }
    func isNamed(_ file: StorageFile) throws(StorageError) -> Bool { try base.isNamed(file) }
    func modificationTime(of name: String) throws(StorageError) -> UInt64 { try base.modificationTime(of: name) }
    func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(StorageError) {
        try base.read(file, at: offset, count: count, into: &bytes)
    }
    func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(StorageError) {
        try base.write(bytes, to: file, at: offset)
    }
    func rename(_ name: String, to newName: String) throws(StorageError) { try base.rename(name, to: newName) }
    func remove(_ name: String) throws(StorageError) { try base.remove(name) }
}
