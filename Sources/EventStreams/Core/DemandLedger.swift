import Synchronization

/// The module's one account of demand: what downstream asked for, less what it was given.
///
/// Lock-free, so that claiming a value costs one atomic operation when demand is finite and a plain load when it is not.
@usableFromInline
struct DemandLedger: ~Copyable {
    /// In units of `Subscribers.Demand.rawValue`; `unlimited` is sticky.
    @usableFromInline let balance = Atomic<UInt>(0)

    @inlinable
    init() {}

    /// What may still be delivered.
    @inlinable
    var outstanding: Subscribers.Demand {
        Subscribers.Demand(rawValue: balance.load(ordering: .acquiring))
    }

    /// Adds what downstream returned from `receive(_:)`, where zero is the usual answer.
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

    /// Adds what downstream asked for by `request(_:)`, where zero is a programmer's error.
    @inlinable
    borrowing func grant(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        add(demand)
    }

    /// Takes one value's worth of demand; false when there is none.
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
