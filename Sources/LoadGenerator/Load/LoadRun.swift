import CommandLineKit
import Foundation
import Referee
import Rules
import Sockets
import TableModel

/// Gives the crews of a ``LoadRun`` their orders and gathers their counts once a second. Confined to the run's loop.
final class LoadRunDriver {
    private let options: LoadRun.Options
    private let loop: Loop
    private let crews: [LoopConfined<LoadCrew>]
    private let squad: HostileSquad
    private var report = LoadReport()
    private let progress: @Sendable (LoadRun.Progress) -> Void
    private let completion: @Sendable (Result<(LoadReport, scripts: [String]), SocketError>) -> Void
    private let watch: ServerWatch?
    private var scout: LoopConfined<Scout>?
    private var plan: SeatPlan?
    /// The tables that the server lists and that are open to everybody.
    private var listed: [String] = []
    private var seats: [(table: String?, loop: Int)] = []
    private var timer: LoopTimer?
    private var start: Int64 = 0
    private var startUsage: Int64 = 0
    private var honest = 0
    private var isEnding = false
    private var last: (moment: Int64, actions: Int, rounds: Int, errors: Int) = (0, 0, 0, 0)

    init(
        _ options: LoadRun.Options, _ loop: Loop, progress: @escaping @Sendable (LoadRun.Progress) -> Void,
        completion: @escaping @Sendable (Result<(LoadReport, scripts: [String]), SocketError>) -> Void
    ) {
        self.options = options
        self.loop = loop
        self.progress = progress
        self.completion = completion
        let settings = LoadCrew.Settings(
            host: options.host, port: options.port, namePrefix: options.namePrefix, seed: options.scenario.seed,
            mixes: options.scenario.mixes, charts: options.charts, wantsChecks: options.wantsChecks, sources: options.sources,
            isAmongHostileBots: options.scenario.hostileShare > 0, readsAtOnce: options.readsAtOnce, crews: max(1, options.loops))
        crews = (0..<max(1, options.loops)).map { .makeCrew(settings: settings, index: $0) }
        squad = HostileSquad(
            host: options.host, port: options.port, seed: options.scenario.seed, namePrefix: options.namePrefix,
            weights: options.scenario.hostileWeights, sources: options.sources)
        watch = options.metrics.map { ServerWatch($0, control: loop) }
    }

    func begin() {
        let (here, loop) = (LoopConfined(self, on: loop), crews[0].loop)
        loop.perform { [options] in
            let scout = Scout(host: options.host, port: options.port, loop: loop) { result in
                here.perform { $0.prepare(result) }
            }
            let handle = LoopConfined(scout, on: loop)
            here.perform { $0.scout = handle }
        }
    }

    /// In microseconds, in order.
    var dueMoments: [Int64] {
        var (moment, moments) = (start, [Int64]())
        for phase in options.scenario.phases {
            if case .actions(let perSecond, let time) = phase {
                for crew in crews.indices {
                    var model = model(perSecond, moment, moment + time * 1000, stream: 1, crew)
                    model.advance(to: .max)
                    while let due = model.takeDue() { moments.append(due) }
                }
            }
            moment += phase.duration * 1000
        }
        return moments.sorted()
    }

    func interrupt() {
        report.isInterrupted = true
        finish()
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
        startLooking(every: max(1, Int64(interval * 1000)))
        var moment = start
        for phase in options.scenario.phases {
            let begins = moment
            // Slightly early, so that an action due at the very beginning is not late.
            perform(at: begins - 50_000) { [self] in enter(phase, at: begins) }
            moment += phase.duration * 1000
        }
        perform(at: moment) { [self] in finish() }
    }

    /// Performs work once a moment, in microseconds, has passed; at most a few milliseconds later.
    private func perform(at moment: Int64, _ work: @escaping () -> Void) {
        loop.makeTimer(work).arm(at: loop.clock.now + max(0, moment - Microclock.now + 999) / 1000)
    }

    /// - Parameter interval: milliseconds.
    private func startLooking(every interval: Int64) {
        var next = loop.clock.now + (start - Microclock.now) / 1000 + interval
        let timer = loop.makeTimer { [weak self] in
            guard let self else { return }
            look()
            guard !isEnding else { return }
            next = max(next + interval, loop.clock.now)
            self.timer?.arm(at: next)
        }
        self.timer = timer
        timer.arm(at: next)
    }

    private func enter(_ phase: Scenario.Phase, at moment: Int64) {
        guard !isEnding else { return }
        for crew in crews { crew.perform { $0.close() } }
        let end = moment + phase.duration * 1000
        switch phase {
        case .hold: break
        case .ramp(let bots, let over): ramp(to: bots, at: moment, over: over * 1000)
        case .actions(let perSecond, _):
            for (index, crew) in crews.enumerated() {
                let model = model(perSecond, moment, end, stream: 1, index)
                crew.perform { $0.open(model) }
            }
        case .sessions(let perSecond, _):
            for (index, crew) in crews.enumerated() {
                let model = model(perSecond, moment, end, stream: 2, index)
                crew.perform { $0.openSessions(model) }
            }
        }
    }

    /// The sum of independent Poisson processes is one: each crew has its share of the rate.
    private func model(_ perSecond: Double, _ start: Int64, _ end: Int64, stream: UInt64, _ crew: Int) -> OpenModel {
        let random = SeededRandom(seed: options.scenario.seed, stream: 1 << 40 | UInt64(crew) << 8 | stream)
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
            for (crew, order) in zip(crews, orders) { crew.perform { $0.bring(order) } }
        } else {
            let departures = (target..<honest).reversed().enumerated().map { ($0.element, at($0.offset)) }
            for crew in crews { crew.perform { $0.send(departures) } }
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
            LoadRun.Progress(
                elapsed: elapsed, duration: Double(options.scenario.duration) / 1000, phase: phase?.words ?? "", point: point,
                report: report, server: watch?.figures.lines ?? []))
    }

    /// Asks all crews, and adds a point to the timeline.
    private func gather(at now: Int64) {
        let total = Tidings(crews.map { $0.performAndWait { $0.tidings() } })
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
        timer?.disarm()
        guard start > 0 else {
            return completion(.failure(SocketError(operation: "load", subject: report.target, reason: "interrupted")))
        }
        // A point of a fraction of a second says little.
        if report.timeline.isEmpty || Microclock.now - last.moment > 500_000 { gather(at: Microclock.now) }
        report.generatorSeconds = Double(Self.processorTime - startUsage) / 1_000_000
        watch?.ask()
        squad.stop()
        for crew in crews { crew.perform { $0.close() } }
        let everybody = (0..<seats.count).map { (number: $0, moment: Int64(0)) }
        for crew in crews { crew.perform { $0.send(everybody) } }
        for crew in crews { crew.perform { $0.endSessions() } }
        waitForGoodbyes(until: Microclock.now + 3_000_000)
    }

    private func waitForGoodbyes(until deadline: Int64) {
        let left = crews.reduce(watch?.isBusy == true ? 1 : 0) { $0 + $1.performAndWait { $0.tidings().bots } }
        if left > 0, Microclock.now < deadline {
            return perform(at: Microclock.now + 50_000) { [self] in waitForGoodbyes(until: deadline) }
        }
        for crew in crews { crew.perform { $0.stop() } }
        let (counts, hostile) = (report, squad.tallies())
        let total = Tidings(crews.map { $0.performAndWait { $0.tidings() } })
        total.fill(&report)
        // Replies to pending actions are measured; counts of the bots' goodbyes are not.
        (report.actions, report.rounds, report.sessions) = (counts.actions, counts.rounds, counts.sessions)
        report.roundsByTable = counts.roundsByTable
        report.hostile = hostile
        report.serverSeconds = watch?.processorSeconds
        watch?.stop()
        warn()
        report.judge(by: options.scenario.thresholds)
        for crew in crews { crew.perform { $0.dissolve() } }
        completion(.success((report, total.scripts)))
        loop.stop()
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
        report.shoes = figures.shoes
    }
}

/// A load run from the first connection to the report.
public final class LoadRun: Sendable {
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

    private let driver: LoopConfined<LoadRunDriver>

    /// - Parameters:
    ///   - progress: called after each look, on the run's loop.
    ///   - completion: called once, on the run's loop: the report and the scripts of its violations, in the same order, or the
    ///     reason why the server could not be reached.
    public init(
        _ options: Options, progress: @escaping @Sendable (Progress) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(LoadReport, scripts: [String]), SocketError>) -> Void
    ) {
        let loop = Loop(label: "bj.load.control")
        driver = LoopConfined(sending: LoadRunDriver(options, loop, progress: progress, completion: completion), on: loop)
    }

    public func begin() { driver.perform { $0.begin() } }

    /// When actions are due in the open phases, in microseconds of ``now``, in order. In `progress` and `completion` only.
    public var dueMoments: [Int64] {
        precondition(driver.loop.isCurrent, "due moments are read on the run's loop")
        return driver.value.dueMoments
    }

    /// The clock of all moments of a run: microseconds of the system's monotonic clock.
    public static var now: Int64 { Microclock.now }

    /// Ends the run early; the report covers the time until then.
    public func interrupt() { driver.perform { $0.interrupt() } }
}

extension Scenario.Phase {
    /// In words, for people.
    public var words: String {
        func span(_ time: Int64) -> String { Distribution.Span.text(milliseconds: Double(time)) }
        return switch self {
        case .ramp(let bots, let over): "ramp to \(grouped(bots)) bots over \(span(over))"
        case .hold(let time): "hold \(span(time))"
        case .actions(let rate, let time): "\(JSONTree.digits(of: rate)) actions a second for \(span(time))"
        case .sessions(let rate, let time): "\(JSONTree.digits(of: rate)) sessions a second for \(span(time))"
        }
    }
}

/// Polls a server's metrics during a load run, on a loop of its own. Confined to the run's loop.
final class ServerWatch {
    private let control: Loop
    private let reader: LoopConfined<MetricsReader>
    private(set) var figures = ServerFigures()
    /// Whether an answer is being waited for.
    private(set) var isBusy = false
    private var processor: (first: Double, last: Double)?

    /// - Parameter control: the run's loop.
    init(_ source: MetricsReader.Source, control: Loop) {
        self.control = control
        let loop = Loop(label: "bj.load.metrics")
        reader = LoopConfined(sending: MetricsReader(source, loop: loop), on: loop)
    }

    /// Seconds of processor time that the server has used between the first answer and the last one; nil when it tells none.
    var processorSeconds: Double? { processor.map { max(0, $0.last - $0.first) } }

    /// Asks, unless an answer is being waited for.
    func ask() {
        guard !isBusy else { return }
        isBusy = true
        let here = LoopConfined(self, on: control)
        reader.perform { reader in
            reader.read { result in here.perform { $0.take(result) } }
        }
    }

    func stop() { reader.loop.stop() }

    private func take(_ result: Result<MetricsAnswer, MetricsFault>) {
        isBusy = false
        figures.take(result, at: Microclock.now)
        guard case .success(let answer) = result, let seconds = answer["process_cpu_seconds_total"] else { return }
        processor = (processor?.first ?? seconds, seconds)
    }
}

/// Checks a report of a run whose server was stopped for a while: all due times are known, and so is each wait. A generator
/// that sends late, or counts from the moment of sending, fails.
public struct StallCheck: Sendable {
    /// One figure by theory and as it was measured, in microseconds.
    public struct Row: Sendable, Equatable {
        public var name: String
        public var theory: Double
        public var measured: Double
        /// The difference, as a part of how long the server stood still.
        public var difference: Double
        public var holds: Bool { difference <= StallCheck.tolerance }
    }

    /// How much a figure may differ, as a part of how long the server stood still.
    static let tolerance = 0.02

    /// When the server stood still, in microseconds.
    public var stall: Range<Int64>
    /// When actions were due.
    public var due: [Int64]

    public init(stall: Range<Int64>, due: [Int64]) {
        self.stall = stall
        self.due = due
    }

    /// Compares the corrected latencies of a run with theory.
    /// - Parameter corrected: latencies of all due actions, and of no other.
    public func rows(_ corrected: Histogram) -> [Row] {
        let length = Double(stall.upperBound - stall.lowerBound)
        let waits = due.filter(stall.contains).map { stall.upperBound - $0 }.sorted()
        guard !waits.isEmpty, corrected.count > 0 else { return [] }
        // At the start of the stall the schedule does not tell who waited: an action due just before may have been caught by it,
        // one due just after may have been answered. Each such case shifts all ranks by one, so the best-fitting shift is taken.
        let edge = Int64(Self.tolerance * length)
        let before = due.filter { (stall.lowerBound - edge..<stall.lowerBound).contains($0) }.map { stall.upperBound - $0 }
        let after = due.count { (stall.lowerBound..<stall.lowerBound + edge).contains($0) }
        let candidates = waits + before.sorted()
        let readings = (waits.count - min(after, waits.count - 1)...candidates.count).map {
            rows(corrected, waits: candidates[..<$0], due: waits.count, length: length)
        }
        func worst(_ rows: [Row]) -> Double { rows.reduce(0) { max($0, $1.difference) } }
        return readings.min { worst($0) < worst($1) } ?? []
    }

    /// Why a self-test has failed, a sentence each; nothing when it has not.
    public static func faults(_ rows: [Row], _ report: LoadReport) -> [String] {
        var faults: [String] = []
        if rows.isEmpty { faults.append("nothing was due while the server stood still") }
        if rows.contains(where: { !$0.holds }) { faults.append("the report does not agree with theory") }
        if let invalid = report.invalid { faults.append("the report is INVALID: \(invalid)") }
        if report.violationCount > 0 { faults.append("\(grouped(report.violationCount)) violations") }
        if report.errorCount > 0 {
            let worst = report.errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
            faults.append(
                "\(grouped(report.errorCount)) errors: "
                    + worst.map { "\(grouped($0.value)) × \($0.key)" }.joined(separator: ", "))
        }
        return faults
    }

    /// The rows, if these are the waits.
    /// - Parameter due: how many actions were due while the server stood still.
    private func rows(_ corrected: Histogram, waits: ArraySlice<Int64>, due: Int, length: Double) -> [Row] {
        // The stalled actions are the longest: their percentiles lie above all other actions.
        let others = max(0, Double(corrected.count) - Double(waits.count))
        var rows = [10.0, 25, 50, 75, 90, 99].map { percentile in
            let rank = max(1, (percentile / 100 * Double(waits.count)).rounded(.up))
            let theory = Double(waits[Int(rank) - 1])
            let measured = Double(corrected.value(at: (others + rank) / Double(corrected.count) * 100))
            return Row(
                name: "p\(JSONTree.digits(of: percentile)) of those that waited", theory: theory, measured: measured,
                difference: abs(measured - theory) / length)
        }
        // Half of it, since the backlog behind the stall distorts shorter waits most. A due action waited as long as the schedule
        // says, and at most the tolerance longer: so the schedule bounds the count. A counter is wider than a microsecond.
        let half = Int64(length / 2)
        let (fewest, most) = (
            waits.count { $0 > half + half / 1000 }, waits.count { Double($0) > Double(half) - Self.tolerance * length }
        )
        let measured = Int(corrected.count - corrected.count(upTo: half))
        let excess = max(0, fewest - measured, measured - most)
        rows.append(
            Row(
                name: "how many waited more than half of it, of \(waits.count)", theory: Double(min(max(measured, fewest), most)),
                measured: Double(measured), difference: Double(excess) / Double(due)))
        return rows
    }
}
