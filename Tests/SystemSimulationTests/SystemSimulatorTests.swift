import Testing

@testable import SystemSimulation

/// Worlds of fixed seeds: short, since each costs about a second.
struct SystemSimulatorTests {
    @Test(arguments: [8] as [UInt64])
    func aWorldWithEveryFault_breaksNoLaw(_ seed: UInt64) throws {
        let report = try run(SystemSimulator(roundsPerWorld: 12), seed)
        #expect(report.rounds >= 12 && report.faults > 0)
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
                .init(seed: 23, faults: [.kill, .power, .drain, .vanish, .disk], rounds: 6), keepsTranscripts: false)
            #expect(world.run() == nil && world.starts > 1)
            machine = world.machine
            world.end()
        }
        #expect(machine == nil)
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
