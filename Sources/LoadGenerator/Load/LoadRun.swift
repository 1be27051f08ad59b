import Dispatch
import Foundation
import Referee
import Rules
import Sockets
import Wire

/// A load run from the first connection to the report: gives the crews their orders and gathers their counts once a second. Confined to its
/// loop.
public final class LoadRun {
    public struct Options: Sendable {
        public var host: String
        public var port: Int
        /// Honest bots, and hostile ones by their kind.
        public var bots = 7
        public var hostile: [HostileKind: Int] = [:]
        /// Milliseconds in which the bots come, and for which they play then.
        public var ramp: Int64 = 0
        public var duration: Int64 = 10_000
        /// Actions of all bots a second, due at the moments of a Poisson process from the end of the ramp on, whether or not the server keeps
        /// up (an open model); nil: each bot acts as soon as it may.
        public var rate: Double?
        /// Connections of honest bots that are cut each second, at moments of another such process.
        public var disconnects = 0.0
        /// How to play; nil for basic strategy by the rules of the table.
        public var chart: StrategyChart?
        /// How the bots depart from basic strategy, where there is no chart.
        public var manner = HouseBot.Manner.book
        public var failures: [FailureCondition] = []
        public var seed: UInt64 = 1
        /// Loops that honest bots run on.
        public var loops = 1
        /// When the run begins, as ISO 8601, for the report.
        public var started = ""
        /// Prefix of the bots' names: 1 to 10 characters, different in each run, since a server keeps names for a while.
        public var namePrefix = "load-"
        /// Addresses of this machine that bots connect from, in turn: one has too few ports for very many of them.
        public var sources: [String] = []
        /// Seconds between two looks at how it goes, at least; a run of hours is looked at less often.
        var interval = 1.0

        public init(host: String, port: Int) { (self.host, self.port) = (host, port) }
    }

    /// How far a run is.
    public struct Progress: Sendable {
        /// Seconds of the whole run.
        var duration: Double
        var point: LoadReport.Point
        /// Everything so far.
        var report: LoadReport
    }

    private let options: Options
    private let loop: Loop
    private let crews: [LoopConfined<LoadCrew>]
    private let squad = HostileSquad.make()
    private var report: LoadReport
    private let progress: @Sendable (Progress) -> Void
    private let completion: @Sendable (Result<(LoadReport, transcripts: [String]), SocketError>) -> Void
    private var timer: LoopTimer?
    private var start: Int64 = 0
    private var startUsage: Int64 = 0
    private var isEnding = false
    private var last: (moment: Int64, actions: Int, rounds: Int, errors: Int) = (0, 0, 0, 0)

    private init(
        _ options: Options, _ loop: Loop, progress: @escaping @Sendable (Progress) -> Void,
        completion: @escaping @Sendable (Result<(LoadReport, transcripts: [String]), SocketError>) -> Void
    ) {
        (self.options, self.loop, self.progress, self.completion) = (options, loop, progress, completion)
        report = LoadReport(options)
        crews = (0..<options.loops).map { .makeCrew(options, index: $0) }
    }

    /// - Parameters:
    ///   - progress: called after each look, on the run's loop.
    ///   - completion: called once, on the run's loop: the report and the transcripts of its violations, in the same order, or the
    ///     reason why the server could not be reached.
    public static func make(
        _ options: Options, progress: @escaping @Sendable (Progress) -> Void = { _ in },
        completion: @escaping @Sendable (Result<(LoadReport, transcripts: [String]), SocketError>) -> Void
    ) -> LoopConfined<LoadRun> {
        let loop = Loop(label: "bj.load.control")
        return LoopConfined(sending: LoadRun(options, loop, progress: progress, completion: completion), on: loop)
    }

    public func begin() {
        let here = LoopConfined(self, on: loop)
        DispatchQueue(label: "bj.load.lobby").async { [options] in
            let lobby = Result { () throws(SocketError) in try Lobby.ask(options.host, options.port) }
            here.perform { $0.prepare(lobby) }
        }
    }

    /// Ends the run early; the report covers the time until then.
    public func interrupt() {
        report.isInterrupted = true
        finish()
    }

    private func prepare(_ result: Result<Lobby, SocketError>) {
        guard !isEnding else { return }
        switch result {
        case .failure(let error):
            isEnding = true
            completion(.failure(error))
        case .success(let lobby):
            let open = lobby.tables.filter { !$0.isLocked }
            let plan = SeatPlan(tables: open.map { ($0.name, $0.freeSeats) }, loops: crews.count, bots: options.bots)
            // Bots without a place in the plan ask for any seat: the server knows tables that its lobby does not list.
            if plan.seats < options.bots, lobby.total == lobby.tables.count {
                report.warnings.append("the lobby has \(plan.seats) free seats for \(options.bots) bots")
            }
            let tables = options.bots > 0 ? plan.used : open.map(\.name)
            run(
                plan.places,
                .init(
                    tables: tables, playground: plan.unused.isEmpty ? tables : plan.unused,
                    honest: (options.namePrefix, options.bots)))
        }
    }

    private func run(_ places: [SeatPlan.Place], _ ground: HostileHabit.Ground) {
        start = Microclock.now + 100_000
        startUsage = Self.processorTime
        last.moment = start
        let played = start + options.ramp * 1000
        let end = played + options.duration * 1000
        startSampling(
            every: Int64(max(options.interval, (Double(options.ramp + options.duration) / 600_000).rounded(.down)) * 1000))
        squad.perform { [options, start] in $0.begin(options, ground, at: start) }
        var orders = [[LoadCrew.Arrival]](repeating: [], count: crews.count)
        for (number, place) in places.enumerated() {
            orders[place.loop].append((number, place.table, start + options.ramp * 1000 * Int64(number) / Int64(places.count)))
        }
        for (crew, order) in zip(crews, orders) { crew.perform { $0.bring(order) } }
        // Slightly early, so that an action due at the very beginning is not late.
        perform(at: played - 50_000) { [self] in open(from: played, until: end) }
        perform(at: end) { [self] in finish() }
    }

    /// The sum of independent Poisson processes is one: each crew has its share of the rates.
    private func open(from start: Int64, until end: Int64) {
        guard !isEnding else { return }
        for (index, crew) in crews.enumerated() {
            func model(_ perSecond: Double?, stream: UInt64) -> OpenModel? {
                guard let perSecond, perSecond > 0 else { return nil }
                let random = SeededRandom(seed: options.seed, stream: 1 << 40 | UInt64(index) << 8 | stream)
                return OpenModel(perSecond: perSecond / Double(crews.count), from: start, until: end, random: random)
            }
            let (actions, cuts) = (model(options.rate, stream: 1), model(options.bots > 0 ? options.disconnects : nil, stream: 2))
            crew.perform { $0.open(actions, cuts: cuts) }
        }
    }

    /// Performs work once a moment, in microseconds, has passed; at most a few milliseconds later.
    private func perform(at moment: Int64, _ work: @escaping () -> Void) {
        loop.makeTimer(work).arm(at: loop.clock.now + max(0, moment - Microclock.now + 999) / 1000)
    }

    /// - Parameter interval: milliseconds.
    private func startSampling(every interval: Int64) {
        var next = loop.clock.now + (start - Microclock.now) / 1000 + interval
        let timer = loop.makeTimer { [weak self] in
            guard let self, !isEnding else { return }
            gather(at: Microclock.now)
            if let point = report.timeline.last { progress(Progress(duration: seconds, point: point, report: report)) }
            guard !isEnding else { return }
            next = max(next + interval, loop.clock.now)
            self.timer?.arm(at: next)
        }
        self.timer = timer
        timer.arm(at: next)
    }

    private var seconds: Double { Double(options.ramp + options.duration) / 1000 }

    /// Asks all crews, and adds a point to the timeline.
    private func gather(at now: Int64) {
        let figures = fill()
        report.hostile = squad.performAndWait { $0.tallies }
        report.seconds = Double(now - start) / 1_000_000
        let elapsed = max(0.001, Double(now - last.moment) / 1_000_000)
        let recent = figures.recent
        report.timeline.append(
            LoadReport.Point(
                time: report.seconds, connected: figures.connected,
                rounds: Double(max(0, report.rounds - last.rounds)) / elapsed,
                actions: Double(report.actions - last.actions) / elapsed, p50: recent.value(at: 50), p99: recent.value(at: 99),
                max: recent.max, errors: report.errorCount - last.errors))
        report.peakConnected = max(report.peakConnected, figures.connected)
        last = (now, report.actions, report.rounds, report.errorCount)
    }

    /// Fills the report with the counts of all crews.
    @discardableResult
    private func fill() -> CrewFigures {
        var figures = CrewFigures()
        for crew in crews { figures.merge(crew.performAndWait { $0.report() }) }
        (report.server, report.roundsByTable, report.lines) = (figures.server, figures.rounds, figures.lines)
        (report.violations, report.violationCount) = (figures.violations.map(\.violation), figures.violationCount)
        (report.hands, report.net, report.actions) = (figures.hands, figures.net, figures.actions)
        (report.disconnects, report.cuts, report.errors) = (figures.disconnects, figures.cuts, figures.errors)
        (report.latency, report.join, report.shoes) = (figures.latency, figures.join, figures.shoes)
        report.waitedForBot = figures.waitedForBot
        transcripts = figures.violations.map(\.transcript)
        return figures
    }

    private var transcripts: [String] = []

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
        report.hostile = squad.performAndWait { $0.tallies }
        squad.perform { $0.stop() }
        for crew in crews { crew.perform { $0.end() } }
        waitForGoodbyes(until: Microclock.now + 3_000_000)
    }

    private func waitForGoodbyes(until deadline: Int64) {
        let left = crews.reduce(0) { $0 + $1.performAndWait { $0.report().bots } }
        if left > 0, Microclock.now < deadline {
            return perform(at: Microclock.now + 50_000) { [self] in waitForGoodbyes(until: deadline) }
        }
        for crew in crews { crew.perform { $0.stop() } }
        // Replies to pending actions are measured; counts of the bots' goodbyes are not.
        let counts = report
        fill()
        (report.actions, report.roundsByTable) = (counts.actions, counts.roundsByTable)
        warn()
        report.conclude(options.failures)
        for crew in crews { crew.perform { $0.dissolve() } }
        completion(.success((report, transcripts)))
        loop.stop()
    }

    private func warn() {
        let usage = report.generatorSeconds / max(0.001, report.seconds)
        if usage > 0.9 * Double(crews.count) {
            report.warnings.append(
                "the generator is the bottleneck: it used \(fixed(usage, 1)) processors with \(crews.count) loops; split the bots among several processes"
            )
        }
        let due = report.actions + report.latency.unanswered
        if report.waitedForBot * 20 > due {
            report.warnings.append(
                "\(report.waitedForBot) of \(due) actions had to wait for a bot that could act: the server was slow, or there are too few bots or tables for this rate"
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
