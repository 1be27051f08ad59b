import TestKit
import Testing

@testable import Sockets

/// A loop that is held up finds input and timers due at once: what was sent in time counts as in time.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct StallTests {
    private final class Journal: @unchecked Sendable {  // touched on its loop alone
        var entries: [(name: String, now: Int64)] = []
        var timer: LoopTimer?
        var turn: LoopTurn?
    }

    /// Holds a loop up until a client's bytes are there and a deadline has passed, and lets it go on.
    /// - Parameter turns: how many turns handling the bytes takes.
    private func stall(_ kind: PollerKind, turns: Int) async throws -> (journal: [(name: String, now: Int64)], deadline: Int64) {
        let group = Loop.group(count: 1, label: "test.stall", kind: kind)
        let loop = group[0]
        let server = try TestServer(group: group)
        let (client, peer) = try await server.raw()
        let journal = Journal()
        let fired = Arrivals<Int64>()
        let deadline = loop.performAndWait {
            var left = turns
            journal.turn = loop.makeTurn {
                journal.entries.append(("turn", loop.now))
                left -= 1
                if left > 0 { journal.turn?.request() }
            }
            peer.onBytes = { _ in
                journal.entries.append(("bytes", loop.now))
                if turns > 0 { journal.turn?.request() }
            }
            let deadline = loop.now + 20
            journal.timer = loop.makeTimer {
                journal.entries.append(("timer", loop.now))
                fired.yield(loop.now)
            }
            journal.timer?.arm(at: deadline)
            client.send([1])
            while Descriptor.waitingInput(peer.connection.descriptor) == 0 || loop.clock.now <= deadline {}
            return deadline
        }
        _ = try await fired.next()
        client.close()
        return (loop.performAndWait { journal.entries }, deadline)
    }

    @Test(arguments: PollerKind.allCases)
    func inputThatWasThereBeforeADeadline_isHandledBeforeIt_andAtATimeBeforeIt(_ kind: PollerKind) async throws {
        let (entries, deadline) = try await stall(kind, turns: 0)
        #expect(entries.map(\.name) == ["bytes", "timer"])
        #expect(entries[0].now < deadline && entries[1].now >= deadline)
    }

    @Test(arguments: PollerKind.allCases)
    func whatWasReadAndWaitsForItsTurn_isInTimeToo(_ kind: PollerKind) async throws {
        let (entries, deadline) = try await stall(kind, turns: 5)
        #expect(entries.map(\.name) == ["bytes"] + Array(repeating: "turn", count: 5) + ["timer"])
        #expect(entries.dropLast().allSatisfy { $0.now < deadline })
    }

    @Test(arguments: PollerKind.allCases)
    func turnsThatNeverEnd_holdNoTimerUp(_ kind: PollerKind) async throws {
        let (entries, _) = try await stall(kind, turns: .max)
        #expect(entries.contains { $0.name == "timer" })
    }

    @Test func theTimeOfALoop_neverGoesBack_andNeverPassesADeadlineThatIsStillToCome() async {
        let loop = Loop(label: "test.time", idleWait: 3_600_000)
        defer { loop.stop() }
        loop.performAndWait {
            let start = loop.now
            let timers = [3, 1, -5, 0].map { delay in
                let timer = loop.makeTimer {}
                timer.arm(at: start + Int64(delay))
                return timer
            }
            var last = start
            while loop.clock.now < start + 10 {
                #expect(loop.now >= last)
                last = loop.now
            }
            // One of them is due at once, so the time stands still until that has gone off.
            #expect(last == start || last == start + 1)
            withExtendedLifetime(timers) {}
        }
    }
}
