import Synchronization

/// State that is accessible only under its lock. The module's only lock.
///
/// Deadlock rule: **only the module's own bookkeeping runs inside `withLock`**. No callback, no `Subscriber` or `Subscription`
/// method, no user closure, no last release of a user's value: return such things and handle them outside the lock.
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

/// Carries a value through a `Sendable` requirement.
@usableFromInline
struct Carried<Value>: @unchecked Sendable {
    // Sendable: each use states why at most one thread touches the value at a time.
    @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
