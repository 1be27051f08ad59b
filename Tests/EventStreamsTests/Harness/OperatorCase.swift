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
        _ build: @escaping @Sendable (AnyPublisher<Int, Oops>, VirtualTimeScheduler) -> P
    ) {
        testDescription = name
        self.expected = expected
        self.loss = loss
        self.passesFailure = passesFailure
        self.isScheduled = isScheduled
        attach = { upstream, habits in
            let scheduler = VirtualTimeScheduler()
            let log = Log()
            var probe: ProbeSubscriber<P.Output, P.Failure>? = ProbeSubscriber(log, habits)
            weak let trace = probe
            var publisher: P? = build(upstream, scheduler)
            if let probe { publisher?.subscribe(probe) }
            if !habits.keepsSubscription { probe = nil }
            scheduler.advance()
            return Run(
                log: log, request: { probe?.request($0) }, cancel: { probe?.subscription?.cancel() },
                settle: { scheduler.advance(by: .seconds(100)) },
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
    static let all = simple + reducing + joining + merging + timed + shared

    static let same = ["1", "2", "3", "4", "5"]

    private static let simple: [OperatorCase] = [
        OperatorCase("map", ["2", "4", "6", "8", "10"]) { source, _ in source.map { $0 * 2 } },
        OperatorCase("tryMap", same) { source, _ in source.tryMap { $0 } },
        OperatorCase("mapError", same) { source, _ in source.mapError { Oops(number: $0.number + 1) } },
        OperatorCase("setFailureType", same, passesFailure: false) { source, _ in
            source.replaceError(with: 0).setFailureType(to: Oops.self)
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
        OperatorCase("removeDuplicates", ["1", "2", "4"]) { source, _ in source.removeDuplicates { $0 / 2 == $1 / 2 } },
        OperatorCase("replaceNil", ["1", "0", "3", "0", "5"]) { source, _ in
            source.map { $0 % 2 == 1 ? $0 : nil }.replaceNil(with: 0)
        },
        OperatorCase("replaceError", same, passesFailure: false) { source, _ in source.replaceError(with: 0) },
        OperatorCase("prefix", ["1", "2", "3"]) { source, _ in source.prefix(3) },
        OperatorCase("prefix(while:)", ["1", "2"]) { source, _ in source.prefix { $0 < 3 } },
        OperatorCase("first", ["1"]) { source, _ in source.first() },
        OperatorCase("first(where:)", ["4"]) { source, _ in source.first { $0 > 3 } },
        OperatorCase("dropFirst", ["3", "4", "5"]) { source, _ in source.dropFirst(2) },
        OperatorCase("drop(while:)", ["4", "5"]) { source, _ in source.drop { $0 < 4 } },
        OperatorCase("print", same) { source, _ in source.print("", to: Silence()) },
        OperatorCase("handleEvents", same) { source, _ in source.handleEvents(receiveOutput: { _ in }) },
        OperatorCase("encode", same) { source, _ in source.encode(encoder: PlainCoder()) },
        OperatorCase("decode", same) { source, _ in source.map(\.description).decode(type: Int.self, decoder: PlainCoder()) },
        OperatorCase("collect", ["[1, 2, 3, 4, 5]"]) { source, _ in source.collect() },
        OperatorCase("collect(2)", ["[1, 2]", "[3, 4]", "[5]"]) { source, _ in source.collect(2) },
        OperatorCase("buffer(keepFull)", same) { source, _ in
            source.buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest)
        },
        OperatorCase("buffer(byRequest)", same) { source, _ in
            source.buffer(size: 8, prefetch: .byRequest, whenFull: .dropNewest)
        },
    ]

    private static let joining: [OperatorCase] = [
        OperatorCase("flatMap", same) { source, _ in source.flatMap { Just($0).setFailureType(to: Oops.self) } },
        OperatorCase("flatMap(max 1)", ["1", "1", "2", "2", "3", "3", "4", "4", "5", "5"]) { source, _ in
            source.flatMap(maxPublishers: .max(1)) { [$0, $0].publisher }
        },
        OperatorCase("switchToLatest", same, loss: .conflates) { source, _ in source.map { Just($0) }.switchToLatest() },
        OperatorCase("catch", same, passesFailure: false) { source, _ in source.catch { _ in Just(9) } },
        OperatorCase("retry", same) { source, _ in source.retry(0) },
        OperatorCase("merge", same) { source, _ in source.merge(with: Empty<Int, Oops>()) },
        OperatorCase("zip", ["(1, 1)", "(2, 2)", "(3, 3)", "(4, 4)", "(5, 5)"]) { source, _ in
            source.zip((1...5).publisher.setFailureType(to: Oops.self))
        },
        OperatorCase("zip3", ["(1, 1, 1)", "(2, 2, 2)", "(3, 3, 3)", "(4, 4, 4)", "(5, 5, 5)"]) { source, _ in
            let numbers = (1...5).publisher.setFailureType(to: Oops.self)
            return source.zip(numbers, numbers)
        },
        OperatorCase("combineLatest", ["(0, 1)", "(0, 2)", "(0, 3)", "(0, 4)", "(0, 5)"], loss: .conflates) { source, _ in
            Just(0).setFailureType(to: Oops.self).combineLatest(source)
        },
    ]

    private static let timed: [OperatorCase] = [
        OperatorCase("receive(on:)", same, isScheduled: true) { source, scheduler in source.receive(on: scheduler) },
        OperatorCase("subscribe(on:)", same, isScheduled: true) { source, scheduler in source.subscribe(on: scheduler) },
        OperatorCase("delay", same, isScheduled: true) { source, scheduler in source.delay(for: .seconds(2), scheduler: scheduler)
        },
        OperatorCase("debounce", same, loss: .conflates) { source, scheduler in
            source.debounce(for: .seconds(0), scheduler: scheduler)
        },
        OperatorCase("throttle", same, loss: .conflates) { source, scheduler in
            source.throttle(for: .seconds(1), scheduler: scheduler, latest: true)
        },
        OperatorCase("timeout", same, isScheduled: true) { source, scheduler in
            source.timeout(.seconds(1_000_000), scheduler: scheduler)
        },
    ]

    private static let shared: [OperatorCase] = [
        OperatorCase("share", same, loss: .conflates) { source, _ in source.share() },
        OperatorCase("multicast", same, loss: .conflates) { source, _ in
            source.multicast { PassthroughSubject() }.autoconnect()
        },
    ]
}

extension OperatorCase {
    private static let reducing: [OperatorCase] = [
        OperatorCase("reduce", ["15"]) { source, _ in source.reduce(0, +) },
        OperatorCase("count", ["5"]) { source, _ in source.count() },
        OperatorCase("min", ["1"]) { source, _ in source.min() },
        OperatorCase("max(by:)", ["5"]) { source, _ in source.max { $0 < $1 } },
        OperatorCase("last", ["5"]) { source, _ in source.last() },
        OperatorCase("last(where:)", ["3"]) { source, _ in source.last { $0 < 4 } },
        OperatorCase("contains", ["true"]) { source, _ in source.contains(5) },
        OperatorCase("contains(where:)", ["false"]) { source, _ in source.contains { $0 > 5 } },
        OperatorCase("allSatisfy", ["true"]) { source, _ in source.allSatisfy { $0 > 0 } },
        OperatorCase("ignoreOutput", []) { source, _ in source.ignoreOutput() },
    ]

    private static let merging: [OperatorCase] = [
        OperatorCase("merge3", same) { source, _ in source.merge(with: none, none) },
        OperatorCase("merge8", same) { source, _ in source.merge(with: none, none, none, none, none, none, none) },
        OperatorCase("mergeMany", same) { source, _ in Publishers.MergeMany(source, none.eraseToAnyPublisher()) },
        OperatorCase("combineLatest3", (1...5).map { "(0, 0, \($0))" }, loss: .conflates) { source, _ in
            let zero = Just(0).setFailureType(to: Oops.self)
            return zero.combineLatest(zero, source)
        },
        OperatorCase("append", ["1", "2", "3", "4", "5", "6"]) { source, _ in source.append(6) },
        OperatorCase("prepend", same) { source, _ in source.prepend() },
        OperatorCase("replaceEmpty", same) { source, _ in source.replaceEmpty(with: 0) },
        OperatorCase("replaceEmpty, empty", ["0"]) { source, _ in source.filter { _ in false }.replaceEmpty(with: 0) },
    ]

    private static var none: Empty<Int, Oops> { Empty() }
}

/// Discards lines.
struct Silence: TextOutputStream {
    func write(_ text: String) {}
}

/// Numbers as their digits: a coder that needs no Foundation.
struct PlainCoder: TopLevelDecoder, TopLevelEncoder {
    func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        guard let value = Int(text) as? T else { throw Oops() }
        return value
    }

    func encode<T: Encodable>(_ value: T) throws -> String {
        "\(value)"
    }
}
