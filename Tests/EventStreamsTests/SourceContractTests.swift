import Dispatch
import EventStreams
import Synchronization
import TestKit
import Testing

/// Each line of the contract that a subscriber sees, for each source and each operator on a subject.
@Suite struct SourceContractTests {
    @Test(arguments: SourceCase.withOperators)
    func subscription_comesFirst_thenValuesInOrder_thenOneEnd(_ source: SourceCase) {
        let run = source.attach(Habits())
        #expect(run.log.entries.first == .subscription)
        run.request(.unlimited)
        run.feed()
        #expect(run.log.values == source.expected)
        #expect(run.log.entries.last == source.completion)
        #expect(run.log.entries.count == source.expected.count + 2)
        #expect(!run.log.demandWasExceeded)
    }

    @Test(arguments: SourceCase.all)
    func demand_isAdditiveAndNeverExceeded(_ source: SourceCase) {
        let run = source.attach(Habits())
        #expect(run.log.values.isEmpty)
        run.request(.max(1))
        #expect(run.log.received <= 1)
        run.request(.max(1))
        run.feed()
        #expect(run.log.values == Array(source.expected.prefix(2)))
        run.request(.max(5))
        #expect(run.log.values == (source.isHot ? Array(source.expected.prefix(2)) : source.expected))
        #expect(!run.log.demandWasExceeded)
        #expect(run.log.completions == [source.completion])
    }

    @Test(arguments: SourceCase.all)
    func subscriber_getsTheEnd_whenItComesLate(_ source: SourceCase) {
        let run = source.attach(Habits())
        run.request(.unlimited)
        run.feed()
        let late = run.subscribeAgain()
        #expect(late.values == source.late)
        #expect(late.completions == [source.completion])
    }

    @Test(arguments: SourceCase.all)
    func cancel_isIdempotentAndSilences(_ source: SourceCase) {
        let run = source.attach(Habits())
        let entries = run.log.entries
        run.cancel()
        run.cancel()
        run.request(.unlimited)
        run.feed()
        #expect(run.log.entries == entries)
    }

    @Test(arguments: SourceCase.withOperators)
    func cancel_isSafe_fromWithinAnyValue(_ source: SourceCase) {
        for number in source.expected.indices.map({ $0 + 1 }) {
            let run = source.attach(.cancelling(atValue: number))
            run.request(.unlimited)
            run.feed()
            #expect(run.log.values == Array(source.expected.prefix(number)))
            #expect(run.log.completions.isEmpty)
            #expect(run.isReleased())
        }
    }

    @Test(arguments: SourceCase.withOperators, [true, false])
    func nothing_leaks(_ source: SourceCase, afterCancel: Bool) {
        let run = source.attach(Habits())
        run.request(.unlimited)
        if afterCancel { run.cancel() } else { run.feed() }
        #expect(run.isReleased())
    }

    @Test(arguments: SourceCase.withOperators)
    func subscriber_needsNoReferenceToItsSubscription(_ source: SourceCase) {
        let run = source.attach(.asking(for: .unlimited, keepsSubscription: false))
        run.feed()
        #expect(run.log.values == source.expected)
        #expect(run.log.completions == [source.completion])
        #expect(run.isReleased())
    }

    @Test(arguments: SourceCase.withOperators)
    func cancel_isSafe_fromWithinTheSubscription(_ source: SourceCase) {
        let run = source.attach(Habits(onSubscription: { $0.cancel() }))
        run.feed()
        #expect(run.log.entries == [.subscription])
        #expect(run.isReleased())
    }

    /// Of an operator that cannot wait, more than the demand is lost.
    @Test(
        arguments: SourceCase.all
            + OperatorCase.all.filter { $0.loss == .never && !$0.isScheduled }.map(SourceCase.init))
    func demand_inAnswerToAValue_isMet(_ source: SourceCase) {
        let run = source.attach(
            Habits(
                onSubscription: { $0.request(.max(1)) },
                onValue: { number, subscription in
                    // By turns in answer, and by a request from within.
                    if number.isMultiple(of: 2) { return .max(1) }
                    subscription.request(.max(1))
                    return .none
                }))
        run.feed()
        #expect(run.log.values == source.expected)
        #expect(run.log.completions == [source.completion])
        #expect(!run.log.demandWasExceeded)
    }

    @Test(arguments: SourceCase.withOperators.indices)
    func demand_ofNothing_traps(_ index: Int) async {
        await #expect(processExitsWith: .failure) { [index] in
            SourceCase.withOperators[index].attach(Habits()).request(.none)
        }
    }
}

/// Known faults of other implementations: locks held during calls, order lost in re-entrance, stacks that overflow, cycles.
@Suite(.ownThread) struct SourceDefectTests {
    @Test func twoSubjects_finish_whenTheyFeedEachOtherFromTwoThreads() {
        let ping = PassthroughSubject<Int, Never>()
        let pong = PassthroughSubject<Int, Never>()
        let heard = Atomic<Int>(0)
        let first = ping.sink { value in
            heard.wrappingAdd(1, ordering: .relaxed)
            if value > 0 { pong.send(value - 1) }
        }
        let second = pong.sink { value in
            heard.wrappingAdd(1, ordering: .relaxed)
            if value > 0 { ping.send(value - 1) }
        }
        DispatchQueue.concurrentPerform(iterations: 2) { side in
            for _ in 0..<2_000 { (side == 0 ? ping : pong).send(9) }
        }
        #expect(heard.load(ordering: .relaxed) == 2 * 2_000 * 10)
        first.cancel()
        second.cancel()
    }

    @Test func send_keepsOrderForEverySubscriber_whenItIsReentrant() {
        let subject = PassthroughSubject<Int, Never>()
        var seen: [[Int]] = [[], [], []]
        var cancellables: Set<AnyCancellable> = []
        for subscriber in 0..<3 {
            subject.sink { value in
                seen[subscriber].append(value)
                if subscriber == 0, value < 10 {
                    subject.send(value * 10)
                    subject.send(value * 10 + 1)
                }
            }.store(in: &cancellables)
        }
        subject.send(1)
        subject.send(2)
        for order in seen { #expect(order == [1, 10, 11, 2, 20, 21]) }
    }

    @Test func send_doesNotOverflowTheStack_howeverDeep() {
        let (subject, depth) = (PassthroughSubject<Int, Never>(), Thorough.count(100_000, most: 1_000_000))
        var count = 0
        let cancellable = subject.map { $0 + 1 }.sink { value in
            count = value
            if value < depth { subject.send(value) }
        }
        subject.send(0)
        cancellable.cancel()
        #expect(count == depth)
    }

    @Test func send_fromManyThreads_reachesEverySubscriberInOneOrder() {
        let subject = PassthroughSubject<Int, Never>()
        let recordings = (0..<2).map { _ in Recording(of: subject) }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<1_000 { subject.send(thread * 1_000 + number) }
        }
        // The last sender may have left its value to another thread, which delivers it before it returns.
        let seen = recordings[0].values
        #expect(seen.count == 4_000)
        #expect(seen == recordings[1].values)
        for thread in 0..<4 { #expect(seen.filter { $0 / 1_000 == thread } == (0..<1_000).map { thread * 1_000 + $0 }) }
    }

    // MARK: Ownership

    @Test func sink_letsGoOfItsClosures_whileItIsHeld() {
        final class DeinitProbe {}
        for ends in [true, false] {
            let subject = PassthroughSubject<Int, Never>()
            var probe: DeinitProbe? = DeinitProbe()
            weak let trace = probe
            let sink = subject.sink(
                receiveCompletion: { [probe] _ in _ = probe }, receiveValue: { [probe] _ in _ = probe })
            probe = nil
            #expect(trace != nil)
            if ends { subject.send(completion: .finished) } else { sink.cancel() }
            #expect(trace == nil)
        }
    }

    /// The ways in which a subscription ends.
    enum End: CaseIterable { case cancel, release, finish }

    /// The subscription alone keeps the subject, as in a function that returns `subject.eraseToAnyPublisher()`.
    @Test(arguments: End.allCases)
    func subjects_areKept_byASubscription_untilItsEnd(_ end: End) {
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        weak let sender = subject
        var seen: [Int] = []
        var cancellable = subject?.eraseToAnyPublisher().map { $0 }.removeDuplicates().sink { seen.append($0) }
        subject = nil
        sender?.send(1)
        #expect(seen == [1])
        switch end {
        case .cancel: cancellable?.cancel()
        case .release: cancellable = nil
        case .finish: sender?.send(completion: .finished)
        }
        #expect(sender == nil)
        cancellable = nil
    }

    @Test func subjects_areNotKept_byASubscriptionThatIsHeldAfterTheEnd() {
        for ends in [true, false] {
            var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
            weak let trace = subject
            let probe = subject?.probed(.asking(for: .unlimited))
            if ends { subject?.send(completion: .finished) } else { probe?.subscription?.cancel() }
            subject = nil
            #expect(trace == nil)
            #expect(probe?.subscription != nil)
        }
    }
}
