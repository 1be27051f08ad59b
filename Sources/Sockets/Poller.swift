import Dispatch

/// What a descriptor may be watched for.
struct Interest: OptionSet {
    let rawValue: UInt32
    static let reading = Interest(rawValue: 1)
    static let writing = Interest(rawValue: 2)
}

/// What a descriptor turned out to be ready for.
struct Readiness: OptionSet {
    let rawValue: UInt32
    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 2)
    static let hangup = Readiness(rawValue: 4)
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
    /// Ends the poller and closes every descriptor.
    func cancel()
}

/// The ways to watch descriptors.
enum PollerKind: CaseIterable, Sendable {
    #if os(Linux)
        /// One epoll set a loop.
        case epoll
    #endif
    /// Two Dispatch sources a descriptor.
    case sources

    /// The best on this system.
    static var preferred: PollerKind { allCases[0] }

    /// - Parameter tick: runs work as a tick of the loop, unless the loop is gone.
    func make(queue: DispatchQueue, tick: @escaping (() -> Void) -> Void) -> any Poller {
        switch self {
        #if os(Linux)
            case .epoll: EpollPoller(queue: queue, tick: tick)
        #endif
        case .sources: SourcePoller(queue: queue, tick: tick)
        }
    }
}
