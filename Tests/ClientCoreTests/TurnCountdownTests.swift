import ClientCore
import EventStreams
import Testing

@Test func theCountdownOfATurnShowsWholeSeconds_andEndsAtTheDeadline() {
    let scheduler = VirtualTimeScheduler()
    var seen: [String] = []
    let countdown = TurnCountdown(deadline: 12_500, now: 10_000, scheduler: scheduler)
        .sink(receiveCompletion: { _ in seen.append("over") }, receiveValue: { seen.append("\($0)") })
    #expect(seen == ["3"])
    scheduler.advance(by: .milliseconds(499))
    #expect(seen == ["3"])
    scheduler.advance(by: .milliseconds(1))
    #expect(seen == ["3", "2"])
    scheduler.advance(by: .seconds(2))
    #expect(seen == ["3", "2", "1", "0", "over"])
    countdown.cancel()
}

@Test func aDeadlineThatHasPassedIsZeroAtOnce() {
    var seen: [Int] = []
    let countdown = TurnCountdown(deadline: 1, now: 5, scheduler: VirtualTimeScheduler()).sink { seen.append($0) }
    #expect(seen == [0])
    countdown.cancel()
}

/// A clock that runs on while its process is stopped: the ticks in between are one.
private final class StoppedScheduler: Scheduler {
    typealias SchedulerOptions = Never
    var now = VirtualTimeScheduler.SchedulerTimeType()
    var tick: () -> Void = {}
    var minimumTolerance: VirtualTimeScheduler.SchedulerTimeType.Stride { .nanoseconds(0) }

    func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
    ) {
        tick = action
    }

    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        tick = action
        return AnyCancellable {}
    }
}

@Test func aCountdown_isRight_afterItsProcessWasStopped() {
    let scheduler = StoppedScheduler()
    var seen: [String] = []
    let countdown = TurnCountdown(deadline: 20_000, now: 10_000, scheduler: scheduler)
        .sink(receiveCompletion: { _ in seen.append("over") }, receiveValue: { seen.append("\($0)") })
    for second in [1, 7, 30] {
        scheduler.now = .init(nanoseconds: second * 1_000_000_000)
        scheduler.tick()
    }
    #expect(seen == ["10", "9", "3", "0", "over"])
    countdown.cancel()
}

@Test func theSecondsLeft_followTheLatestDeadline_andAreNilWithoutOne() {
    let scheduler = VirtualTimeScheduler()
    let deadlines = PassthroughSubject<Int64?, Never>()
    var seen: [Int?] = []
    func now() -> Int64 { 10_000 + Int64(scheduler.now.nanoseconds / 1_000_000) }
    let countdown = deadlines.secondsLeft(on: scheduler, now: now).sink { seen.append($0) }
    for deadline in [nil, 12_000, 12_000] as [Int64?] { deadlines.send(deadline) }
    scheduler.advance(by: .seconds(1))
    #expect(seen == [nil, 2, 1])
    deadlines.send(13_500)
    scheduler.advance(by: .milliseconds(500))
    #expect(seen == [nil, 2, 1, 3, 2])
    deadlines.send(nil)
    #expect(seen == [nil, 2, 1, 3, 2, nil])
    // What repeats itself is never done: this returns because no timer runs where no clock does.
    scheduler.run()
    #expect(seen.count == 6)
    deadlines.send(now() + 3_500)
    scheduler.run()
    #expect(seen.suffix(5) == [4, 3, 2, 1, 0], "at the deadline the timer stops too")
    countdown.cancel()
}

@Test func theSecondsLeft_areNotCountedForNobody() {
    let scheduler = VirtualTimeScheduler()
    let deadlines = PassthroughSubject<Int64?, Never>()
    let countdown = deadlines.secondsLeft(on: scheduler) { 0 }.sink { _ in }
    deadlines.send(1_000_000)
    countdown.cancel()
    scheduler.run()
    #expect(scheduler.now.nanoseconds < 2_000_000_000)
}
