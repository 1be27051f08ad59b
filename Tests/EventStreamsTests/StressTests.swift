import Dispatch
import EventStreams
import Synchronization
import Testing

/// Every operator that has more than one thing to listen to, between threads: fed by two, asked by a third, joined and
/// left by a fourth. What must hold is the contract; the thread sanitizer sees to the rest.
@Suite struct StressTests {
    typealias Source = PassthroughSubject<Int, Never>
    typealias Numbers = AnyPublisher<Int, Never>

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let build: @Sendable (Source, Source, DispatchQueue) -> Numbers

        init<P: Publisher<Int, Never> & SendableMetatype>(
            _ name: String, _ build: @escaping @Sendable (Source, Source, DispatchQueue) -> P
        ) {
            testDescription = name
            self.build = { build($0, $1, $2).eraseToAnyPublisher() }
        }
    }

    static let cases: [Case] = [
        Case("map") { a, _, _ in a.map { $0 + 1 } },
        Case("run") { a, b, _ in a.merge(with: b).run(0) { _, number in [number, number + 1] } },
        Case("merge") { a, b, _ in a.merge(with: b) },
        Case("merge3") { a, b, _ in a.merge(with: b, a.map { $0 + 1 }) },
        Case("flatMap") { a, b, _ in a.flatMap(maxPublishers: .max(2)) { number in b.map { $0 + number }.prefix(3) } },
        Case("switchToLatest") { a, b, _ in a.map { number in b.map { $0 + number } }.switchToLatest() },
        Case("catch") { a, b, _ in
            a.setFailureType(to: Oops.self).flatMap { number in
                Future<Int, Oops> { $0(number == 50 ? .failure(Oops()) : .success(number)) }
            }.catch { _ in b }
        },
        Case("receive(on:)") { a, _, queue in a.receive(on: queue) },
    ]

    /// Notes whether it is ever called twice at once, before it has asked, or beyond what it asked for.
    private final class Judge: Subscriber, @unchecked Sendable {
        // Sendable: the subscription is set before another thread starts; the counters are atomic, `sum` is serial by the
        // contract that is under test.
        typealias Input = Int
        typealias Failure = Never

        private var upstream: (any Subscription)?
        private var sum = 0
        let inside = Atomic<Int>(0)
        let asked = Atomic<Int>(0)
        let received = Atomic<Int>(0)
        let faults = Atomic<Int>(0)

        func receive(subscription: any Subscription) {
            upstream = subscription
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            if inside.wrappingAdd(1, ordering: .relaxed).oldValue != 0 { faults.wrappingAdd(1, ordering: .relaxed) }
            sum &+= input
            let count = received.wrappingAdd(1, ordering: .relaxed).newValue
            if count > asked.load(ordering: .relaxed) { faults.wrappingAdd(1, ordering: .relaxed) }
            inside.wrappingSubtract(1, ordering: .relaxed)
            return .none
        }

        func receive(completion: Subscribers.Completion<Never>) {}

        func ask() {
            asked.wrappingAdd(1, ordering: .relaxed)
            upstream?.request(.max(1))
        }

        func stop() {
            upstream?.cancel()
        }
    }

    @Test(arguments: cases)
    func contract_holds_betweenThreads(_ example: Case) {
        let (a, b) = (Source(), Source())
        let queue = DispatchQueue(label: "stress", attributes: .concurrent)
        let publisher = example.build(a, b, queue)
        let judge = Judge()
        publisher.subscribe(judge)
        queue.sync(flags: .barrier) {}
        let shared = Shared(publisher)
        DispatchQueue.concurrentPerform(iterations: 4) { role in
            for number in 0..<200 {
                switch role {
                case 0: a.send(number)
                case 1: b.send(number)
                case 2: judge.ask()
                default: shared.publisher.sink { _ in }.cancel()
                }
            }
        }
        judge.stop()
        queue.sync(flags: .barrier) {}
        #expect(judge.faults.load(ordering: .relaxed) == 0)
    }

    private struct Shared: @unchecked Sendable {
        // Sendable: a description of a stream, of which every subscriber gets its own.
        let publisher: Numbers

        init(_ publisher: Numbers) {
            self.publisher = publisher
        }
    }
}
