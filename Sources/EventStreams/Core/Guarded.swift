import Synchronization

/// State that is accessible only under its lock, the module's only one. **Only the module's own bookkeeping runs inside `withLock`**: callbacks,
/// user closures and last releases of user values happen outside, or they could deadlock.
@usableFromInline
struct Guarded<State>: ~Copyable, Sendable {
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

/// Carries a value through a `Sendable` requirement.
@usableFromInline
package struct Carried<Value>: @unchecked Sendable {  // a lock, an atomic or a scheduler admits one thread at a time to `value`
    @usableFromInline package var value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }
}
