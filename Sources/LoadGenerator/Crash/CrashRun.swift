import Foundation
import Measuring
import Referee
import Synchronization
import Wire

/// Kills a server again and again while players play, and judges what they are told afterwards by what they were told before.
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
        public var loops = 2
        /// A value of the server's `--durability`.
        public var durability = "sync"
        /// Holds the server's configuration and, in `data`, its journal. Must exist.
        public var folder: String
        /// Further bots, which are not judged, and the program that plays them.
        public var load = 0
        public var loadProgram = ""
        /// Kills between two stops and audits; 0 for one at the end only.
        public var auditEvery = 0
        /// Milliseconds within which all players must be back after a start; nil for no such demand.
        public var resumeLimit: Int?

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
    private var load: ServerProcess?
    private var address: RawSocket.Address?
    private var started: Int64 = 0
    private var random: SeededRandom
    private var plan = CrashPlan.first
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
        peers = (0..<options.players).map { index in
            CrashPeer(
                index: index,
                player: CrashPlayer(number: index, home: CrashTables.name(index % options.tables), seed: options.seed),
                seed: options.seed)
        }
        referee = RecoveryReferee(players: peers.map(\.player.name), startingChips: Self.chips)
    }

    static var now: Int64 { LoadRun.now }

    /// - Throws: the first broken promise, or the reason why there was no judgement.
    public func run() throws(CrashError) -> CrashReport {
        try writeConfiguration()
        do throws(CrashError) {
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
            throw CrashError("seed \(options.seed), kill \(report.kills + 1), \(plan.ending): \(error)")
        }
        return current
    }

    private var current: CrashReport {
        var report = report
        report.tally = referee.tally
        return report
    }

    private func writeConfiguration() throws(CrashError) {
        do {
            let text = CrashTables.configuration(tables: options.tables, load: options.load)
            try Data(text.utf8).write(to: URL(filePath: options.folder + "/tables.json"))
        } catch {
            throw CrashError("cannot write \(options.folder)/tables.json: \(error)", isSetup: true)
        }
    }

    // MARK: The server

    private func start() throws(CrashError) {
        let words = [
            "--listen", "127.0.0.1:0", "--data", options.folder + "/data", "--create", "--durability", options.durability,
            "--config",
            options.folder + "/tables.json", "--loops", "\(options.loops)", "--settle", "20ms", "--chips", "\(Self.chips)",
            "--request-rate", "1000000", "--request-burst", "1000000", "--trust", "127.0.0.1",
        ]
        started = Self.now
        report.starts += 1
        server = try ServerProcess(options.server, words)
    }

    /// Waits until the server listens.
    private func listen() throws(CrashError) {
        try wait("the server listens") { $0.server?.port != nil }
        guard let port = server?.port, let address = RawSocket.Address(host: "127.0.0.1", port: port) else { return }
        self.address = address
        guard options.load > 0 else { return }
        load = try ServerProcess(
            options.loadProgram,
            ["play", "127.0.0.1:\(port)", "--bots", "\(options.load)", "--rounds", "1000000000", "--name", "l\(report.starts)-"])
    }

    /// Turns until a condition holds.
    func wait(_ what: String, until condition: (CrashRun) -> Bool) throws(CrashError) {
        let end = Self.now + Self.patience
        while !condition(self) {
            try turn(until: end)
            guard condition(self) || Self.now < end else {
                let stages = peers.map { "\($0.player.name) \($0.stage)" }.joined(separator: ", ")
                throw CrashError("after \(Self.patience / 1_000_000) s it is not so that \(what): \(stages)\(serverLog)")
            }
            if let ended = server?.ended, !condition(self) { throw CrashError("the server ended, \(ended)\(serverLog)") }
        }
    }

    private var serverLog: String {
        server?.read()
        let lines = server?.errorText.split(separator: "\n").suffix(12) ?? []
        return "\nthe server's log ends:\n  " + lines.joined(separator: "\n  ")
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

    /// Has everybody log in and watch, repeat requests, and play on.
    private func resume() throws(CrashError) {
        if address == nil { try listen() }
        gather()
        try wait("all players watch") { $0.peers.allSatisfy { $0.stage == .watched } }
        let milliseconds = Double(Self.now - started) / 1000
        report.resumed.append(milliseconds)
        if let limit = options.resumeLimit, milliseconds > Double(limit) {
            throw CrashError("play resumed \(Int(milliseconds)) ms after the start, not within \(limit)")
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
        guard let address, case .away = peer.stage else { return }
        if !peer.connect(to: address) { lose(peer, for: 5000) }
    }

    /// Takes in everything that was sent before the server ended.
    private func ended() throws(CrashError) {
        let end = Self.now + Self.patience
        // Nobody asks for more meanwhile.
        for peer in peers { if case .away = peer.stage { peer.stage = .away(until: .max) } }
        address = nil
        while server?.ended == nil || peers.contains(where: { $0.descriptor != nil }) {
            try turn(until: Self.now + 5000, isPlaying: false)
            guard Self.now < end else { throw CrashError("connections outlive the killed server") }
        }
        server?.read()
        server = nil
        load = nil
        referee.restarted()
        for peer in peers { peer.stage = .away(until: .max) }
    }

    // MARK: A stop

    /// Stops the server in order, and audits its journal.
    private func stop() throws(CrashError) {
        if server == nil { try start() }
        try resume()
        try turn(for: 100)
        server?.signal(SIGTERM)
        let end = Self.now + Self.patience
        while server?.ended == nil {
            try turn(until: end)
            guard Self.now < end else { throw CrashError("SIGTERM does not end the server\(serverLog)") }
        }
        server?.read()
        let log = server?.errorText ?? ""
        let last = log.split(separator: "\n").last { $0.firstRange(of: "stopped") != nil }
        guard let ended = server?.ended, ended == .status(0), let last,
            last.hasSuffix("imbalance=0") || last.firstRange(of: "imbalance=0 ") != nil
        else {
            throw CrashError(
                "a stop ended with \(server.map { "\($0.ended.map { "\($0)" } ?? "")" } ?? "") and '\(last ?? "")'\(serverLog)")
        }
        try self.ended()
        report.stops += 1
        try audit()
    }

    private func audit() throws(CrashError) {
        guard report.auditNote == nil else { return }
        let audit = try ServerProcess(options.server, ["audit", options.folder + "/data"])
        let end = Self.now + 20 * Self.patience
        while audit.ended == nil {
            audit.read()
            poll(audit.descriptors, [], milliseconds: 20)
            guard Self.now < end, !isInterrupted() else { throw CrashError("the audit does not end") }
        }
        audit.read()
        switch audit.ended {
        case .status(0): report.audits += 1
        case .status(64): report.auditNote = "this server has no command 'audit'"
        case let ending:
            throw CrashError("the audit ended with \(ending.map { "\($0)" } ?? ""): \(audit.outputText)\(audit.errorText)")
        }
    }
}
