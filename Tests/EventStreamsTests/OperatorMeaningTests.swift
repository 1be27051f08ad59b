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
        #expect(outcome(of: numbers.reduce(0, +)) == ["14"])
        #expect(outcome(of: nothing.reduce(7, +)) == ["7"])
        #expect(outcome(of: numbers.count()) == ["5"])
        #expect(outcome(of: numbers.min()) == ["1"])
        #expect(outcome(of: numbers.max()) == ["5"])
        #expect(outcome(of: nothing.max()) == [])
        #expect(outcome(of: numbers.contains(4)) == ["true"])
        #expect(outcome(of: nothing.contains(4)) == ["false"])
        #expect(outcome(of: numbers.allSatisfy { $0 < 5 }) == ["false"])
        #expect(outcome(of: nothing.allSatisfy { $0 < 5 }) == ["true"])
        #expect(outcome(of: numbers.last()) == ["5"])
        #expect(outcome(of: numbers.last { $0 < 4 }) == ["1"])
        #expect(outcome(of: nothing.last()) == [])
        #expect(outcome(of: nothing.collect()) == ["[]"])
        #expect(outcome(of: nothing.replaceEmpty(with: 9)) == ["9"])
        #expect(outcome(of: numbers.output(in: 1..<3)) == ["1", "4"])
        #expect(outcome(of: numbers.output(in: 3...)) == ["1", "5"])
        #expect(outcome(of: numbers.output(at: 9)) == [])
    }

    @Test func minAndMax_giveTheFirst_ofEquals() {
        let words = ["bb", "a", "cc", "d"].publisher.eraseToAnyPublisher()
        #expect(outcome(of: words.min { $0.count < $1.count }) == ["a"])
        #expect(outcome(of: words.max { $0.count < $1.count }) == ["bb"])
    }

    @Test func whatIsThrown_failsTheStream() {
        func fail<T>(_ value: T) throws -> Bool { throw Oops(number: 3) }
        let failure = ["\(Oops(number: 3))"]
        #expect(outcome(of: numbers.tryFilter(fail)) == failure)
        #expect(outcome(of: numbers.tryCompactMap { try fail($0) }) == failure)
        #expect(outcome(of: numbers.tryScan(0) { _, value in try fail(value) ? 1 : 0 }) == failure)
        #expect(outcome(of: numbers.tryReduce(0) { _, value in try fail(value) ? 1 : 0 }) == failure)
        #expect(outcome(of: numbers.tryDrop(while: fail)) == failure)
        #expect(outcome(of: numbers.tryPrefix(while: fail)) == failure)
        #expect(outcome(of: numbers.tryFirst(where: fail)) == failure)
        #expect(outcome(of: numbers.tryLast(where: fail)) == failure)
        #expect(outcome(of: numbers.tryContains(where: fail)) == failure)
        #expect(outcome(of: numbers.tryAllSatisfy(fail)) == failure)
        #expect(outcome(of: numbers.tryRemoveDuplicates { _, value in try fail(value) }) == ["3"] + failure)
        #expect(outcome(of: numbers.tryMin { _, value in try fail(value) }) == failure)
        #expect(outcome(of: numbers.tryMax { _, value in try fail(value) }) == failure)
        let caught = numbers.tryMap { try fail($0) ? 1 : 0 }.tryCatch { _ -> Just<Int> in throw Oops(number: 4) }
        #expect(outcome(of: caught) == ["\(Oops(number: 4))"])
    }

    @Test func appendAndPrepend_putPublishersOneAfterAnother() {
        #expect(outcome(of: numbers.prepend(1, 2).append([6, 7])) == ["1", "2", "3", "1", "4", "1", "5", "6", "7"])
        #expect(outcome(of: Just(1).eraseToAnyPublisher().append(Just(2)).prepend(Just(0))) == ["0", "1", "2"])
        let failing = Fail<Int, Oops>(error: Oops()).append(1)
        #expect(outcome(of: failing) == ["\(Oops())"])
    }

    @Test func untilOutput_opensTheWayOrEndsIt() {
        let (values, signal) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Void, Never>())
        var (before, after): ([Int], [Int]) = ([], [])
        let cancellables = [
            values.prefix(untilOutputFrom: signal).sink { before.append($0) },
            values.drop(untilOutputFrom: signal).sink { after.append($0) },
        ]
        values.send(1)
        signal.send()
        values.send(2)
        #expect(before == [1])
        #expect(after == [2])
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test(arguments: [Subscribers.Completion<Oops>.finished, .failure(Oops())])
    func dropUntilOutput_endsAsItsTriggerDoes_andCancelsUpstream(_ end: Subscribers.Completion<Oops>) {
        let (source, trigger, log) = (ProbeSource(), ProbeSource(), Log())
        let probe = ProbeSubscriber<Int, Oops>(log)
        source.drop(untilOutputFrom: trigger).subscribe(probe)
        trigger.send(completion: end)
        #expect(log.completions == [end.isFinished ? .finished : .failed])
        #expect(source.subscription.cancellations == 1)
        // A trigger that is over before the upstream is attached.
        #expect(outcome(of: numbers.drop(untilOutputFrom: Empty<Int, Never>())) == [])
    }

    @Test(arguments: 0..<4)
    func zip_passesAFailureOn_whileAnEndedPublisherHasAValueLeft(failing: Int) {
        let (sources, log) = ((0..<4).map { _ in ProbeSource() }, Log())
        let probe = ProbeSubscriber<(Int, Int, Int, Int), Oops>(log)
        sources[0].zip(sources[1], sources[2], sources[3]).subscribe(probe)
        probe.request(.unlimited)
        let ended = (failing + 1) % 4
        sources[ended].send(1)
        sources[ended].send(completion: .finished)
        sources[failing].send(1)
        sources[failing].send(completion: .failure(Oops()))
        #expect(log.entries == [.subscription, .failed])
        for source in 0..<4 where ![ended, failing].contains(source) {
            #expect(sources[source].subscription.cancellations == 1)
        }
    }

    @Test func collectByTime_emitsAtTheEndsOfIntervals_countedFromTheSubscription() {
        let subject = PassthroughSubject<Int, Never>()
        var seen: [String] = []
        let milliseconds = { scheduler.now.nanoseconds / 1_000_000 }
        let cancellable = subject.collect(.byTimeOrCount(scheduler, .seconds(1), 3))
            .sink(receiveCompletion: { _ in seen.append("end") }, receiveValue: { seen.append("\(milliseconds()) \($0)") })
        scheduler.advance(by: .milliseconds(300))
        subject.send(1)
        scheduler.advance(by: .milliseconds(900))
        for number in 2...5 { subject.send(number) }
        scheduler.advance(by: .seconds(10))
        subject.send(6)
        subject.send(completion: .finished)
        scheduler.run()
        #expect(seen == ["1000 [1]", "1200 [2, 3, 4]", "2000 [5]", "11200 [6]", "end"])
        cancellable.cancel()
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

    @Test func breakpoint_raisesSIGTRAP() async {
        await #expect(processExitsWith: .signal(5)) {
            Fail<Int, Oops>(error: Oops()).breakpointOnError().sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
        }
    }

    @Test func assertNoFailure_traps() async {
        await #expect(processExitsWith: .failure) {
            Fail<Int, Oops>(error: Oops()).assertNoFailure("never").sink { _ in }.cancel()
        }
    }

    @Test func makeConnectable_waitsForConnect() {
        var seen: [Int] = []
        let connectable = numbers.makeConnectable()
        let cancellable = connectable.sink { seen.append($0) }
        #expect(seen.isEmpty)
        connectable.connect().cancel()
        #expect(seen == [3, 1, 4, 1, 5])
        cancellable.cancel()
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
        #expect(parts == [["1"], [], [], ["1"]] && outcome(of: Just(1).output(at: 1)) == [])
        #expect(outcome(of: Just(1).setFailureType(to: Oops.self)) == ["1"])
        #expect(outcome(of: [1, 2].publisher.count()) == ["2"])
        #expect(outcome(of: [1].publisher.append(2)) == ["1", "2"])
        #expect(outcome(of: Optional(1).publisher.allSatisfy { $0 == 1 }) == ["true"])
        #expect(outcome(of: Result<Int, Oops>.failure(Oops()).publisher.replaceError(with: 2)) == ["2"])
    }

    /// The names of types and their parameters are Combine's, also where several are one type.
    @Test func typesOfOperators_haveCombinesNames() {
        let words: Publishers.Map<PassthroughSubject<Int, Never>, String> = PassthroughSubject<Int, Never>().map { "\($0)" }
        let few: Publishers.TryFilter<Publishers.Map<PassthroughSubject<Int, Never>, String>> = words.tryFilter { !$0.isEmpty }
        let last: Publishers.Last<Just<Int>> = Just(1).last()
        let sum: Publishers.TryReduce<Just<Int>, Int> = Just(1).tryReduce(1, +)
        let named: Publishers.SetFailureType<Just<Int>, Oops> = Just(1).setFailureType(to: Oops.self)
        _ = few
        #expect(outcome(of: last) == ["1"] && outcome(of: sum) == ["2"] && outcome(of: named) == ["1"])
    }

    @Test func operators_areEqual_whenTheirPartsAre() {
        #expect(Optional(1).publisher == Optional(1).publisher && Just(1).prefix(2) != Just(1).prefix(3))
        #expect(Publishers.Merge(Just(1), Just(2)) != Publishers.Merge(Just(1), Just(3)))
        #expect(Publishers.Zip(Just(1), Just(2)) == Publishers.Zip(Just(1), Just(2)))
        #expect(
            Publishers.Concatenate(prefix: Just(1), suffix: Just(2)) == Publishers.Concatenate(prefix: Just(1), suffix: Just(2)))
        #expect(Empty<Int, Never>() != Empty<Int, Never>(completeImmediately: false))
    }

    @Test func observableObject_saysWhenAPropertyIsAboutToChange_alsoOneOfASuperclass() {
        class Player: EventStreams.ObservableObject { @Published var name = "a" }
        final class Dealer: Player { @Published var cards = 0 }
        let dealer = Dealer()
        var seen: [String] = []
        let cancellable = dealer.objectWillChange.sink { seen.append("\(dealer.name) \(dealer.cards)") }
        dealer.name = "b"
        dealer.cards = 2
        dealer.objectWillChange.send()
        #expect(seen == ["a 0", "b 0", "b 2"])
        cancellable.cancel()
    }
}
