import EventStreams
import Testing

/// One operator, wired between an upstream and a logging subscriber, in a form in which all look alike.
struct OperatorCase: CustomTestStringConvertible, Sendable {
    /// What an operator is in the hands of a test: a subscriber attached, its means of control, and its traces.
    struct Run {
        let log: Log
        let request: (Subscribers.Demand) -> Void
        let cancel: () -> Void
        let settle: () -> Void
        /// Drops the test's own references and says whether the subscriber is gone, which keeps its subscription.
        let isReleased: () -> Bool
    }

    enum Loss {
        /// Every output of the unlimited run comes with any pattern of demand.
        case never
        /// Without demand, newer outputs take the place of older ones.
        case conflates
    }

    let testDescription: String
    /// The outputs for the inputs 1, 2, 3, 4, 5, finished.
    let expected: [String]
    let loss: Loss
    /// Whether a failure of upstream comes out as one.
    let passesFailure: Bool
    /// Whether values come by a scheduler, so that a source that cannot wait may be ahead of the demand.
    let isScheduled: Bool
    let attach: @Sendable (AnyPublisher<Int, Oops>, Habits) -> Run

    init<P: Publisher & SendableMetatype>(
        _ name: String, _ expected: [String], loss: Loss = .never, passesFailure: Bool = true, isScheduled: Bool = false,
        _ build: @escaping @Sendable (AnyPublisher<Int, Oops>, ManualScheduler) -> P
    ) {
        testDescription = name
        self.expected = expected
        self.loss = loss
        self.passesFailure = passesFailure
        self.isScheduled = isScheduled
        attach = { upstream, habits in
            let scheduler = ManualScheduler()
            let log = Log()
            var probe: ProbeSubscriber<P.Output, P.Failure>? = ProbeSubscriber(log, habits)
            weak let trace = probe
            var publisher: P? = build(upstream, scheduler)
            if let probe { publisher?.subscribe(probe) }
            if !habits.keepsSubscription { probe = nil }
            scheduler.run()
            return Run(
                log: log, request: { probe?.request($0) }, cancel: { probe?.subscription?.cancel() },
                settle: { scheduler.run() },
                isReleased: {
                    probe = nil
                    publisher = nil
                    return trace == nil
                })
        }
    }

    func attach(to upstream: some Publisher<Int, Oops>, _ habits: Habits = Habits()) -> Run {
        attach(upstream.eraseToAnyPublisher(), habits)
    }

    /// Attached to a source of the test's, with all the demand there is.
    func running() -> (source: ProbeSource, run: Run) {
        let source = ProbeSource()
        let run = attach(to: source)
        run.request(.unlimited)
        run.settle()
        return (source, run)
    }
}

/// An upstream that a test feeds.
protocol Feed {
    func send(_ value: Int)
    func send(completion: Subscribers.Completion<Oops>)
}

extension ProbeSource: Feed {}
extension PassthroughSubject: Feed where Output == Int, Failure == Oops {}

extension OperatorCase.Run {
    /// Sends 1…5 and the end, each once nothing is scheduled any more.
    func drive(_ source: some Feed) {
        for number in 1...5 {
            settle()
            source.send(number)
        }
        settle()
        source.send(completion: .finished)
        settle()
    }
}

extension OperatorCase {
    static let all = simple + joining + timed

    static let same = ["1", "2", "3", "4", "5"]

    private static let simple: [OperatorCase] = [
        OperatorCase("map", ["2", "4", "6", "8", "10"]) { source, _ in source.map { $0 * 2 } },
        OperatorCase("mapError", same) { source, _ in source.mapError { Oops(number: $0.number + 1) } },
        OperatorCase("setFailureType", same, passesFailure: false) { source, _ in
            source.catch { _ in Just(0) }.setFailureType(to: Oops.self)
        },
        OperatorCase("filter", ["2", "4"]) { source, _ in source.filter { $0.isMultiple(of: 2) } },
        OperatorCase("compactMap", ["1", "3", "5"]) { source, _ in source.compactMap { $0 % 2 == 1 ? $0 : nil } },
        OperatorCase("scan", ["1", "3", "6", "10", "15"]) { source, _ in source.scan(0, +) },
        OperatorCase("run", ["1", "1", "3", "3", "6", "6", "10", "10", "15", "15"]) { source, _ in
            source.run(0) { sum, number in
                sum += number
                return [sum, sum]
            }
        },
        OperatorCase("run, without outputs", ["4", "5"]) { source, _ in source.run(()) { $1 > 3 ? [$1] : [] } },
        OperatorCase("removeDuplicates", ["1", "2", "4"]) { source, _ in source.removeDuplicates { $0 / 2 == $1 / 2 } },
        OperatorCase("prefix", ["1", "2", "3"]) { source, _ in source.prefix(3) },
    ]

    private static let joining: [OperatorCase] = [
        OperatorCase("flatMap", same) { source, _ in source.flatMap { Just($0).setFailureType(to: Oops.self) } },
        OperatorCase("flatMap(max 1)", ["1", "1", "2", "2", "3", "3", "4", "4", "5", "5"]) { source, _ in
            source.flatMap(maxPublishers: .max(1)) { [$0, $0].publisher.setFailureType(to: Oops.self) }
        },
        OperatorCase("switchToLatest", same, loss: .conflates) { source, _ in
            source.map { Just($0).setFailureType(to: Oops.self) }.switchToLatest()
        },
        OperatorCase("catch", same, passesFailure: false) { source, _ in source.catch { _ in Just(9) } },
        OperatorCase("merge", same) { source, _ in source.merge(with: Empty<Int, Oops>()) },
        OperatorCase("merge3", same) { source, _ in source.merge(with: Empty<Int, Oops>(), Empty<Int, Oops>()) },
    ]

    private static let timed: [OperatorCase] = [
        OperatorCase("receive(on:)", same, isScheduled: true) { source, scheduler in source.receive(on: scheduler) }
    ]
}
