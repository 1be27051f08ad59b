import Dispatch

/// What a descriptor may be watched for.
struct Interest: OptionSet {
    let rawValue: UInt32
    static let reading = Interest(rawValue: 1)
    static let writing = Interest(rawValue: 2)
    /// To be told when something becomes ready, not again and again while it stays so, where the poller can tell the two apart: whoever wants
    /// this leaves nothing unread, or has the descriptor watched anew.
    static let newsOnly = Interest(rawValue: 4)
}

/// What a descriptor turned out to be ready for.
struct Readiness: OptionSet {
    let rawValue: UInt32
    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 2)
    static let hangup = Readiness(rawValue: 4)
    /// The peer sends no more: after what is there comes the end, of which nobody is told once more.
    static let finished = Readiness(rawValue: 8)
}

/// What owns a watched descriptor.
protocol PollTarget: AnyObject {
    func ready(_ readiness: Readiness)
    /// The loop has stopped and the descriptor is closed: nothing is to be done with it any more.
    func loopStopped()
}

/// A descriptor's place in a poller. The generation keeps an event that was on its way when the place was given up from reaching
/// the place's next owner.
struct PollToken {
    let slot: Int
    let generation: UInt32
}

/// Tells the owners of descriptors what these are ready for. Everything of it is called on its loop's queue.
protocol Poller: AnyObject {
    /// Watches a descriptor, unless the poller was cancelled. Nil when the system refuses; errno says why.
    func add(_ descriptor: Int32, _ interest: Interest, _ target: any PollTarget) -> PollToken?
    func change(_ token: PollToken, _ interest: Interest)
    /// Gives a watched descriptor to another owner.
    func transfer(_ token: PollToken, to target: any PollTarget, _ interest: Interest)
    /// Stops watching, then closes the descriptor.
    func removeAndClose(_ token: PollToken)
    /// Stops watching and leaves the descriptor open. `then` is called on the queue, at once or later, when no event of it can be on
    /// its way any more and another poller may have it.
    func release(_ token: PollToken, then: @escaping () -> Void)
    /// Delivers what is ready, and stays to deliver what comes for its idle wait. Called on the queue, in no tick.
    func serve()
    /// Delivers what is ready now, each descriptor about once, and never waits. Called on the queue, in no tick.
    func deliverReady()
    /// Ends a wait, since there is other work for the queue. Called on any thread.
    func ring()
    /// Ends the poller and closes every descriptor.
    func cancel()
}

/// The loop that a poller is of, as the poller sees it. Everything but `hasWork` is called on the queue.
protocol PollerOwner: AnyObject {
    /// Runs work as a tick of the loop.
    func tick(_ work: () -> Void)
    /// The poller looks after the timers too from now on, for so many milliseconds.
    /// - Returns: when the shift is to end, on the loop's clock.
    func beginShift(of length: Int64) -> Int64
    /// Runs the timers that are due.
    /// - Returns: for how many milliseconds there is nothing else to do; nil if the shift is over, or other work waits for the queue.
    func spareTime(until end: Int64) -> Int64?
    func endShift()
    /// Whether somebody has posted work that has not run. Asked on any thread.
    var hasWork: Bool { get }
}

/// The ways to watch descriptors.
enum PollerKind: Hashable, Sendable {
    #if os(Linux)
        /// One epoll set a loop, which is waited on for a shift of so many milliseconds before the thread goes back to Dispatch.
        case epoll(idleWait: Int64)
    #endif
    /// Two Dispatch sources a descriptor.
    case sources

    /// The best on this system.
    static func preferred(idleWait: Int64) -> PollerKind {
        #if os(Linux)
            .epoll(idleWait: idleWait)
        #else
            .sources
        #endif
    }

    /// Whether it has shifts, which posted work ends and then begins anew.
    var isPatient: Bool {
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
