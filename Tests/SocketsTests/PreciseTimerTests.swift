import Dispatch
import TestKit
import Testing

@testable import Sockets

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
