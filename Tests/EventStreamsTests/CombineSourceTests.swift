import Dispatch
import EventStreams
import TestKit
import Testing

/// Code as it is written for Combine, in Swift 6 mode: that it compiles without a warning is most of the test.
@Suite struct CombineSourceTests {
    @MainActor
    final class ViewModel {
        let query = PassthroughSubject<String, Never>()
        private(set) var results: [String] = []
        private var cancellables = Set<AnyCancellable>()

        init(search: @escaping (String) -> AnyPublisher<[String], Never>) {
            query
                .removeDuplicates()
                .map { search($0) }
                .switchToLatest()
                .receive(on: ImmediateScheduler.shared)
                .sink { [weak self] in self?.results = $0 }
                .store(in: &cancellables)
        }
    }

    @Test @MainActor func viewModel_ofTheMainActor_works() {
        let model = ViewModel { query in Just([query, query]).eraseToAnyPublisher() }
        model.query.send("ace")
        #expect(model.results == ["ace", "ace"])
    }

    @Test func promise_isKept_fromAQueue() async {
        let future = Future<Int, Oops> { promise in
            DispatchQueue.global().async { promise(.success(42)) }
        }
        var cancellable: AnyCancellable?
        let seen = await withCheckedContinuation { waiting in
            cancellable = future.sink(receiveCompletion: { _ in }, receiveValue: { waiting.resume(returning: $0) })
        }
        #expect(seen == 42)
        cancellable?.cancel()
    }

    @Test func subject_isSentTo_fromTasks() async {
        let subject = PassthroughSubject<Int, Never>()
        var sum = 0
        let cancellable = subject.scan(0, +).sink { sum = $0 }
        await withTaskGroup { group in
            for number in 1...10 { group.addTask { subject.send(number) } }
        }
        #expect(sum == 55)
        cancellable.cancel()
    }

    /// A subscriber, a subject and a scheduler of one's own.
    struct Doubler<Upstream: Publisher>: Publisher where Upstream.Output == Int {
        typealias Output = Int
        typealias Failure = Upstream.Failure

        let upstream: Upstream

        func receive<S>(subscriber: S) where S: Subscriber, S.Input == Int, S.Failure == Failure {
            upstream.map { $0 * 2 }.receive(subscriber: subscriber)
        }
    }

    final class ThreeAtATime: Subscriber {
        typealias Input = Int
        typealias Failure = Never

        var seen: [Int] = []

        func receive(subscription: Subscription) {
            subscription.request(.max(3))
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            seen.append(input)
            return input == 4 ? .max(1) : .none
        }

        func receive(completion: Subscribers.Completion<Never>) {}
    }

    @Test func operatorsAndSubscribers_ofOnesOwn_fitIn() {
        let subscriber = ThreeAtATime()
        Doubler(upstream: (1...9).publisher).subscribe(subscriber)
        #expect(subscriber.seen == [2, 4, 6, 8])
    }

    @Test func failureTypes_areMatched_asInCombine() {
        let numbers: AnyPublisher<Int, any Error> = ["1", "2", "x"].publisher
            .setFailureType(to: Oops.self)
            .flatMap { text in Future<Int, Oops> { $0(Int(text).map { .success($0) } ?? .failure(Oops(number: 9))) } }
            .map { $0 * 10 }
            .mapError { $0 as any Error }
            .eraseToAnyPublisher()
        var seen: [Int] = []
        var failure: Oops?
        let cancellable = numbers.sink { completion in
            if case .failure(let error) = completion { failure = error as? Oops }
        } receiveValue: {
            seen.append($0)
        }
        #expect(seen == [10, 20])
        #expect(failure == Oops(number: 9))
        cancellable.cancel()
    }

    @Test(.ownThread) func queue_isAScheduler() async {
        let queue = DispatchQueue(label: "serial")
        var cancellable: AnyCancellable?
        await withCheckedContinuation { waiting in
            cancellable = Just(()).receive(on: queue).sink {
                dispatchPrecondition(condition: .onQueue(queue))
                waiting.resume()
            }
        }
        cancellable?.cancel()
    }
}
