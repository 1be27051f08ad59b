import EventStreams

/// Publishes the seconds left until a deadline: at once, then at each second, and finishes at zero.
///
/// Each subscriber has a countdown of its own; all reach zero at the same deadline.
package struct TurnCountdown<Context: Scheduler>: Publisher {
    package typealias Output = Int
    package typealias Failure = Never

    /// Milliseconds left at creation, 0…86,400,000: no server's decision takes longer than a day.
    package let milliseconds: Int64
    package let scheduler: Context
    private let start: Context.SchedulerTimeType
    private static var longest: Int64 { 86_400_000 }

    /// - Parameters:
    ///   - deadline: in milliseconds on the server's clock.
    ///   - now: the server's time now.
    package init(deadline: Int64, now: Int64, scheduler: Context) {
        let (left, overflow) = deadline.subtractingReportingOverflow(now)
        milliseconds = overflow ? (deadline < now ? 0 : Self.longest) : Swift.min(Swift.max(0, left), Self.longest)
        self.scheduler = scheduler
        start = scheduler.now
    }

    package func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        let seconds = Int((milliseconds + 999) / 1000)
        guard seconds > 0 else { return Just(0).receive(subscriber: subscriber) }
        let left = PassthroughSubject<Int, Never>()
        var shown = seconds
        // The first tick is at a whole number of seconds before the deadline, so that zero is shown at the deadline itself.
        let timer = scheduler.schedule(after: time(of: seconds - 1), interval: .seconds(1)) {
            shown -= 1
            // A process that was stopped has missed ticks.
            while shown > 0, scheduler.now >= time(of: shown - 1) { shown -= 1 }
            left.send(shown)
            if shown == 0 { left.send(completion: .finished) }
        }
        left
            .merge(with: Just(seconds))
            .handleEvents(receiveCompletion: { _ in timer.cancel() }, receiveCancel: { timer.cancel() })
            .subscribe(subscriber)
    }

    /// When a number of seconds is left.
    private func time(of seconds: Int) -> Context.SchedulerTimeType {
        start.advanced(by: .milliseconds(Int(milliseconds) - seconds * 1000))
    }
}

extension Publisher where Output == Int64?, Failure == Never {
    /// Publishes the seconds left until the latest deadline received, and nil while there is none.
    ///
    /// Deadlines are in milliseconds on the clock that `now` reads. A timer runs only while one is ahead.
    public func secondsLeft<S: Scheduler>(on scheduler: S, now: @escaping () -> Int64) -> some Publisher<Int?, Never> {
        removeDuplicates()
            .map { deadline -> AnyPublisher<Int?, Never> in
                guard let deadline else { return Just(nil).eraseToAnyPublisher() }
                return TurnCountdown(deadline: deadline, now: now(), scheduler: scheduler).map { $0 }.eraseToAnyPublisher()
            }
            .switchToLatest()
    }
}
