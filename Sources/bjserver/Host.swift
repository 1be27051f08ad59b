import CommandLineKit
import Dispatch
import Foundation
import Operations
import ServerCore
import Sockets
import Synchronization
import Wire

/// Runs a server until stopped: joins signals, service manager, admin socket and metrics endpoint. Starts, stops and reloads on
/// the main queue.
final class Host: Sendable {
    let server: Server
    let log: LogWriter
    let metrics: ServerMetrics
    let notifier: ServiceNotifier?
    /// The house bots' credential for reserved names.
    let hostSecret: AccountSecret = {
        var generator = SystemRandomNumberGenerator()
        return AccountSecret(using: &generator)
    }()
    /// Sockets from the service manager; taken before other threads start.
    private let inherited: InheritedSockets
    /// The journal's folder; nil for a server that keeps nothing.
    private let dataFolder: String?
    /// Removes a data folder that this start has created; for a start that fails.
    private let abandonData: (@Sendable () -> Void)?
    /// Descriptors set aside for reloading.
    let reserve = DescriptorReserve(count: 4)
    let current: Mutex<RunningConfiguration>
    let stopping = Flag()
    private let isSuspended = Flag()
    private let hasLeft = Flag()
    private let endpoint = Mutex<MetricsEndpoint?>(nil)
    /// A request may close a listener as soon as it listens.
    private let admins = Mutex<[AdminListener]>([])
    let houseBots = Mutex(HouseBots())

    /// The configuration in effect.
    var configuration: ServerConfiguration { current.withLock { $0.effective } }

    init(_ configuration: ServerConfiguration) {
        do {
            inherited = try InheritedSockets(ActivatedSockets.take())
        } catch {
            Console.fail("bjserver", error, status: 69)
        }
        let plan = configuration.descriptorPlan(limit: DescriptorLimit.raise(), takesProxies: !inherited.proxy.isEmpty)
        guard plan.connections >= DescriptorPlan.fewestConnections else {
            Console.fail("bjserver", configuration.tooFewDescriptors(plan), status: 69)
        }
        current = Mutex(RunningConfiguration(configuration))
        let options = configuration.options
        let log = LogWriter(
            settings: LogSettings(level: options.log, format: options.logFormat), budget: configuration.logBudget,
            words: { HostView.isShown && options.logFormat == .logfmt ? HostView.words(for: $0) : nil })
        let metrics = ServerMetrics(version: Release.version)
        metrics.registry.counter("bj_log_lines_dropped_total", "Log lines dropped: the queue was full.", log.dropped)
        metrics.registry.counter(
            "bj_log_lines_suppressed_total", "Log lines over the budget of their event.", log.suppressed)
        ProcessMetrics.add(to: metrics.registry)
        notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)
        var shards = configuration.shards
        shards.hostSecret = hostSecret
        var serving = configuration.server(log.settings)
        serving.descriptors = plan
        // Released once the server has taken it over: the state of 100,000 accounts.
        let recovery = Self.recover(configuration, log: log)
        dataFolder = recovery?.location
        abandonData = recovery?.abandon
        server = Server(
            shards: shards, bans: configuration.bans, options: serving, metrics: metrics, recovery: recovery
        ) { log.writeBudgeted($0) }
        self.log = log
        self.metrics = metrics
    }

    func run() -> Never {
        // Before listening, so that an early signal is not lost.
        let signals = handleSignals()
        server.observeClosedTables { [weak self] name in DispatchQueue.main.async { self?.tableClosed(name) } }
        let address = start()
        seatBots(at: address)
        if configuration.options.seed != nil {
            note(.warning, "seeded", [LogField("reason", "--seed makes every shoe predictable: for tests only")])
        }
        for doubt in configuration.doubts { note(.warning, "config_doubtful", [LogField("reason", doubt)]) }
        notifier?.notify(.ready, .status("Listening on \(address)."))
        let watchdog = watch()
        withExtendedLifetime((signals, watchdog)) { dispatchMain() }
    }

    private func start() -> SocketAddress {
        let options = configuration.options
        do {
            server.logDescriptors(wanted: options.maxConnections)
            let address = try server.start(adopting: inherited.players)
            var others: [String] = []
            if options.proxyListen != nil || !inherited.proxy.isEmpty {
                let bound = try server.startProxyListener(
                    host: options.proxyListen?.host ?? "", port: Int(options.proxyListen?.port ?? 0), adopting: inherited.proxy,
                    trusted: options.proxyTrust)
                others.append("listening for proxies on \(bound)")
            }
            if let bound = try startOperating(options) { others.append("metrics on \(bound)") }
            others.append(dataFolder.map { "data in \($0)" } ?? "data in memory: it ends with this process")
            // Printed once every listener is ready.
            for line in ["listening on \(address)"] + others { say(line, to: 1) }
            if HostView.isShown {
                let lines = HostView.invitation(host: address.host, port: address.port, machine: MachineAddresses.all)
                for line in lines { line.hasPrefix(" ") ? Console.printError(line) : say(line, to: 2) }
            }
            return address
        } catch {
            abandonData?()
            let hint = error.code == EADDRINUSE ? " (another program uses it, perhaps a bjserver that still runs)" : ""
            Console.fail("bjserver", "\(error)\(hint)", status: 69)
        }
    }

    /// Prints a line for programs as it is, and at a terminal as a sentence with its time.
    private func say(_ line: String, to descriptor: Int32) {
        var text = line
        if HostView.isShown, isatty(descriptor) == 1 {
            // Earlier lines of the log come first.
            log.flush()
            let sentence = line.prefix(1).uppercased() + line.dropFirst()
            let isWhole = sentence.hasSuffix(":") || sentence.firstRange(of: ": bjserver") != nil
            text = HostView.sentence(isWhole ? sentence : sentence + ".", at: server.wallClock)
        }
        if descriptor == 1 { Console.print(text) } else { Console.printError(text) }
    }

    /// - Returns: the address of the metrics endpoint, if there is one.
    private func startOperating(_ options: ServeOptions) throws(SocketError) -> SocketAddress? {
        for descriptor in inherited.admin {
            let listener = try AdminListener(adopting: descriptor) { [weak self] in self?.answer($0) ?? .done("") }
            admins.withLock { $0.append(listener) }
        }
        if let path = options.admin, inherited.admin.isEmpty {
            let listener = try AdminListener(path: path) { [weak self] in self?.answer($0) ?? .done("") }
            admins.withLock { $0.append(listener) }
        }
        guard options.metrics != nil || !inherited.metrics.isEmpty else { return nil }
        let pages = OperatorPages(
            metrics: { [server, metrics] in
                server.measure()
                return metrics.registry.text
            },
            unreadiness: { [server] in
                guard server.state == .ready else { return "\(server.state)" }
                return server.diskDelay > 5000 ? "the disk is stalled" : nil
            })
        let endpoint = MetricsEndpoint(pages: pages)
        self.endpoint.withLock { $0 = endpoint }
        return try endpoint.start(
            host: options.metrics?.host ?? "", port: Int(options.metrics?.port ?? 0), adopting: inherited.metrics)
    }

    // MARK: Stopping

    /// Drains, then stops; a second call stops at once.
    /// - Parameter reason: the operator's, shown at the tables.
    func stop(_ cause: String, reason: String = "") {
        guard !stopping.raise() else {
            note(.warning, "stopping_at_once", [LogField("cause", cause), LogField("data", dataFolder ?? "none")])
            // Deadline for peers that do not read `goodbye`.
            DispatchQueue.global().asyncAfter(deadline: .now() + 3) { [self] in leave() }
            return server.stopNow { [self] in leave() }
        }
        let timeout = configuration.options.drainTimeout
        note(
            .info, "stopping",
            [
                LogField("cause", cause), LogField("drain_timeout_ms", timeout), LogField("hands", handsInPlay),
                LogField("data", dataFolder ?? "none"),
            ])
        notifier?.notify(.stopping, .status("Draining: rounds end, no new seats."))
        server.drain(timeout: Int64(timeout), reason: reason) { [self] in leave() }
    }

    /// Hands without a result; 0 from a server that does not say within a quarter of a second: a signal must not wait for it.
    private var handsInPlay: Int {
        let (hands, done) = (SharedCount(), DispatchSemaphore(value: 0))
        DispatchQueue.global().async { [server] in
            hands.value.store(server.handsInPlay, ordering: .relaxed)
            done.signal()
        }
        return done.wait(timeout: .now() + .milliseconds(250)) == .success ? hands.value.load(ordering: .relaxed) : 0
    }

    /// - Parameter isAnswering: whether requests in progress get their answers first, which can take seconds.
    private func leave(isAnswering: Bool = true) {
        if isAnswering { for admin in admins.withLock({ $0 }) { admin.stop() } }
        let isStored = server.waitUntilDurable(milliseconds: 0) && !server.hasLostRecords
        log.flush()
        // Another thread exits already.
        guard !hasLeft.raise() else { return }
        exit(isStored ? 0 : 74)
    }

    /// Stops within a second and keeps seats and hands for the next start; ends a drain, too. Without data there is nothing to go on with:
    /// drains.
    private func suspend(_ cause: String) {
        guard let dataFolder else { return stop(cause) }
        guard !isSuspended.raise() else { return }
        _ = stopping.raise()
        // Deadline for a disk or a loop that does not answer: nobody was told of what is lost then.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(900)) { [self] in leave(isAnswering: false) }
        notifier?.notify(.stopping, .status("Stopping: seats and hands are kept."))
        note(
            .info, "suspending",
            [LogField("cause", cause), LogField("hands", handsInPlay), LogField("data", dataFolder)])
        server.suspend { [self] in leave() }
    }

    // MARK: Signals

    private func handleSignals() -> [any DispatchSourceSignal] {
        let ending = Signals.observe([SIGINT, SIGTERM]) { [self] in $0 == SIGINT ? stop("SIGINT") : suspend("SIGTERM") }
        return ending
            + Signals.observe([SIGHUP]) { [self] _ in
                // A host who closes the terminal ends the program, as with Ctrl-C, instead of leaving it behind on its port.
                if HostView.isShown, isatty(2) == 0 { stop("closed terminal") } else { reload() }
            }
    }

    // MARK: Log and watchdog

    func note(_ level: LogLevel, _ event: StaticString, _ fields: [LogField] = []) {
        log.write(LogLine(time: server.wallClock, level: level, event: event, fields: fields))
    }

    /// Sends the watchdog notice while every loop responds.
    private func watch() -> (any DispatchSourceTimer)? {
        guard let notifier, let interval = notifier.watchdogMilliseconds else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "bj.watchdog"))
        timer.setEventHandler { [server] in
            if server.isResponsive(within: Int(min(interval, 10_000))) { notifier.notify(.watchdog) }
        }
        timer.schedule(deadline: .now(), repeating: .milliseconds(Int(interval)))
        timer.resume()
        return timer
    }

    /// A wildcard address is reachable on loopback.
    func local(_ host: String) -> String { ["", "0.0.0.0"].contains(host) ? "127.0.0.1" : host == "::" ? "::1" : host }
}

/// A one-way flag for all threads.
final class Flag: Sendable {
    private let value = Atomic(false)
    var isRaised: Bool { value.load(ordering: .relaxed) }

    /// - Returns: true if it was raised before.
    func raise() -> Bool { value.exchange(true, ordering: .relaxed) }
}

/// A number for two threads.
private final class SharedCount: Sendable {
    let value = Atomic<Int>(0)
}
