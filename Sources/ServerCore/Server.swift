import Dispatch
import Operations
import Sockets
import Synchronization
import Wire

/// A house behind a TCP port, its tables spread over loops.
///
/// Once started it lives until ``stop(code:message:completion:)`` has called back: its loops' timers and connections refer to it. A
/// server that was made is to be stopped, or it never goes away.
public final class Server: @unchecked Sendable {  // every variable is touched on the first loop's queue alone
    public struct Options: Sendable {
        /// A name or numeric address; empty for every local address.
        public var host = "127.0.0.1"
        /// 0…65535; 0 for one that is free.
        public var port = 2121
        /// How many loops share the tables.
        public var loops = 1
        /// Repeats every shoe at each start; nil for real chance.
        public var seed: UInt64?
        public var limits = ConnectionLimits(inboundBytes: 16 * 1024)
        /// The most bytes that may wait for all clients together.
        public var outboundTotal = 64 << 20
        /// The most connections that were not let in, or are about to be, and have yet to be closed.
        public var lingering = 256
        /// How many descriptors the process may have, if its limits are to fit that.
        public var descriptors: DescriptorPlan?
        /// What is logged; may be changed while the server runs.
        public var logging = LogSettings()

        public init() {}
    }

    private enum Phase {
        case running
        /// Tables close when their rounds are over.
        case draining
        /// Connections are told goodbye.
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
    /// Held while tables are opened, one at a time.
    let operating = Mutex(())
    let probe: LoopProbe
    private let readiness = Atomic(Readiness.starting.rawValue)
    private var listeners: [Listener] = []
    let troubles = AcceptTroubles()
    private var gate: ProxyGate?
    private var phase = Phase.running
    private var drainTimer: LoopTimer?
    private var completions: [@Sendable () -> Void] = []

    /// - Parameters:
    ///   - bans: what the configuration bans.
    ///   - log: takes a line of the log; called on any of the loops.
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

    /// Listens.
    /// - Parameter descriptors: sockets that listen already, from a service manager, instead of one of our own.
    /// - Returns: the address of the first, with the real port.
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
                for listener in listeners { listener.onTrouble = { [weak self] in self?.note($0) } }
                readiness.store(Readiness.ready.rawValue, ordering: .relaxed)
                return listeners[0].address
            }
        }
        return try result.get()
    }

    /// Listens for proxies, too, that say in a PROXY header whom they speak for.
    /// - Parameters:
    ///   - descriptors: sockets that listen already, instead of one of our own.
    ///   - trusted: networks whose proxies are believed; all others are turned away.
    ///   - capacity: the most connections whose header has not come yet; the oldest makes room for a newcomer.
    /// - Returns: the address of the first, with the real port.
    public func startProxyListener(
        host: String, port: Int, adopting descriptors: [Int32] = [], trusted: [AddressBlock], capacity: Int = 1024
    ) throws(SocketError) -> SocketAddress {
        let result = first.performAndWait { () -> Result<SocketAddress, SocketError> in
            Result { () throws(SocketError) in
                let driver = drivers[0]
                let gate = ProxyGate(
                    loop: first, trusted: trusted, capacity: min(capacity, options.descriptors?.proxyGuests ?? capacity),
                    metrics: directory.metrics,
                    log: { driver.log($0, $1, $2) }, enter: { driver.accepted($0, from: $1, rest: $2) })
                gate.onTrouble = { [weak self] in self?.note($0) }
                self.gate = gate
                return try gate.listen(host: host, port: port, adopting: descriptors, limits: options.limits)
            }
        }
        return try result.get()
    }

    /// Has the proxies of other networks believed from now on. Not to be called on one of the loops: it waits until that holds.
    public func trust(proxies trusted: [AddressBlock]) { first.performAndWait { gate?.trusted = trusted } }

    /// Whether new players are welcome, and if not, why. Known on every thread, whatever the loops do.
    public enum Readiness: Int, Sendable { case starting, ready, draining, stopping }

    /// Whether new players are welcome.
    public var state: Readiness { Readiness(rawValue: readiness.load(ordering: .relaxed)) ?? .stopping }

    /// Closes the tables as their rounds end, then stops. Nobody gets a new seat from now on.
    /// - Parameters:
    ///   - timeout: after so many milliseconds the rounds still in play are given up and their bets go back.
    ///   - reason: why, for those who are at the tables.
    ///   - completion: called on a loop when every connection is closed.
    public func drain(timeout: Int64, reason: String = "", completion: @escaping @Sendable () -> Void) {
        first.perform { [self] in
            guard phase != .stopped else { return completion() }
            completions.append(completion)
            guard phase == .running else { return }
            closeTables(deadline: first.now + timeout, reason: reason)
            drainTimer = first.makeTimer { [weak self] in self?.giveUpRounds() }
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
                driver.onChange = { [weak self] in self?.changed() }
                driver.shard.drain(at: driver.loop.now, deadline: deadline, reason: reason)
                changed()
            }
        }
    }

    private func giveUpRounds() {
        for driver in drivers {
            driver.loop.perform { [self] in
                driver.shard.giveUpRounds(at: driver.loop.now)
                changed()
            }
        }
    }

    /// Stops: no new connections, a word to everybody, and a moment for it to leave.
    /// - Parameter completion: called on a loop when every connection is closed.
    public func stop(
        code: GoodbyeCode = .shuttingDown, message: String = "The server stops.", completion: @escaping @Sendable () -> Void
    ) {
        first.perform { [self] in
            guard phase != .stopped else { return completion() }
            completions.append(completion)
            sayGoodbye(code: code, message: message)
        }
    }

    /// Stops at once: the rounds in play are given up, their bets go back, and everybody gets a word.
    public func stopNow(completion: @escaping @Sendable () -> Void) {
        first.perform { [self] in
            guard phase != .stopped else { return completion() }
            completions.append(completion)
            guard phase != .stopping else { return }
            if phase == .running { closeTables(deadline: nil) }
            giveUpRounds()
            sayGoodbye(code: .shuttingDown, message: "The server stops.")
        }
    }

    private func sayGoodbye(code: GoodbyeCode, message: String) {
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
                driver.onChange = { [weak self] in self?.changed() }
                driver.shard.sayGoodbye(code: code, message: message)
                changed()
            }
        }
    }

    /// Something has changed on a loop that may let the server go on with stopping.
    private func changed() { first.perform { [weak self] in self?.goOn() } }

    private func goOn() {
        switch phase {
        case .running, .stopped: return
        case .draining:
            whenAll(\.isDrained) { [self] in
                if phase == .draining { sayGoodbye(code: .shuttingDown, message: "The server stops.") }
            }
        case .stopping:
            whenAll(\.isEmpty) { [self] in finish() }
        }
    }

    /// Asks each driver in turn, on its loop, and comes back to the first if all say yes.
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
        // Off the loops, which it waits for, and on a thread that nobody else has to be done with first.
        DispatchQueue(label: "bj.ending").async { [self] in
            let (ledger, rounds) = (ledger, rounds)
            writeLog(
                "stopped",
                [
                    LogField("rounds", rounds), LogField("bank", ledger.bank), LogField("accounts", ledger.accounts),
                    LogField("tables", ledger.tables), LogField("house", ledger.house), LogField("imbalance", ledger.imbalance),
                ])
            group.stop()
            // They refer to each other; when their loops have stopped nothing goes from one to another any more.
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
    /// Where all chips are, added up over the loops.
    public var ledger: Ledger {
        drivers.map { driver in driver.loop.performAndWait { driver.shard.ledger } }.reduce(Ledger()) { $0 + $1 }
    }

    /// Rounds begun at all tables.
    public var rounds: Int { drivers.reduce(0) { sum, driver in sum + driver.loop.performAndWait { driver.shard.rounds } } }

    /// Looks into the shard of a loop, on it.
    package func inspect<Result: Sendable>(loop: Int = 0, _ body: @Sendable (Shard) throws -> Result) rethrows -> Result {
        let driver = drivers[loop]
        return try driver.loop.performAndWait { try body(driver.shard) }
    }
}
