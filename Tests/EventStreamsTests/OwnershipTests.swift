import Dispatch
import EventStreams
import Testing

/// Upstream owns downstream until the end, scheduled work owns its stage, and both let go then.
@Suite struct OwnershipTests {
    private let scheduler = VirtualTimeScheduler()

    /// Subscribes with nothing but closures, which keep no subscription, and gives what they have seen.
    private func watch<P: Publisher>(_ publisher: P) -> () -> [String] {
        var seen: [String] = []
        publisher.subscribe(
            AnySubscriber(
                receiveSubscription: { $0.request(.unlimited) },
                receiveValue: {
                    seen.append("\($0)")
                    return .none
                },
                receiveCompletion: { seen.append($0.isFinished ? "finished" : "failed") }))
        return { seen }
    }

    @Test func future_ownsItsSubscribers_untilItIsResolved() {
        var promise: Future<Int, Oops>.Promise?
        let future = Future<Int, Oops> { promise = $0 }
        let seen = watch(future)
        promise?(.success(1))
        #expect(seen() == ["1", "finished"])
    }

    @Test func debounce_ownsItsStage_asLongAsATimerIsSet() {
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        let seen = subject.map { watch($0.debounce(for: .seconds(1), scheduler: scheduler)) }
        scheduler.advance()
        subject?.send(1)
        scheduler.advance()
        subject = nil
        scheduler.run()
        #expect(seen?() == ["1"])
    }

    @Test func receiveOn_ownsItsStage_whenTheSubjectFinishesBeforeItsTurn() {
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        let seen = subject.map { watch($0.receive(on: scheduler)) }
        subject?.send(1)
        subject?.send(completion: .finished)
        subject = nil
        scheduler.run()
        #expect(seen?() == ["1", "finished"])
    }

    @Test func sink_letsGoOfItsClosures_whileItIsHeld() {
        final class Witness {}
        for ends in [true, false] {
            let subject = PassthroughSubject<Int, Never>()
            var witness: Witness? = Witness()
            weak let trace = witness
            let sink = subject.sink(
                receiveCompletion: { [witness] _ in _ = witness }, receiveValue: { [witness] _ in _ = witness })
            witness = nil
            #expect(trace != nil)
            if ends { subject.send(completion: .finished) } else { sink.cancel() }
            #expect(trace == nil)
        }
    }

    @Test func timer_thatIsStillSet_keepsNothing_afterCancel() {
        final class Witness {}
        var witness: Witness? = Witness()
        weak let trace = witness
        let subject = CurrentValueSubject<Int, Never>(1)
        let cancellable = subject.debounce(for: .seconds(3_600), scheduler: scheduler).sink { [witness] _ in _ = witness }
        witness = nil
        scheduler.advance()
        #expect(trace != nil)
        cancellable.cancel()
        #expect(trace == nil)
    }

    @Test func subjects_areNotKept_bySubscribersWhoKeepNoSubscription() {
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        var probe: ProbeSubscriber<Int, Never>? = ProbeSubscriber(Log(), .asking(for: .unlimited, keepsSubscription: false))
        weak let subjectTrace = subject
        weak let probeTrace = probe
        if let probe { subject?.subscribe(probe) }
        probe = nil
        #expect(probeTrace != nil)
        subject = nil
        #expect(subjectTrace == nil)
        #expect(probeTrace == nil)
    }

    /// The ways in which a subscription ends.
    enum End: CaseIterable { case cancel, release, finish }

    /// Nobody but the subscription keeps the subject, as in a function that returns `subject.eraseToAnyPublisher()`.
    @Test(arguments: End.allCases, [false, true])
    func subjects_areKept_byASubscription_untilItsEnd(_ end: End, hasCurrentValue: Bool) {
        func check<S: Subject<Int, Never>>(_ make: () -> S, seen expected: [Int]) {
            var subject: S? = make()
            weak let sender = subject
            var seen: [Int] = []
            var cancellable = subject?.eraseToAnyPublisher().map { $0 }.removeDuplicates().sink { seen.append($0) }
            subject = nil
            sender?.send(1)
            #expect(seen == expected)
            switch end {
            case .cancel: cancellable?.cancel()
            case .release: cancellable = nil
            case .finish: sender?.send(completion: .finished)
            }
            #expect(sender == nil)
            cancellable = nil
        }
        if hasCurrentValue {
            check({ CurrentValueSubject(0) }, seen: [0, 1])
        } else {
            check({ PassthroughSubject() }, seen: [1])
        }
    }

    @Test func subjects_areNotKept_byASubscriptionThatIsHeldAfterTheEnd() {
        for ends in [true, false] {
            var subject: CurrentValueSubject<Int, Never>? = CurrentValueSubject(0)
            weak let trace = subject
            let probe = subject?.probed(.asking(for: .unlimited))
            if ends { subject?.send(completion: .finished) } else { probe?.subscription?.cancel() }
            subject = nil
            #expect(trace == nil)
            #expect(probe?.subscription != nil)
        }
    }
}
