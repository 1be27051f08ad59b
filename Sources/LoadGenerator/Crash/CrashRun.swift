import ClientCore
import Foundation
import Referee
import Sockets
import Synchronization
import TableModel
import Wire

/// Kills a server repeatedly while players play, and compares what they receive afterwards with what they received before.
///
/// The server is a child process on a folder of its own; the players talk to it through plain sockets. Blocks its thread.
public final class CrashRun {
    public struct Options: Sendable {
        /// Path of the server's program.
        public var server: String
        public var kills = 1000
        public var seed: UInt64 = 1
        public var tables = 5
        public var players = 14
        /// A value of the server's `--durability`.
        public var durability = "sync"
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
    static let patience: Int64 = 30_000_000
    static let chips = 1000

    let options: Options
    let progress: (String) -> Void
    let isInterrupted: @Sendable () -> Bool
    var report = CrashReport()
    var referee: RecoveryReferee
    var peers: [CrashPeer]
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
    /// Whether peers wait for one another once they watch.
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
        peers = (0..<options.players).map { index in
            CrashPeer(
                index: index,
                player: CrashPlayer(number: index, home: CrashTables.name(index % options.tables), seed: options.seed),
                seed: options.seed)
        }
        referee = RecoveryReferee(players: peers.map(\.player.name), startingChips: Self.chips)
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
                "--listen", "127.0.0.1:0", "--data", options.folder + "/data", "--create", "--durability", options.durability,
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
        let end = Self.now + Self.patience
        while !condition(self) {
            try turn(until: end)
            guard condition(self) || Self.now < end else {
                let stages = peers.map { "\($0.player.name) \($0.stage)" }.joined(separator: ", ")
                throw CrashError("not within \(Self.patience / 1_000_000) s: \(what): \(stages)\(serverLog)")
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
        for peer in peers where random.below(100) < plan.absent { lose(peer, for: Self.patience) }
        server?.signal(SIGKILL)
        try ended()
    }

    /// Lets all players log in, watch, repeat requests, and play on.
    func resume() throws(CrashError) {
        if address == nil { try listen() }
        gather()
        try wait("all players watch") { $0.peers.allSatisfy { $0.returned < .max } }
        let last = peers.max { $0.returned < $1.returned }
        let milliseconds = Double((last?.returned ?? Self.now) - started) / 1000
        // The first one: the last may have waited until a server knew another one's tables.
        let first = peers.map(\.returned).min() ?? 0
        if report.resumed.isEmpty { slowestStart = max(slowestStart, Double(first - started) / 1000) }
        report.resumed.append(milliseconds)
        if let fault = clusterPlan?.fault.rawValue, let slowest = report.faults[fault]?.slowest {
            report.faults[fault]?.slowest = max(slowest, milliseconds)
        }
        if let limit = resumeLimit, milliseconds > Double(limit) {
            throw CrashError("play resumed after \(Int(milliseconds)) ms, not within \(limit)\(last?.history ?? "")\(serverLog)")
        }
        isGathering = false
        for peer in peers { beginRepeating(peer) }
        try wait("all players play") { $0.peers.allSatisfy { $0.stage == .playing } }
    }

    private func gather() {
        isGathering = true
        for peer in peers { connect(peer) }
    }

    func connect(_ peer: CrashPeer) {
        guard address != nil, case .away = peer.stage else { return }
        perform(peer.start(at: Self.now / 1000), peer)
    }

    /// Reads everything that was sent before the server ended.
    private func ended() throws(CrashError) {
        let end = Self.now + Self.patience
        // Nobody asks for more meanwhile.
        for peer in peers { if case .away = peer.stage { peer.stage = .away(until: .max) } }
        address = nil
        while server?.ended == nil || peers.contains(where: { $0.descriptor != nil }) {
            try turn(until: Self.now + 5000, isPlaying: false)
            guard Self.now < end else { throw CrashError("connections are open after the kill") }
        }
        server?.read()
        server = nil
        referee.restarted()
        for peer in peers { (peer.stage, peer.returned) = (.away(until: .max), .max) }
    }

    // MARK: A stop

    /// Stops the server in order, and audits its journal.
    func stop() throws(CrashError) {
        if server == nil { try start() }
        try resume()
        try turn(for: 100)
        server?.signal(SIGTERM)
        let end = Self.now + Self.patience
        while server?.ended == nil {
            try turn(until: end)
            guard Self.now < end else { throw CrashError("SIGTERM did not end the server\(serverLog)") }
        }
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
        let end = Self.now + 20 * Self.patience
        while audit.ended == nil {
            audit.read()
            if isPlaying { try turn(for: 20) } else { poll(audit.descriptors, [], milliseconds: 20) }
            guard Self.now < end, !isInterrupted() else { throw CrashError("the audit did not end") }
        }
        audit.read()
        guard audit.ended == .status(0) else {
            throw CrashError(
                "the audit ended with \(audit.ended.map { "\($0)" } ?? ""): \(audit.outputText)\(audit.errorText)")
        }
        report.audits += 1
    }

    // MARK: Clients

    /// Performs the actions of a peer's client. Players contribute to shoes, and verify each: a commitment goes on across a kill, and a proof
    /// is right.
    private func perform(_ actions: [ClientAction], _ peer: CrashPeer) {
        for action in actions {
            switch action {
            case .connect: if address.map(peer.connect) != true { lose(peer, for: 5000) }
            case .close: lose(peer, for: Int64(peer.player.below(30)) * 1000)
            case .send(let request):
                report.requests += 1
                referee.sent(request, by: peer.index)
                peer.send(request)
            case .publish(.shoe(.verified)): report.shoes.verified += 1
            case .publish(.shoe(.notVerified)): report.shoes.unproven += 1
            case .publish(.shoe(.contradicted(let shoe, let fault))):
                report.shoes.failed += 1
                referee.accuseShoe(peer.index, "shoe \(shoe.shoe) of \(shoe.table): \(fault)")
            case .arm, .answer, .publish, .findSecret, .makeSecret: break
            }
        }
    }

    private func submit(_ message: ClientMessage, _ peer: CrashPeer) {
        perform(peer.machine.submit(message, at: Self.now / 1000).actions, peer)
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
        let wakes = isPlaying ? peers.compactMap(wake) : []
        let wait = max(0, min(wakes.min() ?? end, end) - Self.now)
        poll(
            peers.compactMap(\.descriptor) + (server?.descriptors ?? []) + members.flatMap { $0.process?.descriptors ?? [] },
            peers.filter(\.hasOutput).compactMap(\.descriptor),
            milliseconds: Int32(min(50, (wait + 999) / 1000)))
        if isInterrupted() { throw CrashError("interrupted", isSetup: true) }
        server?.read()
        for member in members { member.process?.read() }
        for peer in peers where peer.descriptor != nil {
            peer.flush()
            let isOpen = peer.read(at: Self.now / 1000) { received($0, peer) }
            if !isOpen { lose(peer, for: Int64(peer.player.below(30)) * 1000) }
        }
        if let finding = referee.findings.first { throw failure(finding) }
        guard isPlaying else { return }
        for peer in peers { act(peer) }
    }

    func poll(_ inputs: [Int32], _ outputs: [Int32], milliseconds: Int32) {
        var list = inputs.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        list += outputs.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        _ = Foundation.poll(&list, nfds_t(list.count), milliseconds)
    }

    /// The time at which a peer acts without input; nil for one that waits for input.
    private func wake(_ peer: CrashPeer) -> Int64? {
        switch peer.stage {
        case .away(let until): until == .max ? nil : until
        case .playing, .loggingIn, .watching: referee.isAnswered(peer.index) ? peer.wake : nil
        default: nil
        }
    }

    private func failure(_ first: RecoveryFinding) -> CrashError {
        let findings = referee.findings.prefix(8).map { "  \($0)" }.joined(separator: "\n")
        let concerned = peers.first { $0.player.name == first.player } ?? peers.first { $0.player.home == first.player }
        return CrashError("\(referee.findings.count) broken promises\n\(findings)\(concerned?.history ?? "")")
    }

    /// Closes a connection from this side, or takes note of its end; the player comes back after that many microseconds.
    func lose(_ peer: CrashPeer, for microseconds: Int64) {
        if case .away = peer.stage { return }
        peer.close()
        referee.disconnected(peer.index)
        peer.stage = .away(until: Self.now + microseconds)
        perform(peer.machine.connectionLost(.connection("lost"), at: Self.now / 1000), peer)
    }

    private func received(_ line: [UInt8], _ peer: CrashPeer) {
        line.withUnsafeBufferPointer { line in
            guard let message = try? ServerMessage(line: line) else { return referee.received(line, by: peer.index) }
            referee.received(message, by: peer.index)
            if !peer.isRepeated(message) { perform(peer.machine.receive(message, at: Self.now / 1000), peer) }
        }
        switch peer.stage {
        case .connecting: peer.stage = .loggingIn
        case .loggingIn:
            // Refused for the moment, such as between two servers: see `act`.
            if referee.isLoggedIn(peer.index) { peer.stage = .watching } else { peer.wake = Self.now + 20_000 }
        case .watching:
            // Likewise. Requests without a pause would use up the player's rate of journeys to other servers.
            peer.wake = Self.now + 20_000
            guard referee.shown(to: peer.index) != nil else { return }
            peer.stage = .watched
            peer.returned = min(peer.returned, Self.now)
            if !isGathering { beginRepeating(peer) }
        case .repeating: repeatNext(peer)
        case .away, .watched, .playing: break
        }
    }

    // MARK: Repeating

    func beginRepeating(_ peer: CrashPeer) {
        guard peer.stage == .watched else { return }
        peer.stage = .repeating
        let fulfilled = referee.fulfilled(by: peer.index).filter { _ in random.below(2) == 0 }
        peer.repeats = fulfilled + referee.unanswered(by: peer.index)
        for _ in 0..<4 { repeatNext(peer) }
    }

    private func repeatNext(_ peer: CrashPeer) {
        guard !peer.repeats.isEmpty else {
            guard referee.isAnswered(peer.index) else { return }
            peer.stage = .playing
            return
        }
        let next = peer.repeats.removeFirst()
        referee.sent(next, by: peer.index)
        report.requests += 1
        peer.sendAgain(next)
    }

    // MARK: Playing

    private func act(_ peer: CrashPeer) {
        let now = Self.now
        switch peer.stage {
        case .away(let until): if until <= now { connect(peer) }
        case .loggingIn:
            if peer.wake <= now, referee.isAnswered(peer.index), !referee.isLoggedIn(peer.index) {
                perform(peer.machine.logIn(as: peer.player.name, at: now / 1000), peer)
            }
        case .watching:
            guard peer.wake <= now, referee.isAnswered(peer.index), !referee.awaitsSnapshot(peer.index) else { return }
            submit(.watch(table: peer.player.home, pass: CrashTables.pass), peer)
        case .playing:
            guard peer.wake <= now, referee.isAnswered(peer.index) else { return }
            peer.wake = now + Int64(peer.player.below(6000))
            play(peer)
        default: break
        }
    }

    private func play(_ peer: CrashPeer) {
        switch peer.player.move(at: referee.shown(to: peer.index), seats: referee.seats(of: peer.index).sorted()) {
        case .rest: break
        case .send(let messages): for message in messages { submit(message, peer) }
        case .hangUp(let pause): lose(peer, for: pause * 1000)
        }
    }
}
