import Foundation
import TestKit
import Testing

@testable import Sockets

/// Ten thousand timers against a model that knows no heap: a list that is searched from end to end. Time is advanced by hand.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct TimerModelTests {
    private struct Model {
        private var armed: [Int: (deadline: Int64, order: Int)] = [:]
        private var armings = 0

        mutating func arm(_ timer: Int, at deadline: Int64) {
            guard armed[timer]?.deadline != deadline else { return }
            armings += 1
            armed[timer] = (deadline, armings)
        }

        mutating func disarm(_ timer: Int) { armed[timer] = nil }

        func deadline(_ timer: Int) -> Int64? { armed[timer]?.deadline }

        mutating func due(at now: Int64) -> [Int] {
            let due = armed.filter { $0.value.deadline <= now }
                .sorted { ($0.value.deadline, $0.value.order) < ($1.value.deadline, $1.value.order) }
                .map(\.key)
            for timer in due { armed[timer] = nil }
            return due
        }
    }

    /// What went off. Touched on its loop alone.
    private final class Journal: @unchecked Sendable {
        var fired: [Int] = []
    }

    @Test func tenThousandTimers_goOffAsTheModelSays_howeverTheyAreArmedAndTakenBack() {
        let seed = Seed.value
        let loop = Loop(label: "test.timers")
        defer { loop.stop() }
        let mismatch = loop.performAndWait { () -> String? in
            var random = SeededGenerator(seed: seed)
            var model = Model()
            let journal = Journal()
            let timers = (0..<10_000).map { index in loop.makeTimer { journal.fired.append(index) } }
            // So late that the loop itself never meets it.
            var now = loop.now + 1_000_000_000_000
            for round in 0..<60 {
                for _ in 0..<2000 {
                    let index = random.below(timers.count)
                    if random.below(4) == 0 {
                        model.disarm(index)
                        timers[index].disarm()
                    } else {
                        let deadline = now + Int64(random.below(200))
                        model.arm(index, at: deadline)
                        timers[index].arm(at: deadline)
                    }
                }
                now += Int64(random.below(40))
                journal.fired = []
                for firing in loop.timers.due(at: now) { firing.fire() }
                guard journal.fired == model.due(at: now) else { return "round \(round), seed \(seed)" }
                guard timers.indices.allSatisfy({ timers[$0].deadline == model.deadline($0) }) else {
                    return "deadlines of round \(round), seed \(seed)"
                }
            }
            for timer in timers { timer.disarm() }
            return loop.timers.next() == nil ? nil : "something is left, seed \(seed)"
        }
        #expect(mismatch == nil)
    }
}
