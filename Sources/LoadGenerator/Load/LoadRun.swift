import Dispatch
import Foundation
import Measuring
import Referee
import Rules
import Sockets
import TableModel

/// A load run from the first connection to the report.
///
/// Its queue gives the crews their orders and gathers their counts once a second.
public final class LoadRun: @unchecked Sendable {  // touched on `control` alone after `init`
    public struct Options: Sendable {
        public var host: String
        public var port: Int
        public var scenario: Scenario
        /// The charts that the scenario names.
        public var charts: [String: StrategyChart] = [:]
        /// Loops that honest bots run on.
        public var loops = 1
        /// When the run begins, as ISO 8601, for the report.
        public var started = ""
        /// Prefix of the bots' names: 1 to 10 characters, different in each run, since a server keeps names for a while.
        public var namePrefix = "load-"
        /// Whether each diff is to carry its check value.
        public var wantsChecks = false
        /// Whether every bot reads each line as it arrives. Otherwise one that has nothing to do is read a little later, several lines at once.
        public var readsAtOnce = false
        /// Addresses of this machine that honest bots connect from, in turn: one has too few ports for very many of them.
        public var sources: [String] = []
        /// Where the server tells its metrics, if it does.
        public var metrics: MetricsReader.Source?
        /// Seconds between two looks at how it goes, at least; a run of hours is looked at less often.
        var interval = 1.0

        public init(host: String, port: Int, scenario: Scenario) {
            self.host = host
            self.port = port
            self.scenario = scenario
        }
    }

    /// How far a run is.
    public struct Progress: Sendable {
        /// Seconds.
        public var elapsed: Double
        public var duration: Double
        var phase: String
        var point: LoadReport.Point
        /// Everything so far.
        public var report: LoadReport
        /// The server's own figures, a few lines; nothing unless they are asked for.
        public var server: [String] = []
    }

    let options: Options
    let control = DispatchQueue(label: "bj.load.control")
    let crews: [LoadCrew]
    let squad: HostileSquad
    var report = LoadReport()
    private let progress: @Sendable (Progress) -> Void
    private let completion: @Sendable (Result<(LoadReport, scripts: [String]), SocketError>) -> Void
    private let watch: ServerWatch?
    private var scout: Scout?
    private var plan: SeatPlan?
    /// The tables that the server lists and that are open to everybody.
    private var listed: [String] = []
    private var seats: [(table: String?, loop: Int)] = []
    private var timer: (any DispatchSourceTimer)?
    private var start: Int64 = 0
    private var startUsage: Int64 = 0
    private var honest = 0
    private var isEnding = false
    private var last: (moment: Int64, actions: Int, rounds: Int, errors: Int) = (0, 0, 0, 0)

    /// - Parameters:
    ///   - progress: called after each look, on the run's queue.
    ///   - completion: called once, on the run's queue: the report and the scripts of its violations, in the same order, or the
    ///     reason why the server could not be reached.
    public init(
        _ options: Options, progress: @escaping @Sendable (Progress) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(LoadReport, scripts: [String]), SocketError>) -> Void
    ) {
        self.options = options
        self.progress = progress
        self.completion = completion
        let settings = LoadCrew.Settings(
            host: options.host, port: options.port, namePrefix: options.namePrefix, seed: options.scenario.seed,
            mixes: options.scenario.mixes, charts: options.charts, wantsChecks: options.wantsChecks, sources: options.sources,
            readsAtOnce: options.readsAtOnce, crews: max(1, options.loops))
        crews = (0..<max(1, options.loops)).map { LoadCrew(settings: settings, index: $0) }
        squad = HostileSquad(
            host: options.host, port: options.port, seed: options.scenario.seed, namePrefix: options.namePrefix,
            weights: options.scenario.hostileWeights, sources: options.sources)
        let queue = control
        watch = options.metrics.map { ServerWatch($0, queue: queue) }
    }

    public func begin() {
        let loop = crews[0].loop
        loop.perform { [self] in
            let scout = Scout(host: options.host, port: options.port, loop: loop) { [self] result in
                control.async { [self] in prepare(result) }
            }
            control.async { [self] in self.scout = scout }
        }
    }

    /// When actions are due in the open phases, in microseconds of ``now``, in order. On the run's queue: in `progress` and `completion`.
    public var dueMoments: [Int64] {
        dispatchPrecondition(condition: .onQueue(control))
        var (moment, moments) = (start, [Int64]())
        for phase in options.scenario.phases {
            if case .actions(let perSecond, let time) = phase {
                for crew in crews {
                    var model = model(perSecond, moment, moment + time * 1000, stream: 1, crew)
                    model.advance(to: .max)
                    while let due = model.takeDue() { moments.append(due) }
                }
            }
            moment += phase.duration * 1000
        }
        return moments.sorted()
    }

    /// The clock of all moments of a run: microseconds of the system's monotonic clock.
    public static var now: Int64 { Microclock.now }

    /// Ends the run early; the report covers the time until then.
    public func interrupt() {
        control.async { [self] in
            report.isInterrupted = true
            finish()
        }
    }

    private func prepare(_ result: Result<Scout.Lobby, SocketError>) {
        guard !isEnding else { return }
        switch result {
        case .failure(let error):
            isEnding = true
            completion(.failure(error))
        case .success(let lobby):
            let isEven = options.scenario.mixes.contains { $0.table == .even }
            listed = lobby.tables.filter { !$0.isLocked }.map(\.name)
            let open = lobby.tables.filter { !$0.isLocked }.map { (name: $0.name, free: $0.freeSeats) }
            let plan = SeatPlan(tables: open, loops: crews.count, isEven: isEven)
            let most = options.scenario.mostBots
            let playing = most - options.scenario.hostile(of: most)
            seats = plan.places(playing)
            // Bots without a place in the plan ask for any seat: the server knows tables that its lobby does not list.
            if plan.seats < playing, lobby.total == lobby.tables.count {
                report.warnings.append("the server has \(plan.seats) free seats in its lobby for \(playing) bots")
            }
            self.plan = plan
            run()
        }
    }

    private func run() {
        watch?.ask()
        start = Microclock.now + 100_000
        startUsage = Self.processorTime
        last.moment = start
        report.target = "\(options.host):\(options.port)"
        report.started = options.started
        report.seed = options.scenario.seed
        report.expectsActions = options.scenario.hasHonestBots
        report.plan = options.scenario.phases.map(\.words)
        let interval = max(options.interval, (Double(options.scenario.duration) / 1000 / 600).rounded(.down))
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: control)
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: Self.time(start + Int64(interval * 1_000_000)), repeating: interval)
        timer.resume()
        self.timer = timer
        var moment = start
        for phase in options.scenario.phases {
            let begins = moment
            // Slightly early, so that an action due at the very beginning is not late.
            control.asyncAfter(deadline: Self.time(begins - 50_000)) { [self] in enter(phase, at: begins) }
            moment += phase.duration * 1000
        }
        control.asyncAfter(deadline: Self.time(moment)) { [self] in finish() }
    }

    private func enter(_ phase: Scenario.Phase, at moment: Int64) {
        guard !isEnding else { return }
        for crew in crews { crew.close() }
        let end = moment + phase.duration * 1000
        switch phase {
        case .hold: break
        case .ramp(let bots, let over): ramp(to: bots, at: moment, over: over * 1000)
        case .actions(let perSecond, _):
            for crew in crews { crew.open(model(perSecond, moment, end, stream: 1, crew)) }
        case .sessions(let perSecond, _):
            for crew in crews { crew.openSessions(model(perSecond, moment, end, stream: 2, crew)) }
        }
    }

    /// The sum of independent Poisson processes is one: each crew has its share of the rate.
    private func model(_ perSecond: Double, _ start: Int64, _ end: Int64, stream: UInt64, _ crew: LoadCrew) -> OpenModel {
        let random = SeededRandom(seed: options.scenario.seed, stream: 1 << 40 | UInt64(crew.index) << 8 | stream)
        return OpenModel(perSecond: perSecond / Double(crews.count), from: start, until: end, random: random)
    }

    private func ramp(to bots: Int, at moment: Int64, over: Int64) {
        let hostile = options.scenario.hostile(of: bots)
        squad.bring(
            to: hostile, at: moment, over: over, tables: seats.isEmpty ? listed : plan?.used(by: seats.count) ?? [],
            playground: plan?.unused(by: seats.count) ?? [], honestBots: seats.count)
        let target = bots - hostile
        report.honestBots = max(report.honestBots, target)
        report.hostileBots = max(report.hostileBots, hostile)
        let change = abs(target - honest)
        func at(_ index: Int) -> Int64 { moment + over * Int64(index) / Int64(max(1, change)) }
        if target > honest {
            var orders = [[(number: Int, table: String?, moment: Int64)]](repeating: [], count: crews.count)
            for (index, number) in (honest..<target).enumerated() {
                orders[seats[number].loop].append((number, seats[number].table, at(index)))
            }
            for (crew, order) in zip(crews, orders) { crew.bring(order) }
        } else {
            for crew in crews { crew.send((target..<honest).reversed().enumerated().map { ($0.element, at($0.offset)) }) }
        }
        honest = target
    }

    // MARK: Looking

    private func look() {
        guard !isEnding else { return }
        let now = Microclock.now
        gather(at: now)
        watch?.ask()
        guard let point = report.timeline.last else { return }
        let elapsed = Double(now - start) / 1_000_000
        var passed: Int64 = 0
        let phase = options.scenario.phases.first { phase in
            passed += phase.duration
            return Double(passed) / 1000 > elapsed
        }
        progress(
            Progress(
                elapsed: elapsed, duration: Double(options.scenario.duration) / 1000, phase: phase?.words ?? "", point: point,
                report: report, server: watch?.figures.lines ?? []))
    }

    /// Asks all crews, and adds a point to the timeline.
    private func gather(at now: Int64) {
        let total = Tidings(crews.map { $0.tidings() })
        total.fill(&report)
        report.hostile = squad.tallies()
        report.seconds = Double(now - start) / 1_000_000
        let elapsed = max(0.001, Double(now - last.moment) / 1_000_000)
        let recent = total.figures.recent
        report.timeline.append(
            LoadReport.Point(
                time: report.seconds, connected: total.figures.connected,
                rounds: Double(max(0, report.rounds - last.rounds)) / elapsed,
                actions: Double(report.actions - last.actions) / elapsed, p50: recent.value(at: 50), p99: recent.value(at: 99),
                max: recent.max, errors: report.errorCount - last.errors))
        report.peakConnected = max(report.peakConnected, total.figures.connected)
        last = (now, report.actions, report.rounds, report.errorCount)
    }

    // MARK: The end

    private func finish() {
        guard !isEnding else { return }
        isEnding = true
        timer?.cancel()
        guard start > 0 else {
            return completion(.failure(SocketError(operation: "load", subject: report.target, reason: "interrupted")))
        }
        // A point of a fraction of a second says little.
        if report.timeline.isEmpty || Microclock.now - last.moment > 500_000 { gather(at: Microclock.now) }
        report.generatorSeconds = Double(Self.processorTime - startUsage) / 1_000_000
        watch?.ask()
        squad.stop()
        for crew in crews { crew.close() }
        for crew in crews { crew.send((0..<seats.count).map { ($0, 0) }) }
        for crew in crews { crew.endSessions() }
        waitForGoodbyes(until: Microclock.now + 3_000_000)
    }

    private func waitForGoodbyes(until deadline: Int64) {
        let left = crews.reduce(watch?.isBusy == true ? 1 : 0) { $0 + $1.tidings().bots }
        if left > 0, Microclock.now < deadline {
            control.asyncAfter(deadline: .now() + 0.05) { [self] in waitForGoodbyes(until: deadline) }
            return
        }
        for crew in crews { crew.stop() }
        let (counts, hostile) = (report, squad.tallies())
        let total = Tidings(crews.map { $0.tidings() })
        total.fill(&report)
        // Replies to pending actions are measured; counts of the bots' goodbyes are not.
        (report.actions, report.rounds, report.sessions) = (counts.actions, counts.rounds, counts.sessions)
        report.roundsByTable = counts.roundsByTable
        report.hostile = hostile
        report.serverSeconds = watch?.processorSeconds
        watch?.stop()
        warn()
        report.judge(by: options.scenario.thresholds)
        for crew in crews { crew.dissolve() }
        completion(.success((report, total.scripts)))
    }

    private func warn() {
        let usage = report.generatorSeconds / max(0.001, report.seconds)
        if usage > 0.9 * Double(crews.count) {
            report.warnings.append(
                "the generator is the bottleneck: it used \(fixed(usage, 1)) processors with \(crews.count) loops; try --loops \(crews.count * 2)"
            )
        }
        let due = report.actions + report.latency.unanswered
        if report.waitedForBot * 20 > due {
            report.warnings.append(
                "\(report.waitedForBot) of \(due) actions had to wait until a bot could act: the server was slow, or there are too few bots or tables for this rate"
            )
        }
        if report.latency.unanswered * 100 > due {
            report.warnings.append("\(report.latency.unanswered) of \(due) actions were not answered")
        }
    }

    /// Microseconds of processor time that this process has used.
    private static var processorTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    private static func time(_ moment: Int64) -> DispatchTime { DispatchTime(uptimeNanoseconds: UInt64(max(1, moment)) * 1000) }
}

/// The tidings of all crews together.
private struct Tidings {
    var figures = CrewFigures()
    var rounds: [String: Int] = [:]
    var lines = 0
    var violations: [Violation] = []
    var scripts: [String] = []
    var violationCount = 0
    var server = ""

    init(_ parts: [LoadCrew.Tidings]) {
        for part in parts {
            figures.merge(part.figures)
            // A table that bots of two loops watch has played its rounds once.
            rounds.merge(part.rounds, uniquingKeysWith: max)
            lines += part.lines
            violations += part.violations
            scripts += part.scripts
            violationCount += part.violationCount
            if !part.server.isEmpty { server = part.server }
        }
    }

    func fill(_ report: inout LoadReport) {
        report.server = server
        report.rounds = rounds.values.reduce(0, +)
        report.roundsByTable = rounds
        report.hands = figures.hands
        report.net = figures.net
        report.actions = figures.actions
        report.sessions = figures.sessions
        report.lines = lines
        report.disconnects = figures.disconnects
        report.errors = figures.errors
        report.violations = violations
        report.violationCount = violationCount
        report.latency = figures.latency
        report.join = figures.join
        report.waitedForBot = figures.waitedForBot
        report.rests = figures.rests
    }
}

extension Scenario.Phase {
    /// In words, for people.
    public var words: String {
        func span(_ time: Int64) -> String { Distribution.Span.text(milliseconds: Double(time)) }
        return switch self {
        case .ramp(let bots, let over): "ramp to \(grouped(bots)) bots over \(span(over))"
        case .hold(let time): "hold \(span(time))"
        case .actions(let rate, let time): "\(JSONTree.text(of: rate)) actions a second for \(span(time))"
        case .sessions(let rate, let time): "\(JSONTree.text(of: rate)) sessions a second for \(span(time))"
        }
    }
}
