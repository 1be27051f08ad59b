/// An append-only log with group commit.
///
/// Contract: no effect of a record is visible before the record is durable. The log does not interpret records.
public protocol RecordLog<Record>: AnyObject {
    associatedtype Record

    /// Appends a record.
    func append(_ record: Record)

    /// True when everything appended so far is durable.
    var isDurable: Bool { get }

    /// Calls `release` once everything appended so far is durable: in call order, on the log's queue.
    func whenDurable(_ release: @escaping () -> Void)
}

/// A log without storage: counts records and keeps none. For games that need not survive the process.
public final class VolatileLog<Record>: RecordLog {
    /// Records appended.
    public private(set) var count = 0

    public init() {}

    public func append(_ record: Record) { count += 1 }

    /// Always true: nothing to write.
    public var isDurable: Bool { true }

    public func whenDurable(_ release: @escaping () -> Void) { release() }
}
