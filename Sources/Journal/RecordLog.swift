/// Where what has happened is written before anybody is told of it.
///
/// The contract that makes a restart possible: what follows from a record may be shown to nobody before the record is durable. What a log's records are made of is its user's business.
public protocol RecordLog<Record>: AnyObject {
    associatedtype Record

    /// Adds a record behind all others.
    func append(_ record: Record)

    /// Whether everything appended so far is durable.
    var isDurable: Bool { get }

    /// Calls back once everything appended so far is durable, in the order of the calls, and always on the queue that the log is used on.
    func whenDurable(_ release: @escaping () -> Void)
}

/// A log for games that need not survive the process: it counts what it is given and keeps nothing.
public final class VolatileLog<Record>: RecordLog {
    /// How many records were appended.
    public private(set) var count = 0

    public init() {}

    public func append(_ record: Record) { count += 1 }

    /// True: nothing needs writing.
    public var isDurable: Bool { true }

    public func whenDurable(_ release: @escaping () -> Void) { release() }
}
