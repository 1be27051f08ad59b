import Dispatch

/// The events to watch a descriptor for.
package struct Interest: OptionSet {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let reading = Interest(rawValue: 1)
    package static let writing = Interest(rawValue: 2)
    /// Edge-triggered, where the poller supports it: an event is reported once, so the owner reads until empty or calls `change`
    /// to have it reported again.
    package static let edgeTriggered = Interest(rawValue: 4)
}

/// The events that a descriptor is ready for.
package struct Readiness: OptionSet {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    package static let hangup = Readiness(rawValue: 4)
    /// The peer has shut down its sending side: end of file follows the pending bytes, without another event.
    package static let finished = Readiness(rawValue: 8)
}

/// The owner of a watched descriptor.
package protocol PollTarget: AnyObject {
    func ready(_ readiness: Readiness)
    /// The loop has stopped and closed the descriptor.
    func loopStopped()
}

/// A slot in a poller. The generation detects events for the slot's previous owner.
package struct PollToken {
    package let slot: Int
    package let generation: UInt32

    package init(slot: Int, generation: UInt32 = 0) {
        self.slot = slot
        self.generation = generation
    }
}

/// Notifies the owners of descriptors about readiness. Confined to its loop's queue, except `wake`.
package protocol Poller: AnyObject {
    /// Watches a descriptor. Returns nil with errno set if the system refuses, or ECANCELED after `cancel()`.
    func add(_ descriptor: Int32, _ interest: Interest, _ target: any PollTarget) -> PollToken?
    func change(_ token: PollToken, _ interest: Interest)
    /// Transfers a watched descriptor to another owner.
    func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest)
    /// Stops watching and closes the descriptor.
    func removeAndClose(_ token: PollToken)
    /// Stops watching without closing. Calls `then` on the queue, at once or later, when no event is pending and another poller may watch
    /// the descriptor.
    func release(_ token: PollToken, then: @escaping () -> Void)
    /// Delivers ready events, then waits for more up to the idle wait. Called on the queue, outside a tick.
    func serve()
    /// Delivers ready events, each descriptor about once, without waiting. Called on the queue, outside a tick.
    func deliverReady()
    /// Ends a wait because other work is queued. Callable from any thread.
    func wake()
    /// Stops the poller and closes every descriptor.
    func cancel()
}

/// The loop, as its poller sees it. Confined to the queue.
package protocol PollerOwner: AnyObject {
    /// Runs work as a tick of the loop.
    func tick(_ work: () -> Void)
    /// Begins a shift of `length` milliseconds, during which the poller also runs the loop's timers and turns.
    /// - Returns: the shift's end, on the loop's clock.
    func beginShift(of length: Int64) -> Int64
    /// Releases ticks that the barrier has reached; runs due timers and a round of turns.
    /// - Returns: milliseconds that the poller may wait; nil if the shift is over or other work is queued.
    func idleTime(until end: Int64) -> Int64?
    func endShift()
    /// Whether posted work has not run, or the barrier has advanced.
    var hasWork: Bool { get }
}

/// The implementations of ``Poller``.
enum PollerKind: Hashable, Sendable {
    #if os(Linux)
        /// One epoll set per loop, waited on for up to `idleWait` milliseconds before the thread returns to Dispatch.
        case epoll(idleWait: Int64)
    #endif
    /// Two Dispatch sources per descriptor.
    case sources

    /// The fastest kind on this system.
    static func preferred(idleWait: Int64) -> PollerKind {
        #if os(Linux)
            .epoll(idleWait: idleWait)
        #else
            .sources
        #endif
    }

    /// Whether it has shifts, which posted work interrupts.
    var hasShifts: Bool {
        #if os(Linux)
            if case .epoll(let idleWait) = self { return idleWait > 0 }
        #endif
        return false
    }

    func make(queue: DispatchQueue, owner: any PollerOwner) -> any Poller {
        switch self {
        #if os(Linux)
            case .epoll(let idleWait): EpollPoller(queue: queue, idleWait: idleWait, owner: owner)
        #endif
        case .sources: SourcePoller(queue: queue, owner: owner)
        }
    }
}
