import EventStreams
import Testing

/// The meaning of operators that are not in `OperatorBehaviourTests`, by their output.
@Suite struct OperatorMeaningTests {
    private let scheduler = VirtualTimeScheduler()

    /// The output of a stream that ends at once.
    private func outcome<P: Publisher>(of publisher: P) -> [String] {
        var seen: [String] = []
        publisher.sink(
            receiveCompletion: { if case .failure(let error) = $0 { seen.append("\(error)") } },
            receiveValue: { seen.append("\($0)") }
        ).cancel()
        return seen
    }

    private var numbers: AnyPublisher<Int, Never> { [3, 1, 4, 1, 5].publisher.eraseToAnyPublisher() }
    private var nothing: AnyPublisher<Int, Never> { Empty().eraseToAnyPublisher() }

    @Test func reductions_giveOneValue_alsoOfNothing() {
        #expect(outcome(of: nothing.reduce(7, +)) == ["7"])
        #expect(outcome(of: numbers.min()) == ["1"])
        #expect(outcome(of: numbers.max()) == ["5"])
        #expect(outcome(of: nothing.max()) == [])
        #expect(outcome(of: nothing.contains(4)) == ["false"])
        #expect(outcome(of: numbers.allSatisfy { $0 < 5 }) == ["false"])
        #expect(outcome(of: nothing.allSatisfy { $0 < 5 }) == ["true"])
        #expect(outcome(of: nothing.last()) == [])
        #expect(outcome(of: nothing.collect()) == ["[]"])
        #expect(outcome(of: nothing.replaceEmpty(with: 9)) == ["9"])
    }

    @Test func minAndMax_giveTheFirst_ofEquals() {
        let words = ["bb", "a", "cc", "d"].publisher.eraseToAnyPublisher()
        #expect(outcome(of: words.min { $0.count < $1.count }) == ["a"])
        #expect(outcome(of: words.max { $0.count < $1.count }) == ["bb"])
    }

    @Test func appendAndPrepend_putPublishersOneAfterAnother() {
        #expect(outcome(of: numbers.prepend(1, 2).append(6, 7)) == ["1", "2", "3", "1", "4", "1", "5", "6", "7"])
        #expect(outcome(of: Just(1).eraseToAnyPublisher().append(Just(2)).prepend(Just(0))) == ["0", "1", "2"])
        let failing = Fail<Int, Oops>(error: Oops()).append(1)
        #expect(outcome(of: failing) == ["\(Oops())"])
    }

    @Test(arguments: 0..<3)
    func zip_passesAFailureOn_whileAnEndedPublisherHasAValueLeft(failing: Int) {
        let sources = (0..<3).map { _ in ProbeSource() }
        let probe = sources[0].zip(sources[1], sources[2]).probed(.asking(for: .unlimited))
        let ended = (failing + 1) % 3
        sources[ended].send(1)
        sources[ended].send(completion: .finished)
        sources[failing].send(1)
        sources[failing].send(completion: .failure(Oops()))
        #expect(probe.log.entries == [.subscription, .failed])
        for source in 0..<3 where ![ended, failing].contains(source) {
            #expect(sources[source].subscription.cancellations == 1)
        }
    }

    @Test func merge_isEquallyTrueOfManyPublishers() {
        let all = numbers.merge(with: numbers, Just(1), nothing, numbers, (1...3).publisher, numbers, numbers)
        #expect(outcome(of: all).count == 29)
        #expect(outcome(of: numbers.merge(with: nothing).merge(with: Just(9))) == ["3", "1", "4", "1", "5", "9"])
        #expect(outcome(of: Publishers.MergeMany([numbers, numbers])).count == 10)
        #expect(outcome(of: Publishers.MergeMany([AnyPublisher<Int, Never>]())) == [])
    }

    @Test func print_writesALine_aboutEverythingThatPasses() {
        final class Page: TextOutputStream {
            var text = ""
            func write(_ string: String) { text += string }
        }
        let page = Page()
        Just(1).print("one", to: page).sink { _ in }.cancel()
        #expect(
            page.text.split(separator: "\n") == [
                "one: receive subscription: (Just)", "one: request unlimited", "one: receive value: (1)", "one: receive finished",
            ])
    }

    /// A type of the module in a description would be the name of a generic class over the whole chain.
    @Test(arguments: OperatorCase.all) func subscriptions_haveNamesToRead(_ operation: OperatorCase) {
        var name = ""
        let habits = Habits(onSubscription: { name = "\(($0 as? Asking)?.subscription ?? $0)" })
        let run = operation.attach(to: PassthroughSubject(), habits)
        #expect(name.wholeMatch(of: /[A-Z][A-Za-z]+/) != nil, "\(name)")
        run.cancel()
    }

    @Test func subscriptions_areNamedAfterWhatJoinsStreams_orTheSource() {
        func name<P: Publisher>(of publisher: P) -> String {
            var name = ""
            publisher.handleEvents(receiveSubscription: { name = "\($0)" })
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
            return name
        }
        #expect(name(of: PassthroughSubject<Int, Never>().map { $0 }.filter { $0 > 1 }.count()) == "PassthroughSubject")
        #expect(name(of: CurrentValueSubject<Int, Never>(1).print().collect(2)) == "CurrentValueSubject")
        #expect(name(of: (1...9).publisher.tryMap { $0 }) == "Sequence")
        #expect(name(of: numbers.zip(numbers)) == "Zip")
        #expect(name(of: numbers.combineLatest(numbers, numbers)) == "CombineLatest")
        #expect(name(of: numbers.merge(with: numbers).subscribe(on: ImmediateScheduler.shared)) == "Merge")
        #expect(name(of: numbers.delay(for: 1, scheduler: scheduler)) == "Delay")
        #expect(name(of: Fail<Int, Oops>(error: Oops()).retry(1)) == "Retry")
        #expect(name(of: Empty<Int, Never>(completeImmediately: false)) == "Empty")
    }

    @Test func future_isAwaited() async throws {
        #expect(await Future<Int, Never> { $0(.success(1)) }.value == 1)
        await #expect(throws: Oops.self) { try await Future<Int, Oops> { $0(.failure(Oops())) }.value }
    }

    @Test func operatorsOfOneValue_giveItsValues() {
        #expect(outcome(of: Just(1).map { "\($0)" }) == ["1"])
        #expect(outcome(of: Just(1).tryMap { $0 + 1 }) == ["2"])
        #expect(outcome(of: Just(1).filter { $0 > 1 }) == [])
        let parts = [0, 1].map { outcome(of: Just(1).dropFirst($0)) } + [0, 2].map { outcome(of: Just(1).prefix($0)) }
        #expect(parts == [["1"], [], [], ["1"]])
        #expect(outcome(of: Just(1).setFailureType(to: Oops.self)) == ["1"])
        #expect(outcome(of: [1, 2].publisher.count()) == ["2"])
        #expect(outcome(of: [1].publisher.append(2)) == ["1", "2"])
        #expect(outcome(of: Optional(1).publisher.allSatisfy { $0 == 1 }) == ["true"])
        #expect(outcome(of: Result<Int, Oops>.failure(Oops()).publisher.replaceError(with: 2)) == ["2"])
    }
}
