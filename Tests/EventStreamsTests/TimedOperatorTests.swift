import EventStreams
import Testing

@Suite struct TimedOperatorTests {
    private let scheduler = VirtualTimeScheduler()
    private let subject = PassthroughSubject<Int, Oops>()

    /// What comes out, each with the time at which it does, in milliseconds.
    private func record<P: Publisher>(_ publisher: P) -> (lines: () -> [String], cancellable: AnyCancellable) {
        var lines: [String] = []
        let cancellable = publisher.sink(
            receiveCompletion: { lines.append("\(milliseconds) \($0.isFinished ? "finished" : "failed")") },
            receiveValue: { lines.append("\(milliseconds) \($0)") })
        scheduler.advance()
        return ({ lines }, cancellable)
    }

    private var milliseconds: Int { scheduler.now.nanoseconds / 1_000_000 }

    /// Sends each value at its time, in milliseconds.
    private func play(_ score: [(at: Int, value: Int)]) {
        for note in score {
            scheduler.advance(by: .milliseconds(note.at - milliseconds))
            subject.send(note.value)
        }
    }

    @Test func debounce_emitsWhatIsFollowedByAPause() {
        let recording = record(subject.debounce(for: .milliseconds(100), scheduler: scheduler))
        play([(10, 1), (50, 2), (90, 3), (300, 4)])
        scheduler.advance(by: .milliseconds(99))
        #expect(recording.lines() == ["190 3"])
        scheduler.advance(by: .milliseconds(1))
        #expect(recording.lines() == ["190 3", "400 4"])
    }

    @Test func debounce_dropsWhatItHolds_whenUpstreamFinishes() {
        let recording = record(subject.debounce(for: .milliseconds(100), scheduler: scheduler))
        play([(10, 1)])
        subject.send(completion: .finished)
        scheduler.run()
        #expect(recording.lines() == ["10 finished"])
    }

    @Test(arguments: [true, false])
    func throttle_emitsOnceAnInterval(latest: Bool) {
        let recording = record(subject.throttle(for: .milliseconds(100), scheduler: scheduler, latest: latest))
        play([(10, 1), (20, 2), (30, 3), (150, 4), (160, 5)])
        subject.send(completion: .finished)
        scheduler.run()
        let (second, third) = latest ? (3, 5) : (2, 4)
        #expect(recording.lines() == ["10 1", "110 \(second)", "160 \(third)", "160 finished"])
    }

    @Test func delay_keepsOrderAndDistances() {
        let recording = record(subject.delay(for: .milliseconds(100), scheduler: scheduler))
        play([(10, 1), (20, 2), (20, 3)])
        subject.send(completion: .failure(Oops()))
        scheduler.run()
        #expect(recording.lines() == ["110 1", "120 2", "120 3", "120 failed"])
    }

    @Test(arguments: [true, false])
    func timeout_endsTheStream_whenNothingComes(withError: Bool) {
        let error: (() -> Oops)? = withError ? { Oops() } : nil
        let recording = record(subject.timeout(.milliseconds(100), scheduler: scheduler, customError: error))
        play([(90, 1), (180, 2)])
        scheduler.run()
        #expect(recording.lines() == ["90 1", "180 2", "280 \(withError ? "failed" : "finished")"])
    }

    @Test func receiveOn_deliversOnTheScheduler() {
        let recording = record(subject.receive(on: scheduler))
        subject.send(1)
        #expect(recording.lines().isEmpty)
        scheduler.advance()
        #expect(recording.lines() == ["0 1"])
    }

    @Test func subscribeOn_subscribesOnTheScheduler() {
        var subscribed = false
        let source = Deferred { () -> Just<Int> in
            subscribed = true
            return Just(1)
        }
        let cancellable = source.subscribe(on: scheduler).sink { _ in }
        #expect(!subscribed)
        scheduler.advance()
        #expect(subscribed)
        cancellable.cancel()
    }

    @Test func virtualTime_runsActionsInTheOrderOfTheirTimes() {
        var order: [String] = []
        let start = scheduler.now
        scheduler.schedule(after: start.advanced(by: .seconds(2))) { order.append("c") }
        scheduler.schedule(after: start.advanced(by: .seconds(1))) {
            order.append("a")
            scheduler.schedule { order.append("b") }
        }
        scheduler.schedule(after: start.advanced(by: .seconds(2))) { order.append("d") }
        let repeated = scheduler.schedule(after: start.advanced(by: .seconds(3)), interval: .seconds(1)) { order.append("e") }
        scheduler.advance(by: .milliseconds(4_500))
        repeated.cancel()
        scheduler.run()
        #expect(order == ["a", "b", "c", "d", "e", "e"])
    }
}
