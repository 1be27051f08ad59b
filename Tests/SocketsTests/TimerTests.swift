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
