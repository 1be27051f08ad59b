import Bots
import CommandLineKit
import Dispatch
import Foundation
import Journal
import Postgres
import ServerCore
import Sockets
import Synchronization
import Wire

/// Runs a server until stopped: joins signals, service manager, admin socket and metrics endpoint. Starts and stops on the main
/// queue.
final class Host: Sendable {
    let server: Server
    let log: LogWriter
    let metrics: Metrics
    let notifier: ServiceNotifier?
    /// The house bots' credential for reserved names.
    let hostSecret: AccountSecret = {
        var generator = SystemRandomNumberGenerator()
        return AccountSecret(using: &generator)
    }()
    /// The players' listening sockets from the service manager; taken before other threads start.
    private let inherited: [Int32]
    /// The journal's folder; nil for a server that keeps nothing.
    private let dataFolder: String?
    /// The partition of a database that this process owns; nil for another server.
    private let partition: PartitionKeeper?
    /// The database, with that partition.
    let store: PostgresStore?
    private let pages: PageSource
    /// Removes a data folder that this start has created; for a start that fails.
    private let abandonData: (@Sendable () -> Void)?
    /// Connections that the process's descriptors allow.
    private let connectionLimit: Int
    let configuration: ServerConfiguration
    private let stopping = Atomic(false)
    private let isSuspended = Atomic(false)
    private let hasLeft = Atomic(false)
    private let endpoint: Mutex<MetricsEndpoint?>
    /// A request may close a listener as soon as it listens.
    private let admin = Mutex<AdminListener?>(nil)
    let houseBots = Mutex(HouseBots())
    /// Where players connect; nil until the server listens.
    private let address = Mutex<SocketAddress?>(nil)

    init(_ configuration: ServerConfiguration) {
        inherited = Console.orFail("bjserver", status: 69) { try ActivatedSockets.take() }
        let descriptors = Self.descriptors(for: configuration)
        let options = configuration.options
        let metrics = Metrics()
        let log = LogWriter(
            settings: LogSettings(level: options.log, format: options.logFormat), dropped: metrics.droppedLines,
            words: { HostView.isShown && options.logFormat == .logfmt ? HostView.words(for: $0) : nil })
        notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)
        let folder = Self.dataFolder(configuration)
        let pages = PageSource(metrics)
        var (store, spare) = Self.awaitStore(in: folder, pages, options, notifier, log)
        let partition = store.map { Self.partition(of: $0, configuration, metrics, log) }
        if let partition { pages.serve(partition) }
        // Checked before a claim: three failed starts make spares leave a partition alone.
        _ = Self.hosted(configuration, by: store)
        if let store, store.partitions > 1 {
            Console.orFail("bjserver", status: DataFault.damaged) { try configuration.checkRelay() }
        }
        if let partition {
            if spare == nil { spare = Self.serve(pages, options, of: partition.location, log) }
            Self.own(partition, options.admin, notifier, log)
        }
        store?.partition = partition?.partition ?? 1
        var configuration = Self.hosted(configuration, by: store)
        // Released once the server has taken it over: the state of 100,000 accounts.
        let recovery = folder.map { [configuration] in
            Self.recover(configuration, $0, store, partition, log: log)
        }
        if let recovery { configuration = configuration.continuing(recovery.tables) }
        self.configuration = configuration
        var shards = configuration.shards
        shards.hostSecret = hostSecret
        connectionLimit = configuration.connections(
            descriptors: descriptors, hasRelays: store.map { $0.partitions > 1 } ?? false)
        shards.maximumConnections = min(shards.maximumConnections, connectionLimit)
        var serving = configuration.server(log.settings)
        serving.lingering = min(serving.lingering, descriptors / 16)
        (self.partition, self.pages, self.store) = (partition, pages, store)
        endpoint = Mutex(spare)
        dataFolder = recovery?.location
        abandonData = recovery?.abandon
        server = Server(
            shards: shards, bans: configuration.bans, options: serving, metrics: metrics, recovery: recovery
        ) { log.write($0) }
        self.log = log
        self.metrics = metrics
        pages.serve(server)
        partition?.observe { [server, log] event in
            switch event {
            case .stalled, .resumed: server.doubtLease(event == .stalled)
            case .fenced, .rolledBack:
                log.flush()
                exit(event == .fenced ? DataFault.takenOver : DataFault.damaged)
            case .owned: break
            }
        }
    }

    func run() -> Never {
        // Before listening, so that an early signal is not lost.
        let signals = handleSignals()
        partition?.whenHouseDrains { [self] in if !stopping.load(ordering: .relaxed) { stop("ctl drain --house") } }
        let address = start()
        seatBots(at: address)
        if configuration.options.seed != nil {
            note(.warning, "seeded", ["reason": "--seed makes every card predictable: for tests only"])
        }
        let trusted = configuration.options.proxyTrust
        if let store, store.partitions > 1, trusted.allSatisfy(\.base.isLoopback),
            let host = configuration.options.advertise?.host, IPAddress(host)?.isLoopback != true
        {
            let reason = "proxyTrust has only loopback: add the other servers, which relay players here"
            note(.warning, "config_warning", ["reason": reason])
        }
        for doubt in configuration.doubts { note(.warning, "config_warning", ["reason": doubt]) }
        notifier?.notify(.ready, .status("Listening on \(address)."))
        let watchdog = watch()
        withExtendedLifetime((signals, watchdog)) { dispatchMain() }
    }

    private func start() -> SocketAddress {
        let options = configuration.options
        do {
            if connectionLimit < options.maxConnections {
                note(.warning, "descriptors_short", ["connections": connectionLimit, "max_connections": options.maxConnections])
            }
            let address = try server.start(adopting: inherited)
            self.address.withLock { $0 = address }
            var others: [String] = []
            var started = Self.identity(partition == nil ? "single" : "owner")
            started.add("listen", address)
            if let proxy = options.proxyListen {
                let bound = try server.startProxyListener(
                    host: proxy.endpoint?.host ?? "", port: Int(proxy.endpoint?.port ?? 0), socket: proxy.socket,
                    trusted: options.proxyTrust,
                    capacity: min(1024, DescriptorLimit.raise() / 8))
                others.append("listening for proxies on \(bound)")
                started.add("proxy", bound)
                if let store, store.partitions > 1 {
                    let relay = configuration.relay(boundTo: bound)
                    server.announce(relay: relay)
                    others.append("partition \(store.partition) of \(store.partitions), relays to \(relay)")
                }
            }
            if let bound = try startOperating(options) {
                others.append("metrics on \(bound)")
                started.add("metrics", bound)
            }
            if let adminPath { started.add("admin", adminPath) }
            if let number = partition?.partition { started.add("partition", number) }
            started.add("data", dataFolder ?? "none")
            note(.info, "started", started)
            others.append(dataFolder.map { "data in \($0)" } ?? "data in memory only")
            if partition == nil, let dataFolder { Self.noteStartEnd(of: .path(dataFolder)) }
            // Printed once every listener is ready.
            for line in ["listening on \(address)"] + others { say(line, to: 1) }
            if HostView.isShown {
                for line in invitation(at: address) { line.hasPrefix(" ") ? Console.printError(line) : say(line, to: 2) }
            }
            return address
        } catch {
            // Released, so that a spare need not wait for the lease.
            if server.waitUntilDurable(milliseconds: 1000), !server.hasLostRecords { partition?.release() }
            stopAdmins()
            if partition == nil, let dataFolder { Self.noteStartEnd(of: .path(dataFolder)) }
            abandonData?()
            let hint = error.code == EADDRINUSE ? " (by another program, perhaps another bjserver)" : ""
            Console.fail("bjserver", "\(error)\(hint)", status: 69)
        }
    }

    /// The first fields of `started`: the log says which process it is of.
    static func identity(_ role: String) -> LogFields { ["version": Release.version, "pid": getpid(), "role": role] }

    /// The lines for the host's friends and, of a single table without an owner, for its owner.
    private func invitation(at address: SocketAddress) -> [String] {
        var tables = configuration.tables
        let access = tables.count == 1 ? server.access(toTable: tables[0].name) : nil
        // An owner may have set another phrase than the configuration's.
        if let access { tables[0].pass = access.pass }
        let lines = HostView.invitation(host: address.host, port: address.port, machine: MachineAddresses.all, to: tables)
        guard tables.count == 1, access?.owner == nil, let line = ownerLine(ofTable: tables[0].name) else {
            return lines
        }
        return lines + ["To own the table \(tables[0].name), paste this line instead (valid once, for an hour):", "  " + line]
    }

    /// The line that makes an owner of a table, with a new code in place of the former one; nil if there is no such table.
    func ownerLine(ofTable table: String) -> String? {
        guard let address = address.withLock({ $0 }) else { return nil }
        let code = server.ownerCodePrefix + HostView.ownerCode()
        guard server.expectOwner(ofTable: table, code: code) else { return nil }
        let host = HostView.reachable(address.host, machine: MachineAddresses.all).first ?? "127.0.0.1"
        let pass = Console.passOption(server.access(toTable: table)?.pass)
        return "bjclient \(Endpoint(host: host, port: UInt16(clamping: address.port))) --table \(table)\(pass) --owner \(code)"
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

    /// The folder for a socket: a database has none.
    private var ownFolder: String? { partition == nil ? dataFolder : nil }

    /// The socket for `ctl`.
    private var adminPath: String? { configuration.options.admin ?? ownFolder.map(ServerSocket.path) }

    /// Removes the socket, and what leads to it, after the answers to requests in progress.
    private func stopAdmins() {
        admin.withLock { $0 }?.stop()
        if let ownFolder { _ = ServerSocket.link(in: ownFolder, to: nil) }
    }

    /// - Returns: the address of the metrics endpoint, if there is one.
    private func startOperating(_ options: ServeOptions) throws(SocketError) -> SocketAddress? {
        if let ownFolder, let adminPath {
            let code = ServerSocket.link(in: ownFolder, to: adminPath)
            if code != 0 {
                let reason = "'bjserver ctl' cannot find the socket in \(ownFolder): \(String(cString: strerror(code)))"
                note(.warning, "config_warning", ["reason": reason])
            }
        }
        if let path = adminPath {
            do throws(SocketError) {
                let listener = try AdminListener(path: path) { [weak self] in self?.answer($0) ?? .done("") }
                admin.withLock { $0 = listener }
            } catch  where options.admin == nil {
                // A path that cannot have a socket does not prevent play.
                note(.warning, "config_warning", ["reason": "no socket for ctl: \(error); set another with --admin"])
            }
        }
        // A former spare has it.
        guard endpoint.withLock({ $0 }) == nil, let (endpoint, address) = try pages.start(options) else { return nil }
        self.endpoint.withLock { $0 = endpoint }
        return address
    }

    // MARK: Stopping

    /// Drains, then stops; a second call stops at once.
    /// - Parameter reason: the operator's, shown at the tables.
    func stop(_ cause: String, reason: String = "") {
        guard !stopping.exchange(true, ordering: .relaxed) else {
            note(.warning, "stopping_at_once", ["cause": cause, "data": dataFolder ?? "none"])
            // Deadline for peers that do not read `goodbye`.
            DispatchQueue.global().asyncAfter(deadline: .now() + 3) { [self] in leave() }
            return server.stopNow { [self] in leave() }
        }
        let timeout = configuration.options.drainTimeout
        note(
            .info, "stopping",
            ["cause": cause, "drain_timeout_ms": timeout, "hands": server.handsInPlay(), "data": dataFolder ?? "none"])
        notifier?.notify(.stopping, .status("Draining: no new rounds or seats."))
        server.drain(timeout: Int64(timeout), reason: reason) { [self] in leave() }
    }

    /// Drains all servers of the house, including this one. Each server notices at its next lease renewal.
    func drainHouse() throws -> AdminReply {
        guard let store else { return .refused(code: "no_house", message: "The house has no other servers: use 'ctl drain'.") }
        try store.drainHouse()
        return .done("All servers of the house are stopping: spares at once, the others once their rounds have ended.")
    }

    /// - Parameter isAnswering: whether requests in progress get their answers first, which can take seconds.
    private func leave(isAnswering: Bool = true) {
        if isAnswering { stopAdmins() }
        let isStored = server.waitUntilDurable(milliseconds: 0) && !server.hasLostRecords
        if isStored { partition?.release() }
        log.flush()
        // Another thread exits already.
        guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
        exit(isStored ? 0 : 74)
    }

    /// Seconds that a stop waits for a disk that does not answer; others take milliseconds, and a second on a busy machine.
    private static let suspendSeconds = 5

    /// Stops within a second and keeps seats and hands for the next start; ends a drain, too. Without data there is nothing to go on with:
    /// drains.
    private func suspend(_ cause: String) {
        guard let dataFolder else { return stop(cause) }
        guard !isSuspended.exchange(true, ordering: .relaxed) else { return }
        stopping.store(true, ordering: .relaxed)
        // Deadline for a disk or loop that does not respond. No client has seen what is lost then.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.suspendSeconds)) { [self] in leave(isAnswering: false)
        }
        notifier?.notify(.stopping, .status("Stopping; seats and hands are kept."))
        note(.info, "suspending", ["cause": cause, "hands": server.handsInPlay(), "data": dataFolder])
        var release: (@Sendable () -> Void)?
        if let partition { release = { partition.release() } }
        server.suspend(releasing: release) { [self] in leave() }
    }

    // MARK: Signals

    private func handleSignals() -> [any DispatchSourceSignal] {
        Signals.observe([SIGINT, SIGTERM, SIGHUP]) { [self] number in
            switch number {
            case SIGINT: stop("SIGINT")
            // Closing the terminal drains, as Ctrl-C does.
            case SIGHUP where HostView.isShown && isatty(2) == 0: stop("closed terminal")
            default: suspend(number == SIGHUP ? "SIGHUP" : "SIGTERM")
            }
        }
    }

    // MARK: Log and watchdog

    func note(_ level: LogLevel, _ event: StaticString, _ fields: LogFields = [:]) {
        log.write(LogLine(time: server.wallClock, level: level, event: event, fields: fields.all))
    }

    /// Sends the watchdog notice while the loop responds.
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

    // MARK: Accounts

    // Answers to requests about accounts. Called on the admin socket's queue.

    func change(_ name: String, _ change: AccountChange) throws -> AdminReply {
        let account = try server.change(accountNamed: name, change)
        guard case .secret(let secret) = change else { return .done(AccountWording.done(change, name, account)) }
        let listen = configuration.options.listen
        let line = AccountWording.importLine(
            house: server.house, server: Endpoint(host: local(listen.host), port: listen.port).description, name: account.name,
            secret: secret)
        return .done(line, advice: AccountWording.importAdvice)
    }

    /// Deletes an account, or lists or deletes those without a hand since a day.
    func delete(_ operands: AdminOperands) throws -> AdminReply {
        let date = try operands.unusedSince(at: server.wallClock)
        guard operands.name.isEmpty == (date != nil) else { throw UsageError("an ACCOUNT, or --unused-since DATE") }
        guard let date else { return try change(operands.name, .delete) }
        let (unused, others, unread) = server.unusedAccounts(since: date, limit: operands.limit)
        guard operands.isConfirmed else {
            let advice = unused.isEmpty ? nil : "--yes deletes them."
            return .table(AccountWording.table(of: unused, others: others, unread: unread, advice: advice))
        }
        let deleted = unused.compactMap { account -> AccountSummary? in
            // Deleting a list takes minutes, in which a player may have returned.
            guard (try? server.account(named: account.name)) == account else { return nil }
            return try? server.change(accountNamed: account.name, .delete)
        }
        return .done(AccountWording.deleted(deleted))
    }

    func refused(_ refusal: AccountRefusal) -> AdminReply {
        .refused(code: refusal.code, message: refusal.description)
    }
}

// MARK: - Bots

/// The bots of the house, which play as long as their table is open.
struct HouseBots: Sendable {
    /// One loop for the bots of all tables; nil without bots.
    var loop: Loop?
    /// The address at which they connect.
    var address: SocketAddress?
    var crews: [String: LoopConfined<BotCrew>] = [:]
}

extension Host {
    /// Seats the house bots at the tables that are open at the start. They connect over TCP: the same protocol, clock and limits as
    /// players.
    func seatBots(at address: SocketAddress) {
        guard configuration.options.bots > 0 else { return }
        houseBots.withLock { ($0.loop, $0.address) = (Loop(label: "bj.bots"), address) }
        for table in configuration.tables { seatBots(atTable: table.name) }
    }

    /// Seats the house bots at a table that has opened.
    func seatBots(atTable table: String) {
        let options = configuration.options
        houseBots.withLock { bots in
            guard let loop = bots.loop, let address = bots.address else { return }
            var settings = BotCrew.Options(host: local(address.host), port: address.port, bots: options.bots)
            settings.table = table
            settings.namePrefix = configuration.tables.count == 1 ? "house" : "house \(table)"
            // No two servers have bots of one name.
            if let store { settings.numbers = (store.partition, store.partitions) }
            // Opens reserved names and every table.
            settings.secret = hostSecret
            // Contributions of the host's own bots protect no player, and a crash would lose them and name the bots as withholders.
            settings.client.contributes = false
            settings.betsFirst = false
            let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
            bots.crews[table] = crew
            crew.perform { [self, settings] crew in
                crew.start(settings) { [self] report in
                    // During a drain bots lose their seats: not an error.
                    guard !stopping.load(ordering: .relaxed) else { return }
                    for error in report.errors { note(.warning, "house_bot", ["reason": error]) }
                }
            }
        }
    }

    // MARK: Data

    // The journal: opening it, and what is reported about it.

    /// The process's limit of descriptors. Exits if they are too few.
    static func descriptors(for configuration: ServerConfiguration) -> Int {
        let descriptors = DescriptorLimit.raise()
        guard configuration.connections(descriptors: descriptors) > 0 else {
            Console.fail(
                "bjserver", "\(descriptors) file descriptors are too few: raise ulimit -n or LimitNOFILE=", status: 69)
        }
        return descriptors
    }

    /// The configured data; nil for a server that keeps nothing. Exits if the default folder has no place.
    static func dataFolder(_ configuration: ServerConfiguration) -> DataFolder? {
        guard configuration.data != .none else { return nil }
        let base = DataFolder.base(environment: ProcessInfo.processInfo.environment)
        if configuration.options.data == nil, !FileManager.default.fileExists(atPath: base) {
            Console.fail("bjserver", "\(base) does not exist: choose a folder with --data DIR, or --data none", status: 73)
        }
        return configuration.data
    }

    /// The configuration with the tables of this server alone. Exits if a table is of no partition.
    static func hosted(_ configuration: ServerConfiguration, by store: PostgresStore?) -> ServerConfiguration {
        Console.orFail("bjserver", status: DataFault.damaged) {
            try configuration.hosted(by: store?.partition ?? 1, of: store?.partitions ?? 1)
        }
    }

    /// Opens the configured journal. Exits if it cannot be used.
    private static func recover(
        _ configuration: ServerConfiguration, _ folder: DataFolder, _ store: PostgresStore?, _ partition: PartitionKeeper?,
        log: LogWriter
    ) -> Recovery {
        let options = configuration.options
        let database = store?.storage(epoch: partition?.epoch ?? 0)
        var recovery = recoveryOptions(configuration)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let note = noting(in: log)
        let callbacks = callbacks(log, isDatabase: database != nil)
        do throws(JournalError) {
            if let database {
                // A store that was made is to be used.
                (recovery.creates, recovery.house) = (true, store?.house)
                // A transaction loses no tail, and spares count starts by the anchor.
                recovery.journal.anchorInterval = nil
                if let store, store.partitions > 1 {
                    recovery.registry = store.registry(epoch: partition?.epoch ?? 0)
                    recovery.others = { store.others }
                }
                let found = try Recovery.open(
                    database, configuration: configuration.shards, options: recovery, wallClock: now, callbacks: callbacks)
                report(found, options, note)
                return found
            }
            guard case .path(let path) = folder else { preconditionFailure("without data there is nothing to open") }
            noteStart(on: path)
            let found = try Recovery.open(
                folder: path, configuration: configuration.shards, options: recovery, wallClock: now, callbacks: callbacks)
            report(found, options, note)
            let mode = (try? FileManager.default.attributesOfItem(atPath: path + "/")[.posixPermissions] as? Int) ?? 0
            guard mode & 0o077 != 0 else { return found }
            note(
                .warning, "data_readable_by_others",
                ["data": path, "mode": String(mode, radix: 8), "reason": "it contains the keys of shoes: chmod 700"])
            return found
        } catch {
            noteStartEnd(of: folder)
            // An error of the configuration does not count as a failed start of the journal.
            if case .refused = error { partition?.release() }
            guard case .path(let path) = folder else { DataFault.fail("bjserver", error, in: store?.url.description ?? "") }
            refuse(error, in: path, options)
        }
    }

    static func recoveryOptions(_ configuration: ServerConfiguration) -> Recovery.Options {
        let options = configuration.options
        var recovery = Recovery.Options()
        recovery.creates = options.create || options.data == nil
        recovery.journal.durability = options.durability
        recovery.history = options.history
        recovery.version = Release.version
        recovery.tables = { configuration.continuing($0).tables }
        recovery.tablesElsewhere = configuration.tablesElsewhere
        return recovery
    }

    /// Ends a start whose folder cannot be used.
    static func refuse(_ error: JournalError, in path: String, _ options: ServeOptions) -> Never {
        if case .empty(let location) = error {
            Console.fail(
                "bjserver", "\(location) has no journal. Is its disk mounted? --create starts a new house there",
                status: DataFault.missing)
        }
        Console.fail(
            "bjserver", DataFault.text(error, in: path) + advice(on: error, options), status: DataFault.status(of: error))
    }

    /// Counts consecutive starts that crash before they listen, whatever frames they have added. Exits after too many.
    private static func noteStart(on path: String) {
        guard let storage = try? FileStorage(path: path, creating: false),
            (try? JournalFolder(reading: storage).anchoredFrame()) != nil
        else { return }
        let note = "\(path)/\(startNote)"
        let crashed = (try? String(contentsOfFile: note, encoding: .utf8)).flatMap { Int($0) } ?? 0
        if crashed >= PartitionKeeper.Owner.attempts {
            let reason = "\(PartitionKeeper.Owner.attempts) consecutive starts crashed on it"
            Console.fail(
                "bjserver",
                "\(path) is not used: \(reason). Copy it and check the logs; to retry, remove \(note)",
                status: DataFault.damaged)
        }
        // Not counted on a full disk.
        try? "\(crashed + 1)".write(toFile: note, atomically: true, encoding: .utf8)
    }

    private static let startNote = "start.attempts"

    /// Resets the count: the start has served, or has ended with an error.
    private static func noteStartEnd(of folder: DataFolder?) {
        if case .path(let path) = folder { unlink("\(path)/\(startNote)") }
    }

    /// Logs the journal's reports while it is written, and ends the process when it fails.
    private static func callbacks(_ log: LogWriter, isDatabase: Bool) -> DurableLog.Callbacks {
        let note = noting(in: log)
        return DurableLog.Callbacks { error in
            // Nothing more becomes durable, so nothing more may be sent. Players find their hands after the next start.
            end(because: error, log, isDatabase: isDatabase)
        } full: { error, room in
            let full: StaticString = room == nil ? "disk_full" : "disk_nearly_full"
            let play = room.map { "goes on for \($0) bytes" } ?? "is paused"
            note(
                room == nil ? .error : .warning, error.isUnavailable ? "database_unreachable" : full,
                ["reason": error.description, "play": play])
        } spaceFound: {
            isDatabase ? note(.info, "database_recovered", [:]) : note(.info, "disk_has_space", [:])
        }
    }

    private static func advice(on error: JournalError, _ options: ServeOptions) -> String {
        if error.isDamage { return "" }
        guard options.data != nil else { return " (choose a folder with --data DIR, or --data none)" }
        let isMissing = error.isMissingFile
        return isMissing && !options.create ? " (is its disk mounted? --create creates one)" : ""
    }

    private static func report(
        _ found: Recovery, _ options: ServeOptions, _ note: (LogLevel, StaticString, LogFields) -> Void
    ) {
        let path = found.location
        note(
            .info, "recovered",
            [
                "data": path, "durability": options.durability.rawValue, "frames": found.end.sequence,
                "known_accounts": found.state.accounts.count, "open_tables": found.state.tables.count, "outage_ms": found.outage,
            ])
        if found.clockSetBack > 1000 {
            note(
                .warning, "clock_set_back",
                ["by_ms": found.clockSetBack, "reason": "the last record is from the future: deadlines were shifted"])
        }
        if let cut = found.end.cut {
            note(
                .warning, "journal_cut",
                [
                    "file": cut.file, "offset": cut.offset, "bytes": cut.bytes,
                    "reason": "the last write is incomplete: \(found.end.lossByCut)",
                ])
        }
        if let checkpoint = found.strayCheckpoint {
            let reason =
                "the anchor lacks this checkpoint: an old copy may have replaced it. To restore a backup, empty the folder first"
            note(.warning, "anchor_behind", ["checkpoint": checkpoint, "reason": reason])
        }
        for table in found.overruledTables { note(.info, "owner_pass_overruled", ["table": table]) }
        for closed in found.closedTables {
            let players = closed.players.map(\.name).joined(separator: ", ")
            note(
                .warning, "table_not_continued",
                [
                    "table": closed.name, "players": players.isEmpty ? "nobody" : players,
                    "bets_returned": closed.players.reduce(0) { $0 + $1.bets }, "reason": closed.reason,
                ])
        }
    }
}
