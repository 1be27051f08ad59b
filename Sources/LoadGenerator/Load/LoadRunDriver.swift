import Foundation
import Measuring
import Referee
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
