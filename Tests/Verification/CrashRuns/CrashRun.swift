import ClientCore
import Foundation
import LoadGenerator
import RecoveryJudge
import Sockets
import Synchronization
import TableModel
import Wire

/// Kills a server repeatedly while players play, and compares what they receive afterwards with what they received before.
///
/// The server is a child process on a folder of its own; the players talk to it through plain sockets. Blocks its thread.
public final class CrashRun {
    /// A value of the server's `--durability`.
    public enum Durability: String, CaseIterable, Sendable { case sync, interval, none }

    public struct Options: Sendable {
        /// Path of the server's program.
        public var server: String
        public var kills = 1000
        public var seed: UInt64 = 1
        public var tables = 5
        public var players = 14
        public var durability = Durability.sync
        /// Holds the server's configuration and, in `data`, its journal. Must exist.
        public var folder: String
        /// Kills between two stops and audits; 0 for one at the end only.
        public var auditEvery = 0
        /// Milliseconds within which all players must be back after a start; nil for no such demand.
        public var resumeLimit: Int?
        /// Several servers instead of one.
        public var cluster: CrashCluster?

        public init(server: String, folder: String) {
            self.server = server
            self.folder = folder
        }
    }

    /// Microseconds that one step may take: a start, a login of all, a round.
    static let stepTimeout: Int64 = 30_000_000
    static let chips = 1000

    let options: Options
    let progress: (String) -> Void
    let isInterrupted: @Sendable () -> Bool
    var report = CrashReport()
    var referee: RecoveryReferee
    var clients: [CrashClient]
    var server: ServerProcess?
    private var address: SocketAddress?
    var started: Int64 = 0
    var random: SeededRandom
    private var plan = CrashPlan.first
    /// Of a cluster; none for a server alone.
    var members: [ClusterMember] = []
    var clusterPlan: ClusterPlan?
    /// Milliseconds within which all players must be back; nil for no such demand.
    var resumeLimit: Int?
    /// Milliseconds until the last of the servers that were started together was up, or the first player watched after the first start:
    /// the pace of the machine.
    var slowestStart = 0.0
    /// Whether clients wait for one another once they watch.
    var isGathering = false

    /// - Parameters:
    ///   - isInterrupted: asked at least every 50 milliseconds.
    ///   - progress: receives a line after every 50 kills.
    public init(
        _ options: Options, isInterrupted: @escaping @Sendable () -> Bool = { false }, progress: @escaping (String) -> Void
    ) {
        self.options = options
        self.progress = progress
        self.isInterrupted = isInterrupted
        random = SeededRandom(seed: options.seed)
        resumeLimit = options.resumeLimit
        clients = (0..<options.players).map { index in
            CrashClient(
                index: index,
                player: CrashPlayer(number: index, home: CrashTables.name(index % options.tables), seed: options.seed),
                seed: options.seed)
        }
        referee = RecoveryReferee(players: clients.map(\.player.name), startingChips: Self.chips)
    }

    static var now: Int64 { Microclock.now }

    /// - Throws: the first broken promise, or the reason why there was no judgement.
    public func run() throws(CrashError) -> CrashReport {
        try writeConfiguration()
        do throws(CrashError) {
            if let cluster = options.cluster {
                try runCluster(cluster)
                return current
            }
            while report.kills < options.kills {
                plan = CrashPlan(&random)
                try crash(plan)
                report.kills += 1
                if report.kills % 50 == 0 { progress(current.progress) }
                if options.auditEvery > 0, report.kills % options.auditEvery == 0, report.kills < options.kills { try stop() }
            }
            try stop()
        } catch {
            guard !error.isSetup else { throw error }
            let what = clusterPlan.map { "\($0)" } ?? "\(plan.ending)"
            throw CrashError("seed \(options.seed), kill \(report.kills + 1), \(what): \(error)")
        }
        return current
    }

    var current: CrashReport {
        var report = report
        report.tally = referee.tally
        return report
    }

    private func writeConfiguration() throws(CrashError) {
        do {
            let text = CrashTables.configuration(tables: options.tables)
            try Data(text.utf8).write(to: URL(filePath: options.folder + "/tables.json"))
        } catch {
            throw CrashError("cannot write \(options.folder)/tables.json: \(error)", isSetup: true)
        }
    }

    // MARK: The server

    private func start() throws(CrashError) {
        let words =
            [
                "--listen", "127.0.0.1:0", "--data", options.folder + "/data", "--create", "--durability",
                options.durability.rawValue,
            ] + commonWords
        started = Self.now
        report.starts += 1
        server = try ServerProcess(options.server, words)
    }

    /// Arguments of every server.
    var commonWords: [String] {
        [
            "--config", options.folder + "/tables.json", "--settle", "20ms", "--chips",
            "\(Self.chips)", "--request-rate", "1000000", "--trust", "127.0.0.1",
        ]
    }

    /// Has players connect to a cluster's address.
    func findEntry(_ cluster: CrashCluster) throws(CrashError) {
        address = try? SocketAddress.resolve(host: cluster.entry.host, port: cluster.entry.port).first
        if address == nil { throw CrashError("no such address: \(cluster.entry.host)", isSetup: true) }
    }

    /// Waits until the server listens.
    private func listen() throws(CrashError) {
        try wait("the server listens") { $0.server?.port != nil }
        if let port = server?.port { address = try? SocketAddress.resolve(host: "127.0.0.1", port: port).first }
    }

    /// Runs turns until a condition holds.
    func wait(_ what: String, until condition: (CrashRun) -> Bool) throws(CrashError) {
        let end = Self.now + Self.stepTimeout
        while !condition(self) {
            try turn(until: end)
            guard condition(self) || Self.now < end else {
                let stages = clients.map { "\($0.player.name) \($0.stage)" }.joined(separator: ", ")
                throw CrashError("timed out after \(Self.stepTimeout / 1_000_000) s waiting until \(what): \(stages)\(serverLog)")
            }
            if let ended = server?.ended, !condition(self) { throw CrashError("the server ended, \(ended)\(serverLog)") }
        }
    }

    private var serverLog: String {
        server?.read()
        let lines = server?.errorText.split(separator: "\n").suffix(12) ?? []
        if server == nil { return clusterLog }
        return "\nend of the server's log:\n  " + lines.joined(separator: "\n  ")
    }

    // MARK: A kill

    private func crash(_ plan: CrashPlan) throws(CrashError) {
        if server == nil { try start() }
        switch plan.ending {
        case .recovering(let delay):
            // A server that was left running has nobody else to be killed before.
            try turn(for: delay)
        case .entering(let delay):
            if address == nil { try listen() }
            gather()
            try turn(for: delay)
        case .playing(let delay):
            try resume()
            try turn(for: delay)
        case .afterRound:
            try resume()
            try wait("interrupted rounds go on") { !$0.referee.awaitsRounds }
        case .stopping(let delay, let kill):
            try resume()
            try turn(for: delay)
            server?.signal(SIGTERM)
            try turn(for: kill)
        }
        for client in clients where random.below(100) < plan.absent { lose(client, for: Self.stepTimeout) }
        server?.signal(SIGKILL)
        try ended()
    }

    /// Lets all players log in, watch, repeat requests, and play on.
    func resume() throws(CrashError) {
        if address == nil { try listen() }
        gather()
        try wait("all players watch") { $0.clients.allSatisfy { $0.returned < .max } }
        let last = clients.max { $0.returned < $1.returned }
        let milliseconds = Double((last?.returned ?? Self.now) - started) / 1000
        // The first one: the last may have waited until a server knew another one's tables.
        let first = clients.map(\.returned).min() ?? 0
        if report.resumed.isEmpty { slowestStart = max(slowestStart, Double(first - started) / 1000) }
        report.resumed.append(milliseconds)
        if let fault = clusterPlan?.fault.rawValue, let slowest = report.faults[fault]?.slowest {
            report.faults[fault]?.slowest = max(slowest, milliseconds)
        }
        if let limit = resumeLimit, milliseconds > Double(limit) {
            throw CrashError("play resumed after \(Int(milliseconds)) ms, more than \(limit)\(last?.history ?? "")\(serverLog)")
        }
        isGathering = false
        for client in clients { beginRepeating(client) }
        try wait("all players play") { $0.clients.allSatisfy { $0.stage == .playing } }
    }

    private func gather() {
        isGathering = true
        for client in clients { connect(client) }
    }

    func connect(_ client: CrashClient) {
        guard address != nil, case .away = client.stage else { return }
        perform(client.start(at: Self.now / 1000), client)
    }

    /// Reads everything that was sent before the server ended.
    private func ended() throws(CrashError) {
        let end = Self.now + Self.stepTimeout
        // Nobody asks for more meanwhile.
        for client in clients { if case .away = client.stage { client.stage = .away(until: .max) } }
        address = nil
        while server?.ended == nil || clients.contains(where: { $0.descriptor != nil }) {
            try turn(until: Self.now + 5000, isPlaying: false)
            guard Self.now < end else { throw CrashError("connections are open after the kill") }
        }
        server?.read()
        server = nil
        referee.restarted()
        for client in clients { (client.stage, client.returned) = (.away(until: .max), .max) }
    }

    // MARK: A stop

    /// Stops the server in order, and audits its journal.
    func stop() throws(CrashError) {
        if server == nil { try start() }
        try resume()
        try turn(for: 100)
        server?.signal(SIGTERM)
        try wait("SIGTERM ends the server") { $0.server?.ended != nil }
        try checkStop(of: server)
        try self.ended()
        report.stops += 1
        try audit()
    }

    /// - Parameter process: that of a server which was to stop in order, and has ended.
    func checkStop(of process: ServerProcess?) throws(CrashError) {
        process?.read()
        let last = process?.errorText.split(separator: "\n").last { $0.firstRange(of: "stopped") != nil }
        guard let ended = process?.ended, ended == .status(0), let last,
            last.hasSuffix("imbalance=0") || last.firstRange(of: "imbalance=0 ") != nil
        else {
            throw CrashError(
                "a stop ended with \(process.map { "\($0.ended.map { "\($0)" } ?? "")" } ?? "") and '\(last ?? "")'\(serverLog)")
        }
    }

    /// - Parameter isPlaying: whether the players go on meanwhile.
    func audit(isPlaying: Bool = false) throws(CrashError) {
        let audit = try ServerProcess(options.server, ["audit", options.cluster?.store(of: 0) ?? options.folder + "/data"])
        try finish(audit, "the audit", isSetup: false) { () throws(CrashError) in
            if isPlaying { try turn(for: 20) } else { poll(audit.descriptors, [], milliseconds: 20) }
        }
        report.audits += 1
    }

    /// Waits until another program has ended well.
    func finish(
        _ process: ServerProcess, _ name: String, isSetup: Bool, meanwhile turn: () throws(CrashError) -> Void
    ) throws(CrashError) {
        let end = Self.now + 20 * Self.stepTimeout
        while process.ended == nil {
            process.read()
            try turn()
            guard Self.now < end, !isInterrupted() else { throw CrashError("\(name) did not end", isSetup: isSetup) }
        }
        process.read()
        guard process.ended == .status(0) else {
            let ended = process.ended.map { "\($0)" } ?? ""
            throw CrashError("\(name) ended with \(ended): \(process.outputText)\(process.errorText)", isSetup: isSetup)
        }
    }

    // MARK: Clients

    /// Performs the actions of a client. Players contribute to shoes, and verify each: a commitment goes on across a kill, and a proof
    /// is right.
    private func perform(_ actions: [ClientAction], _ client: CrashClient) {
        for action in actions {
            switch action {
            case .connect: if address.map(client.connect) != true { lose(client, for: 5000) }
            case .close: lose(client, for: Int64(client.player.below(30)) * 1000)
            case .send(let request):
                report.requests += 1
                referee.sent(request, by: client.index)
                client.send(request)
            case .publish(.shoe(.verified)): report.shoes.verified += 1
            case .publish(.shoe(.notVerified)): report.shoes.unproven += 1
            case .publish(.shoe(.contradicted(let shoe, let fault))):
                report.shoes.failed += 1
                referee.accuseShoe(client.index, "shoe \(shoe.shoe) of \(shoe.table): \(fault)")
            case .arm, .answer, .publish, .findSecret, .makeSecret: break
            }
        }
    }

    private func submit(_ message: ClientMessage, _ client: CrashClient) {
        perform(client.machine.submit(message, at: Self.now / 1000).actions, client)
    }

    // MARK: Turns

    // The run's loop: reads available input, then lets the players act whose time has come.

    func turn(for milliseconds: Int64) throws(CrashError) {
        let end = Self.now + milliseconds * 1000
        while Self.now < end, server?.ended == nil { try turn(until: end) }
    }

    /// One turn, which waits for input until then at most, in microseconds.
    func turn(until end: Int64, isPlaying: Bool = true) throws(CrashError) {
        referee.now = Self.now / 1000
        let wakes = isPlaying ? clients.compactMap(wake) : []
        let wait = max(0, min(wakes.min() ?? end, end) - Self.now)
        poll(
            clients.compactMap(\.descriptor) + (server?.descriptors ?? []) + members.flatMap { $0.process?.descriptors ?? [] },
            clients.filter(\.hasOutput).compactMap(\.descriptor),
            milliseconds: Int32(min(50, (wait + 999) / 1000)))
        if isInterrupted() { throw CrashError("interrupted", isSetup: true) }
        server?.read()
        for member in members { member.process?.read() }
        for client in clients where client.descriptor != nil {
            client.flush()
            let isOpen = client.read(at: Self.now / 1000) { received($0, client) }
            if !isOpen { lose(client, for: Int64(client.player.below(30)) * 1000) }
        }
        if let finding = referee.findings.first { throw failure(finding) }
        guard isPlaying else { return }
        for client in clients { act(client) }
    }

    func poll(_ inputs: [Int32], _ outputs: [Int32], milliseconds: Int32) {
        var list = inputs.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        list += outputs.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        _ = Foundation.poll(&list, nfds_t(list.count), milliseconds)
    }

    /// The time at which a client acts without input; nil for one that waits for input.
    private func wake(_ client: CrashClient) -> Int64? {
        switch client.stage {
        case .away(let until): until == .max ? nil : until
        case .playing, .loggingIn, .watching: referee.isAnswered(client.index) ? client.wake : nil
        default: nil
        }
    }

    private func failure(_ first: RecoveryFinding) -> CrashError {
        let findings = referee.findings.prefix(8).map { "  \($0)" }.joined(separator: "\n")
        let concerned = clients.first { $0.player.name == first.player } ?? clients.first { $0.player.home == first.player }
        return CrashError("\(referee.findings.count) violations\n\(findings)\(concerned?.history ?? "")")
    }

    /// Closes a connection from this side, or takes note of its end; the player comes back after that many microseconds.
    func lose(_ client: CrashClient, for microseconds: Int64) {
        if case .away = client.stage { return }
        client.close()
        referee.disconnected(client.index)
        client.stage = .away(until: Self.now + microseconds)
        perform(client.machine.connectionLost(.connection("lost"), at: Self.now / 1000), client)
    }

    private func received(_ line: [UInt8], _ client: CrashClient) {
        line.withUnsafeBufferPointer { line in
            guard let message = try? ServerMessage(line: line) else { return referee.received(line, by: client.index) }
            referee.received(message, by: client.index)
            if !client.isRepeated(message) { perform(client.machine.receive(message, at: Self.now / 1000), client) }
        }
        switch client.stage {
        case .connecting: client.stage = .loggingIn
        case .loggingIn:
            // Refused for the moment, such as between two servers: see `act`.
            if referee.isLoggedIn(client.index) { client.stage = .watching } else { client.wake = Self.now + 20_000 }
        case .watching:
            // Likewise. Requests without a pause would use up the player's rate of journeys to other servers.
            client.wake = Self.now + 20_000
            guard referee.shown(to: client.index) != nil else { return }
            client.stage = .watched
            client.returned = min(client.returned, Self.now)
            if !isGathering { beginRepeating(client) }
        case .repeating: repeatNext(client)
        case .away, .watched, .playing: break
        }
    }

    // MARK: Repeating

    func beginRepeating(_ client: CrashClient) {
        guard client.stage == .watched else { return }
        client.stage = .repeating
        let fulfilled = referee.fulfilled(by: client.index).filter { _ in random.below(2) == 0 }
        client.repeats = fulfilled + referee.unanswered(by: client.index)
        for _ in 0..<4 { repeatNext(client) }
    }

    private func repeatNext(_ client: CrashClient) {
        guard !client.repeats.isEmpty else {
            guard referee.isAnswered(client.index) else { return }
            client.stage = .playing
            return
        }
        let next = client.repeats.removeFirst()
        referee.sent(next, by: client.index)
        report.requests += 1
        client.sendAgain(next)
    }

    // MARK: Playing

    private func act(_ client: CrashClient) {
        let now = Self.now
        switch client.stage {
        case .away(let until): if until <= now { connect(client) }
        case .loggingIn:
            if client.wake <= now, referee.isAnswered(client.index), !referee.isLoggedIn(client.index) {
                perform(client.machine.logIn(as: client.player.name, at: now / 1000), client)
            }
        case .watching:
            guard client.wake <= now, referee.isAnswered(client.index), !referee.awaitsSnapshot(client.index) else { return }
            submit(.watch(table: client.player.home, pass: CrashTables.pass), client)
        case .playing:
            guard client.wake <= now, referee.isAnswered(client.index) else { return }
            client.wake = now + Int64(client.player.below(6000))
            play(client)
        default: break
        }
    }

    private func play(_ client: CrashClient) {
        switch client.player.move(at: referee.shown(to: client.index), seats: referee.seats(of: client.index).sorted()) {
        case .rest: break
        case .send(let messages): for message in messages { submit(message, client) }
        case .hangUp(let pause): lose(client, for: pause * 1000)
        }
    }
}
