@testable import EventStreams

/// A scheduler whose actions a test runs, in the order in which they came.
final class ManualScheduler: Scheduler, Sendable {
    private let actions = Guarded<[() -> Void]>([])

    func schedule(_ action: @escaping () -> Void) {
        actions.withLock { $0.append(action) }
    }

    /// Runs all actions, including those that they schedule.
    func run() {
        while let action = actions.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { action() }
    }
}
