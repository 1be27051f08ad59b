import Journal
import Records
import Sockets
import TestKit
import Testing

@testable import ServerCore
@testable import SystemSimulation

/// Worlds of fixed seeds: short, since each costs about a second.
struct SystemSimulatorTests {
    @Test(arguments: [8] as [UInt64])
    func aWorldWithEveryFault_breaksNoLaw(_ seed: UInt64) throws {
        let report = try run(SystemSimulator(roundsPerWorld: 12), seed)
        #expect(report.rounds >= 12 && report.faults > 0)
    }

    @Test(arguments: [1] as [UInt64])
    func processesThatShareAStorage_takeOneAnotherOver_andBreakNoLaw(_ seed: UInt64) throws {
        let report = try run(SystemSimulator(faults: [.delay, .pause, .takeover, .handover, .reset], roundsPerWorld: 12), seed)
        #expect(report.rounds >= 12 && report.starts > 1)
    }

    /// In this world a spare claims 200 ms after another one, which plays on for a moment beside it.
    @Test func ofTwoOwners_playersReachTheNewest_andTheOtherGrantsNothing() throws {
        _ = try run(SystemSimulator(faults: [.pause, .takeover, .handover, .kill], roundsPerWorld: 40), 72_000_099)
    }

    /// A world of two processes, in which nothing happens that the test does not do.
    private func cluster(seed: UInt64) throws -> SystemWorld {
        let world = SystemWorld(.init(seed: seed, faults: [.handover], rounds: 1000), keepsTranscripts: false)
        world.restart(after: 0)
        world.startPlayers()
        play(world, seconds: 10)
        #expect(world.server != nil && world.violations.isEmpty)
        return world
    }

    private func play(_ world: SystemWorld, seconds: Int64) {
        let end = world.machine.time + seconds * 1_000_000
        while world.machine.time < end, world.machine.step() {}
    }

    /// The planted fault `released-before-durable`, by hand.
    @Test func aStorageThatIsGivenUpBeforeAllIsDurable_isFound() throws {
        let world = try cluster(seed: 5)
        defer { world.end() }
        let former = try #require(world.server)
        world.slowDisk(by: 200_000, for: 1_000_000)
        world.stop(0, timeout: nil, restartAfter: 0)
        play(world, seconds: 10)
        #expect(world.violations.isEmpty && world.server != nil && world.server !== former)
        let release = try #require(world.cluster?.release())
        release()
        play(world, seconds: 10)
        #expect(world.violations.contains { $0.contains("storage") }, "\(world.violations)")
    }

    /// Deadlines keep their distance: otherwise no round would end for an hour.
    @Test func aNewOwnerWhoseClockIsBehind_goesOnFromItsOwnTime_withEveryDeadline() throws {
        let world = try cluster(seed: 6)
        defer { world.end() }
        let former = try #require(world.server)
        let rounds = world.roundCount
        world.machine.wallOffset -= 3_600_000
        world.end(.nothing)
        play(world, seconds: 60)
        let next = try #require(world.server)
        #expect(next !== former && abs(next.now - world.machine.wallClock) < 1000 && abs(next.now - next.wallClock) < 1000)
        #expect(world.roundCount > rounds && world.violations.isEmpty && world.referee.findings.isEmpty)
    }

    /// Accounts travel between two partitions, while their owners end, are cut off from one another and from the rows.
    @Test func partitionsOfAHouse_haveEachAccountInOnePlace_andBreakNoLaw() {
        let faults: Set<FaultKind> = [.delay, .kill, .takeover, .split, .registry, .flood]
        let world = SystemWorld(.init(seed: 6, faults: faults, rounds: 24, partitions: 2), keepsTranscripts: false)
        defer { world.end() }
        #expect(world.run() == nil && world.hosts.count == 2 && world.starts > 2)
        #expect(world.cluster?.rows.rows.contains { $0.serial > 4 } == true)
    }

    /// Loops of two processes, as a relay uses them.
    @Test func aProcessReachesAnother_unlessTheyAreSplit() throws {
        let machine = VirtualMachine(seed: 1)
        let processes = (0..<2).map { _ in machine.startProcess() }
        let loops = processes.map { Loop.group(count: 1, on: $0, notBefore: 0)[0] }
        var outcomes: [String] = []
        func dial() {
            processes[0].enqueue(onLoop: 0) {
                _ = Connector.connect(host: processes[1].host, port: 2122, loop: loops[0], timeout: 3000) { result in
                    outcomes.append((try? result.get()) == nil ? "none" : "connected")
                    try? result.get().abort()
                }
            }
            while machine.step() {}
        }
        dial()
        var listener: Listener?
        processes[1].enqueue(onLoop: 0) { listener = try? Listener(host: "", port: 2122, loop: loops[1]) { $0.abort() } }
        dial()
        machine.network.split(for: 60_000_000)
        let start = machine.monotonic
        dial()
        #expect(outcomes == ["none", "connected", "none"] && machine.monotonic >= start + 3000)
        withExtendedLifetime(listener) { machine.end() }
    }

    /// The process ends, and a peer gets what had waited, on each of several connections.
    @Test func bytesThatWaitForAPeer_areThoseOfOneConnection() {
        let machine = VirtualMachine(seed: 1)
        let peer = HostileClient(
            machine, .init(.slowReader, .init(tables: ["a"], playground: [], honest: ("", 0)), name: "x", random: .init(seed: 1)),
            random: .init(seed: 1), host: "203.0.113.1"
        ) { bytes, bound in Issue.record("\(bytes) bytes of \(bound)") }
        let bytes = [UInt8](repeating: 10, count: 262_144)
        for _ in 0..<3 {
            while peer.link == nil, machine.step() {}
            bytes.withUnsafeBytes { peer.received($0) }
            peer.ended()
        }
        machine.end()
    }

    @Test func aWorldWithoutFaults_breaksNoLaw_andStartsItsServerOnce() throws {
        let report = try run(SystemSimulator(faults: [], roundsPerWorld: 4), 2)
        #expect(report.starts == 1 && report.faults == 0)
    }

    @Test func theSameSeed_givesTheSameEvents_andAnotherOneOthers() throws {
        let simulator = SystemSimulator(faults: [.delay, .kill, .reset], roundsPerWorld: 3)
        let reports = try [8, 8, 5].map { try run(simulator, $0) }
        #expect(reports[0].digest == reports[1].digest && reports[0].events == reports[1].events)
        #expect(reports[0].digest != reports[2].digest)
    }

    @Test func theTraceShowsEachEvent_andChangesNone() throws {
        let simulator = SystemSimulator(faults: [.delay], roundsPerWorld: 2)
        var lines = 0
        let traced = try simulator.run(seed: 3) { _ in lines += 1 }
        #expect(lines == traced.events)
        #expect(try run(simulator, 3).digest == traced.digest)
    }

    @Test func aWorldLeavesNothingBehind() {
        weak var machine: VirtualMachine?
        do {
            // Moves, drains and crashes leave connections, sessions and accounts in every state.
            let world = SystemWorld(
                .init(seed: 23, faults: [.kill, .power, .drain, .restart, .vanish, .disk], rounds: 6), keepsTranscripts: false)
            #expect(world.run() == nil && world.starts > 1)
            machine = world.machine
            world.end()
        }
        #expect(machine == nil)
    }

    /// A suspended machine, a clock set right, a clock set wrong.
    /// As SIGSTOP does it, at any moment of a round: nobody is timed out for it, and the next question has its whole time.
    @Test(arguments: Thorough.cases([1, 2] as [UInt64]))
    func aPauseOfTheProcess_movesEveryDeadlineByItsLength(seed: UInt64) throws {
        let world = SystemWorld(.init(seed: seed, faults: [], rounds: 1000), keepsTranscripts: false)
        defer { world.end() }
        try world.start()
        world.startPlayers()
        play(world, seconds: 3)
        func postponements() throws -> (lengths: [Int], timeouts: Int) {
            var found = (lengths: [Int](), timeouts: 0)
            try JournalFolder(reading: world.disk).records { line, _ throws(RecordError) in
                guard case .facts(_, _, let facts) = try Record(line: line) else { return }
                for fact in facts {
                    switch fact {
                    case .postponed(let length): found.lengths.append(length)
                    case .stood(_, _, .timedOut), .declined(_, timedOut: true): found.timeouts += 1
                    default: break
                    }
                }
            }
            return found
        }
        let before = try postponements()
        world.hosts[0].process.pausedUntil = world.machine.time + 25_000_000
        play(world, seconds: 28)
        let after = try postponements()
        #expect(before.lengths.isEmpty && !after.lengths.isEmpty && after.lengths.allSatisfy { (24_900...25_600).contains($0) })
        #expect(after.timeouts == before.timeouts && world.violations.isEmpty && world.referee.findings.isEmpty)
    }

    @Test func aWallClockThatJumps_isFollowedByLogsAndHands_andMovesNoDeadline() throws {
        let world = SystemWorld(.init(seed: 3, faults: [], rounds: 1000), keepsTranscripts: false)
        defer { world.end() }
        try world.start()
        world.startPlayers()
        play(world, seconds: 3)
        let server = try #require(world.server)
        for jump in Thorough.cases([8 * 3_600_000, -126_230_400_000, 31 * 86_400_000] as [Int64]) {
            let before = (server.now, world.machine.monotonic)
            world.machine.wallOffset += jump
            play(world, seconds: 5)
            #expect(abs(server.now - before.0 - (world.machine.monotonic - before.1)) < 1000)
            #expect(abs(server.wallClock - world.machine.wallClock) < 1000)
            var times: (clock: Int64, wall: Int64)?
            try JournalFolder(reading: world.disk).records { line, _ throws(RecordError) in
                guard case .facts(_, let time, _) = try Record(line: line) else { return }
                guard case .facts(_, let shown, _) = try Record(line: line, isShown: true) else { return }
                times = (time, shown)
            }
            let last = try #require(times)
            #expect(abs(last.clock - server.now) < 3000 && abs(last.wall - world.machine.wallClock) < 3000, "\(jump)")
        }
        #expect(world.violations.isEmpty && world.referee.findings.isEmpty)
    }

    private func run(_ simulator: SystemSimulator, _ seed: UInt64) throws -> SystemSimulator.Report {
        do throws(SystemSimulator.Failure) {
            return try simulator.run(seed: seed)
        } catch {
            Issue.record("seed \(seed): \(error.reason)\n\(error.story.joined(separator: "\n"))")
            throw error
        }
    }
}
