import Dispatch

/// Runs long work off the loops, one piece at a time: on a serial queue of its own, or in a simulated system.
package struct BackgroundQueue: Sendable {
    /// nil in a simulated system.
    private let queue: DispatchQueue?
    /// The clock of delays.
    package let clock: LoopClock
    private let system: (any SimulatedSystem)?

    /// - Parameter system: nil for a queue.
    package init(label: String, qos: DispatchQoS = .unspecified, on system: (any SimulatedSystem)? = nil) {
        queue = system == nil ? DispatchQueue(label: label, qos: qos) : nil
        clock = LoopClock(on: system)
        self.system = system
    }

    /// Milliseconds since 1970 on the system's clock, which may jump.
    package var wallClock: Int64 { LoopClock(on: system).now }

    package func async(_ work: @escaping @Sendable () -> Void) {
        queue?.async(execute: work)
        system?.enqueue(onLoop: -1, work)
    }

    package func async(afterMilliseconds delay: Int64, _ work: @escaping @Sendable () -> Void) {
        queue?.asyncAfter(deadline: .now() + .milliseconds(Int(delay)), execute: work)
        system?.enqueue(after: delay, work)
    }

    /// Runs work after a pause as long as the time since `start`, which leaves half a core to others. A millisecond in a simulated system.
    package func async(pausingAsLongAsSince start: DispatchTime, _ work: @escaping @Sendable () -> Void) {
        let end = DispatchTime.now()
        let pause = Int(clamping: end.uptimeNanoseconds &- start.uptimeNanoseconds)
        queue?.asyncAfter(deadline: end + .nanoseconds(pause), execute: work)
        system?.enqueue(after: 1, work)
    }

    /// Returns once running work has ended.
    package func wait() {
        queue?.sync {}
    }
}
