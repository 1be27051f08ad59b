import EventStreams
import Testing

/// Each line of the contract, for each operator.
@Suite struct OperatorContractTests {
    @Test(arguments: OperatorCase.all)
    func subscription_comesFirstAndOnce(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        #expect(run.log.entries == [.subscription])
        run.request(.unlimited)
        run.settle()
        source.send(1)
        source.send(completion: .finished)
        run.settle()
        #expect(run.log.entries.first == .subscription)
        #expect(run.log.entries.filter { $0 == .subscription }.count == 1)
    }

    @Test(arguments: OperatorCase.all)
    func subscription_isCancelled_whenItIsTheSecond(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        let second = source.startAgain()
        run.settle()
        #expect(second.cancellations == 1)
        #expect(source.subscription.cancellations == 0)
        #expect(run.log.entries == [.subscription])
    }

    @Test(arguments: OperatorCase.all)
    func values_areIgnored_beforeTheSubscription(_ operation: OperatorCase) {
        let source = ProbeSource(startsByItself: false)
        let run = operation.attach(to: source)
        source.send(1)
        source.send(completion: .finished)
        run.settle()
        #expect(run.log.values.isEmpty)
        #expect(run.log.completions.isEmpty)
    }

    @Test(arguments: OperatorCase.all)
    func values_comeInOrderAndThenTheEnd(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        run.request(.unlimited)
        for number in 1...5 {
            run.settle()
            source.send(number)
        }
        run.settle()
        source.send(completion: .finished)
        run.settle()
        #expect(run.log.values == operation.expected)
        #expect(run.log.entries.last == .finished)
    }

    @Test(arguments: OperatorCase.all)
    func demand_isNeverExceeded_andNothingIsLostForWantOfIt(_ operation: OperatorCase) {
        var generator = SeededGenerator()
        for _ in 0..<20 {
            let steps = (0..<16).map { _ in Int.random(in: 1...4, using: &generator) }
            let note: Comment = "seed \(SeededGenerator.seed), demand \(steps)"
            let run = operation.attach(to: [1, 2, 3, 4, 5].publisher.setFailureType(to: Oops.self))
            run.settle()
            #expect(run.log.values.isEmpty, "values came without demand")
            for step in steps {
                run.request(.max(step))
                if Bool.random(using: &generator) { run.settle() }
                #expect(!run.log.demandWasExceeded, note)
            }
            run.settle()
            if operation.loss == .never { #expect(run.log.values == operation.expected, note) }
            #expect(run.log.completions == [.finished], note)
        }
    }

    @Test(arguments: OperatorCase.all)
    func demand_isAdditive(_ operation: OperatorCase) {
        let run = operation.attach(to: [1, 2, 3, 4, 5].publisher.setFailureType(to: Oops.self))
        run.request(.max(2))
        run.request(.max(100))
        run.request(.unlimited)
        run.settle()
        if operation.loss == .never { #expect(run.log.values == operation.expected) }
        #expect(run.log.completions == [.finished])
    }

    @Test(arguments: OperatorCase.all)
    func completion_comesOnceAndNothingAfterIt(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        run.request(.unlimited)
        run.settle()
        let subscriber = source.stubborn
        source.send(completion: .finished)
        run.settle()
        let entries = run.log.entries
        #expect(run.log.completions == [.finished])
        _ = subscriber?.receive(7)
        subscriber?.receive(completion: .failure(Oops()))
        subscriber?.receive(completion: .finished)
        run.settle()
        #expect(run.log.entries == entries)
    }

    @Test(arguments: OperatorCase.all)
    func failure_isPassedOnOrReplaced(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        run.request(.unlimited)
        run.settle()
        source.send(completion: .failure(Oops()))
        run.settle()
        #expect(run.log.completions == [operation.passesFailure ? .failed : .finished])
    }

    @Test(arguments: OperatorCase.all)
    func cancel_isIdempotentReachesUpstreamAndSilencesIt(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        run.request(.unlimited)
        run.settle()
        let subscriber = source.stubborn
        let entries = run.log.entries
        run.cancel()
        run.cancel()
        run.settle()
        #expect(source.subscription.cancellations == 1)
        _ = subscriber?.receive(7)
        subscriber?.receive(completion: .finished)
        run.settle()
        #expect(run.log.entries == entries)
        run.cancel()
        #expect(source.subscription.cancellations == 1)
    }

    @Test(arguments: OperatorCase.all)
    func cancel_isSafe_fromWithinAValue(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source, cancelsAtFirstValue: true)
        run.request(.unlimited)
        for number in 1...5 {
            run.settle()
            source.send(number)
        }
        run.settle()
        source.send(completion: .finished)
        run.settle()
        #expect(run.log.values.count == 1)
        #expect(run.log.completions.isEmpty)
    }

    @Test(arguments: OperatorCase.all)
    func nothing_leaks_afterCompletion(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        run.request(.unlimited)
        run.settle()
        source.send(1)
        source.send(completion: .finished)
        source.forget()
        run.settle()
        #expect(run.isReleased())
    }

    @Test(arguments: OperatorCase.all)
    func nothing_leaks_afterCancel(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        run.request(.unlimited)
        run.settle()
        source.send(1)
        run.cancel()
        run.settle()
        #expect(run.isReleased())
    }

    @Test(arguments: OperatorCase.all.indices)
    func demand_ofNothing_traps(_ index: Int) async {
        await #expect(processExitsWith: .failure) { [index] in
            let run = OperatorCase.all[index].attach(to: ProbeSource())
            run.request(.none)
            run.settle()
        }
    }
}
