@testable import EventStreams

/// A scheduler with a manual clock for deterministic tests.
///
/// Actions run on the thread that calls `advance(by:)` or `run()`, ordered by time, then by scheduling.
final class VirtualTimeScheduler: Scheduler {
    typealias SchedulerOptions = Never

    /// Nanoseconds since the scheduler was made.
    struct SchedulerTimeType: Strideable, Hashable, Sendable {
        var nanoseconds: Int

        init(nanoseconds: Int = 0) {
            self.nanoseconds = nanoseconds
        }

        func distance(to other: Self) -> Nanoseconds { Nanoseconds(other.nanoseconds) - Nanoseconds(nanoseconds) }
        func advanced(by n: Nanoseconds) -> Self { Self(nanoseconds: nanoseconds.addingSaturated(n.magnitude)) }
    }

    private struct Entry {
        let time: SchedulerTimeType
        let action: () -> Void
    }

    private struct State {
        var now = SchedulerTimeType()
        /// Latest first: the next one is last.
        var entries: [Entry] = []
    }

    private let state = Guarded(State())

    init() {}

    var now: SchedulerTimeType { state.withLock { $0.now } }
    var minimumTolerance: Nanoseconds { .zero }

    /// Advances the clock and runs due actions, including those they schedule.
    func advance(by interval: Nanoseconds = .zero) {
        let end = now.advanced(by: interval)
        while let action = next(upTo: end) { action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Runs all actions, advancing the clock as needed. Does not return while actions keep rescheduling.
    func run() {
        while let action = next(upTo: nil) { action() }
    }

    private func next(upTo end: SchedulerTimeType?) -> (() -> Void)? {
        state.withLock { state in
            guard let entry = state.entries.last, end.map({ entry.time <= $0 }) ?? true else { return nil }
            state.entries.removeLast()
            state.now = max(state.now, entry.time)
            return entry.action
        }
    }

    // MARK: Scheduler

    func schedule(options: Never?, _ action: @escaping () -> Void) {
        schedule(after: now, tolerance: .zero, options: nil, action)
    }

    func schedule(
        after date: SchedulerTimeType, tolerance: Nanoseconds, options: Never?, _ action: @escaping () -> Void
    ) {
        state.withLock { state in
            let entry = Entry(time: max(date, state.now), action: action)
            // Scans from the end: most actions are due soon.
            let index = state.entries.lastIndex { $0.time > entry.time }.map { $0 + 1 } ?? 0
            state.entries.insert(entry, at: index)
        }
    }

    func schedule(
        after date: SchedulerTimeType, interval: Nanoseconds, tolerance: Nanoseconds, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        precondition(interval > .zero, "an interval is longer than nothing")
        let repetition = Repetition(on: self, interval: interval, action: action)
        repetition.next(at: date)
        return AnyCancellable(repetition)
    }
}

extension VirtualTimeScheduler: Sendable {}

private final class Repetition: Cancellable {
    private let scheduler: VirtualTimeScheduler
    private let interval: Nanoseconds
    private let action: Guarded<(() -> Void)?>

    init(on scheduler: VirtualTimeScheduler, interval: Nanoseconds, action: @escaping () -> Void) {
        self.scheduler = scheduler
        self.interval = interval
        self.action = Guarded(action)
    }

    func next(at time: VirtualTimeScheduler.SchedulerTimeType) {
        scheduler.schedule(after: time) { [self] in
            guard let action = action.withLock({ $0 }) else { return }
            action()
            next(at: time.advanced(by: interval))
        }
    }

    func cancel() {
        _ = action.withLock { action in
            defer { action = nil }
            return action
        }
    }
}
