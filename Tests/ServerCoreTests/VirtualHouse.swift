import Journal
import Records
import Rules
import Sockets
import SystemSimulation
import TableEngine
import TestKit
import Testing

@testable import ServerCore

/// Servers that are one house: shards with journals in memory and shared rows. One thread and virtual time; the test decides when background work
/// and disks go on, and what crashes.
final class VirtualHouse {
    let rows = SharedRows()
    /// Milliseconds since 1970.
    fileprivate(set) var now: Int64 = 1_000_000
    private(set) var servers: [Int: HouseServer] = [:]
    private var disks: [Int: FaultStorage] = [:]
    fileprivate var places: [ConnectionID: Int] = [:]
    /// Lines and ends of connections since they were last taken; nil: the end.
    var outputs: [(connection: ConnectionID, partition: Int, line: String?)] = []
    fileprivate(set) var closed: Set<ConnectionID> = []
    private var lastConnection: ConnectionID = 0
    private var random: SeededGenerator
    fileprivate func nextSeed() -> UInt64 { random.next() }
    var change: (inout ShardConfiguration) -> Void = { _ in }

    init(seed: UInt64 = 1, partitions: Int = 2, change: @escaping (inout ShardConfiguration) -> Void = { _ in }) throws {
        (random, self.change) = (SeededGenerator(seed: seed), change)
        for partition in 1...partitions { try start(partition) }
        settle()
        advance(2 * RegistryClient.interval)
    }

    subscript(partition: Int) -> HouseServer {
        guard let server = servers[partition] else { preconditionFailure("partition \(partition) has no server") }
        return server
    }

    func start(_ partition: Int) throws {
        let disk = disks[partition] ?? FaultStorage()
        disks[partition] = disk
        servers[partition] = try HouseServer(partition, on: disk, of: self)
    }

    /// Nothing of a server goes on; its disk loses what was not synced.
    func crash(_ partition: Int) {
        servers.removeValue(forKey: partition)?.end()
        disks[partition] = disks[partition]?.survivors(.everything, using: &random)
        for (connection, place) in places where place == partition { end(connection) }
    }

    fileprivate func end(_ connection: ConnectionID) {
        outputs.append((connection, places.removeValue(forKey: connection) ?? 0, nil))
        closed.insert(connection)
    }

    // MARK: Time

    /// Lets a piece of background work of a server run.
    @discardableResult
    func step(_ partition: Int) -> Bool { servers[partition]?.process.step() ?? false }

    /// Lets everything run that is due.
    func settle() {
        while servers.keys.sorted().reduce(false, { step($1) || $0 }) {}
    }

    func advance(_ milliseconds: Int64) {
        let end = now + milliseconds
        while true {
            settle()
            let next = servers.values.flatMap { [$0.process.nextDue, $0.nextTimer?.deadline].compactMap(\.self) }.min()
            guard let next, next <= end else { break }
            now = max(now, next)
            for partition in servers.keys.sorted() { servers[partition]?.fireTimers() }
        }
        now = end
    }

    // MARK: Clients

    func connect(to partition: Int) -> ConnectionID {
        lastConnection += 1
        connect(lastConnection, to: partition)
        return lastConnection
    }

    func connect(_ connection: ConnectionID, to partition: Int) {
        places[connection] = partition
        self[partition].connect(connection)
    }

    /// The answers to a line, once everything is durable.
    @discardableResult
    func say(_ line: String, _ connection: ConnectionID) -> String {
        send(line, connection)
        settle()
        return take(connection)
    }

    func send(_ line: String, _ connection: ConnectionID) {
        if let place = places[connection] { servers[place]?.receive(line, from: connection) }
    }

    func take(_ connection: ConnectionID) -> String {
        defer { outputs.removeAll { $0.connection == connection } }
        return outputs.filter { $0.connection == connection }.compactMap(\.line).joined(separator: "\n")
    }

    func cut(_ connection: ConnectionID) {
        if let place = places[connection] { servers[place]?.cut(connection) }
        end(connection)
    }

    /// Has the account of a client who is here open and last, as after ten hands.
    func establish(_ connection: ConnectionID) {
        guard let server = places[connection].flatMap({ servers[$0] }), let session = server.shard.sessions[connection] else {
            return
        }
        server.act {
            guard let account = session.account, !account.state.isGuest, !account.state.lasts else { return }
            if !account.isOpen { try? server.shard.open(account, session) }
            if account.isOpen { server.shard.apply(.disabled(account.id, false), to: account) }
        }
    }

    /// A client's login over a new connection, to an account that lasts.
    func enter(_ name: String, at partition: Int, _ more: String = "") -> (connection: ConnectionID, reply: String) {
        let connection = connect(to: partition)
        _ = take(connection)
        let reply = say(login(name).dropLast() + more + "}", connection)
        establish(connection)
        return (connection, reply)
    }

    /// The partition whose server a client speaks to.
    func place(of connection: ConnectionID) -> Int? { places[connection] }

    fileprivate func relay(
        _ connection: ConnectionID, to partition: Int, _ introduction: RelayIntroduction, _ line: String, from own: Int
    ) {
        guard !closed.contains(connection) else { return }
        guard let server = servers[partition] else {
            return self[own].takeBack(connection, introduction, line)
        }
        places[connection] = partition
        server.take(connection, introduction, line)
    }

    // MARK: The house

    /// The state of a partition on its disk.
    func state(_ partition: Int) throws -> SavedState {
        var random = SeededGenerator(seed: 1)
        let disk = try #require(disks[partition]).survivors(.everything, using: &random)
        return try SavedState.recover(from: JournalFolder(reading: disk)).state
    }

    func row(_ name: String) -> AccountRow? { rows.rows.first { $0.name.text == name } }

    /// Each account is in one place, and no chip is lost between them: whatever is not on a disk yet.
    func check(_ note: String = "") throws {
        let states = try disks.keys.map { ($0, try state($0)) }
        var audit = HouseAudit()
        do throws(JournalError) {
            for (partition, state) in states {
                #expect(state.ledger == 0, "\(note): partition \(partition)")
                try audit.add(state, of: partition)
            }
            for row in rows.rows { try audit.add(row) }
            try audit.finish()
        } catch { Issue.record("\(note): \(error)") }
        for server in servers.values { #expect(server.imbalance == 0, "\(note)") }
    }
}

/// The background work of one server.
private final class HouseProcess: SimulatedSystem, VirtualWriting, @unchecked Sendable {  // one thread: the test's
    unowned let house: VirtualHouse
    private var work: [(due: Int64, run: () -> Void)] = []

    init(_ house: VirtualHouse) { self.house = house }

    /// Runs the first that is due.
    func step() -> Bool {
        guard let index = work.firstIndex(where: { $0.due <= house.now }) else { return false }
        work.remove(at: index).run()
        return true
    }

    var nextDue: Int64? { work.map(\.due).min() }
    func end() { work = [] }

    var monotonic: Int64 { house.now }
    var wallClock: Int64 { house.now }
    var microseconds: UInt64 { UInt64(house.now) * 1000 }
    func duration(of operation: StorageError.Operation) -> UInt64 { 0 }
    func schedule(after microseconds: UInt64, _ run: @escaping () -> Void) {
        work.append((house.now + Int64((microseconds + 999) / 1000), run))
    }
    func enqueue(onLoop index: Int, _ run: @escaping () -> Void) { work.append((house.now, run)) }
    func enqueue(after milliseconds: Int64, _ run: @escaping () -> Void) { work.append((house.now + milliseconds, run)) }
    func runNow(onLoop index: Int, _ body: () -> Void) { body() }
    var currentLoop: Int { -1 }
    var sockets: any SimulatedSockets { preconditionFailure("there are no sockets") }
    func makePoller(onLoop index: Int, owner: any PollerOwner) -> any Poller { preconditionFailure("there are no sockets") }
    func makeAlarm(onLoop index: Int, fired: @escaping @Sendable () -> Void) -> any LoopAlarm {
        preconditionFailure("there are no loops")
    }
}

final class HouseServer: VirtualEnvironment, @unchecked Sendable {  // one thread: the test's
    private let house: VirtualHouse
    let partition: Int
    fileprivate let process: HouseProcess
    let registryClient: RegistryClient
    private let log: DurableLog
    private(set) var shard: Shard!
    private var records: [UInt8] = []
    var timers: [TimerID: Int64] = [:]
    /// Lines that wait for the registry: the first of each has been handled once.
    private var held: [ConnectionID: [String]] = [:]
    private var current: (connection: ConnectionID, line: String)?
    /// Another one at each start.
    var entropy: SeededStream

    init(_ partition: Int, on disk: FaultStorage, of house: VirtualHouse) throws {
        (self.house, self.partition) = (house, partition)
        entropy = SeededStream(seed: house.nextSeed())
        process = HouseProcess(house)
        var configuration = ShardConfiguration(tables: [.init(name: "t\(partition)", rules: HouseRules())])
        configuration.requests = .unreached
        configuration.serverName = "server \(partition)"
        house.change(&configuration)
        var options = Recovery.Options()
        options.journal = JournalConfiguration(segmentBytes: 1 << 16, groupInterval: 0)
        options.registry = house.rows.claim(partition)
        options.executor = .scheduled(process)
        options.system = process
        let recovery = try Recovery.open(
            disk, configuration: configuration, options: options, wallClock: house.now,
            callbacks: .init { Issue.record("the journal failed: \($0)") })
        log = recovery.log
        let registry = try #require(recovery.registry)
        registryClient = RegistryClient(registry, log, recovery.state, position: recovery.position, on: process)
        shard = Shard(
            configuration, registryClient: registryClient, environment: self, restart: recovery.restart, at: house.now)
        handOver()
        registryClient.announce("server \(partition)")
        registryClient.follow(maximumAccounts: configuration.maximumAccounts) { [weak self] _, house in
            self?.shard.lobby.list(elsewhere: house.partitions.sorted { $0.key < $1.key }.flatMap(\.value.tables))
        }
    }

    fileprivate func end() {
        log.abandon()
        process.end()
        for session in shard.sessions.values { session.part() }
    }

    var imbalance: Int { shard.ledger.imbalance }

    // MARK: Input

    fileprivate func act(_ body: () -> Void) {
        body()
        handOver()
    }

    fileprivate func connect(_ connection: ConnectionID) { act { shard.connected(connection, at: house.now) } }

    fileprivate func receive(_ line: String, from connection: ConnectionID) {
        guard held[connection] == nil else { return held[connection, default: []].append(line) }
        act {
            current = (connection, line)
            _ = Array(line.utf8).withUnsafeBufferPointer { shard.received($0, from: connection, at: house.now) }
            current = nil
        }
    }

    fileprivate func cut(_ connection: ConnectionID) {
        held[connection] = nil
        act { shard.disconnected(connection, at: house.now) }
    }

    fileprivate func take(_ connection: ConnectionID, _ introduction: RelayIntroduction, _ line: String) {
        act { shard.connected(connection, from: nil, by: introduction, at: house.now) }
        receive(line, from: connection)
    }

    fileprivate func takeBack(_ connection: ConnectionID, _ introduction: RelayIntroduction, _ line: String) {
        let relayed = RelayedConnection(address: nil, budget: nil, introduction: introduction, input: [])
        act {
            shard.returned(connection, relayed, at: house.now)
            Array(line.utf8).withUnsafeBufferPointer { shard.refuseElsewhere($0, from: connection, at: house.now) }
        }
    }

    fileprivate func fireTimers() {
        while let next = nextTimer, next.deadline <= house.now {
            timers[next.id] = nil
            act { shard.timerFired(next.id, at: house.now) }
        }
    }

    // MARK: Environment

    func sender(for connection: ConnectionID) -> any LineSender {
        ScriptedSender { [unowned house, partition] bytes in
            for line in bytes.split(separator: 10) {
                house.outputs.append((connection, partition, String(decoding: line, as: UTF8.self)))
            }
        } close: { [weak self] in
            guard let self else { return }
            house.end(connection)
            process.enqueue(onLoop: 0) { [weak self] in self?.cut(connection) }
        }
    }

    func ask(_ question: RegistryQuestion) -> Bool {
        registryClient.ask(question) { [weak self, process] answer in
            process.enqueue(onLoop: 0) {
                guard let self else { return }
                self.act { self.shard.answered(question, with: answer, at: self.house.now) }
            }
        }
    }

    func pause(_ connection: ConnectionID) { held[connection] = current.map { [$0.line] } ?? [] }

    func resume(_ connection: ConnectionID) {
        for line in held.removeValue(forKey: connection) ?? [] { receive(line, from: connection) }
    }

    func relay(_ connection: ConnectionID, to partition: Int, _ introduction: RelayIntroduction) {
        var introduction = introduction
        introduction.partition = partition
        let line = held.removeValue(forKey: connection)?.first ?? current?.line ?? ""
        process.enqueue(onLoop: 0) { [house, own = self.partition] in
            house.relay(connection, to: partition, introduction, line, from: own)
        }
    }

    func record(_ write: (inout [UInt8]) -> Void) { write(&records) }

    func handOver() {
        guard !records.isEmpty else { return }
        _ = log.append(records)
        records = []
    }
}
