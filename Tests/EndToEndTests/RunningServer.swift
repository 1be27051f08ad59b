import Bots
import Foundation
import Journal
import Rules
import Sockets
import TableModel
import TestKit
import Testing

@testable import ServerCore

/// A real server on a free port of this machine, alone or of a house, and everything that it has ever shown.
final class RunningServer: @unchecked Sendable {  // what the server has shown is touched under the lock alone
    let server: Server
    let port: Int
    private let lock = NSLock()
    private var shown: [String: [Int: TableSnapshot]] = [:]

    /// - Parameters:
    ///   - ceremonies: whether clients contribute to shoes; without it the cards follow from the seed alone.
    ///   - storage: for its journal; nil for none.
    ///   - registry: the rows of its house; nil for a server alone.
    init(
        rules: HouseRules = .patient, seed: UInt64? = 1, ceremonies: Bool = false, bans: Set<AddressBlock> = [],
        storage: (any JournalStorage)? = nil, registry: (any Registry)? = nil,
        change: (inout ShardConfiguration) -> Void = { _ in }, options changeOptions: (inout Server.Options) -> Void = { _ in },
        log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) throws {
        var shards = ShardConfiguration(tables: [.init(name: "main", rules: rules)])
        shards.tables[0].hasCeremonies = ceremonies
        shards.settledMilliseconds = 0
        // A busy machine takes its time: only the rules' clocks end anything.
        shards.bankMilliseconds = 86_400_000
        shards.requests = .unreached
        change(&shards)
        var settings = Recovery.Options()
        settings.journal = JournalConfiguration(segmentBytes: 1 << 16, groupInterval: 0)
        settings.registry = registry
        let recovery = try storage.map {
            try Recovery.open(
                $0, configuration: shards, options: settings, wallClock: LoopClock().now,
                callbacks: .init { Issue.record("the journal failed: \($0)") })
        }
        var options = Server.Options()
        (options.port, options.seed) = (0, seed)
        changeOptions(&options)
        server = Server(shards: shards, bans: bans, options: options, recovery: recovery, log: log)
        port = try server.start().port
        server.inspect { shard in
            for table in shard.hostedTables { table.onPublish = { [weak self, name = table.name] in self?.note(name, $0, $1) } }
        }
    }

    /// What the server itself showed at a revision.
    func snapshot(_ table: String, _ revision: Int) -> TableSnapshot? { lock.withLock { shown[table]?[revision] } }

    private func note(_ table: String, _ revision: Int, _ snapshot: TableSnapshot) {
        lock.withLock { shown[table, default: [:]][revision] = snapshot }
    }

    var ledger: Ledger { server.ledger }
    var rounds: Int { server.rounds }

    func metric(_ name: String) -> Int { server.metric(name) }

    func stop() async { await server.stop() }

    /// Ends it, also where there is nothing to await with.
    func stopNow() {
        let done = DispatchSemaphore(value: 0)
        server.stopNow { done.signal() }
        done.wait()
    }

    /// Has bots play on a loop of their own.
    /// - Parameter port: where they connect; nil: to the server.
    func play(bots: Int, rounds: Int, port other: Int? = nil) async -> BotCrew.Report {
        let loop = Loop(label: "test.bots")
        defer { loop.stop() }
        let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
        let options = BotCrew.Options(host: "127.0.0.1", port: other ?? port, bots: bots, rounds: rounds)
        return await withCheckedContinuation { done in
            crew.perform { crew in crew.start(options) { done.resume(returning: $0) } }
        }
    }

    /// A peer that has asked for a name, and for a seat.
    func seated(_ name: String, table: String = "main") throws -> RawPeer {
        let peer = try #require(RawPeer(port: port))
        peer.send(#"{"type":"login","name":"\#(name)"}"#)
        peer.send(#"{"type":"sit","table":"\#(table)"}"#)
        return peer
    }

    /// A peer that bets at a table without others, and is asked for its first decision: the seed has to deal one.
    func asked(_ name: String) throws -> RawPeer {
        let peer = try seated(name)
        peer.send(#"{"type":"bet","amount":10,"round":0}"#)
        _ = try #require(peer.line(with: "\"actions\""))
        return peer
    }
}

extension Server {
    /// What is measured under a name without labels; -1 if nothing is.
    func metric(_ name: String) -> Int {
        let line = metrics.text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
    }

    func stop() async { await withCheckedContinuation { done in stop { done.resume() } } }

    /// Closes every connection without a `bye`, like a network failure.
    func cutEveryConnection() { inspect { for session in $0.sessions.values { session.sender.close() } } }
}
