import Dispatch

/// Runs closures elsewhere, or at once.
public protocol Scheduler {
    /// Runs the action as soon as possible.
    func schedule(_ action: @escaping () -> Void)
}

/// Runs every action at once. For tests, and where no other thread is wanted.
public struct ImmediateScheduler: Scheduler, Sendable {
    public static let shared = ImmediateScheduler()

    public func schedule(_ action: @escaping () -> Void) {
        action()
    }
}

extension DispatchQueue: Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        let action = Carried(action)
        async { action.value() }
    }
}
