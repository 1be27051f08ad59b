/// Runs a journal's writer in a simulation: virtual time, one thread.
package protocol WriterScheduler: AnyObject, Sendable {
    /// Microseconds of a clock that never goes back.
    var microseconds: UInt64 { get }
    /// Runs work after so many microseconds.
    func schedule(after microseconds: UInt64, _ work: @escaping () -> Void)
    /// Microseconds that an operation takes; it is carried out at their end.
    func duration(of operation: StorageError.Operation) -> UInt64
}

/// Runs a journal's writer: on a thread of its own, or step by step on a scheduler.
package enum WriterExecutor: Sendable {
    case thread
    case scheduled(any WriterScheduler)

    var now: UInt64 {
        switch self {
        case .thread: MonotonicClock.microseconds()
        case .scheduled(let scheduler): scheduler.microseconds
        }
    }
}
