import EventStreams
import Testing

/// Each line of the contract, for each source.
@Suite struct SourceContractTests {
    @Test(arguments: SourceCase.all)
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

    @Test(arguments: SourceCase.all)
    func cancel_isSafe_fromWithinAValue(_ source: SourceCase) {
        let run = source.attach(.cancelling(atValue: 1))
        run.request(.unlimited)
        run.feed()
        #expect(run.log.values == Array(source.expected.prefix(1)))
        if !source.expected.isEmpty { #expect(run.log.completions.isEmpty) }
    }

    @Test(arguments: SourceCase.all, [true, false])
    func nothing_leaks(_ source: SourceCase, afterCancel: Bool) {
        let run = source.attach(Habits())
        run.request(.unlimited)
        if afterCancel { run.cancel() } else { run.feed() }
        #expect(run.isReleased())
    }

    @Test(arguments: SourceCase.all)
    func subscriber_needsNoReferenceToItsSubscription(_ source: SourceCase) {
        let run = source.attach(.asking(for: .unlimited, keepsSubscription: false))
        run.feed()
        #expect(run.log.values == source.expected)
        #expect(run.log.completions == [source.completion])
        #expect(run.isReleased())
    }

    @Test(arguments: SourceCase.all)
    func cancel_isSafe_fromWithinTheSubscription(_ source: SourceCase) {
        let run = source.attach(Habits(onSubscription: { $0.cancel() }))
        run.feed()
        #expect(run.log.entries == [.subscription])
        #expect(run.isReleased())
    }

    @Test(arguments: SourceCase.all)
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

    @Test(arguments: SourceCase.all.indices)
    func demand_ofNothing_traps(_ index: Int) async {
        await #expect(processExitsWith: .failure) { [index] in
            SourceCase.all[index].attach(Habits()).request(.none)
        }
    }
}
