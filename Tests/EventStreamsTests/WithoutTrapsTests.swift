import Dispatch
import EventStreams
import Synchronization
import TestKit
import Testing

/// What other implementations fail at: locks held during calls, order lost in re-entrance, stacks that overflow, values
/// lost on concurrent queues or for want of demand, cycles.
@Suite(.ownThread) struct WithoutTrapsTests {
    @Test func twoSubjects_finish_whenTheyFeedEachOtherFromTwoThreads() {
        let ping = PassthroughSubject<Int, Never>()
        let pong = PassthroughSubject<Int, Never>()
        let heard = Atomic<Int>(0)
        let first = ping.sink { value in
            heard.wrappingAdd(1, ordering: .relaxed)
            if value > 0 { pong.send(value - 1) }
        }
        let second = pong.sink { value in
            heard.wrappingAdd(1, ordering: .relaxed)
            if value > 0 { ping.send(value - 1) }
        }
        DispatchQueue.concurrentPerform(iterations: 2) { side in
            for _ in 0..<2_000 { (side == 0 ? ping : pong).send(9) }
        }
        #expect(heard.load(ordering: .relaxed) == 2 * 2_000 * 10)
        first.cancel()
        second.cancel()
    }

    @Test func send_keepsOrderForEverySubscriber_whenItIsReentrant() {
        let subject = PassthroughSubject<Int, Never>()
        var seen: [[Int]] = [[], [], []]
        var cancellables: Set<AnyCancellable> = []
        for subscriber in 0..<3 {
            subject.sink { value in
                seen[subscriber].append(value)
                if subscriber == 0, value < 10 {
                    subject.send(value * 10)
                    subject.send(value * 10 + 1)
                }
            }.store(in: &cancellables)
        }
        subject.send(1)
        subject.send(2)
        for order in seen { #expect(order == [1, 10, 11, 2, 20, 21]) }
    }

    @Test(arguments: [(false, Thorough.count(100_000, most: 1_000_000)), (true, Thorough.count(30_000, most: 100_000))])
    func send_doesNotOverflowTheStack_howeverDeep(current: Bool, depth: Int) {
        var count = 0
        func bounce(_ subject: some Subject<Int, Never>) {
            let cancellable = subject.map { $0 + 1 }.sink { value in
                count = value
                if value < depth { subject.send(value) }
            }
            subject.send(0)
            cancellable.cancel()
        }
        if current { bounce(CurrentValueSubject(0)) } else { bounce(PassthroughSubject()) }
        #expect(count == depth)
    }

    @Test func recursion_isALoop_inOperatorsToo() {
        let depth = Thorough.count(30_000, most: 100_000)
        var count = 0
        _ = (0..<depth).publisher.flatMap(maxPublishers: .max(1)) { Just($0) }.sink { _ in count += 1 }
        #expect(count == depth)
    }

    @Test func receiveOn_losesAndReordersNothing_onAConcurrentQueue() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for _ in 0..<50 {
            let subject = PassthroughSubject<Int, Never>()
            let done = DispatchSemaphore(value: 0)
            var seen: [Int] = []
            let cancellable = subject.receive(on: queue).sink(
                receiveCompletion: { _ in done.signal() }, receiveValue: { seen.append($0) })
            for number in 0..<500 { subject.send(number) }
            subject.send(completion: .finished)
            done.wait()
            #expect(seen == Array(0..<500))
            cancellable.cancel()
        }
    }

    @Test func send_fromManyThreads_reachesEverySubscriberInOneOrder() {
        let subject = PassthroughSubject<Int, Never>()
        let recordings = (0..<2).map { _ in Recording(of: subject) }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<1_000 { subject.send(thread * 1_000 + number) }
        }
        // Whoever sent last may have left its value to another thread, which has delivered it before it returned.
        let seen = recordings[0].values
        #expect(seen.count == 4_000)
        #expect(seen == recordings[1].values)
        for thread in 0..<4 { #expect(seen.filter { $0 / 1_000 == thread } == (0..<1_000).map { thread * 1_000 + $0 }) }
    }

    @Test func currentValue_isTheOneSeenLast_whenManyThreadsSend() {
        let subject = CurrentValueSubject<Int, Never>(-1)
        var last = -2
        let cancellable = subject.sink { last = $0 }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<1_000 { subject.send(thread * 1_000 + number) }
        }
        #expect(last == subject.value)
        cancellable.cancel()
    }

    @Test func subscribeAndCancel_areSafe_whileOthersSend() {
        let subject = PassthroughSubject<Int, Never>()
        let heard = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 {
                if thread < 2 {
                    subject.send(number)
                } else {
                    let cancellable = subject.map { $0 + 1 }.sink { _ in heard.wrappingAdd(1, ordering: .relaxed) }
                    subject.send(number)
                    cancellable.cancel()
                }
            }
        }
        let before = heard.load(ordering: .relaxed)
        subject.send(1)
        #expect(heard.load(ordering: .relaxed) == before)
    }

    @Test func assign_toAPublishedProperty_keepsNoCycle() {
        final class Model {
            @Published var title = ""
        }
        let subject = CurrentValueSubject<String, Never>("a")
        var model: Model? = Model()
        weak let trace = model
        if let model { subject.assign(to: &model.$title) }
        subject.send("b")
        #expect(trace?.title == "b")
        model = nil
        #expect(trace == nil)
        subject.send("c")
    }
}
