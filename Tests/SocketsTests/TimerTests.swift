import Dispatch
import Foundation
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct TimerTests {
    /// Runs a scenario, which must go the same with each kind of poller.
    private func run(_ scenario: @escaping @Sendable (Loop, TimerJournal<LoopTimer>) -> Void) async -> [String] {
        let entries = await TimerJournal.run(scenario)
        #expect(entries.allSatisfy { $0 == entries[0] })
        return entries[0]
    }

    @Test func timers_goOffInTheOrderOfTheirDeadlines_thenOfTheirArming() async {
        let entries = await run { loop, journal in
            let start = loop.now
            for (name, delay) in [("d", 9), ("a", -5), ("c", 3), ("b1", 2), ("b2", 2), ("end", 12), ("a0", Int64.min / 2)]
                as [(String, Int64)]
            {
                let timer = loop.makeTimer {
                    journal.entries.append(name)
                    if name == "end" { journal.done?() }
                }
                timer.arm(at: start + delay)
                journal.timers.append(timer)
            }
        }
        #expect(entries == ["a0", "a", "b1", "b2", "c", "d", "end"])
    }

    @Test func aTimer_mayBeSetAnewFromItsOwnAction() async {
        let entries = await run { loop, journal in
            let timer = loop.makeTimer {
                journal.entries.append("x")
                guard journal.entries.count < 5 else {
                    journal.done?()
                    return
                }
                // For a moment that has passed: it goes off at the next tick, never from inside this call.
                journal.timers[0].arm(at: loop.now - 10)
                journal.entries.append("armed")
            }
            journal.timers.append(timer)
            timer.arm(at: loop.now)
        }
        #expect(entries == ["x", "armed", "x", "armed", "x"])
    }

    @Test func anAction_mayTakeBackOrPutOffAnotherThatIsDueToo() async {
        let entries = await run { loop, journal in
            let start = loop.now - 100
            let names = ["first", "taken back", "put off", "same", "last"]
            for name in names {
                journal.timers.append(
                    loop.makeTimer {
                        journal.entries.append(name)
                        if name == "put off" { journal.done?() }
                        guard name == "first" else { return }
                        journal.timers[1].disarm()
                        journal.timers[2].arm(at: loop.now + 5)
                        journal.timers[3].arm(at: start + 3)
                    })
            }
            for (index, timer) in journal.timers.enumerated() { timer.arm(at: start + Int64(index)) }
        }
        #expect(entries == ["first", "same", "last", "put off"])
    }

    @Test func aTimerThatWasDisarmed_doesNotGoOff_andMayBeArmedAgain() async {
        let entries = await run { loop, journal in
            let never = loop.makeTimer { journal.entries.append("never") }
            let twice = loop.makeTimer { journal.entries.append("twice") }
            never.arm(at: loop.now)
            never.disarm()
            twice.arm(at: loop.now + 1)
            twice.disarm()
            twice.arm(at: loop.now + 1)
            let end = loop.makeTimer { journal.done?() }
            end.arm(at: loop.now + 5)
            journal.timers = [never, twice, end]
        }
        #expect(entries == ["twice"])
    }

    @Test func aMomentAtTheEndOfTime_isTakenForNever() async {
        let entries = await run { loop, journal in
            for moment in [Int64.max, Int64.max / 2, Int64.max / 1_000_000] {
                let timer = loop.makeTimer { journal.entries.append("at \(moment)") }
                timer.arm(at: moment)
            }
            loop.makeTimer { journal.done?() }.arm(at: .min)
        }
        #expect(entries.isEmpty)
    }
}

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

    /// The timers that fired. Touched on its loop alone.
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

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct PreciseTimerTests {
    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    @Test func everyDeadline_firesOnce_andNoneEarly() async {
        let entries = await TimerJournal<PreciseTimer>.run { loop, journal in
            let start = Self.now
            for (name, microseconds) in [("c", 900), ("a", 300), ("b", 600), ("d", 1200)] as [(String, UInt64)] {
                let timer = PreciseTimer(on: loop) {
                    journal.entries.append(Self.now < start + microseconds * 1000 ? "early" : name)
                    if journal.entries.count == 4 { journal.done?() }
                }
                timer.arm(at: start + microseconds * 1000)
                journal.timers.append(timer)
            }
        }
        #expect(entries.allSatisfy { $0.sorted() == ["a", "b", "c", "d"] })
    }

    @Test func aTimerThatIsArmedAgain_firesOnceForTheLastDeadline_alsoFromItsOwnAction() async {
        let entries = await TimerJournal<PreciseTimer>.run { loop, journal in
            let timer = PreciseTimer(on: loop) {
                journal.entries.append("x")
                guard journal.entries.count < 3 else {
                    journal.done?()
                    return
                }
                // A moment that has passed.
                journal.timers[0].arm(at: 0)
            }
            journal.timers.append(timer)
            timer.arm(at: Self.now + 3_600_000_000_000)
            timer.arm(at: Self.now + 1000)
        }
        #expect(entries.allSatisfy { $0 == ["x", "x", "x"] })
    }

    @Test func aTimerThatIsCancelledOrSetFurtherAway_doesNotFire() async {
        let entries = await TimerJournal<PreciseTimer>.run { loop, journal in
            let cancelled = PreciseTimer(on: loop) { journal.entries.append("cancelled") }
            let postponed = PreciseTimer(on: loop) { journal.entries.append("postponed") }
            let last = PreciseTimer(on: loop) {
                journal.entries.append("last")
                journal.done?()
            }
            cancelled.arm(at: 0)
            postponed.arm(at: 0)
            cancelled.cancel()
            postponed.arm(at: .max / 2)
            last.arm(at: Self.now + 1000)
            journal.timers = [cancelled, postponed, last]
        }
        #expect(entries.allSatisfy { $0 == ["last"] })
    }
}
