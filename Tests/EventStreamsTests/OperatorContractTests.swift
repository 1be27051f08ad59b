import Dispatch
import EventStreams
import TestKit
import Testing

/// Each line of the contract that needs an upstream of the test's, for each operator.
@Suite struct OperatorContractTests {
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
    func demand_isNeverExceeded_andNothingIsLostForWantOfIt(_ operation: OperatorCase) {
        var generator = SeededGenerator()
        for _ in 0..<20 {
            let steps = (0..<16).map { _ in Int.random(in: 1...4, using: &generator) }
            let note: Comment = "seed \(Seed.value), demand \(steps)"
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
        let (source, run) = operation.running()
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
        let (source, run) = operation.running()
        source.send(completion: .failure(Oops()))
        run.settle()
        #expect(run.log.completions == [operation.passesFailure ? .failed : .finished])
    }

    @Test(arguments: OperatorCase.all)
    func cancel_isIdempotentReachesUpstreamAndSilencesIt(_ operation: OperatorCase) {
        let (source, run) = operation.running()
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
    func send_fromWithinAValue_isDeliveredAfterIt(_ operation: OperatorCase) {
        let source = PassthroughSubject<Int, Oops>()
        var isInside = false
        let run = operation.attach(
            to: source,
            Habits(
                onSubscription: { $0.request(.unlimited) },
                onValue: { number, _ in
                    #expect(!isInside)
                    isInside = true
                    if number == 1 { source.send(5) }
                    isInside = false
                    return .none
                }))
        run.drive(source)
        #expect(run.log.completions == [.finished])
    }

    @Test(arguments: OperatorCase.all)
    func failure_needsNoDemand(_ operation: OperatorCase) {
        let source = ProbeSource()
        let run = operation.attach(to: source)
        source.send(completion: .failure(Oops()))
        run.settle()
        #expect(run.log.values.isEmpty)
        if operation.passesFailure { #expect(run.log.completions == [.failed]) }
    }
}

/// Scheduled work owns its stage and lets go then, and nothing is lost on concurrent queues or recurses without end.
@Suite(.ownThread) struct OperatorDefectTests {
    private let scheduler = ManualScheduler()

    /// Subscribes with a probe that keeps no subscription, and gives what it has seen.
    private func watch<P: Publisher>(_ publisher: P) -> () -> [String] {
        let log = Log()
        publisher.subscribe(ProbeSubscriber<P.Output, P.Failure>(log, .asking(for: .unlimited, keepsSubscription: false)))
        return { log.values + log.completions.map { "\($0)" } }
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

    @Test func recursion_isALoop_inOperatorsToo() {
        let depth = Thorough.count(30_000, most: 100_000)
        var count = 0
        _ = (0..<depth).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }.sink { _ in count += 1 }
        #expect(count == depth)
    }

    @Test func receiveOn_losesAndReordersNothing_onAConcurrentQueue() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for _ in 0..<50 {
            let subject = PassthroughSubject<Int, Never>()
            let done = DispatchSemaphore(value: 0)
            var seen: [Int] = []
            let cancellable = subject.receive(on: queue).sink(
                receiveCompletion: { _ in done.signal() }, receiveValue: { seen.append($0) })
            for number in 0..<500 { subject.send(number) }
            subject.send(completion: .finished)
            done.wait()
            #expect(seen == Array(0..<500))
            cancellable.cancel()
        }
    }
}
