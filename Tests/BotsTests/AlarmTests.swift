import Dispatch
import Synchronization
import Testing

@testable import LoadGenerator
@testable import Measuring

@Test func anAlarm_ringsOnceForEachMoment_andNeverBeforeIt() async {
    let moments = Mutex<[Int64]>([])
    let ended = DispatchSemaphore(value: 0)
    let alarm = Alarm(name: "test") {
        moments.withLock { $0.append(Microclock.now) }
        ended.signal()
    }
    var due: [Int64] = []
    for wait: Int64 in [2000, 1, 0, -5, 300] {
        let moment = Microclock.now + wait
        due.append(moment)
        // Much later first: what is set afterwards counts.
        alarm.set(moment + 3_600_000_000)
        alarm.set(moment)
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                ended.wait()
                done.resume()
            }
        }
    }
    alarm.stop()
    let rung = moments.withLock { $0 }
    #expect(rung.count == due.count && zip(rung, due).allSatisfy { $0 >= $1 })
}
