import EventStreams
import Testing

/// A worked example: the time that a player has left for a turn, as a publisher, and a publisher written by hand.
///
/// It emits the seconds left, at once and then each second, and finishes at zero. Each subscriber has its own countdown,
/// but all of them run to the same deadline.
struct Countdown<Context: Scheduler>: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let seconds: Int
    let scheduler: Context

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        let ticks = PassthroughSubject<Void, Never>()
        let start = scheduler.now
        let timer = scheduler.schedule(after: start.advanced(by: .seconds(1)), interval: .seconds(1)) { ticks.send() }
        ticks
            .scan(seconds) { left, _ in left - 1 }
            .merge(with: Just(seconds))
            .prefix(seconds + 1)
            .handleEvents(receiveCompletion: { _ in timer.cancel() }, receiveCancel: { timer.cancel() })
            .subscribe(subscriber)
    }
}

@Suite struct CountdownExample {
    @Test func countdown_goesDownByTheSecond_andFinishesAtZero() {
        let scheduler = VirtualTimeScheduler()
        var seen: [String] = []
        let cancellable = Countdown(seconds: 3, scheduler: scheduler)
            .sink(receiveCompletion: { _ in seen.append("over") }, receiveValue: { seen.append("\($0)") })
        #expect(seen == ["3"])
        scheduler.advance(by: .milliseconds(999))
        #expect(seen == ["3"])
        scheduler.advance(by: .milliseconds(1))
        #expect(seen == ["3", "2"])
        scheduler.advance(by: .seconds(2))
        #expect(seen == ["3", "2", "1", "0", "over"])
        cancellable.cancel()
    }

    /// Whose turn it is comes from the server; a new turn takes the place of the old countdown.
    @Test func countdown_startsAnew_withEachTurn() {
        let scheduler = VirtualTimeScheduler()
        let turns = PassthroughSubject<(player: String, seconds: Int)?, Never>()
        let shown =
            turns
            .map { turn -> AnyPublisher<String, Never> in
                guard let turn else { return Just("nobody").eraseToAnyPublisher() }
                return Countdown(seconds: turn.seconds, scheduler: scheduler).map { "\(turn.player) \($0)" }
                    .eraseToAnyPublisher()
            }
            .switchToLatest()
        let recording = Recording(of: shown)
        turns.send(("anna", 20))
        scheduler.advance(by: .seconds(2))
        turns.send(("bert", 20))
        scheduler.advance(by: .seconds(1))
        turns.send(nil)
        scheduler.run()
        #expect(recording.values == ["anna 20", "anna 19", "anna 18", "bert 20", "bert 19", "nobody"])
    }
}
