import Synchronization

/// Outstanding demand: requested less delivered. The module's only implementation.
///
/// Lock-free: claiming a value costs one atomic operation for a finite demand, a plain load for an unlimited one.
@usableFromInline
struct DemandLedger: ~Copyable {
    /// In units of `Subscribers.Demand.rawValue`; `unlimited` is absorbing.
    @usableFromInline let balance = Atomic<UInt>(0)

    @inlinable
    init() {}

    /// Values that may still be delivered.
    @inlinable
    var outstanding: Subscribers.Demand {
        Subscribers.Demand(rawValue: balance.load(ordering: .acquiring))
    }

    /// Adds the result of `receive(_:)`, usually none.
    @inlinable
    borrowing func add(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        var known = balance.load(ordering: .relaxed)
        while true {
            let sum = (Subscribers.Demand(rawValue: known) + demand).rawValue
            let (exchanged, seen) = balance.compareExchange(expected: known, desired: sum, ordering: .acquiringAndReleasing)
            if exchanged { return }
            known = seen
        }
    }

    /// Adds a `request(_:)`; traps on none.
    @inlinable
    borrowing func grant(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        add(demand)
    }

    /// Takes one value's demand; false without demand.
    @inlinable
    borrowing func claim() -> Bool {
        var known = balance.load(ordering: .acquiring)
        while true {
            if known == Subscribers.Demand.unlimited.rawValue { return true }
            if known == 0 { return false }
            let (exchanged, seen) = balance.compareExchange(
                expected: known, desired: known - 1, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            known = seen
        }
    }
}
