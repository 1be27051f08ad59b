import Dispatch

/// Runs closures elsewhere, or at once.
public protocol Scheduler {
    /// Further options; `Never` for none.
    associatedtype SchedulerOptions

    /// Runs the action as soon as possible.
    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        schedule(options: nil, action)
    }
}

/// Runs every action at once. For tests, and where no other thread is wanted.
public struct ImmediateScheduler: Scheduler, Sendable {
    public static let shared = ImmediateScheduler()

    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        action()
    }
}

// MARK: - Queues

#if canImport(Combine)
    // On Apple's systems Dispatch already declares these members.
    extension DispatchQueue: Scheduler {}
#else
    extension DispatchQueue: Scheduler {
        /// How a queue runs a closure.
        public struct SchedulerOptions {
            public var qos: DispatchQoS
            public var flags: DispatchWorkItemFlags
            public var group: DispatchGroup?

            public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
                self.qos = qos
                self.flags = flags
                self.group = group
            }
        }

        public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
            let action = Carried(action)
            let options = options ?? SchedulerOptions()
            async(group: options.group, qos: options.qos, flags: options.flags) { action.value() }
        }
    }
#endif
