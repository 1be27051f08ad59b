import Odds
import Rules
import ServerCore
import Sockets
import Synchronization
import TestKit
import Testing

@testable import LoadGenerator

/// Runs a load against a server of this process until it has seen enough, and returns its report. A slow machine needs longer.
private func load(
    tables: Int = 2, rules: HouseRules = .patient, _ change: (inout LoadRun.Options) -> Void,
    until isEnough: @escaping @Sendable (LoadReport) -> Bool
) async throws -> LoadReport {
    var shards = ShardConfiguration(
        tables: (1...tables).map { ShardConfiguration.TableSetting(name: "t\($0)", rules: rules) })
    shards.settledMilliseconds = 1
    var options = Server.Options.onAFreePort
    options.seed = 1
    let server = Server(shards: shards, options: options)
    var settings = LoadRun.Options(host: "127.0.0.1", port: try server.start().port)
    (settings.duration, settings.interval) = (120_000, 0.02)
    change(&settings)
    let run = Mutex<LoopConfined<LoadRun>?>(nil)
    let report = try await withCheckedThrowingContinuation { (done: CheckedContinuation<LoadReport, any Error>) in
        let made = LoadRun.make(settings) { progress in
            if isEnough(progress.report) { run.withLock { $0 }?.perform { $0.interrupt() } }
        } completion: { result in
            done.resume(with: result.map(\.0).mapError { $0 })
        }
        run.withLock { $0 = made }
        made.perform { $0.begin() }
    }
    await withCheckedContinuation { done in server.stop { done.resume() } }
    return report
}

@Test(.ownThread, arguments: [1, 2])
func botsPlay_andFindNothingWrong_onSeveralLoops(_ loops: Int) async throws {
    let report = try await load {
        ($0.bots, $0.ramp, $0.loops) = (10, 20, loops)
        $0.failures = ["errors>0", "violations>0", "actions<1"].compactMap(FailureCondition.init)
    } until: {
        $0.hands >= 40 && $0.peakConnected == 10
    }
    // Not the exit status: on a busy machine the generator is late itself.
    #expect(report.verdicts.map(\.failed) == [false, false, false], "\(report.text)")
    #expect(report.honestBots == 10 && report.violationCount == 0 && report.hands >= report.rounds)
    #expect(report.rounds > 0 && report.latency.corrected.count >= UInt64(report.actions))
    #expect(report.join.corrected.count == 10 && report.errors == [:] && report.disconnects == 0 && report.server == "bjserver")
}

@Test(.ownThread) func anOpenModel_countsFromTheIntendedMoments() async throws {
    let report = try await load {
        ($0.bots, $0.rate) = (6, 60)
    } until: {
        $0.actions >= 30
    }
    #expect(report.violationCount == 0 && report.latency.corrected.count >= 30, "\(report.text)")
    #expect(
        report.latency.corrected.max >= report.latency.raw.max
            && report.plan == "6 bots within 0 s, for 120 s, 60 actions per second")
}

@Test(.ownThread) func connectionsThatTheRunCuts_comeBackToTheirSeats_andAreNoErrors() async throws {
    let report = try await load {
        ($0.bots, $0.disconnects) = (4, 20)
    } until: {
        $0.cuts >= 12 && $0.hands >= 20
    }
    #expect(report.cuts >= 12 && report.disconnects == 0 && report.errors == [:] && report.violationCount == 0, "\(report.text)")
}

@Test(.ownThread) func chartsPlayUnderOtherRules() async throws {
    let rules = try HouseRules(preset: "european").with(HouseRules.patientClocks)
    let report = try await load(rules: rules) {
        ($0.bots, $0.chart) = (6, StrategyChart(derivedFor: HouseRules()))
    } until: {
        $0.hands >= 30
    }
    #expect(report.violationCount == 0 && report.hands > 0 && report.errorCount == 0, "\(report.text)")
}

/// Answers of which each kind of hostile bot must have got one; none where it is seen by other figures.
private let expectations: [(HostileKind, [String])] = [
    (.flood, ["rate_limited", "ok"]), (.oversizedLine, ["line_too_long"]),
    (.malformedLine, ["invalid_json", "invalid_field", "rate_limited"]), (.slowReader, []), (.halfOpen, []),
    (.loginChurn, ["wrong_secret", "name_taken"]), (.chatFlood, ["ok"]),
    (.lateAnswers, ["not_allowed", "not_your_turn", "stale"]), (.seatSquatter, ["ok"]), (.connectionChurn, []),
]

@Test(.ownThread, arguments: expectations)
func hostileBots_doTheirHarm_areCountedApart_andHarmNoHonestOne(_ kind: HostileKind, _ answers: [String]) async throws {
    let report = try await load(tables: 3) {
        ($0.bots, $0.hostile) = (4, [kind: 4])
    } until: { report in
        guard report.hands > 0, let tally = report.hostile[kind], tally.bots == 4, tally.connections >= 4 else { return false }
        return switch kind {
        case .connectionChurn: tally.connections > 8
        case .oversizedLine: tally.cutOff > 0 && tally.answers["line_too_long"] != nil
        case .halfOpen: tally.bytesSent > 0
        case .slowReader: tally.bytesRead > 0
        default: answers.contains { tally.answers[$0, default: 0] > 0 }
        }
    }
    let tally = try #require(report.hostile[kind])
    #expect(report.hostile.count == 1 && tally.bots == 4 && report.hostileBots == 4 && report.honestBots == 4)
    #expect(report.violationCount == 0 && report.hands > 0 && report.errorCount == 0 && report.disconnects == 0, "\(report.text)")
    #expect(answers.isEmpty || answers.contains { tally.answers[$0, default: 0] > 0 }, "\(tally)")
}

/// Has a hostile bot take steps at a server with one table until a figure is there.
private func withHostileBot(
    _ kind: HostileKind, from source: String? = nil, until isDone: (HostileTally, Server) throws -> Bool
) async throws {
    let server = Server(shards: ShardConfiguration(tables: [.init(name: "t1", rules: .patient)]), options: .onAFreePort)
    let options = LoadRun.Options(host: "127.0.0.1", port: try server.start().port)
    let ground = HostileHabit.Ground(tables: ["t1"], playground: ["t1"], honest: ("h", 1))
    let habit = HostileHabit(kind, ground, name: "peer", random: SeededRandom(seed: 1))
    let loop = Loop(label: "test.hostile")
    let bot = loop.performAndWait { LoopConfined(HostileBot(habit, options, from: source, on: loop), on: loop) }
    for step in 1...1_000_000 {
        let tally = bot.performAndWait {
            // Once it has sent, it reads on and sends no more: a server cuts off a flood.
            $0.step(at: $0.tally.sent == 0 ? Int64(step) * 1_000_000 : 0)
            return $0.tally
        }
        try #require(tally.cutOff == 0 && tally.refusedConnections == 0)
        if try isDone(tally, server) { break }
    }
    bot.performAndWait { $0.cut(abruptly: true) }
    loop.stop()
    await withCheckedContinuation { done in server.stop { done.resume() } }
}

@Test(.ownThread) func aSlowReader_readsAByteAtATime() async throws {
    var before = 0
    try await withHostileBot(.slowReader) { tally, _ in
        #expect(tally.bytesRead <= before + 1)
        before = tally.bytesRead
        return before >= 100
    }
}

@Test(.ownThread) func aHostileBot_connectsFromTheAddressItWasGiven() async throws {
    try await withHostileBot(.chatFlood, from: "127.0.0.9") { tally, server in
        guard tally.answers["ok"] != nil else { return false }
        #expect(server.players.rows.first?[6] == "127.0.0.9")
        return true
    }
}

@Test(.ownThread) func aServerThatIsNotThere_isSaidSo() async throws {
    // Taken, so that nobody else gets it, but not listened on.
    let port = try ClosedPort()
    let run = Mutex<LoopConfined<LoadRun>?>(nil)
    let failed = await withCheckedContinuation { (done: CheckedContinuation<String, Never>) in
        let made = LoadRun.make(LoadRun.Options(host: "127.0.0.1", port: port.number)) { result in
            if case .failure(let error) = result { done.resume(returning: error.description) } else { done.resume(returning: "") }
        }
        run.withLock { $0 = made }
        made.perform { $0.begin() }
    }
    #expect(failed.hasPrefix("cannot connect to 127.0.0.1"))
    withExtendedLifetime(port) {}
}

extension Server.Options {
    static var onAFreePort: Self {
        var options = Self()
        options.port = 0
        return options
    }
}
