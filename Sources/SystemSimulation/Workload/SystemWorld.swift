import Journal
import LoadGenerator
import Measuring
import Operations
import Referee
import Rules
import ServerCore
import TableModel
import Wire

/// A server, its players and its faults on one virtual machine, from one seed. One thread.
final class SystemWorld {
    struct Settings: Sendable {
        var seed: UInt64
        var faults: Set<FaultKind> = Set(FaultKind.allCases)
        /// Numbers of scheduled faults that are left out.
        var skipped: Set<Int> = []
        /// Rounds after which the world ends, in its next quiet phase.
        var rounds = 500
    }

    let settings: Settings
    let machine: VirtualMachine
    var referee: RecoveryReferee
    private(set) var players: [SimulatedPlayer] = []
    private var guests: [SimulatedGuest] = []
    /// Whether the players keep their last lines.
    let keepsTranscripts: Bool
    var server: Server?
    var disk = FaultStorage()
    var random: SeededRandom
    let configuration: ShardConfiguration
    let loops: Int
    private let tableCount: Int
    /// Seats refused to guests in a row, and since when, in microseconds.
    private var refusedSeats: (since: Int64, count: Int)?
    /// Shoes whose proofs players have checked.
    var verifiedShoes = 0
    /// Hostile peers that are there.
    var peers: [HostilePeer] = []
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
        random = SeededRandom(seed: settings.seed, stream: 3)
        let tables = 2 + random.below(9)
        let perTable = 1 + random.below(4)
        let (spectators, guests) = (random.below(5), random.below(3))
        loops = 1 + random.below(3)
        tableCount = tables
        configuration = Self.configuration(tables: tables)
        let seed = settings.seed
        let people = tables * perTable + spectators
        referee = RecoveryReferee(
            players: (0..<people).map { CrashPlayer(number: $0, home: "", seed: seed).name },
            startingChips: configuration.startingChips)
        machine.trace.printer = printer
        machine.journalFailed = { [weak self] in self?.fail($0) }
        machine.network.isUnsteady = settings.faults.contains(.delay)
        players = (0..<people).map { index in
            SimulatedPlayer(
                index: index, home: Self.name(ofTable: index % tables), isSpectator: index >= tables * perTable, seed: seed,
                world: self)
        }
        self.guests = (0..<guests).map { SimulatedGuest(number: $0, seed: seed, world: self) }
    }

    /// The name of a table, by any number.
    func tableName(_ number: Int) -> String { Self.name(ofTable: number % tableCount) }

    private static func name(ofTable index: Int) -> String { "judged-\(index + 1)" }

    private static func configuration(tables: Int) -> ShardConfiguration {
        let variants: [[(String, RuleValue)]] = [
            [],
            [("surrender", .text("late")), ("seatsPerPlayer", .integer(2)), ("decks", .integer(2))],
            [("holeCard", .text("none")), ("double", .text("9-11")), ("maxHands", .integer(2))],
            [
                ("decks", .integer(1)), ("soft17", .text("hit")), ("surrender", .text("early")), ("penetration", .number(0.6)),
                ("doubleAfterSplit", .flag(false)),
            ],
            [
                ("blackjackPays", .text("6:5")), ("charlie", .integer(5)), ("resplitAces", .flag(true)),
                ("hitSplitAces", .flag(true)), ("continuousShuffle", .flag(true)), ("doubleForLess", .flag(true)),
            ],
        ]
        let clocks: [(String, RuleValue)] = [
            ("bettingSeconds", .integer(1)), ("decisionSeconds", .integer(60)), ("insuranceSeconds", .integer(60)),
        ]
        var settings = (0..<tables).map { index in
            guard let rules = try? HouseRules(clocks + variants[index % variants.count]) else {
                preconditionFailure("the simulated tables' rules are valid")
            }
            return ShardConfiguration.TableSetting(name: name(ofTable: index), rules: rules, pass: CrashTables.pass)
        }
        // For guests. The second table is not on the first loop if there are several.
        settings.insert(ShardConfiguration.TableSetting(name: "open", rules: HouseRules()), at: 1)
        var configuration = ShardConfiguration(tables: settings)
        configuration.settledMilliseconds = 20
        // The referee relies on the long clocks. Charges are recorded and replayed all the same.
        configuration.bankMilliseconds = 86_400_000
        configuration.startingChips = 1000
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
        starts += 1
        machine.trace.note(.start, at: machine.time, starts)
        disk.setTime(UInt64(machine.wallClock))
        var recovering = Recovery.Options()
        recovering.journal = JournalConfiguration(segmentBytes: 64 << 10, retryInterval: 200_000)
        recovering.history = JournalHistory.everything
        recovering.version = "simulated"
        recovering.house = settings.seed
        recovering.executor = .scheduled(machine)
        recovering.system = machine
        let process = machine.process
        let machine = machine
        let recovery = try Recovery.open(
            disk, tables: configuration.tables, options: recovering, wallClock: machine.wallClock,
            callbacks: .init(failed: { error in
                if machine.process == process { machine.journalFailed?(error) }
            }))
        var options = Server.Options()
        options.loops = loops
        options.seed = random.next()
        options.system = machine
        options.logging.level = .warning
        let server = Server(shards: configuration, options: options, recovery: recovery)
        do {
            _ = try server.start()
        } catch {
            server.abandon()
            throw error
        }
        self.server = server
        if server.ledger.imbalance != 0 { violations.append("a start finds \(server.ledger.imbalance) chips too many") }
    }

    /// The process has ended, whatever the reason; the disk keeps what the loss leaves.
    func end(_ loss: FaultStorage.Loss) {
        machine.trace.note(.crash, at: machine.time, starts)
        guard let ended = server else { return }
        server = nil
        failure = nil
        disk = disk.survivors(loss, using: &random)
        machine.endProcess()
        ended.abandon()
        machine.endProcess()
        refusedSeats = nil
        referee.restarted()
    }

    /// The world is over: releases its server and its machine.
    func end() {
        server?.abandon()
        server = nil
        machine.end()
    }

    /// The accounts of all loops and of the directory, as the server counts them.
    var imbalance: Int { server?.ledger.imbalance ?? 0 }

    /// Recomputes every record on the disk.
    func audit() throws { _ = try JournalFolder(reading: disk).audit() }

    func startPlayers() {
        for player in players { player.start() }
        for guest in guests { guest.come() }
    }

    // MARK: Guests

    /// Takes note of a guest's request for a seat at the table for all, which has more seats than there are guests: each hangs up soon.
    func noteSeat(refusal: Refusal?) {
        guard let refusal, !refusal.isRetryable || refusal.code == ErrorCode.tableFull.rawValue else {
            if refusal == nil { refusedSeats = nil }
            return
        }
        let refused = (since: refusedSeats?.since ?? machine.time, count: (refusedSeats?.count ?? 0) + 1)
        refusedSeats = refused
        guard refused.count >= 6, machine.time - refused.since > 4_000_000 else { return }
        violations.append("guests got no seat \(refused.count) times in a row: \(refusal.code)")
    }
}
