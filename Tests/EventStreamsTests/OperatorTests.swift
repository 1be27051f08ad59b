import Dispatch
import EventStreams
import Foundation
import TestKit
import Testing

/// The meaning of each operator, beyond the contract of all.
@Suite struct OperatorTests {
    // MARK: One by one

    @Test func partsOfAStream_haveAnEnd_whereNothingIsLeft() {
        let one = [1].publisher
        #expect([0, 2].map { Recording(of: one.prefix($0)).values } == [[], [1]])
        #expect(Recording(of: one.prefix(0)).endings.count == 1)
    }

    @Test func run_handlesAnswersToAnOutput_behindTheOtherOutputs_andCopiesNoState() {
        let (bytes, inputs) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        var seen: [Int] = []
        var addresses: Set<Int> = []
        let cancellable = bytes.merge(with: inputs).run([Int](repeating: 0, count: 9)) { state, input in
            state[0] += input
            addresses.insert(state.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) })
            return [state[0], -1]
        }.sink { output in
            seen.append(output)
            if output == 1 { for answer in [10, 20, 30] { inputs.send(answer) } }
        }
        bytes.send(1)
        inputs.send(100)
        #expect(seen == [1, -1, 11, -1, 31, -1, 61, -1, 161, -1])
        #expect(addresses.count == 1)
        cancellable.cancel()
    }

    // MARK: Several publishers

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

    @Test func switchToLatest_emitsNothingStale_whenDemandComesLate() {
        let outer = PassthroughSubject<Int, Never>()
        let probe = outer.map { [$0, $0 + 100].publisher }.switchToLatest().probed()
        probe.request(.max(1))
        outer.send(1)
        outer.send(2)
        probe.request(.unlimited)
        #expect(probe.log.values == ["1", "2", "102"])
    }

    @Test func switchToLatest_andFlatMap_passAFailureOnFromInside_andFinishWithTheLast() {
        let failing = Just(1).setFailureType(to: Oops.self).map { _ in Future<Int, Oops> { $0(.failure(Oops())) } }
        #expect(Recording(of: failing.switchToLatest()).endings.map(\.isFinished) == [false])
        let (outer, inner) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let recordings = [outer.flatMap { _ in inner }, outer.map { _ in inner }.switchToLatest()].map { Recording(of: $0) }
        outer.send(0)
        outer.send(completion: .finished)
        #expect(recordings.map(\.endings.count) == [0, 0])
        inner.send(7)
        inner.send(completion: .finished)
        #expect(recordings.map(\.values) == [[7], [7]])
        #expect(recordings.map(\.endings.count) == [1, 1])
    }

    @Test func merge_fails_whenOneDoes_andCancelsTheOther() {
        let (a, b) = (ProbeSource(), ProbeSource())
        let recording = Recording(of: a.merge(with: b))
        b.send(completion: .failure(Oops()))
        #expect(recording.endings.count == 1)
        #expect(a.subscription.cancellations == 1)
    }

    @Test func merge_takesAnyNumberOfPublishers() {
        let recording = Recording(of: (1...3).publisher.merge(with: Just(4), Empty<Int, Never>(), [5, 6].publisher))
        #expect(recording.values == [1, 2, 3, 4, 5, 6])
        #expect(recording.endings.count == 1)
    }

    // MARK: Elsewhere

    @Test func receiveOn_deliversOnTheScheduler() {
        let scheduler = ManualScheduler()
        let subject = PassthroughSubject<Int, Never>()
        var seen: [Int] = []
        let cancellable = subject.receive(on: scheduler).sink { seen.append($0) }
        scheduler.run()
        subject.send(1)
        #expect(seen.isEmpty)
        scheduler.run()
        #expect(seen == [1])
        cancellable.cancel()
    }
}
