import Bots
import CommandLineKit
import Dispatch
import Foundation
import Operations
import ServerCore
import Sockets
import Synchronization

/// Runs a server until it is told to stop: the one place where signals, the service manager, the operator's socket and the endpoint
/// for metrics come together. Everything here happens on the main queue, apart from what says otherwise.
final class Host: @unchecked Sendable {  // `configuration` is under a lock; the rest is constant once `run()` has begun
    let server: Server
    let log: LogWriter
    let metrics: ServerMetrics
    let notifier: ServiceNotifier?
    /// What a service manager listens on for us; taken before there are other threads.
    private let inherited: ActivatedSocket?
    private let current: Mutex<ServerConfiguration>
    private let stopping = Flag()
    private var endpoint: MetricsEndpoint?
    private var admin: AdminListener?
    private var crews: [BotCrew] = []

    /// What holds now.
    var configuration: ServerConfiguration { current.withLock { $0 } }

    init(_ configuration: ServerConfiguration) {
        DescriptorLimit.raise()
        do {
            inherited = try ActivatedSockets.take().first
        } catch {
            Console.fail("bjserver", error, status: 69)
        }
        current = Mutex(configuration)
        let options = configuration.options
        let log = LogWriter(settings: LogSettings(level: options.log, format: options.logFormat))
        let metrics = ServerMetrics(version: ServerProgram.version)
        metrics.registry.counter("bj_log_lines_dropped_total", "Lines of the log that found no room.", log.dropped)
        ProcessMetrics.add(to: metrics.registry)
        notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)
        server = Server(casino: configuration.casino, options: configuration.server(log.settings), metrics: metrics) {
            log.write($0)
        }
        self.log = log
        self.metrics = metrics
    }

    func run() -> Never {
        // Before anything is heard on: a signal in the first moment is not lost.
        let signals = handleSignals()
        let address = start()
        crews = seatBots(at: address)
        if configuration.options.seed != nil {
            Console.printError("bjserver: --seed repeats every shoe: for tests only")
        }
        notifier?.notify(.ready, .status("Listening on \(address)."))
        let watchdog = watch()
        withExtendedLifetime((signals, watchdog)) { dispatchMain() }
    }

    private func start() -> SocketAddress {
        let options = configuration.options
        do {
            let address = try server.start(adopting: inherited?.descriptor)
            var others: [String] = []
            if let proxies = options.proxyListen {
                let bound = try server.startProxyListener(
                    host: proxies.host, port: Int(proxies.port), trusted: options.proxyTrust)
                others.append("listening for proxies on \(bound)")
            }
            if let bound = try startOperating(options) { others.append("metrics on \(bound)") }
            // Nothing is said before everything can be reached.
            for line in ["listening on \(address)"] + others { Console.print(line) }
            return address
        } catch {
            Console.fail("bjserver", error, status: 69)
        }
    }

    /// - Returns: where metrics are served, if they are.
    private func startOperating(_ options: ServeOptions) throws(SocketError) -> SocketAddress? {
        if let path = options.admin {
            admin = try AdminListener(path: path) { [weak self] in self?.answer($0) ?? .done("") }
        }
        guard let place = options.metrics else { return nil }
        let pages = OperatorPages(
            metrics: { [server, metrics] in
                server.measure()
                return metrics.registry.text
            }, unreadiness: { [server] in server.state == .ready ? nil : "\(server.state)" })
        let endpoint = MetricsEndpoint(pages: pages)
        self.endpoint = endpoint
        return try endpoint.start(host: place.host, port: Int(place.port))
    }

    // MARK: Stopping

    /// Lets rounds end, then stops; at once when asked again.
    func stop(_ cause: String) {
        guard !stopping.raise() else {
            note(.warning, "stopping_at_once", [LogField("cause", cause)])
            // A peer that does not take its last word ends nothing but its own connection.
            DispatchQueue.global().asyncAfter(deadline: .now() + 3) { [self] in leave() }
            return server.stopNow { [self] in leave() }
        }
        let timeout = configuration.options.drainTimeout
        note(.info, "stopping", [LogField("cause", cause), LogField("drain_timeout_ms", timeout)])
        notifier?.notify(.stopping, .status("Draining: rounds end, nobody gets a new seat."))
        server.drain(timeout: Int64(timeout)) { [self] in leave() }
    }

    private func leave() {
        admin?.stop()
        log.flush()
        exit(0)
    }

    // MARK: Signals

    private func handleSignals() -> [any DispatchSourceSignal] {
        let ending = Console.onSignals([SIGINT, SIGTERM]) { [self] in stop($0 == SIGINT ? "SIGINT" : "SIGTERM") }
        return ending + Console.onSignals([SIGHUP]) { [self] _ in reload() }
    }

    /// Reads the configuration again, and takes over what can change while the server runs.
    private func reload() {
        // A server that stops has nothing to be ready for any more.
        guard !stopping.isRaised else { return }
        notifier?.notify(.reloading(monotonicMicroseconds: ServiceNotifier.monotonicMicroseconds))
        defer { notifier?.notify(.ready) }
        do throws(ConfigurationFault) {
            let new = try ServerConfiguration.read()
            let old = configuration
            current.withLock { $0 = new }
            apply(ConfigurationChange(from: old, to: new), new, from: old)
            metrics.noteReload(.applied)
        } catch {
            metrics.noteReload(.refused)
            note(.error, "config_refused", [LogField("reason", error.description)])
        }
    }

    private func apply(_ change: ConfigurationChange, _ new: ServerConfiguration, from old: ServerConfiguration) {
        log.settings.level = new.options.log
        log.settings.format = new.options.logFormat
        server.trust(proxies: new.options.proxyTrust)
        server.reconfigure(new.casino, limits: new.connectionLimits)
        for item in change.applied {
            note(.info, "config_changed", [LogField("key", item.key), LogField("from", item.old), LogField("to", item.new)])
        }
        for item in change.needsRestart {
            note(
                .warning, "config_needs_restart",
                [LogField("key", item.key), LogField("from", item.old), LogField("to", item.new)])
        }
        for name in change.closedTables where server.closeTable(named: name) {
            note(.info, "table_closing", [LogField("table", name)])
        }
        for setting in change.openedTables {
            if server.openTable(setting) {
                note(.info, "table_opened", [LogField("table", setting.name)])
            } else {
                note(
                    .warning, "table_not_opened",
                    [LogField("table", setting.name), LogField("reason", "its name is taken still")])
            }
        }
        for name in change.changedTables {
            note(.warning, "config_needs_restart", [LogField("key", "tables"), LogField("table", name)])
        }
        note(
            .info, "config_reloaded",
            [
                LogField("changed", change.applied.count),
                LogField("need_restart", change.needsRestart.count + change.changedTables.count),
            ])
    }

    // MARK: The rest

    func note(_ level: LogLevel, _ event: StaticString, _ fields: [LogField] = []) {
        log.write(LogLine(time: server.now, level: level, event: event, fields: fields))
    }

    /// Tells the service manager that the server lives, as long as each of its loops does.
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

    /// House bots play over TCP like everybody else: by the same protocol, clock and limits.
    private func seatBots(at address: SocketAddress) -> [BotCrew] {
        let options = configuration.options
        guard options.bots > 0 else { return [] }
        let loop = Loop(label: "bj.bots")
        let names = configuration.tables.filter { $0.pass == nil }.map(\.name)
        return names.map { table in
            var settings = BotCrew.Options(host: local(address.host), port: address.port, bots: options.bots)
            settings.table = table
            settings.namePrefix = names.count == 1 ? "house" : "house \(table)"
            let crew = BotCrew(loop: loop)
            let stopping = stopping
            crew.start(settings) { report in
                // Bots that are sent home with everybody else have nothing to complain of.
                guard !stopping.isRaised else { return }
                for error in report.errors { Console.printError("bjserver: house bot: \(error)") }
            }
            return crew
        }
    }

    /// A socket that listens on every address is reached on this machine's own.
    private func local(_ host: String) -> String { host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host }
}

/// Whether something has begun, known on every thread.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isRaised: Bool { value.load(ordering: .relaxed) }

    /// - Returns: whether it was raised before.
    func raise() -> Bool { value.exchange(true, ordering: .relaxed) }
}
