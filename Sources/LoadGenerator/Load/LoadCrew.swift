import Bots
import ClientCore
import Dispatch
import Referee
import Rules
import Sockets

/// The honest bots of one loop: they share its mirrors, its figures and one alarm clock. Confined to its loop.
final class LoadCrew {
    typealias Arrival = (number: Int, table: String?, moment: Int64)

    let options: LoadRun.Options
    let loop: Loop
    /// The id before each bot's first: the server remembers those of an earlier run with these accounts.
    let firstID = Int.random(in: 1...Int(Int32.max))
    let group = RefereeGroup()
    var figures = CrewFigures()

    private var bots: [Int: LoadBot] = [:]
    /// Of all bots that have come.
    private var numbers: [Int] = []
    private(set) lazy var strategies = strategiesOfCrew()
    private var agenda = Agenda<() -> Void>()
    private var alarm: PreciseTimer?
    private var alarmSetTo = Int64.max
    private var model: OpenModel?
    private var cuts: OpenModel?
    private var random: SeededRandom
    private var isWorking = false

    fileprivate init(_ options: LoadRun.Options, index: Int, loop: Loop) {
        self.options = options
        self.loop = loop
        random = SeededRandom(seed: options.seed, stream: 1 << 41 | UInt64(index))
        alarm = PreciseTimer(on: loop) { [weak self] in self?.alarmRang() }
    }

    // MARK: Orders

    /// Bots come, each at its moment in microseconds.
    func bring(_ arrivals: [Arrival]) {
        for arrival in arrivals {
            let bot = LoadBot(
                number: arrival.number, crew: self,
                mind: BotMind(chart: options.chart, manner: options.manner, strategies: strategies),
                table: arrival.table)
            bots[arrival.number] = bot
            numbers.append(arrival.number)
            agenda.add({ bot.start(intended: arrival.moment) }, at: arrival.moment)
        }
        work()
    }

    /// Has bots act when the model says so, and connections cut when the other one says so.
    func open(_ model: OpenModel?, cuts: OpenModel?) {
        (self.model, self.cuts) = (model, cuts)
        if let next = model?.next { agenda.add(assignArrivals, at: next) }
        if let next = cuts?.next { agenda.add(cutConnections, at: next) }
        considerAll()
    }

    /// Has everybody log out; due actions are given up.
    func end() {
        giveUp()
        for bot in bots.values { bot.end() }
        work()
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
        loop.stop()
    }

    /// Counts so far; recent latencies since the last call.
    func report() -> CrewFigures {
        defer { figures.recent.reset() }
        var report = figures
        (report.bots, report.rounds, report.lines) = (bots.count, group.rounds, group.lines)
        (report.violations, report.violationCount) = (group.violations, group.violationCount)
        return report
    }

    // MARK: For bots

    var isOpen: Bool { model != nil }

    func isGone(_ bot: LoadBot) { bots[bot.number] = nil }

    /// - Parameter moment: in microseconds.
    func perform(at moment: Int64, _ task: @escaping () -> Void) {
        agenda.add(task, at: moment)
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
                LatencyBook.Timestamps(intended: assignment.intended, possible: assignment.possible, sent: 0))
        }
    }

    private func giveUp() {
        let now = Microclock.now
        for intended in model?.giveUp() ?? [] { figures.latency.giveUpUnsent(intended: intended, at: now) }
        if let dropped = model?.dropped, dropped > 0 {
            figures.errors["more than a million actions were waiting", default: 0] += dropped
        }
        (model, cuts) = (nil, nil)
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

    /// Performs due tasks.
    private func work() {
        guard !isWorking else { return }
        isWorking = true
        while let (_, task) = agenda.take(until: Microclock.now) { task() }
        isWorking = false
        setAlarm()
    }

    private func assignArrivals() {
        model?.advance(to: Microclock.now)
        if let next = model?.next { agenda.add(assignArrivals, at: next) }
        assign()
    }

    private func cutConnections() {
        cuts?.advance(to: Microclock.now)
        while cuts?.takeDue() != nil { if let number = numbers.randomElement(using: &random) { bots[number]?.cut() } }
        if let next = cuts?.next { agenda.add(cutConnections, at: next) }
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
    static func makeCrew(_ options: LoadRun.Options, index: Int) -> Self {
        // Waits for the next event on its own thread, as a server's loops do: saves half the cost of a short line.
        let loop = Loop(label: "bj.load.\(index)", idleWait: 250)
        return loop.performAndWait { LoopConfined(LoadCrew(options, index: index, loop: loop), on: loop) }
    }
}

/// Counts of the bots of one loop.
struct CrewFigures: Sendable {
    /// Bots that have come and not left.
    var bots = 0
    var connected = 0
    /// The server's name and version.
    var server = ""
    var actions = 0
    var hands = 0
    var net = 0
    var disconnects = 0
    /// Connections that the run has cut.
    var cuts = 0
    var waitedForBot = 0
    /// Shoes that bots have judged, each bot its own.
    var shoes = ShoeCounts()
    var errors: [String: Int] = [:]
    var latency = LatencyBook()
    var join = LatencyBook()
    /// Corrected latencies since the last look.
    var recent = Histogram()
    /// By table.
    var rounds: [String: Int] = [:]
    var lines = 0
    var violations: [(violation: Violation, transcript: String)] = []
    var violationCount = 0

    /// Distinct error texts that are counted; further ones are counted together.
    private static let kinds = 64

    mutating func fail(_ reason: String) {
        let key = errors[reason] != nil || errors.count < Self.kinds ? reason : "other"
        errors[key, default: 0] += 1
    }

    mutating func merge(_ other: CrewFigures) {
        bots += other.bots
        connected += other.connected
        if server.isEmpty { server = other.server }
        actions += other.actions
        hands += other.hands
        net += other.net
        disconnects += other.disconnects
        waitedForBot += other.waitedForBot
        cuts += other.cuts
        shoes.merge(other.shoes)
        errors.merge(other.errors, uniquingKeysWith: +)
        latency.merge(other.latency)
        join.merge(other.join)
        recent.merge(other.recent)
        // A table that bots of two loops watch has played its rounds once.
        rounds.merge(other.rounds, uniquingKeysWith: max)
        lines += other.lines
        violations += other.violations
        violationCount += other.violationCount
    }
}
