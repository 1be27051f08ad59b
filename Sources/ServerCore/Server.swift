import Fairness
import Journal
import Records
import Rules
import Sockets
import Synchronization
import TableEngine
import Wire

/// A blackjack server on a TCP port, with one loop for its tables. Its timers and connections keep it until
/// ``suspend(completion:)``, ``stop(code:message:completion:)`` or ``drain(timeout:reason:completion:)`` has called back.
public final class Server: Sendable {
    public struct Options: Sendable {
        /// A name or numeric address; empty for every local address.
        public var host = "127.0.0.1"
        /// 0…65535; 0 lets the system choose.
        public var port = 2121
        /// Makes shoes and the house's id reproducible; nil for the system's randomness.
        public var seed: UInt64?
        /// Chooses the shoes of tables without ceremonies.
        public var drill: Drill?
        public var limits = ConnectionLimits(inboundBytes: 16 * 1024)
        /// Bound on bytes queued for all clients of the game loop, and for those of the relay loop.
        public var outboundTotal = 64 << 20
        /// Bound on refused connections that are not closed yet.
        public var lingering = 256
        /// Milliseconds for which a record may wait for the disk before the loop stalls: it then stops reading input, and the tables' clocks.
        package var stallMilliseconds: UInt64 = 500
        /// Bytes of records that may wait for the disk before the loop stalls.
        package var stallBytes = 4 << 20
        /// Milliseconds from the start until a background thread computes the edge of each table's rules for the lobby. Not
        /// deterministic: the lines sent depend on the thread's speed. nil: never.
        public var edgeDelay: Int64?
        /// Runs the loops in a simulation; nil for the machine.
        package var system: (any SimulatedSystem)?
        /// Deadline in milliseconds for another server's first byte to a relay, and for the bytes it returns: longer than its disk may lag.
        package var relayMilliseconds: Int64 = 10_000
        /// The partitions of a house of several servers; nil for a house of one server.
        public var partitions: HousePartitions?
        /// Log settings; can change while the server runs.
        public var logging = LogSettings()

        public init() {}
    }

    enum Phase {
        case running
        /// Tables close at the end of their rounds.
        case draining
        /// Connections are being closed.
        case stopping
        case stopped
    }

    /// The id of the house.
    public let house: String
    package let metrics: Metrics
    /// Milliseconds since 1970 on the loop's clock, which never jumps.
    public var now: Int64 { loop.now }
    /// Milliseconds since 1970 for people to read: follows corrections of the wall clock.
    public var wallClock: Int64 { loop.wall }
    private let clockQueue: BackgroundQueue
    /// The game's loop and the relays' loop.
    let group: [Loop]
    let driver: LoopConfined<ShardDriver>
    /// nil for a house of one server.
    let relays: LoopConfined<RelayLoop>?
    let options: Options
    private let log: @Sendable (LogLine) -> Void
    /// nil for a server without a journal.
    package let journal: DurableLog?
    let checkpointer: Checkpointer?
    /// nil for a house of one server.
    let registryClient: RegistryClient?
    private let historyReader: HistoryReader?
    private let charts: ChartMaker
    private let lostRecords = Atomic(false)
    let loopInquiry = Inquiry((hands: 0, lag: UInt64(0)))
    private let readiness = Atomic(Readiness.starting.rawValue)
    let lifecycle: LoopConfined<Lifecycle>

    /// Listeners and the stop sequence. Confined to the loop.
    final class Lifecycle {
        var listeners: [Listener] = []
        var gate: ProxyGate?
        var phase = Phase.running
        /// Voids rounds while draining; ends a suspension.
        var timer: LoopTimer?
        /// When the tables' clocks stopped; nil unless the server was suspended.
        var suspendedAt: Int64?
        var completions: [@Sendable () -> Void] = []
    }

    /// - Parameters:
    ///   - bans: the configuration's bans.
    ///   - recovery: the journal and its state; nil for a server without a journal.
    ///   - log: receives log lines; called on any loop.
    public init(
        shards configuration: ShardConfiguration, bans: Set<AddressBlock> = [], options: Options = Options(),
        metrics: Metrics = Metrics(), recovery: Recovery? = nil,
        log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) {
        var options = options
        var configuration = configuration
        self.log = log
        journal = recovery?.log
        checkpointer = recovery?.checkpointer
        historyReader = recovery?.reader
        house = configuration.house ?? recovery?.state.house ?? ServerEntropy.house(seed: options.seed)
        configuration.house = house
        self.metrics = metrics
        registryClient = recovery.flatMap { [options] recovery in
            recovery.registry.map { registry in
                RegistryClient(registry, recovery.log, recovery.state, position: recovery.position, on: options.system)
            }
        }
        if options.partitions == nil, let registryClient {
            options.partitions = HousePartitions(own: registryClient.registry.partition) { registryClient.relay(of: $0) }
        }
        self.options = options
        clockQueue = BackgroundQueue(label: "bj.clock", on: options.system)
        // Keeps time monotonic even if the system's clock was set back between two starts.
        let earliest = recovery?.state.time ?? 0
        let loops = options.partitions == nil ? 1 : 2
        group =
            options.system.map { Loop.group(count: loops, on: $0, notBefore: earliest) }
            ?? Loop.group(count: loops, label: "bj.loop", clock: LoopClock(notBefore: earliest), idleWait: 250)
        for loop in group { loop.limitOutbound(to: options.outboundTotal) }
        let loop = group[0]
        // Before the loop holds a tick.
        journal?.notify { _ in loop.barrierAdvanced() }
        journal?.observeSyncs { [metrics] in metrics.journalSyncs.observe(Int(clamping: $0)) }
        charts = ChartMaker(on: options.system)
        let driver = loop.performAndWait { [options, charts, registryClient, configuration] in
            let driver = ShardDriver(loop: loop, options: options, charts: charts, recovery: recovery, log: log) {
                Shard(
                    configuration, bans: bans, metrics: metrics, registryClient: registryClient, environment: $0,
                    restart: recovery?.restart, at: loop.now)
            }
            return LoopConfined(driver, on: loop)
        }
        relays = options.partitions.map { [options, loop = group[loops - 1]] partitions in
            loop.performAndWait {
                let relays = RelayLoop(
                    loop: loop, options: options, partitions: partitions, metrics: metrics, driver: driver
                ) { level, event, fields in
                    guard options.logging.includes(level) else { return }
                    log(LogLine(time: loop.wall, level: level, event: event, fields: fields.all))
                }
                return LoopConfined(relays, on: loop)
            }
        }
        driver.performAndWait { [relays] in ($0.handle, $0.relays) = (driver, relays) }
        self.driver = driver
        lifecycle = LoopConfined(sending: Lifecycle(), on: loop)
        if let recovery {
            historyReader?.readLeaderboard(of: recovery.state, before: recovery.position) { [driver] earlier in
                driver.perform { $0.shard.leaderboard.add(earlier) }
            }
        }
        checkpointer?.start(every: Self.checkpointSeconds) { [weak self] in self?.note($0) }
        followClock()
        registryClient?.follow(maximumAccounts: configuration.bounded.maximumAccounts) { [weak self] in
            self?.houseChanged($0, $1)
        }
        if let delay = options.edgeDelay {
            clockQueue.async(afterMilliseconds: delay) { [weak self, tables = configuration.tables] in
                for setting in tables { self?.showEdge(of: setting) }
            }
        }
    }

    /// Computes the edge of a table's rules in the background and shows it in the lobby; logs rules that favour the player.
    func showEdge(of table: ShardConfiguration.TableSetting) {
        guard options.edgeDelay != nil, !inspect({ $0.lobby.hasEdge(of: table.rules) }) else { return }
        charts.prepare(table.rules) { [weak self] edge in
            self?.driver.perform {
                $0.shard.lobby.note(edge: edge, of: table.rules)
                $0.fire(.lobby)
            }
            guard let doubt = table.rules.doubt else { return }
            self?.writeLog("config_warning", ["reason": "rules of table \(table.name): \(doubt)"], level: .warning)
        }
    }

    /// Milliseconds between two readings of the wall clock.
    private static let clockInterval: Int64 = 1000

    /// Logs and records follow the wall clock; deadlines do not.
    private func followClock() {
        clockQueue.async(afterMilliseconds: Self.clockInterval) { [weak self] in
            guard let self else { return }
            if let change = loop.clock.follow() {
                let reason = "the wall clock was set, or the machine slept; deadlines are unchanged"
                writeLog("clock_jumped", ["by_ms": change, "reason": reason], level: .warning)
            }
            followClock()
        }
    }

    /// Seconds between two checks of the checkpointer for work.
    private static let checkpointSeconds = 2

    private func note(_ outcome: Checkpointer.Outcome) {
        switch outcome {
        case .nothingNew: break
        case .written(let sequence, let removed):
            writeLog("checkpoint", ["frame": sequence, "removed_bytes": removed])
        case .failed(let reason):
            metrics.checkpointFailures.add()
            writeLog("checkpoint_failed", ["reason": reason], level: .error)
        }
    }

    /// Whether the server stopped with unstored records. No client has seen their effects.
    public var hasLostRecords: Bool { lostRecords.load(ordering: .relaxed) }

    /// Milliseconds for which the oldest record has waited for the disk.
    public var diskDelay: Int { journal.map { Int(clamping: $0.oldestWaiting) } ?? 0 }

    /// Waits until everything that the loop has done is durable. Not on a loop.
    /// - Parameter milliseconds: the longest wait; nil for no limit.
    /// - Returns: whether it is durable.
    @discardableResult
    public func waitUntilDurable(milliseconds: UInt64? = nil) -> Bool {
        journal.map { $0.waitUntilDurable($0.appended, milliseconds: milliseconds) } ?? true
    }

    private var loop: Loop { group[0] }

    /// Starts listening.
    /// - Parameter descriptors: listening sockets from a service manager, to use instead of opening one.
    /// - Returns: the first listener's address, with its real port.
    public func start(adopting descriptors: [Int32] = []) throws(SocketError) -> SocketAddress {
        try loop.performAndWait { () throws(SocketError) in
            let (driver, lifecycle) = (driver.value, lifecycle.value)
            let accepted: (Connection) -> Void = { driver.accepted($0, from: $0.peer.ip) }
            for descriptor in descriptors {
                lifecycle.listeners.append(
                    try Listener(adopting: descriptor, loop: loop, limits: options.limits, accepted: accepted))
            }
            if descriptors.isEmpty {
                lifecycle.listeners.append(
                    try Listener(
                        host: options.host, port: options.port, loop: loop, limits: options.limits, accepted: accepted))
            }
            for listener in lifecycle.listeners { listener.onFailure = { [weak self] in self?.acceptFailed($0) } }
            readiness.store(Readiness.ready.rawValue, ordering: .relaxed)
            return lifecycle.listeners[0].address
        }
    }

    /// Starts without an address: only this process can connect.
    package func startInside() -> LocalListener {
        readiness.store(Readiness.ready.rawValue, ordering: .relaxed)
        return LocalListener(loop: loop, limits: options.limits) { [driver] in driver.value.accepted($0, from: nil) }
    }

    /// Starts a listener for proxies, which name the client in a PROXY header.
    /// - Parameters:
    ///   - socket: the path of a Unix-domain socket, instead of host and port. Being able to connect is the trust.
    ///   - trusted: networks whose proxies are trusted; others are refused.
    ///   - capacity: bound on connections without a header; at the bound, a new connection replaces the oldest.
    /// - Returns: the listener's address, with its real port.
    public func startProxyListener(
        host: String = "", port: Int = 0, socket: String? = nil, trusted: [AddressBlock], capacity: Int = 1024
    ) throws(SocketError) -> SocketAddress {
        try loop.performAndWait { () throws(SocketError) in
            let driver = driver.value
            let gate = ProxyGate(
                loop: loop, trusted: trusted, capacity: capacity,
                metrics: metrics,
                log: { driver.log($0, $1, $2) },
                admit: { driver.accepted($0, from: $1, introduction: $2, rest: $3) })
            gate.onFailure = { [weak self] in self?.acceptFailed($0) }
            lifecycle.value.gate = gate
            return try gate.listen(host: host, port: port, socket: socket, limits: options.limits)
        }
    }

    /// Whether the server admits players. Readable on any thread without waiting for a loop.
    public enum Readiness: Int, Sendable { case starting, ready, draining, stopping }

    public var state: Readiness { Readiness(rawValue: readiness.load(ordering: .relaxed)) ?? .stopping }

    /// Closes the tables at the end of their rounds, then stops. Grants no new seats.
    /// - Parameters:
    ///   - timeout: milliseconds until unfinished rounds are voided and their bets returned.
    ///   - reason: shown to players.
    ///   - completion: called once every connection is closed, on any queue.
    public func drain(timeout: Int64, reason: String = "", completion: @escaping @Sendable () -> Void) {
        lifecycle.perform { [self] lifecycle in
            guard lifecycle.phase != .stopped else { return completion() }
            lifecycle.completions.append(completion)
            guard lifecycle.phase == .running else { return }
            closeTables(deadline: now + timeout, reason: reason)
            lifecycle.timer = loop.makeTimer { [weak self] in self?.voidRounds() }
            lifecycle.timer?.arm(at: now + timeout.clamped(to: ShardConfiguration.Ranges.drainMilliseconds))
        }
    }

    private func closeTables(deadline: Int64?, reason: String = "") {
        lifecycle.value.phase = .draining
        readiness.store(Readiness.draining.rawValue, ordering: .relaxed)
        writeLog("draining")
        driver.perform { [self] driver in
            driver.onChange = { [weak self] in self?.advance() }
            driver.shard.drain(at: now, deadline: deadline, reason: reason)
            advance()
        }
    }

    private func voidRounds() {
        driver.perform { [self] driver in
            driver.shard.voidRounds(at: now)
            advance()
        }
    }

    /// Milliseconds for which a stop that keeps the hands, or is at once, waits for peers to read their `bye`.
    private static let goodbyeMilliseconds: Int64 = 500

    /// Stops at once and changes nothing at a table: the next start on the journal continues the same seats, hands and clocks. Reads no more
    /// input, waits until all records are durable, and sends every connection a `bye` (`restart`).
    /// - Parameters:
    ///   - release: releases a shared journal. Called once everything is durable and the journal is closed, before connections get their
    ///     `bye`, so that clients that reconnect find the new owner.
    ///   - completion: called once the journal is closed, on any queue. May wait for the disk.
    public func suspend(releasing release: (@Sendable () -> Void)? = nil, completion: @escaping @Sendable () -> Void) {
        guard let journal else { preconditionFailure("a server without a journal has nothing to go on with") }
        lifecycle.perform { [self] lifecycle in
            guard lifecycle.phase != .stopped else { return completion() }
            lifecycle.completions.append(completion)
            guard lifecycle.phase != .stopping else { return }
            stopListening()
            let now = now
            lifecycle.suspendedAt = now
            guard let release else { return sendAway() }
            BackgroundQueue(label: "bj.release", on: options.system).async { [self] in
                driver.performAndWait { $0.endRecords() }
                _ = journal.append(Record.stopped(time: now).encoded())
                if journal.close() { release() }
                self.lifecycle.perform { _ in self.sendAway() }
            }
        }
    }

    /// The last step of a suspension.
    private func sendAway() {
        sayGoodbye(code: .restart, message: "The server is restarting: reconnect in a moment.")
        finishSoon()
    }

    /// Bounds the wait for peers that do not close after their `bye`.
    private func finishSoon() {
        lifecycle.value.timer = loop.makeTimer { [weak self] in
            self?.driver.value.endRecords()
            self?.finish()
        }
        lifecycle.value.timer?.arm(at: now + Self.goodbyeMilliseconds)
    }

    /// Another process may own the journal, or no longer may: see ``LeaseStateMachine``. In doubt the server sends nothing, stops the tables'
    /// clocks, and closes the players' connections.
    public func doubtLease(_ isInDoubt: Bool) { driver.perform { $0.doubtLease(isInDoubt) } }

    /// Stops listening and closes every connection after a `bye`.
    /// - Parameter completion: called once every connection is closed, on any queue.
    public func stop(completion: @escaping @Sendable () -> Void) {
        lifecycle.perform { [self] lifecycle in
            guard lifecycle.phase != .stopped else { return completion() }
            lifecycle.completions.append(completion)
            closeConnections()
        }
    }

    /// Voids unfinished rounds, returns their bets, and stops.
    public func stopNow(completion: @escaping @Sendable () -> Void) {
        lifecycle.perform { [self] lifecycle in
            guard lifecycle.phase != .stopped else { return completion() }
            lifecycle.completions.append(completion)
            if lifecycle.phase != .stopping {
                if lifecycle.phase == .running { closeTables(deadline: nil) }
                voidRounds()
                closeConnections()
            }
            if lifecycle.suspendedAt == nil { finishSoon() }
        }
    }

    private func closeConnections() {
        guard lifecycle.value.phase != .stopping else { return }
        stopListening()
        sayGoodbye(code: .shuttingDown, message: "The server is stopping.")
    }

    private func stopListening() {
        let lifecycle = lifecycle.value
        lifecycle.phase = .stopping
        readiness.store(Readiness.stopping.rawValue, ordering: .relaxed)
        lifecycle.timer?.disarm()
        for listener in lifecycle.listeners { listener.close() }
        lifecycle.listeners = []
        lifecycle.gate?.close()
        lifecycle.gate = nil
    }

    private func sayGoodbye(code: GoodbyeCode, message: String) {
        driver.perform { [self] driver in
            driver.onChange = { [weak self] in self?.advance() }
            driver.sayGoodbye(code, message)
            advance()
        }
        relays?.perform { [self] relays in
            relays.onChange = { [weak self] in self?.advance() }
            relays.sayGoodbye(code, message)
            advance()
        }
    }

    /// Continues the stop sequence in a tick of its own, after the caller's changes.
    private func advance() {
        loop.perform { [weak self] in
            guard let self else { return }
            switch lifecycle.value.phase {
            case .running, .stopped: return
            case .draining:
                if driver.value.isDrained { closeConnections() }
            case .stopping:
                guard driver.value.isEmpty else { return }
                guard let relays else { return finish() }
                relays.perform { relays in if relays.isEmpty { self.loop.perform { self.finish() } } }
            }
        }
    }

    private func finish() {
        let lifecycle = lifecycle.value
        guard lifecycle.phase == .stopping else { return }
        lifecycle.phase = .stopped
        let suspendedAt = lifecycle.suspendedAt
        let ending = lifecycle.completions
        lifecycle.completions = []
        // Off the loop, since it waits for the loop, and on a queue that no other work can block.
        BackgroundQueue(label: "bj.ending", on: options.system).async { [self] in
            let (ledger, rounds) = (ledger, rounds)
            if suspendedAt == nil { logLeaderboard() }
            writeLog(
                "stopped",
                [
                    "rounds": rounds, "bank": ledger.bank, "accounts": ledger.accounts,
                    "tables": ledger.tables, "house": ledger.house, "imbalance": ledger.imbalance,
                ])
            for loop in group { loop.stop() }
            checkpointer?.stop()
            historyReader?.stop()
            registryClient?.stop()
            if let journal {
                _ = journal.append(Record.stopped(time: suspendedAt ?? now).encoded())
                if !journal.close() {
                    lostRecords.store(true, ordering: .relaxed)
                    writeLog("journal_incomplete", ["bytes": journal.waitingBytes], level: .error)
                }
            }
            driver.performAndWait { driver in
                driver.records.tell(upTo: driver.records.position)
                // Breaks reference cycles.
                (driver.handle, driver.relays) = (nil, nil)
            }
            for completion in ending { completion() }
        }
    }

    /// Number of players logged at the end of a drain.
    private static let winners = 20

    private func logLeaderboard() {
        let results = Array(leaderboard.prefix(Self.winners))
        for (place, result) in zip(results.places, results) {
            writeLog(
                "leaderboard",
                [
                    "place": place, "name": result.name, "bot": result.isBot ? "yes" : "no",
                    "rounds": result.rounds, "net": result.net, "biggest_win": result.biggestWin,
                ])
        }
    }

    func writeLog(_ event: StaticString, _ fields: LogFields = [:], level: LogLevel = .info) {
        guard options.logging.includes(level) else { return }
        log(LogLine(time: wallClock, level: level, event: event, fields: fields.all))
    }
}

extension Server {
    /// The distribution of all chips.
    package var ledger: Ledger { inspect(\.ledger) }

    /// Rounds begun at all tables.
    package var rounds: Int { inspect(\.rounds) }

    /// The epochs of all tables, by name.
    package var epochs: [String: String] {
        inspect { Dictionary(uniqueKeysWithValues: $0.hostedTables.map { ($0.name, $0.epoch) }) }
    }

    /// Reads or changes the shard in a tick of its loop. Records are handed over when it returns. Not on a loop.
    package func inspect<Result: Sendable, Failure: Error>(
        _ body: @Sendable (Shard) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try driver.performAndWait { driver throws(Failure) in try body(driver.shard) }
    }
}

extension Server {
    /// Refused connections per address that are not closed yet.
    static let lingeringPerAddress = 8

    /// Counts and logs that `accept` failed for lack of descriptors or memory. On the loop.
    func acceptFailed(_ code: Int32) {
        metrics.acceptFailures.add()
        let fields: LogFields = ["reason": SocketError.reason(of: code), "paused_ms": 100]
        writeLog("accept_failed", fields, level: .error)
    }
}

/// A server's source of randomness.
enum ServerEntropy {
    /// The system's generator.
    case system
    /// A seeded generator. For tests and demonstrations only.
    case seeded(SeededStream)

    /// A seed gives the same shoes at every start on a new journal. Later starts draw other values: they continue the shoes of the start
    /// before, and each needs new epochs.
    /// - Parameter frames: the number of frames in the journal before the start. Differs for each start.
    init(seed: UInt64?, frames: UInt64) {
        guard let seed else {
            self = .system
            return
        }
        // The factor differs from that of the generator's seeding, so that streams of two starts do not overlap.
        self = .seeded(SeededStream(seed: seed &+ frames &* 0xd134_2543_de82_ef95))
    }

    /// A house's id: 16 hexadecimal digits. Reproducible with a seed, and unrelated to the shoes.
    static func house(seed: UInt64?) -> String {
        var entropy = seed.map { Self.seeded(SeededStream(seed: ~$0)) } ?? .system
        return entropy.bytes(8).hex
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        switch self {
        case .system:
            // Eight bytes per system call.
            var generator = SystemRandomNumberGenerator()
            let words = (0..<(count + 7) / 8).map { _ in generator.next() as UInt64 }
            return words.withUnsafeBytes { Array($0.prefix(count)) }
        case .seeded(var stream):
            defer { self = .seeded(stream) }
            return (0..<count).map { _ in UInt8(truncatingIfNeeded: stream.next64() >> 56) }
        }
    }
}

extension Environment {
    /// The server's secret of a coming shoe.
    func shoeSecret() -> ShoeSecret {
        guard let secret = ShoeSecret(randomBytes(ShoeSecret.length)) else { preconditionFailure("a secret has 32 bytes") }
        return secret
    }

    func shoeKey() -> ShoeKey {
        guard let key = ShoeKey(randomBytes(32)) else { preconditionFailure("a shoe's key has 32 bytes") }
        return key
    }

    public func shoeSource() -> ShoeSource { .keyed(shoeKey()) }
}
