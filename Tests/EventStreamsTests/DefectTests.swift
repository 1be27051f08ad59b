import Dispatch
import EventStreams
import Foundation
import Testing

/// Streams that once lost or held back something, or trapped.
@Suite struct DefectTests {
    // MARK: Demand

    @Test func switchToLatest_emitsNothingStale_whenDemandComesLate() {
        let outer = PassthroughSubject<Int, Never>()
        let probe = outer.map { [$0, $0 + 100].publisher }.switchToLatest().probed()
        probe.request(.max(1))
        outer.send(1)
        outer.send(2)
        probe.request(.unlimited)
        #expect(probe.log.values == ["1", "2", "102"])
    }

    @Test func dropFirst_dropsWithoutDemand_soNoChangeIsLostBeforeTheFirstNext() async {
        let subject = CurrentValueSubject<Int, Never>(0)
        var iterator = subject.dropFirst().values.makeAsyncIterator()
        subject.send(1)
        #expect(await iterator.next() == 1)
    }

    @Test func first_takesTheValue_beforeThereIsDemand() {
        let subject = PassthroughSubject<Int, Never>()
        let probe = subject.first().probed()
        subject.send(1)
        #expect(probe.log.values.isEmpty)
        probe.request(.max(1))
        #expect(probe.log.entries == [.subscription, .value("1"), .finished])
    }

    @Test func catchAndRetry_loseNoValueThatWasDemandedInAnswer() {
        let source = [5, 7, 8, 9].publisher.setFailureType(to: Oops.self)
        let oneByOne = Habits(onSubscription: { $0.request(.max(1)) }, onValue: { _, _ in .max(1) })
        #expect(source.share().catch { _ in Empty<Int, Never>() }.probed(oneByOne).log.values == ["5", "7", "8", "9"])
        #expect(source.share().retry(2).probed(oneByOne).log.values == ["5", "7", "8", "9"])
        #expect(source.share().append(Empty()).probed(oneByOne).log.values == ["5", "7", "8", "9"])
    }

    // MARK: Saturation

    @Test func times_thatAreTooLong_areTheLongestThereIs() {
        #expect(Nanoseconds.seconds(Int.max).magnitude == .max)
        #expect(Nanoseconds.seconds(Int.min).magnitude == .min)
        #expect(Nanoseconds.seconds(1e10).magnitude == .max)
        #expect(Nanoseconds.seconds(-1e10).magnitude == .min)
        #expect(Nanoseconds.seconds(.nan) == .zero)
        #expect(Nanoseconds.seconds(.infinity).magnitude == .max)
        #expect(Nanoseconds.milliseconds(.max) + .seconds(1) == .nanoseconds(.max))
        #expect(Nanoseconds.nanoseconds(.min) - .seconds(1) == .nanoseconds(.min))
        #expect(Nanoseconds.zero - .nanoseconds(.min) == .nanoseconds(.max))
        #expect(Nanoseconds.seconds(-2) * .seconds(.max) == .nanoseconds(.min))
        #expect(-Nanoseconds.nanoseconds(.min) == .nanoseconds(.max))
        let end = VirtualTimeScheduler.SchedulerTimeType(nanoseconds: .max)
        #expect(end.advanced(by: .seconds(1)) == end)
        #expect(VirtualTimeScheduler.SchedulerTimeType(nanoseconds: .min).distance(to: end).magnitude == .max)
    }

    @Test func timeoutAndDelay_doNotTrap_howeverLongTheyAre() {
        let (scheduler, queue) = (VirtualTimeScheduler(), DispatchQueue(label: "long"))
        var seen: [Int] = []
        let subject = PassthroughSubject<Int, Never>()
        let cancellables = [
            subject.timeout(.seconds(Int.max), scheduler: scheduler).sink { seen.append($0) },
            subject.delay(for: .seconds(1e10), scheduler: scheduler).sink { seen.append(-$0) },
            subject.timeout(.seconds(Int.max), scheduler: queue).sink { _ in },
            subject.delay(for: .seconds(1e10), scheduler: queue).sink { _ in },
        ]
        scheduler.advance(by: .seconds(1))
        subject.send(1)
        scheduler.advance(by: .seconds(1_000_000))
        #expect(seen == [1])
        queue.sync {}
        for cancellable in cancellables { cancellable.cancel() }
    }

    // MARK: Iterators

    @Test func iterators_thatAreCopied_areAwaitedByTwoTasks() async {
        let subject = PassthroughSubject<Int, Never>()
        let iterator = subject.values.makeAsyncIterator()
        let seen = Collected()
        await withTaskGroup { group in
            for _ in 0..<2 {
                let copy = Copy(iterator: iterator)
                group.addTask {
                    var mine = copy.iterator
                    if let value = await mine.next() { seen.add(value) }
                }
            }
            // Each task asks for one: until both have, what is sent may be lost.
            var value = 0
            while seen.count < 2 {
                value += 1
                subject.send(value)
                await Task.yield()
            }
        }
        #expect(Set(seen.values).count == 2)
    }

    private struct Copy: @unchecked Sendable {
        // Sendable: copies of one iterator share a reader, which is.
        let iterator: AsyncPublisher<PassthroughSubject<Int, Never>>.Iterator
    }

    private final class Collected: @unchecked Sendable {
        // Sendable: behind a lock.
        private let lock = NSLock()
        private var held: [Int] = []
        var values: [Int] { lock.withLock { held } }
        var count: Int { values.count }
        func add(_ value: Int) { lock.withLock { held.append(value) } }
    }

    // MARK: Time of arrival

    /// A scheduler that is busy with something else for a while when a value comes.
    @Test(arguments: [true, false])
    func delayAndDebounce_countFromTheArrival_notFromWhenTheSchedulerGetsRoundToIt(isDelay: Bool) {
        let scheduler = BusyScheduler()
        let subject = PassthroughSubject<Int, Never>()
        var seen: [Int] = []
        let milliseconds: () -> Int = { scheduler.now.nanoseconds / 1_000_000 }
        let stream =
            isDelay
            ? subject.delay(for: .milliseconds(200), scheduler: scheduler).eraseToAnyPublisher()
            : subject.debounce(for: .milliseconds(200), scheduler: scheduler).eraseToAnyPublisher()
        let cancellable = stream.sink { _ in seen.append(milliseconds()) }
        scheduler.time.advance()
        scheduler.busyUntil = .init(nanoseconds: 300_000_000)
        subject.send(1)
        scheduler.time.run()
        #expect(seen == [300])
        cancellable.cancel()
    }

    /// Virtual time, on a queue that runs nothing before it is free.
    private final class BusyScheduler: Scheduler {
        typealias SchedulerTimeType = VirtualTimeScheduler.SchedulerTimeType
        typealias SchedulerOptions = Never

        let time = VirtualTimeScheduler()
        var busyUntil = SchedulerTimeType()

        var now: SchedulerTimeType { time.now }
        var minimumTolerance: Nanoseconds { .zero }

        func schedule(options: Never?, _ action: @escaping () -> Void) {
            time.schedule(after: busyUntil, action)
        }

        func schedule(
            after date: SchedulerTimeType, tolerance: Nanoseconds, options: Never?, _ action: @escaping () -> Void
        ) {
            time.schedule(after: max(date, busyUntil), action)
        }

        func schedule(
            after date: SchedulerTimeType, interval: Nanoseconds, tolerance: Nanoseconds, options: Never?,
            _ action: @escaping () -> Void
        ) -> any Cancellable {
            time.schedule(after: max(date, busyUntil), interval: interval, action)
        }
    }

    // MARK: Buffer

    @Test(arguments: [Publishers.PrefetchStrategy.keepFull, .byRequest])
    func buffer_withoutRoom_passesOnWhatIsAskedFor(prefetch: Publishers.PrefetchStrategy) {
        let subject = PassthroughSubject<Int, Never>()
        let probe = subject.buffer(size: 0, prefetch: prefetch, whenFull: .dropOldest).probed()
        subject.send(1)
        probe.request(.max(1))
        subject.send(2)
        subject.send(3)
        subject.send(completion: .finished)
        #expect(probe.log.entries == [.subscription, .value("2"), .finished])
    }

    @Test func buffer_passesAFailureOn_thoughThereAreValuesThatNobodyHasAskedFor() {
        let source = ProbeSource()
        let probe = source.buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest).probed()
        probe.request(.max(1))
        for number in 1...3 { source.send(number) }
        source.send(completion: .failure(Oops()))
        #expect(probe.log.entries == [.subscription, .value("1"), .failed])
    }

    // MARK: Current value

    @Test func currentValue_isKept_whenItIsSetAfterTheCompletion() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let recording = Recording(of: subject)
        subject.send(completion: .finished)
        subject.value = 2
        subject.send(3)
        #expect(subject.value == 2)
        #expect(recording.values == [1])
    }
}
