import EventStreams
import Testing

/// One source, or an operator on one, in a form in which all look alike.
struct SourceCase: CustomTestStringConvertible, Sendable {
    struct Run {
        let log: Log
        let request: (Subscribers.Demand) -> Void
        let cancel: () -> Void
        /// Makes a source that is fed from outside emit 1, 2, 3 and finish; nothing for the others.
        let feed: () -> Void
        let subscribeAgain: () -> Log
        let isReleased: () -> Bool
    }

    let testDescription: String
    let expected: [String]
    /// What somebody gets who comes when everything is over.
    let late: [String]
    let completion: Log.Entry
    /// Whether a value without demand is lost, as a subject's is.
    let isHot: Bool
    let attach: @Sendable (Habits) -> Run

    init<P: Publisher & SendableMetatype>(
        _ name: String, _ expected: [String], late: [String], completion: Log.Entry = .finished, isHot: Bool = false,
        _ make: @escaping @Sendable () -> (P, feed: () -> Void)
    ) {
        testDescription = name
        self.expected = expected
        self.late = late
        self.completion = completion
        self.isHot = isHot
        attach = { habits in
            let log = Log()
            var probe: ProbeSubscriber<P.Output, P.Failure>? = ProbeSubscriber(log, habits)
            weak let trace = probe
            var made: (P, feed: () -> Void)? = make()
            if let probe { made?.0.subscribe(probe) }
            if !habits.keepsSubscription { probe = nil }
            return Run(
                log: log, request: { probe?.request($0) }, cancel: { probe?.subscription?.cancel() },
                feed: { made?.feed() },
                subscribeAgain: {
                    let log = Log()
                    let probe = ProbeSubscriber<P.Output, P.Failure>(log)
                    made?.0.subscribe(probe)
                    probe.request(.unlimited)
                    return log
                },
                isReleased: {
                    probe = nil
                    made = nil
                    return trace == nil
                })
        }
    }

    /// An operator on a subject.
    init(_ operation: OperatorCase) {
        testDescription = operation.testDescription
        (expected, late, completion, isHot) = (operation.expected, [], .finished, true)
        attach = { habits in
            let subject = PassthroughSubject<Int, Oops>()
            let run = operation.attach(to: subject, habits)
            return Run(
                log: run.log,
                request: {
                    run.request($0)
                    run.settle()
                },
                cancel: run.cancel, feed: { run.drive(subject) }, subscribeAgain: { Log() }, isReleased: run.isReleased)
        }
    }

    static let withOperators = all + OperatorCase.all.map(SourceCase.init)

    static let all: [SourceCase] = [
        SourceCase("Just", ["1"], late: ["1"]) { (Just(1), {}) },
        SourceCase("Empty", [], late: []) { (Empty<Int, Never>(), {}) },
        SourceCase("Sequence", ["1", "2", "3"], late: ["1", "2", "3"]) { ((1...3).publisher, {}) },
        SourceCase("Sequence, empty", [], late: []) { ([Int]().publisher, {}) },
        SourceCase("Future, kept", ["1"], late: ["1"]) { (Future<Int, Oops> { $0(.success(1)) }, {}) },
        SourceCase("Future, broken", [], late: [], completion: .failed) {
            (Future<Int, Oops> { $0(.failure(Oops())) }, {})
        },
        SourceCase("Future, pending", ["1"], late: ["1"]) {
            var promise: Future<Int, Oops>.Promise?
            let future = Future<Int, Oops> { promise = $0 }
            return (
                future,
                {
                    promise?(.success(1))
                    promise?(.success(2))
                }
            )
        },
        SourceCase("PassthroughSubject", ["1", "2", "3"], late: [], isHot: true) {
            let subject = PassthroughSubject<Int, Oops>()
            return (subject, { feed(subject) })
        },
        SourceCase("AnyPublisher", ["1"], late: ["1"]) { (AnyPublisher(Just(1)), {}) },
    ]

    private static func feed(_ subject: some Subject<Int, Oops>) {
        for number in 1...3 { subject.send(number) }
        subject.send(completion: .finished)
        subject.send(9)
        subject.send(completion: .failure(Oops()))
    }
}
