import Bots
import ClientCore
import Dispatch
import Referee
import Rules
import Sockets

/// The honest bots of one loop: they share its mirrors, its figures and one alarm clock. Confined to its loop.
final class LoadCrew {
    /// Settings shared by all crews of a run.
    struct Settings: Sendable {
        var host: String
        var port: Int
        /// Prefix of the bots' names.
        var namePrefix: String
        var seed: UInt64
        var mixes: [Scenario.Mix]
        /// The charts of the mixes, where they have one.
        var charts: [String: StrategyChart]
        /// Whether each diff is to carry its check value.
        var wantsChecks = false
        /// Addresses of this machine that bots connect from, in turn; the system's choice without any.
        var sources: [String] = []
        /// Whether hostile bots share the crew's addresses, and the budgets of these.
        var isAmongHostileBots = false
        /// Whether every bot reads each line as it arrives, also while it has nothing to do.
        var readsAtOnce = false
        /// The id before each bot's first: the server remembers those of an earlier run with these accounts.
        var firstID = Int.random(in: 1...Int(Int32.max))
        /// How many crews the run has, so that no two give a bot the same number.
        var crews = 1

        func source(of number: Int) -> String? { sources.isEmpty ? nil : sources[number % sources.count] }
    }

    private enum Task {
        case wake(LoadBot, UInt32)
        case tick(LoadBot)
        case start(LoadBot)
        case end(LoadBot)
        case arrivals
        case session
        case rouse
    }

    /// A crew's counts so far.
    struct Tidings: Sendable {
        var figures: CrewFigures
        var rounds: [String: Int]
        var lines: Int
        var violations: [Violation]
        var scripts: [String]
        var violationCount: Int
        var server: String
        var bots: Int
    }

    let settings: Settings
    let loop: Loop
    let index: Int
    let room = WitnessRoom()
    var figures = CrewFigures()
    var server = ""
    /// Reused by the bots' sessions: an array per request and reply would be an allocation each.
    var actions: [ClientAction] = []

    private var bots: [Int: LoadBot] = [:]
    private(set) lazy var strategies = strategiesOfCrew()
    private var agenda = Agenda<Task>()
    private var alarm: PreciseTimer?
    private var alarmSetTo = Int64.max
    private var model: OpenModel?
    private var sessions: OpenModel?
    private var nextSession: Int
    private var isWorking = false
    private var companies: [String: TableCompany] = [:]
    /// Above the number of every bot that a phase brings, of which there are a million at most.
    private static let firstSession = 1_000_000
    /// Longest time that a bot leaves input unread, in microseconds.
    private static let longestRest: Int64 = 1_000_000

    fileprivate init(settings: Settings, index: Int, loop: Loop) {
        self.settings = settings
        self.index = index
        self.loop = loop
        nextSession = Self.firstSession + index
        alarm = PreciseTimer(on: loop) { [weak self] in self?.alarmRang() }
    }

    // MARK: Orders

    /// Bots come, each at its moment in microseconds.
    func bring(_ arrivals: [(number: Int, table: String?, moment: Int64)]) {
        for arrival in arrivals where bots[arrival.number] == nil {
            let bot = makeBot(arrival.number, table: arrival.table, isSession: false)
            agenda.add(.start(bot), at: arrival.moment)
        }
        work()
    }

    /// Bots go, each at its moment in microseconds.
    func send(_ departures: [(number: Int, moment: Int64)]) {
        for departure in departures {
            if let bot = bots[departure.number] { agenda.add(.end(bot), at: departure.moment) }
        }
        work()
    }

    /// Bots act when the model says so, not at their own pace.
    func open(_ model: OpenModel) {
        self.model = model
        agenda.add(.arrivals, at: model.next ?? 0)
        considerAll()
    }

    /// Bots come one by one when the model says so, and go again after their stay.
    func openSessions(_ model: OpenModel) {
        sessions = model
        agenda.add(.session, at: model.next ?? 0)
        work()
    }

    /// Closes the open model: bots act at their own pace again, and due actions are given up.
    func close() {
        giveUp()
        let now = Microclock.now
        for bot in bots.values.sorted(by: { $0.number < $1.number }) {
            _ = bot.isAble()
            bot.consider(at: now)
        }
    }

    /// Bots that came by themselves go.
    func endSessions() {
        for bot in bots.values where bot.isSession { bot.end() }
    }

    /// Ends everything at once.
    func stop() {
        giveUp()
        for bot in bots.values { bot.abandon() }
        alarm?.cancel()
        alarm = nil
    }

    /// Frees the bots and the loop, after the last question.
    func dissolve() {
        bots = [:]
        agenda = Agenda()
        companies = [:]
        loop.stop()
    }

    /// Counts so far; recent latencies since the last call.
    func tidings() -> Tidings {
        defer { figures.recent.reset() }
        return Tidings(
            figures: figures, rounds: room.rounds, lines: room.lines, violations: room.violations.map(\.violation),
            scripts: room.violations.map(\.script), violationCount: room.violationCount, server: server, bots: bots.count)
    }

    // MARK: For bots

    var isOpen: Bool { model != nil }

    /// The bots of this loop at a table.
    func company(at table: String) -> TableCompany {
        if let company = companies[table] { return company }
        if companies.isEmpty { agenda.add(.rouse, at: Microclock.now + Self.longestRest) }
        let company = TableCompany()
        companies[table] = company
        setAlarm()
        return company
    }

    func isGone(_ bot: LoadBot) { bots[bot.number] = nil }

    func wake(_ bot: LoadBot, _ stamp: UInt32, at moment: Int64) {
        agenda.add(.wake(bot, stamp), at: moment)
        setAlarm()
    }

    /// - Parameter moment: in microseconds.
    func tick(_ bot: LoadBot, at moment: Int64) {
        agenda.add(.tick(bot), at: moment)
        setAlarm()
    }

    /// A bot may act from now on.
    func offer(_ bot: LoadBot, at now: Int64) {
        model?.add(bot.number, at: now)
        assign()
    }

    private func assign() {
        while let assignment = model?.take(where: { bots[$0]?.isAble() ?? false }) {
            if assignment.waited { figures.waitedForBot += 1 }
            bots[assignment.bot]?.act(
                LatencyBook.Moments(intended: assignment.intended, possible: assignment.possible, sent: 0))
        }
    }

    private func giveUp() {
        let now = Microclock.now
        for intended in model?.giveUp() ?? [] { figures.latency.giveUpUnsent(intended: intended, at: now) }
        if let dropped = model?.dropped, dropped > 0 {
            figures.errors["more than a million actions waited", default: 0] += dropped
        }
        model = nil
        sessions = nil
    }

    private func strategiesOfCrew() -> BasicStrategies {
        let here = LoopConfined(WeakReference(self), on: loop)
        return BasicStrategies { here.perform { $0.object?.considerAll() } }
    }

    private func considerAll() {
        let now = Microclock.now
        for bot in bots.values.sorted(by: { $0.number < $1.number }) { bot.consider(at: now) }
        work()
    }

    private func makeBot(_ number: Int, table: String?, isSession: Bool) -> LoadBot {
        var random = SeededRandom(seed: settings.seed, stream: UInt64(number))
        let mix = settings.mixes[random.pick(settings.mixes.map(\.weight))]
        var chart: StrategyChart?
        if case .chart(let name) = mix.strategy { chart = settings.charts[name] }
        let place: String? =
            switch mix.table {
            case .any: nil
            case .named(let names): names[number % names.count]
            case .fill, .even: table
            }
        let bot = LoadBot(
            number: number, crew: self, mix: mix, mind: BotMind(spread: mix.spread, chart: chart, strategies: strategies),
            table: place,
            isSession: isSession, random: random)
        bots[number] = bot
        return bot
    }

    /// Performs due tasks.
    private func work() {
        guard !isWorking else { return }
        isWorking = true
        while let (moment, task) = agenda.take(until: Microclock.now) {
            switch task {
            case .wake(let bot, let stamp): bot.wake(stamp)
            case .tick(let bot): bot.tick()
            case .start(let bot): bot.start(intended: moment)
            case .end(let bot): bot.end()
            case .arrivals:
                model?.advance(to: Microclock.now)
                if let next = model?.next { agenda.add(.arrivals, at: next) }
                assign()
            case .rouse:
                for company in companies.values { company.wakeAll() }
                agenda.add(.rouse, at: Microclock.now + Self.longestRest)
            case .session:
                sessions?.advance(to: Microclock.now)
                while let moment = sessions?.takeDue() {
                    makeBot(nextSession, table: nil, isSession: true).start(intended: moment)
                    nextSession += settings.crews
                }
                if let next = sessions?.next { agenda.add(.session, at: next) }
            }
        }
        isWorking = false
        setAlarm()
    }

    private func alarmRang() {
        alarmSetTo = .max
        work()
    }

    private func setAlarm() {
        guard !isWorking, let next = agenda.next, next != alarmSetTo else { return }
        alarmSetTo = next
        alarm?.arm(at: UInt64(clamping: next) * 1000)
    }

    /// Performs tasks that became due, since the loop is awake anyway.
    func passBy(at now: Int64) {
        if let next = agenda.next, next <= now { work() }
    }
}

extension LoopConfined<LoadCrew> {
    /// A crew on a loop of its own.
    static func makeCrew(settings: LoadCrew.Settings, index: Int) -> Self {
        // Waits for the next event on its own thread, as a server's loops do: saves half the cost of a short line.
        let loop = Loop(label: "bj.load.\(index)", idleWait: 250)
        return loop.performAndWait { LoopConfined(LoadCrew(settings: settings, index: index, loop: loop), on: loop) }
    }
}

extension SeededRandom {
    /// A place in a list of weights, each as likely as its weight.
    mutating func pick(_ weights: [Double]) -> Int {
        var left = unit() * weights.reduce(0, +)
        for (index, weight) in weights.enumerated() {
            left -= weight
            if left < 0 { return index }
        }
        return max(0, weights.count - 1)
    }
}

/// Shoes by the result of their proofs.
struct ShoeCounts: Equatable, Sendable {
    var verified = 0
    /// Not as committed to, or of a ceremony that was not honest.
    var failed = 0
    /// Without a proof.
    var unproven = 0

    mutating func merge(_ other: ShoeCounts) {
        verified += other.verified
        failed += other.failed
        unproven += other.unproven
    }
}

/// Counts of the bots of one loop.
struct CrewFigures: Sendable {
    var connected = 0
    var actions = 0
    var hands = 0
    var net = 0
    var sessions = 0
    var disconnects = 0
    var waitedForBot = 0
    /// Times that a bot left input unread.
    var rests = 0
    /// Shoes that bots have judged, each bot its own.
    var shoes = ShoeCounts()
    var errors: [String: Int] = [:]
    var latency = LatencyBook()
    var join = LatencyBook()
    /// Corrected latencies since the last look.
    var recent = Histogram()

    /// Distinct error texts that are counted; further ones are counted together.
    private static let kinds = 64

    mutating func fail(_ reason: String) {
        let key = errors[reason] != nil || errors.count < Self.kinds ? reason : "other"
        errors[key, default: 0] += 1
    }

    mutating func merge(_ other: CrewFigures) {
        connected += other.connected
        actions += other.actions
        hands += other.hands
        net += other.net
        sessions += other.sessions
        disconnects += other.disconnects
        waitedForBot += other.waitedForBot
        rests += other.rests
        shoes.merge(other.shoes)
        errors.merge(other.errors, uniquingKeysWith: +)
        latency.merge(other.latency)
        join.merge(other.join)
        recent.merge(other.recent)
    }
}
