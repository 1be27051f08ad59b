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
