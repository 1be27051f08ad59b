import EventStreams
import TestKit
import Testing

@Suite struct OperatorBehaviourTests {
    @Test func tryMap_failsWithWhatIsThrown_andCancelsUpstream() {
        let source = ProbeSource()
        let recording = Recording(of: source.tryMap { if $0 == 2 { throw Oops() } })
        source.send(1)
        source.send(2)
        #expect(recording.endings.map(\.isFinished) == [false])
        #expect(source.subscription.cancellations == 1)
    }

    @Test func run_handlesAnAnswerToAnOutput_behindTheOtherOutputs_andCopiesNoState() {
        let inputs = PassthroughSubject<Int, Never>()
        var seen: [Int] = []
        var addresses: Set<Int> = []
        let cancellable = inputs.run([Int](repeating: 0, count: 9)) { state, input in
            state[0] += input
            addresses.insert(state.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) })
            return [state[0], -1]
        }.sink { output in
            seen.append(output)
            if output == 1 { inputs.send(10) }
        }
        inputs.send(1)
        inputs.send(100)
        #expect(seen == [1, -1, 11, -1, 111, -1])
        #expect(addresses.count == 1)
        cancellable.cancel()
    }

    @Test func catch_goesOnWithTheDemandThatIsLeft() {
        let source = ProbeSource()
        let probe = source.catch { _ in [7, 8, 9].publisher }.probed()
        probe.request(.max(3))
        source.send(1)
        source.send(completion: .failure(Oops()))
        #expect(probe.log.values == ["1", "7", "8"])
        probe.request(.max(5))
        #expect(probe.log.values == ["1", "7", "8", "9"])
        #expect(probe.log.completions == [.finished])
    }

    @Test func switchToLatest_cancelsTheOlder() {
        let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let recording = Recording(of: outer.switchToLatest())
        outer.send(first)
        first.send(1)
        outer.send(second)
        first.send(2)
        second.send(3)
        #expect(recording.values == [1, 3])
    }

    @Test func zip_finishes_whenOneIsUsedUp() {
        #expect(Recording(of: (1...9).publisher.zip("ab".publisher) { "\($1)\($0)" }).values == ["a1", "b2"])
        let three = [1, 2].publisher.zip([3, 4].publisher, [5, 6].publisher).map { $0 + $1 + $2 }
        #expect(Recording(of: three).values == [9, 12])
    }

    @Test func combineLatest_emitsWheneverOneIsNewer() {
        let (a, b) = (CurrentValueSubject<Int, Never>(1), PassthroughSubject<Int, Never>())
        let recording = Recording(of: a.combineLatest(b, Just(100)).map { $0 + $1 + $2 })
        b.send(10)
        a.send(2)
        b.send(20)
        #expect(recording.values == [111, 112, 122])
    }

    @Test func merge_fails_whenOneDoes_andCancelsTheOther() {
        let (a, b) = (ProbeSource(), ProbeSource())
        let recording = Recording(of: a.merge(with: b))
        b.send(completion: .failure(Oops()))
        #expect(recording.endings.count == 1)
        #expect(a.subscription.cancellations == 1)
    }

    @Test func share_subscribesOnce_andLetsGoWithTheLast() {
        let source = ProbeSource()
        let shared = source.share()
        let (first, second) = (Recording(of: shared), Recording(of: shared))
        source.send(5)
        first.cancel()
        source.send(7)
        #expect(first.values == [5] && second.values == [5, 7])
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
        #expect(Recording(of: shared).values == [1])
        #expect(Recording(of: shared).values == [])
        #expect(starts == 1)
    }

    @Test func multicast_waitsForConnect() {
        let connectable = (1...3).publisher.multicast { PassthroughSubject() }
        let recordings = (0..<2).map { _ in Recording(of: connectable) }
        #expect(recordings.map(\.values) == [[], []])
        let connection = connectable.connect()
        #expect(recordings.map(\.values) == [[1, 2, 3], [1, 2, 3]])
        connection.cancel()
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
        let subject = CurrentValueSubject<Int, Never>(1)
        let probe = subject.probed()
        subject.send(2)
        subject.send(3)
        probe.request(.max(1))
        #expect(probe.log.values == ["3"])
        subject.value = 4
        subject.value = 5
        probe.request(.max(1))
        #expect(probe.log.values == ["3", "5"])
        #expect(subject.value == 5)
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
