import ClientCore
import CrashRuns
import Journal
import LoadGenerator
import Records
import RecoveryJudge
import Rules
import ServerCore
import Sockets
import StorageDoubles
import TableModel
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server, its players and its faults on one virtual machine, from one seed. One thread.
final class SystemWorld {
    struct Settings: Sendable {
        var seed: UInt64
        var faults: Set<FaultKind> = Set(FaultKind.allCases)
        /// Numbers of scheduled faults that are left out.
        var skipped: Set<Int> = []
        /// Rounds after which the world ends, in its next quiet phase.
        var rounds = 500
        /// Of a cluster; nil: by the seed.
        var partitions: Int?
    }

    let settings: Settings
    let machine: VirtualMachine
    var referee: RecoveryReferee
    private(set) var players: [SimulatedPlayer] = []
    private var guests: [SimulatedGuest] = []
    /// Whether the players keep their last lines.
    let keepsTranscripts: Bool
    /// By partition, from 0: the server that players reach, and its process; of a server that starts. A disk is that of one partition.
    private(set) var hosts: [(server: Server?, process: VirtualProcess)]
    var server: Server? { hosts[0].server }
    var disk = FaultStorage()
    /// Several processes of a storage for each partition, which may own it; nil for a server with a disk of its own.
    private(set) var cluster: SimulatedCluster?
    var random: SeededRandom
    let configuration: ShardConfiguration
    private let tableCount: Int
    /// Seats refused to guests in a row, and since when, in microseconds.
    private var refusedSeats: (since: Int64, count: Int)?
    /// Shoes whose proofs players have checked.
    var verifiedShoes = 0
    /// Hostile clients with a connection.
    var hostileClients: [HostileClient] = []
    /// The faults that happened: their numbers and a line for each.
    var story: [(number: Int, line: String)] = []
    var nextFault = 0
    /// Microseconds until which the disk may be slow or full, or a thread stand still.
    var troubleEnd: Int64 = 0
    var isFaulty = false
    /// Whether the world ends before its rounds are played, without a judgement.
    var isOver: () -> Bool = { false }
    /// Why the server writes nothing more; nil while it does.
    private(set) var failure: JournalError?
    var starts = 0
    var failedStarts = 0
    /// Broken laws that the referee does not judge.
    var violations: [String] = []
    /// The rounds that each table was shown to play, over all its epochs.
    private var rounds: [String: (epoch: String, last: Int, sum: Int)] = [:]

    init(_ settings: Settings, keepsTranscripts: Bool, printer: ((String) -> Void)? = nil) {
        self.settings = settings
        self.keepsTranscripts = keepsTranscripts
        machine = VirtualMachine(seed: settings.seed)
        hosts = [(nil, machine.startProcess())]
        random = SeededRandom(seed: settings.seed, stream: 3)
        let tables = 2 + random.below(9)
        let perTable = 1 + random.below(4)
        let (spectators, guests) = (random.below(5), random.below(3))
        tableCount = tables
        configuration = Self.configuration(tables: tables)
        let seed = settings.seed
        let people = tables * perTable + spectators
        referee = RecoveryReferee(
            players: (0..<people).map { CrashPlayer(number: $0, home: "", seed: seed).name },
            startingChips: configuration.startingChips)
        machine.trace.printer = printer
        machine.network.isUnsteady = settings.faults.contains(.delay)
        players = (0..<people).map { index in
            SimulatedPlayer(
                index: index, home: Self.name(ofTable: index % tables), isSpectator: index >= tables * perTable, seed: seed,
                world: self)
        }
        if settings.faults.contains(where: \.needsCluster), settings.seed % 3 == 0 || !settings.faults.contains(.kill) {
            let partitions = settings.partitions ?? Self.partitions(settings)
            cluster = SimulatedCluster(self, partitions: partitions)
            hosts = (0..<partitions).map { _ in (nil, hosts[0].process) }
            referee.hasSeveralServers = partitions > 1
        }
        machine.network.entry = { [weak self] in
            if let cluster = self?.cluster { cluster.entry() } else { self?.hosts[0].process }
        }
        self.guests = (0..<guests).map { SimulatedGuest(number: $0, seed: seed, world: self) }
    }

    /// One partition, or several where the faults are those of several.
    private static func partitions(_ settings: Settings) -> Int {
        var random = SeededRandom(seed: settings.seed, stream: 6)
        let isHouse = settings.faults.contains(where: \.needsHouse) && (random.below(2) == 0 || !settings.faults.contains(.pause))
        return isHouse ? 2 + random.below(4) / 3 : 1
    }

    /// The partition of a table, from 0.
    func partition(of table: String) -> Int {
        let number = configuration.tables.firstIndex { $0.name == table } ?? 0
        return number % hosts.count
    }

    /// The name of a table, by any number.
    func tableName(_ number: Int) -> String { Self.name(ofTable: number % tableCount) }

    /// The table where hostile clients take seats.
    private static let playground = "playground"

    private static func name(ofTable index: Int) -> String { "judged-\(index + 1)" }

    private static func configuration(tables: Int) -> ShardConfiguration {
        let clocks: [(String, RuleValue)] = [
            ("bettingSeconds", .integer(1)), ("decisionSeconds", .integer(60)), ("insuranceSeconds", .integer(60)),
        ]
        var settings = (0..<tables).map { index in
            guard let rules = try? HouseRules(clocks + CrashTables.variants[index % CrashTables.variants.count]) else {
                preconditionFailure("the simulated tables' rules are valid")
            }
            return ShardConfiguration.TableSetting(name: name(ofTable: index), rules: rules, pass: CrashTables.pass)
        }
        // For guests. The second table is not on the first loop if there are several.
        settings.insert(ShardConfiguration.TableSetting(name: "open", rules: HouseRules()), at: 1)
        settings.append(ShardConfiguration.TableSetting(name: playground, rules: HouseRules()))
        var configuration = ShardConfiguration(tables: settings)
        configuration.settledMilliseconds = 20
        // The referee relies on the long clocks. Charges are recorded and replayed all the same.
        configuration.bankMilliseconds = 86_400_000
        configuration.startingChips = 300
        configuration.requests = .perSecond(2000, burst: 2000)
        configuration.addresses = AddressLimits()
        return configuration
    }

    /// Rounds that players were shown, over all tables.
    private(set) var roundCount = 0

    /// The rounds of each table.
    var roundsByTable: [String: Int] { rounds.mapValues(\.sum) }

    /// Takes note of the table that a player is shown.
    func noteTable(of player: Int) {
        guard let place = referee.place(of: player), let number = referee.shown(to: player)?.round?.number else { return }
        guard var known = rounds[place.table] else {
            rounds[place.table] = (place.epoch, number, 0)
            return
        }
        if number > known.last {
            known.sum += number - known.last
            roundCount += number - known.last
            known.last = number
        } else if known.epoch != place.epoch, number < known.last, starts > 1 {
            known.last = number
        }
        known.epoch = place.epoch
        rounds[place.table] = known
    }

    private func fail(_ error: JournalError) { if failure == nil { failure = error } }

    // MARK: The server

    /// Starts the server's process on the disk that it left.
    /// - Throws: why it does not start.
    func start() throws {
        guard server == nil else { return }
        let process = machine.startProcess()
        hosts[0].process = process
        disk.setTime(UInt64(machine.wallClock))
        hosts[0].server = try start(process, partition: 0, on: disk) { [weak self] error in
            if self?.hosts[0].process === process { self?.fail(error) }
        }
    }

    /// Starts a server in a process.
    func start(
        _ process: VirtualProcess, partition: Int, on storage: any JournalStorage, registry: (any Registry)? = nil,
        failed: @escaping (JournalError) -> Void
    ) throws -> Server {
        var configuration = configuration
        if registry != nil { configuration.tables.removeAll { self.partition(of: $0.name) != partition } }
        starts += 1
        machine.trace.note(.start, at: machine.time, starts)
        var recovering = Recovery.Options()
        recovering.journal = JournalConfiguration(segmentBytes: 64 << 10, retryInterval: 200_000)
        if registry != nil { recovering.journal.anchorInterval = nil }
        recovering.history = JournalHistory.everything
        recovering.version = "simulated"
        recovering.house = settings.seed
        recovering.executor = .scheduled(process)
        recovering.system = process
        recovering.registry = registry
        process.journalFailed = failed
        let recovery = try Recovery.open(
            storage, configuration: configuration, options: recovering, wallClock: machine.wallClock,
            callbacks: .init(failed: { process.journalFailed?($0) }))
        var options = Server.Options()
        options.seed = random.next()
        options.system = process
        options.logging.level = .warning
        let server = Server(shards: configuration, options: options, recovery: recovery)
        do {
            if registry != nil, let others = AddressBlock("10.0.0.0/8") {
                _ = try server.startProxyListener(host: process.host, port: VirtualNetwork.relayPort, trusted: [others])
                server.announce(relay: "\(process.host):\(VirtualNetwork.relayPort)")
            }
            _ = try server.start()
        } catch {
            server.abandon()
            throw error
        }
        if server.ledger.imbalance != 0 { violations.append("a start finds \(server.ledger.imbalance) chips too many") }
        return server
    }

    /// The process has ended, whatever the reason; the disk keeps what the loss leaves.
    func end(_ loss: FaultStorage.Loss, partition: Int = 0) {
        if let cluster { return cluster.killOwner(of: partition) }
        machine.trace.note(.crash, at: machine.time, starts)
        guard let ended = server else { return }
        hosts[0].server = nil
        failure = nil
        disk = disk.survivors(loss, using: &random)
        hosts[0].process.end()
        ended.abandon()
        noteRestart(of: 0)
    }

    /// Every connection of a partition has ended with its process.
    func noteRestart(of partition: Int) {
        refusedSeats = nil
        if hosts.count == 1 { return referee.restarted() }
        referee.restarted(Set(configuration.tables.map(\.name).filter { self.partition(of: $0) == partition }))
    }

    /// The world is over: releases its server and its machine.
    func end() {
        cluster?.end()
        cluster = nil
        server?.abandon()
        hosts[0].server = nil
        machine.end()
    }

    /// Recomputes every record on the disks.
    private func audit() throws {
        let folders = (cluster?.memories.map(\.disk) ?? [disk]).map { JournalFolder(reading: $0) }
        for folder in folders { _ = try folder.audit() }
        try recountCareers(in: folders)
    }

    /// Compares the careers of all accounts, wherever they are, with the rounds of all journals.
    private func recountCareers(in folders: [JournalFolder]) throws {
        var (recount, careers) = (CareerRecount(), [Int: [Int]]())
        for row in cluster?.rows.rows ?? [] { careers[Int(row.id.rawValue)] = row.state?.career.numbers }
        let states = try folders.map { try SavedState.recover(from: $0).state }
        for (folder, state) in zip(folders, states) {
            recount.beginJournal()
            try folder.records(from: 1, through: .max) { line, _ throws(any Error) in try recount.add(line) }
            // A row is older than a departure, and both than an account.
            for departure in state.departures.values {
                careers[Int(departure.account.id.rawValue)] = departure.account.career.numbers
            }
        }
        for account in states.flatMap(\.accounts.values) {
            careers[Int(account.id.rawValue)] = account.career.numbers
        }
        let difference = recount.difference(to: careers.filter { $0.value[0] > 0 }, sameClock: false)
        if let difference { violations.append(difference) }
    }

    func startPlayers() {
        for player in players { player.start() }
        for guest in guests { guest.come() }
    }

    // MARK: Guests

    /// Takes note of a guest's request for a seat at the table for all, which has more seats than there are guests: each hangs up soon.
    func noteSeat(refusal: Refusal?) {
        guard let refusal, refusal.kind != .again, refusal.code != ErrorCode.draining.rawValue else {
            if refusal == nil { refusedSeats = nil }
            return
        }
        let refused = (since: refusedSeats?.since ?? machine.time, count: (refusedSeats?.count ?? 0) + 1)
        refusedSeats = refused
        // A process that stood still, up to 8 s, hears of those who hung up meanwhile together with those who came.
        guard refused.count >= 6, machine.time - refused.since > 12_000_000 else { return }
        violations.append("guests got no seat \(refused.count) times in a row: \(refusal.code)")
    }

    // MARK: Faults

    // The schedule of faults, and what each one does.

    private var kinds: [FaultKind] {
        FaultKind.allCases.filter {
            settings.faults.contains($0) && $0.isScheduled && (cluster == nil ? !$0.needsCluster : !$0.needsDisk)
                && (hosts.count > 1 || !$0.needsHouse)
        }
    }

    /// Lets faults happen until the next quiet phase.
    func scheduleFault() {
        guard !kinds.isEmpty else { return }
        let fault = PlannedFault(number: nextFault, seed: settings.seed, kinds: kinds)
        machine.after(fault.pause) { [self] in
            guard isFaulty, nextFault == fault.number else { return }
            nextFault += 1
            if !settings.skipped.contains(fault.number) { perform(fault) }
            scheduleFault()
        }
    }

    private func perform(_ fault: PlannedFault) {
        var random = fault.random
        let text = describe(fault.kind, &random)
        machine.trace.note(.fault, at: machine.time, fault.number, text: "\(fault.kind.rawValue): \(text)")
        let seconds = (machine.time - 1_000_000_000) / 1000
        story.append((fault.number, "\(seconds) ms, fault \(fault.number), \(fault.kind.rawValue): \(text)"))
    }

    /// Carries a fault out.
    /// - Returns: what happened, in words.
    private func describe(_ kind: FaultKind, _ random: inout SeededRandom) -> String {
        switch kind {
        case .delay: return ""
        case .reset, .vanish, .clog, .partition, .reader: return disturb(kind, &random)
        case .flood: return flood(&random)
        case .kill:
            guard hosts.count > 1, random.below(2) == 0 else { return crash(.nothing, &random) }
            // With records on their way to the storage.
            slowDisk(by: UInt64(50_000 + random.below(200_000)), for: 1_000_000)
            machine.after(Int64(50_000 + random.below(800_000))) { [self, random] in
                var random = random
                if isFaulty { _ = crash(.nothing, &random) }
            }
            return "the storage is slow for a second, and a process ends meanwhile"
        case .power:
            let losses = FaultStorage.Loss.allCases.filter { $0 != .nothing }
            let loss = losses[random.below(losses.count)]
            return random.below(2) == 0 ? crash(loss, &random) : failSlowly(loss, &random)
        case .disk:
            let (delay, length) = (random.below(3) == 0 ? 900_000 : 30_000, Int64(300_000 + random.below(3_000_000)))
            slowDisk(by: UInt64(delay), for: length)
            return "each operation takes \(delay / 1000) ms, for \(length / 1000) ms"
        case .full:
            let count = 1 + random.below(20)
            troubleEnd = max(troubleEnd, machine.time + 10_000_000)
            disk.inject(.errors(ENOSPC, count: count), atNext: [.write, .create])
            return "no space for the next \(count) writes"
        case .broken:
            disk.inject(.error(EIO), atNext: [.write, .create, .sync])
            return "the next operation of the disk fails"
        case .stall:
            let isLoop = random.below(2) == 0
            let length = Int64(random.below(2_500_000))
            hosts[draw(&random)].process.stall(loop: isLoop ? 0 : nil, for: length)
            troubleEnd = max(troubleEnd, machine.time + length)
            return "\(isLoop ? "the game's loop gets" : "all threads get") no time for \(length / 1000) ms"
        case .clock:
            let jump = VirtualMachine.wallClockStart + Int64(random.below(3_000_000)) - machine.wallOffset
            machine.wallOffset += jump
            return "the wall clock jumps by \(jump) ms"
        case .drain: return drain(&random)
        case .restart:
            guard let server, server.state == .ready else { return "the server is not running" }
            stop(0, timeout: nil, restartAfter: Int64(10_000 + random.below(300_000)))
            return "restarts and keeps its hands"
        case .pause, .takeover, .handover: return cluster?.disturb(kind, &random) ?? ""
        case .split:
            let length = Int64(random.below(8_000_000))
            machine.network.replayRelay()
            machine.network.split(for: length)
            return "servers do not reach one another for \(length / 1000) ms"
        case .registry: return cluster?.disturbRegistry(&random) ?? ""
        case .host: return administer(&random)
        }
    }

    /// Any partition.
    private func draw(_ random: inout SeededRandom) -> Int { hosts.count == 1 ? 0 : random.below(hosts.count) }

    func slowDisk(by delay: UInt64, for length: Int64) {
        machine.diskDelay = { _ in delay }
        troubleEnd = max(troubleEnd, machine.time + length)
        machine.after(length) { [self] in restoreDisk() }
    }

    func restoreDisk() {
        machine.diskDelay = { operation in
            switch operation {
            case .sync: 700
            case .create: 3000
            default: 60
            }
        }
    }

    // MARK: The network

    private func disturb(_ kind: FaultKind, _ random: inout SeededRandom) -> String {
        let share = kind == .partition ? 2 : 6
        let chosen = players.filter { $0.link != nil && random.below(share) == 0 }
        let length = Int64(random.below(kind == .partition ? 6_000_000 : 3_000_000))
        for player in chosen {
            guard let link = player.link else { continue }
            switch kind {
            case .reset: machine.network.reset(link)
            case .vanish: player.vanish()
            case .reader:
                machine.network.setReading(false, link)
                machine.after(length * 4) { [weak self, weak link] in
                    if let link { self?.machine.network.setReading(true, link) }
                }
            default: machine.network.clog(link, for: length / 2 + Int64(random.below(Int(length / 2 + 1))))
            }
        }
        let names = chosen.map(\.name).joined(separator: " ")
        return "\(names.isEmpty ? "nobody" : names)" + (kind == .reset || kind == .vanish ? "" : ", up to \(length / 1000) ms")
    }

    private func flood(_ random: inout SeededRandom) -> String {
        hostileClients.removeAll(where: \.isGone)
        machine.network.replayRelay()
        let count = 1 + random.below(6)
        var habits: [String] = []
        for index in 0..<count {
            let kind = HostileKind.allCases[random.below(HostileKind.allCases.count)]
            habits.append(kind.rawValue)
            // A name is anybody's before the first hand.
            let honest = players.indices.prefix { referee.hasPlayed($0) }.count
            let ground = HostileHabit.Ground(tables: ["open"], playground: [Self.playground], honest: ("crash", honest))
            let habit = HostileHabit(
                kind, ground, name: "x\(nextFault)-\(index)", random: SeededRandom(seed: random.next()))
            let client = HostileClient(
                machine, habit, random: SeededRandom(seed: random.next()), host: "203.0.113.\(1 + random.below(4))"
            ) { [weak self, start = machine.time] bytes, bound in
                // Bytes that wait for the disk are bounded by the loop's stall, not by the connection.
                guard let self, troubleEnd < start else { return }
                violations.append("\(bytes) bytes waited for a peer that did not read: more than \(bound)")
            }
            hostileClients.append(client)
        }
        return habits.joined(separator: ", ")
    }

    // MARK: The process

    /// Whether the disk may refuse to write. A stop may then report unstored records, which no client has seen.
    private var mayFailToWrite: Bool { settings.faults.contains(.broken) || settings.faults.contains(.full) }

    private func crash(_ loss: FaultStorage.Loss, _ random: inout SeededRandom) -> String {
        let isLong = random.below(8) == 0
        let outage = isLong ? 90_000_000 : Int64(2000 + random.below(1_500_000))
        let partition = draw(&random)
        guard hosts[partition].server != nil else { return "the server is down already" }
        end(loss, partition: partition)
        // Nobody plays during a long outage: time goes on all the same.
        restart(after: outage)
        return "the process ends, loss \(loss.rawValue), back after \(outage / 1000) ms"
    }

    /// Some players stop reading, which fills their connections. Then the disk stands still, those players leave and read again, and the
    /// power fails: nothing of what they asked for is durable, and no answer may have left, whatever loop has the connection by then.
    private func failSlowly(_ loss: FaultStorage.Loss, _ random: inout SeededRandom) -> String {
        guard server != nil else { return "the server is down already" }
        let start = starts
        let deaf = players.filter { $0.link != nil && random.below(2) == 0 }
        let (pause, length) = (Int64(random.below(400_000)), Int64(20_000 + random.below(180_000)))
        for player in deaf { player.stopReading() }
        troubleEnd = max(troubleEnd, machine.time + pause + length)
        machine.after(pause) { [self] in
            if starts == start, isFaulty { machine.diskDelay = { _ in 900_000 } }
            for player in deaf { player.leaveAndRead() }
        }
        machine.after(pause + length) { [self, random] in
            restoreDisk()
            var random = random
            if starts == start, isFaulty { _ = crash(loss, &random) }
        }
        return "\(deaf.map(\.name).joined(separator: " ")) read nothing for \(pause / 1000) ms, then the disk stalls for "
            + "\(length / 1000) ms, then the process ends, loss \(loss.rawValue)"
    }

    /// Starts the server after a while; again if the disk fails at that.
    func restart(after microseconds: Int64) {
        if let cluster { return cluster.fill(after: microseconds) }
        machine.after(microseconds) { [self] in
            guard server == nil else { return }
            do {
                try start()
            } catch {
                guard mayFailToWrite else {
                    return violations.append("the server does not start: \(error)")
                }
                failedStarts += 1
                hosts[0].process.end()
                disk = disk.survivors(.nothing, using: &self.random)
                if failedStarts > 30 { violations.append("the server does not start: \(error)") } else { restart(after: 50_000) }
            }
        }
    }

    private func drain(_ random: inout SeededRandom) -> String {
        guard let server, server.state == .ready else { return "the server is not running" }
        let timeout = Int64(random.below(1500))
        stop(0, timeout: timeout, restartAfter: Int64(10_000 + random.below(300_000)))
        return "drains within \(timeout) ms and restarts"
    }

    /// Drains the server, or suspends it without a timeout; then starts it again.
    func stop(_ partition: Int, timeout: Int64?, restartAfter pause: Int64?) {
        guard case (let server?, let process) = hosts[partition] else { return }
        process.stopped = { [weak self] in
            // Later: the server's own work has to end before its process does.
            self?.machine.after(1) { [weak self] in
                guard let self, !process.isEnded else { return }
                if let cluster { return cluster.stopped(process) }
                if server.hasLostRecords, !mayFailToWrite { violations.append("an orderly stop has lost records") }
                end(.nothing)
                if let pause { restart(after: pause) }
            }
        }
        if let timeout {
            referee.stopping()
            server.drain(timeout: timeout, reason: "restart") { process.stopped?() }
        } else {
            server.suspend(releasing: cluster?.release(of: partition)) { process.stopped?() }
        }
    }

    /// The server of any partition.
    private func running(_ random: inout SeededRandom) -> Server? {
        let (server, process) = hosts[draw(&random)]
        return server?.state == .ready && !process.isPaused ? server : nil
    }

    private func administer(_ random: inout SeededRandom) -> String {
        guard let server = running(&random) else { return "the server is not running" }
        switch random.below(5) {
        case 4:
            let player = players[random.below(players.count)]
            let code = server.ownerCodePrefix + String(random.next(), radix: 36)
            guard !player.isSpectator, server.expectOwner(ofTable: player.home, code: code) else { return "has no such table" }
            player.own(code)
            return "gives \(player.home) to \(player.name)"
        case 0:
            let address = "203.0.113.\(1 + random.below(4))"
            guard let block = AddressBlock(address) else { preconditionFailure("numeric addresses are blocks") }
            let seconds = 1 + random.below(5)
            return "bans \(address) for \(seconds) s, \(server.ban([block], seconds: seconds).closed) connections end"
        case 1:
            guard let words = try? ChatText("The host speaks.") else { preconditionFailure("a plain text is chat") }
            return "speaks to \(server.say(words) ?? 0) connections"
        default:
            let player = players[random.below(players.count)]
            // Judged from here on: the bytes that tell of it come later.
            referee.kicked(player.index)
            return "\(server.kick(player.name) != nil ? "removes" : "does not find") \(player.name)"
        }
    }

    // MARK: Judging

    // Laws that hold at every event, and those that hold once the faults have stopped.

    /// Microseconds within which everybody is served once faults have stopped.
    private static let patience: Int64 = 200_000_000
    /// Makes a server the one that players reach.
    func serve(_ server: Server?, in process: VirtualProcess, partition: Int) {
        hosts[partition] = (server, process)
        if let server, hosts.count > 1 { referee.began(server.epochs) }
    }

    /// Milliseconds by which a deadline may be missed in a quiet time.
    private static let lateness: Int64 = 3000
    /// Microseconds of a quiet time after which every view is current.
    private static let settling: Int64 = 8_000_000

    /// Runs the whole world.
    /// - Returns: the first broken law; nil for none.
    func run() -> String? {
        restoreDisk()
        restart(after: 0)
        startPlayers()
        repeat {
            if let broken = playWithFaults() ?? playQuietly() { return broken }
        } while roundCount < settings.rounds && !isOver()
        return isOver() ? nil : stopInOrder()
    }

    /// The first broken law so far.
    private var broken: String? {
        if let first = violations.first { return first }
        if let finding = referee.findings.first { return finding.description }
        return nil
    }

    /// Runs events until a time, in microseconds, or until a condition holds.
    private func advance(until end: Int64, or isOver: () -> Bool = { false }) -> String? {
        var steps = 0
        while machine.time < end, machine.step() {
            steps += 1
            if steps % 4096 == 0, self.isOver() { return nil }
            if !referee.findings.isEmpty || !violations.isEmpty { return broken }
            if failure != nil { endFailed() }
            if isOver() { return nil }
        }
        return nil
    }

    /// The journal has failed: the program ends at once, as the real one does, and is started again.
    private func endFailed() {
        guard let error = failure else { return }
        if case .storage = error, settings.faults.contains(.broken) {
            end(.nothing)
            restart(after: 20_000)
        } else {
            violations.append("the journal failed: \(error)")
        }
    }

    private func playWithFaults() -> String? {
        isFaulty = true
        scheduleFault()
        defer { isFaulty = false }
        return advance(until: machine.time + Int64(4_000_000 + random.below(16_000_000))) { roundCount >= settings.rounds }
    }

    // MARK: Liveness

    private func playQuietly() -> String? {
        machine.trace.note(.quiet, at: machine.time, 0)
        nextFault += 1
        disk.heal()
        restoreDisk()
        machine.network.unclog()
        cluster?.healRegistry()
        for host in hosts { host.process.stall(loop: nil, for: 0) }
        for client in hostileClients { client.leave() }
        hostileClients = []
        for player in players { if let link = player.link { machine.network.setReading(true, link) } }
        if let broken = advance(until: .max, or: { hosts.allSatisfy { $0.server?.state == .ready } }) { return broken }
        if isOver() { return nil }
        let before = roundsByTable
        let start = machine.time
        var looked = start
        let result = advance(until: start + Self.patience) {
            guard machine.time > looked + 50_000 else { return false }
            looked = machine.time
            noteDeadlines(since: start)
            return isServed(since: before)
        }
        if let result { return result }
        if isOver() { return nil }
        guard isServed(since: before) else {
            return "\(Self.patience / 1_000_000) s after the last fault: \(unserved(since: before))"
        }
        // As each server counts them.
        let imbalances = hosts.map { $0.server?.ledger.imbalance ?? 0 }
        guard imbalances.allSatisfy({ $0 == 0 }) else { return "\(imbalances) chips too many" }
        return auditedHouse
    }

    private var auditedHouse: String? {
        do { try cluster?.audit() } catch { return "\(error)" }
        return nil
    }

    private func isServed(since before: [String: Int]) -> Bool {
        let after = roundsByTable
        return players.allSatisfy { isServed($0) }
            && Set(players.map(\.home)).allSatisfy { after[$0, default: 0] > before[$0, default: 0] }
    }

    private func isServed(_ player: SimulatedPlayer) -> Bool {
        player.machine.link == .loggedIn && referee.isAnswered(player.index)
    }

    private func unserved(since before: [String: Int]) -> String {
        let waiting = players.filter { !isServed($0) }.map { "\($0.name) is \($0.machine.link)" }
        let after = roundsByTable
        let tables = Set(players.map(\.home)).sorted().filter { after[$0, default: 0] <= before[$0, default: 0] }
        return (waiting + tables.map { "no round ended at \($0)" }).joined(separator: ", ")
    }

    /// A table shown with a deadline that has passed for long has missed it.
    private func noteDeadlines(since start: Int64) {
        guard machine.time > start + Self.settling else { return }
        for player in players where player.link != nil && referee.isWatching(player.index) {
            guard let table = referee.place(of: player.index)?.table, let now = hosts[partition(of: table)].server?.now,
                let deadline = referee.shown(to: player.index)?.clock?.deadline, deadline + Self.lateness < now
            else { continue }
            violations.append("\(table) has missed its deadline by \(now - deadline) ms")
        }
    }

    // MARK: The end

    /// Stops the servers in order, and audits their journals.
    private func stopInOrder() -> String? {
        if hosts.count > 1 { cluster?.close() }
        for partition in hosts.indices { stop(partition, timeout: 500, restartAfter: nil) }
        let haveStopped = { [self] in hosts.allSatisfy { $0.server == nil } }
        if let broken = advance(until: machine.time + Self.patience, or: haveStopped) { return broken }
        guard haveStopped() else { return "a drain of 500 ms does not end" }
        do {
            try audit()
            return auditedHouse
        } catch {
            return "the audit: \(error)"
        }
    }
}

/// A kind of fault, by the name that `--faults` takes.
public enum FaultKind: String, CaseIterable, Sendable {
    /// Delays vary, bytes arrive cut anywhere, calls are interrupted.
    case delay
    /// The network resets connections.
    case reset
    /// A client is gone without a word; the server's end stays open.
    case vanish
    /// Connections carry nothing for a while, then everything, in random order.
    case clog
    /// Many clients at once are cut off for a while.
    case partition
    /// Clients stop reading.
    case reader
    /// Hostile clients, of any kind.
    case flood
    /// The process is killed; the system keeps what was written.
    case kill
    /// A power cut: what was not synced is lost, torn or damaged.
    case power
    /// The disk is slow.
    case disk
    /// The disk is full for a while.
    case full
    /// The disk fails once: the server stops, and is started again.
    case broken
    /// Threads get no time for a while.
    case stall
    /// The wall clock jumps.
    case clock
    /// The host drains the server and starts it again.
    case drain
    /// The host restarts the server, which keeps seats and hands.
    case restart
    /// Of several processes, the owner stands still, mostly for longer than a lease, and wakes.
    case pause
    /// A spare claims although the owner lives.
    case takeover
    /// The owner hands over to a spare.
    case handover
    /// Of several partitions, the servers do not reach one another.
    case split
    /// The rows of accounts answer late, or not.
    case registry
    /// The host removes a player, bans hostile addresses, speaks.
    case host

    /// As `--faults` takes them.
    public static var names: [String] { allCases.map(\.rawValue) }
}

/// One fault of a run's schedule. Its details are drawn from a stream of its own: leaving another one out does not change it.
struct PlannedFault: Sendable {
    let number: Int
    let kind: FaultKind
    /// Microseconds since the fault before.
    let pause: Int64
    var random: SeededRandom

    init(number: Int, seed: UInt64, kinds: [FaultKind]) {
        var random = SeededRandom(seed: seed, stream: 1000 + UInt64(number))
        self.number = number
        // A restart takes a while: rarer than the others.
        var kind = kinds[random.below(kinds.count)]
        if kind.isRare, random.below(3) > 0 { kind = kinds[random.below(kinds.count)] }
        self.kind = kind
        pause = Int64(20_000 + random.below(random.below(4) == 0 ? 3_000_000 : 600_000))
        self.random = random
    }
}

extension FaultKind {
    /// Whether it restarts the server.
    fileprivate var isRare: Bool { [.kill, .power, .broken, .drain, .restart, .pause, .takeover, .handover].contains(self) }

    /// Whether it needs several processes.
    var needsCluster: Bool { [.pause, .takeover, .handover].contains(self) || needsHouse }

    /// Whether it needs several partitions.
    var needsHouse: Bool { [.split, .registry].contains(self) }

    /// Whether it needs a disk of the server's own.
    fileprivate var needsDisk: Bool { [.power, .disk, .full, .broken, .drain, .restart].contains(self) }

    /// Whether it is drawn from the schedule; the others hold all the time.
    var isScheduled: Bool { self != .delay }
}
