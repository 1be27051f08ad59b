import Synchronization

/// The module's one lock: state that can be reached only while it is held.
///
/// The rule that keeps the module free of deadlocks: **nothing but our own bookkeeping runs inside `withLock`**. No
/// callback, no `Subscriber` or `Subscription` method, no user closure, and no last release of a user's value. What must
/// be called or dropped is handed out as the result and dealt with after the lock is gone.
@usableFromInline
struct Guarded<State>: ~Copyable {
    @usableFromInline let mutex: Mutex<Carried<State>>

    @inlinable
    init(_ initial: State) {
        mutex = Mutex(Carried(initial))
    }

    @inlinable
    borrowing func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try mutex.withLock { Carried(try body(&$0.value)) }.value
    }
}

// Sendable: the mutex admits one thread at a time, and a state that is not Sendable by itself never leaves the stream it
// belongs to: publishers are handed from thread to thread as a whole, with a lock or an atomic in between.
extension Guarded: @unchecked Sendable {}

/// Carries a value across a boundary that the compiler cannot look through, where the crossing code proves it safe.
@usableFromInline
struct Carried<Value>: @unchecked Sendable {
    // Sendable: each use states why at most one thread touches the value at a time.
    @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
