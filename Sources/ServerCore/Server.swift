import Dispatch
import Operations
import Sockets
import Synchronization
import Wire

/// A blackjack server on a TCP port, with its tables spread over loops.
///
/// A server must be stopped to be released: its loops' timers and connections refer to it until
/// ``stop(code:message:completion:)`` or ``drain(timeout:reason:completion:)`` has called back.
public final class Server: @unchecked Sendable {  // every variable is touched on the first loop's queue alone
    public struct Options: Sendable {
        /// A name or numeric address; empty for every local address.
        public var host = "127.0.0.1"
        /// 0…65535; 0 lets the system choose.
        public var port = 2121
        /// Number of loops, at least 1.
        public var loops = 1
        /// Makes shoes and tokens the same at every start; nil for the system's randomness.
        public var seed: UInt64?
        public var limits = ConnectionLimits(inboundBytes: 16 * 1024)
        /// Bound on bytes queued for all clients.
        public var outboundTotal = 64 << 20
        /// Bound on refused connections that are not closed yet.
        public var lingering = 256
        /// Available descriptors, which bound the limits above; nil for no such bound.
        public var descriptors: DescriptorPlan?
        /// Log settings; can change while the server runs.
        public var logging = LogSettings()

        public init() {}
    }

    private enum Phase {
        case running
        /// Tables close at the end of their rounds.
        case draining
        /// Connections are being closed.
        case stopping
        case stopped
    }

    public let directory: Directory
    /// Milliseconds since 1970 on the loops' clock.
    public var now: Int64 { first.now }
    let group: LoopGroup
    let drivers: [ShardDriver]
    let options: Options
    private let log: @Sendable (LogLine) -> Void
    /// Serializes the opening of tables.
    let operating = Mutex(())
    let probe: LoopProbe
    private let readiness = Atomic(Readiness.starting.rawValue)
    private var listeners: [Listener] = []
    let acceptFailureLog = LogThrottle()
    private var gate: ProxyGate?
    private var phase = Phase.running
    private var drainTimer: LoopTimer?
    private var completions: [@Sendable () -> Void] = []

    /// - Parameters:
    ///   - bans: the configuration's bans.
    ///   - log: receives log lines; called on any loop.
    public init(
        shards configuration: ShardConfiguration, bans: AddressBlockSet = AddressBlockSet(), options: Options = Options(),
        metrics: ServerMetrics = ServerMetrics(), log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) {
        var options = options
        var configuration = configuration
        if let plan = options.descriptors {
            configuration.maximumConnections = min(configuration.maximumConnections, plan.connections)
            options.lingering = min(options.lingering, plan.lingering)
        }
        self.options = options
        self.log = log
        let directory = Directory(configuration: configuration, bans: bans, loops: options.loops, metrics: metrics)
        probe = LoopProbe(loops: options.loops)
        group = LoopGroup(count: options.loops, label: "bj.loop", idleWait: 250)
        group.limitOutbound(to: options.outboundTotal)
        drivers = group.loops.map { ShardDriver(directory: directory, loop: $0, options: options, log: log) }
        self.directory = directory
        for driver in drivers {
            let drivers = drivers
            driver.loop.performAndWait {
                driver.drivers = drivers
            }
        }
    }

    private var first: Loop { group.loops[0] }

    /// Starts listening.
    /// - Parameter descriptors: listening sockets from a service manager, to use instead of opening one.
    /// - Returns: the first listener's address, with its real port.
    public func start(adopting descriptors: [Int32] = []) throws(SocketError) -> SocketAddress {
        DescriptorReserve.prepareDispatch()
        let result = first.performAndWait { () -> Result<SocketAddress, SocketError> in
            Result { () throws(SocketError) in
                let driver = drivers[0]
                let accepted: (Connection) -> Void = { driver.accepted($0, from: $0.peer.ip) }
                for descriptor in descriptors {
                    listeners.append(
                        try Listener(adopting: descriptor, loop: first, limits: options.limits, accepted: accepted))
                }
                if descriptors.isEmpty {
                    listeners.append(
                        try Listener(
                            host: options.host, port: options.port, loop: first, limits: options.limits, accepted: accepted))
                }
                for listener in listeners { listener.onProblem = { [weak self] in self?.note($0) } }
                readiness.store(Readiness.ready.rawValue, ordering: .relaxed)
                return listeners[0].address
            }
        }
        return try result.get()
    }

    /// Starts a listener for proxies, which name the client in a PROXY header.
    /// - Parameters:
    ///   - descriptors: listening sockets to use instead of opening one.
    ///   - trusted: networks whose proxies are trusted; others are refused.
    ///   - capacity: bound on connections without a header; at the bound, a new connection replaces the oldest.
    /// - Returns: the first listener's address, with its real port.
    public func startProxyListener(
        host: String, port: Int, adopting descriptors: [Int32] = [], trusted: [AddressBlock], capacity: Int = 1024
    ) throws(SocketError) -> SocketAddress {
        let result = first.performAndWait { () -> Result<SocketAddress, SocketError> in
            Result { () throws(SocketError) in
                let driver = drivers[0]
                let gate = ProxyGate(
                    loop: first, trusted: trusted, capacity: min(capacity, options.descriptors?.proxyGuests ?? capacity),
                    metrics: directory.metrics,
                    log: { driver.log($0, $1, $2) }, admit: { driver.accepted($0, from: $1, rest: $2) })
                gate.onProblem = { [weak self] in self?.note($0) }
                self.gate = gate
                return try gate.listen(host: host, port: port, adopting: descriptors, limits: options.limits)
            }
        }
        return try result.get()
    }

    /// Replaces the trusted proxy networks. Waits for the first loop, so it must not be called on a loop.
    public func trust(proxies trusted: [AddressBlock]) { first.performAndWait { gate?.trusted = trusted } }

    /// Whether the server admits players. Readable on any thread without waiting for a loop.
    public enum Readiness: Int, Sendable { case starting, ready, draining, stopping }

    /// Whether the server admits players.
    public var state: Readiness { Readiness(rawValue: readiness.load(ordering: .relaxed)) ?? .stopping }

    /// Closes the tables at the end of their rounds, then stops. Grants no new seats.
    /// - Parameters:
    ///   - timeout: milliseconds until unfinished rounds are voided and their bets returned.
    ///   - reason: shown to players.
    ///   - completion: called once every connection is closed, on any queue.
    public func drain(timeout: Int64, reason: String = "", completion: @escaping @Sendable () -> Void) {
        first.perform { [self] in
            guard phase != .stopped else { return completion() }
            completions.append(completion)
            guard phase == .running else { return }
            closeTables(deadline: first.now + timeout, reason: reason)
            drainTimer = first.makeTimer { [weak self] in self?.voidRounds() }
            drainTimer?.arm(at: first.now + timeout.clamped(to: ShardConfiguration.Ranges.drainMilliseconds))
        }
    }

    private func closeTables(deadline: Int64?, reason: String = "") {
        phase = .draining
        readiness.store(Readiness.draining.rawValue, ordering: .relaxed)
        directory.metrics.draining.set(1)
        writeLog("draining")
        for driver in drivers {
            driver.loop.perform { [self] in
                driver.onChange = { [weak self] in self?.scheduleAdvance() }
                driver.shard.drain(at: driver.loop.now, deadline: deadline, reason: reason)
                scheduleAdvance()
            }
        }
    }

    private func voidRounds() {
        for driver in drivers {
            driver.loop.perform { [self] in
                driver.shard.voidRounds(at: driver.loop.now)
                scheduleAdvance()
            }
        }
    }

    /// Stops listening and closes every connection after a `bye`.
    /// - Parameter completion: called once every connection is closed, on any queue.
    public func stop(
        code: GoodbyeCode = .shuttingDown, message: String = "The server stops.", completion: @escaping @Sendable () -> Void
    ) {
        first.perform { [self] in
            guard phase != .stopped else { return completion() }
            completions.append(completion)
            closeConnections(code: code, message: message)
        }
    }

    /// Voids unfinished rounds, returns their bets, and stops.
    public func stopNow(completion: @escaping @Sendable () -> Void) {
        first.perform { [self] in
            guard phase != .stopped else { return completion() }
            completions.append(completion)
            guard phase != .stopping else { return }
            if phase == .running { closeTables(deadline: nil) }
            voidRounds()
            closeConnections(code: .shuttingDown, message: "The server stops.")
        }
    }

    private func closeConnections(code: GoodbyeCode, message: String) {
        guard phase != .stopping else { return }
        phase = .stopping
        readiness.store(Readiness.stopping.rawValue, ordering: .relaxed)
        directory.metrics.draining.set(1)
        drainTimer?.disarm()
        for listener in listeners { listener.close() }
        listeners = []
        gate?.close()
        gate = nil
        for driver in drivers {
            driver.loop.perform { [self] in
                driver.onChange = { [weak self] in self?.scheduleAdvance() }
                driver.shard.disconnectAll(code: code, message: message)
                scheduleAdvance()
            }
        }
    }

    /// Re-evaluates the stop sequence on the first loop.
    private func scheduleAdvance() { first.perform { [weak self] in self?.advance() } }

    private func advance() {
        switch phase {
        case .running, .stopped: return
        case .draining:
            whenAll(\.isDrained) { [self] in
                if phase == .draining { closeConnections(code: .shuttingDown, message: "The server stops.") }
            }
        case .stopping:
            whenAll(\.isEmpty) { [self] in finish() }
        }
    }

    /// Tests each driver in turn, on its loop; proceeds on the first loop if all pass.
    private func whenAll(
        _ question: any KeyPath<ShardDriver, Bool> & Sendable, from index: Int = 0, proceed: @escaping @Sendable () -> Void
    ) {
        guard index < drivers.count else { return first.perform(proceed) }
        let driver = drivers[index]
        driver.loop.perform { [self] in
            if driver[keyPath: question] { whenAll(question, from: index + 1, proceed: proceed) }
        }
    }

    private func finish() {
        guard phase == .stopping else { return }
        phase = .stopped
        let ending = completions
        completions = []
        // Off the loops, because it waits for them; on a queue of its own, which no other work can block.
        DispatchQueue(label: "bj.ending").async { [self] in
            let (ledger, rounds) = (ledger, rounds)
            writeLog(
                "stopped",
                [
                    LogField("rounds", rounds), LogField("bank", ledger.bank), LogField("accounts", ledger.accounts),
                    LogField("tables", ledger.tables), LogField("house", ledger.house), LogField("imbalance", ledger.imbalance),
                ])
            group.stop()
            // Breaks the drivers' reference cycle; after their loops have stopped they no longer need each other.
            for driver in drivers { driver.loop.perform { driver.drivers = [] } }
            for completion in ending { completion() }
        }
    }

    func writeLog(_ event: StaticString, _ fields: [LogField] = [], level: LogLevel = .info) {
        guard options.logging.includes(level) else { return }
        log(LogLine(time: now, level: level, event: event, fields: fields))
    }
}

extension Server {
    /// The chips of all loops.
    public var ledger: Ledger {
        drivers.map { driver in driver.loop.performAndWait { driver.shard.ledger } }.reduce(Ledger()) { $0 + $1 }
    }

    /// Rounds begun at all tables.
    public var rounds: Int { drivers.reduce(0) { sum, driver in sum + driver.loop.performAndWait { driver.shard.rounds } } }

    /// Reads a loop's shard, on that loop.
    package func inspect<Result: Sendable>(loop: Int = 0, _ body: @Sendable (Shard) throws -> Result) rethrows -> Result {
        let driver = drivers[loop]
        return try driver.loop.performAndWait { try body(driver.shard) }
    }
}
