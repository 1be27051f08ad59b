import EventStreams
import TestKit
import Testing

@Suite struct OperatorBehaviourTests {
    private func values<P: Publisher>(of publisher: P) -> [P.Output] where P.Failure == Never {
        var values: [P.Output] = []
        publisher.sink { values.append($0) }.cancel()
        return values
    }

    @Test func tryMap_failsWithWhatIsThrown_andCancelsUpstream() {
        let source = ProbeSource()
        var ending: [Bool] = []
        let cancellable = source.tryMap { if $0 == 2 { throw Oops() } }
            .sink(receiveCompletion: { ending.append($0.isFinished) }, receiveValue: { _ in })
        source.send(1)
        source.send(2)
        #expect(ending == [false])
        #expect(source.subscription.cancellations == 1)
        cancellable.cancel()
    }

    @Test func catch_goesOnWithTheDemandThatIsLeft() {
        let (source, log) = (ProbeSource(), Log())
        let probe = ProbeSubscriber<Int, Never>(log)
        source.catch { _ in [7, 8, 9].publisher }.subscribe(probe)
        probe.request(.max(3))
        source.send(1)
        source.send(completion: .failure(Oops()))
        #expect(log.values == ["1", "7", "8"])
        probe.request(.max(5))
        #expect(log.values == ["1", "7", "8", "9"])
        #expect(log.completions == [.finished])
    }

    @Test func switchToLatest_cancelsTheOlder() {
        let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        var seen: [Int] = []
        let cancellable = outer.switchToLatest().sink { seen.append($0) }
        outer.send(first)
        first.send(1)
        outer.send(second)
        first.send(2)
        second.send(3)
        #expect(seen == [1, 3])
        cancellable.cancel()
    }

    @Test func zip_finishes_whenOneIsUsedUp() {
        #expect(values(of: (1...9).publisher.zip("ab".publisher) { "\($1)\($0)" }) == ["a1", "b2"])
        #expect(values(of: [1, 2].publisher.zip([3, 4].publisher, [5, 6].publisher).map { $0 + $1 + $2 }) == [9, 12])
    }

    @Test func combineLatest_emitsWheneverOneIsNewer() {
        let (a, b) = (CurrentValueSubject<Int, Never>(1), PassthroughSubject<Int, Never>())
        var seen: [Int] = []
        let cancellable = a.combineLatest(b, Just(100)).map { $0 + $1 + $2 }.sink { seen.append($0) }
        b.send(10)
        a.send(2)
        b.send(20)
        #expect(seen == [111, 112, 122])
        cancellable.cancel()
    }

    @Test func merge_fails_whenOneDoes_andCancelsTheOther() {
        let (a, b) = (ProbeSource(), ProbeSource())
        var endings = 0
        let cancellable = a.merge(with: b).sink(receiveCompletion: { _ in endings += 1 }, receiveValue: { _ in })
        b.send(completion: .failure(Oops()))
        #expect(endings == 1)
        #expect(a.subscription.cancellations == 1)
        cancellable.cancel()
    }

    @Test func share_subscribesOnce_andLetsGoWithTheLast() {
        let source = ProbeSource()
        let shared = source.share()
        var seen = [0, 0]
        let first = shared.sink(receiveCompletion: { _ in }, receiveValue: { seen[0] += $0 })
        let second = shared.sink(receiveCompletion: { _ in }, receiveValue: { seen[1] += $0 })
        source.send(5)
        first.cancel()
        source.send(7)
        #expect(seen == [5, 12])
        #expect(source.subscription.cancellations == 0)
        second.cancel()
        #expect(source.subscription.cancellations == 1)
    }

    @Test func share_doesNotStartAnew_whenAllIsOver() {
        var starts = 0
        let shared = Deferred { () -> Just<Int> in
            starts += 1
            return Just(1)
        }.share()
        #expect(values(of: shared) == [1])
        #expect(values(of: shared) == [])
        #expect(starts == 1)
    }

    @Test func multicast_waitsForConnect() {
        let connectable = (1...3).publisher.multicast { PassthroughSubject() }
        var seen: [[Int]] = [[], []]
        let cancellables = (0..<2).map { index in connectable.sink { seen[index].append($0) } }
        #expect(seen == [[], []])
        let connection = connectable.connect()
        #expect(seen == [[1, 2, 3], [1, 2, 3]])
        connection.cancel()
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func published_keepsTheLastWord_whenASubscriberSetsItAnew() {
        final class Model { @Published var level = 0 }
        let model = Model()
        var seen: [Int] = []
        let cancellable = model.$level.sink { level in
            seen.append(level)
            if level > 10 { model.level = 10 }
        }
        model.level = 12
        #expect(seen == [0, 12, 10])
        #expect(model.level == 10)
        cancellable.cancel()
    }

    @Test func handleEvents_seesEverything() {
        var events: [String] = []
        let cancellable = PassthroughSubject<Int, Never>()
            .handleEvents(
                receiveSubscription: { _ in events.append("subscription") }, receiveCancel: { events.append("cancel") },
                receiveRequest: { events.append("\($0)") }
            )
            .sink { _ in }
        cancellable.cancel()
        cancellable.cancel()
        #expect(events == ["subscription", "unlimited", "cancel"])
    }

    @Test func currentValue_isGivenFirst_andTheLatestOnDemand() {
        let (subject, log) = (CurrentValueSubject<Int, Never>(1), Log())
        let probe = ProbeSubscriber<Int, Never>(log)
        subject.subscribe(probe)
        subject.send(2)
        subject.send(3)
        probe.request(.max(1))
        #expect(log.values == ["3"])
        subject.value = 4
        subject.value = 5
        probe.request(.max(1))
        #expect(log.values == ["3", "5"])
        #expect(subject.value == 5)
        probe.subscription?.cancel()
    }

    @Test func published_tellsSubscribersBeforeTheProperty() {
        final class Model { @Published var name = "a" }
        let model = Model()
        var seen: [String] = []
        let cancellable = model.$name.sink { seen.append("\($0) while \(model.name)") }
        model.name = "b"
        #expect(seen == ["a while a", "b while a"])
        #expect(model.name == "b")
        cancellable.cancel()
    }

    @Test(.ownThread) func values_areReadByALoop_andItsEndIsTheStreams() async throws {
        var sum = 0
        for await value in (1...100).publisher.values { sum += value }
        #expect(sum == 5_050)
        await #expect(throws: Oops.self) {
            for try await _ in Fail<Int, Oops>(error: Oops()).values {}
        }
    }

    @Test(.ownThread) func values_end_whenTheTaskIsCancelled() async {
        let task = Task {
            for await _ in Empty<Int, Never>(completeImmediately: false).values {}
            return true
        }
        task.cancel()
        #expect(await task.value)
    }

    @Test func subscriber_isCancelledWithItsCancellable() {
        let subject = PassthroughSubject<Int, Never>()
        var seen = 0
        var cancellables: Set<AnyCancellable> = []
        subject.sink { seen += $0 }.store(in: &cancellables)
        subject.send(1)
        cancellables = []
        subject.send(1)
        #expect(seen == 1)
    }
}
