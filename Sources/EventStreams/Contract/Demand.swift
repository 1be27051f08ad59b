import Synchronization

extension Subscribers {
    /// The number of values a subscriber is ready for: none to `Int.max`, or unlimited.
    ///
    /// Sums saturate at `unlimited`, which is absorbing; differences stop at `none`.
    @frozen
    public struct Demand: Comparable, Hashable, Sendable, CustomStringConvertible {
        @usableFromInline let rawValue: UInt

        @inlinable
        init(rawValue: UInt) {
            self.rawValue = Swift.min(rawValue, Self.unlimitedValue)
        }

        @inlinable static var unlimitedValue: UInt { UInt(Int.max) + 1 }

        /// No limit.
        @inlinable public static var unlimited: Demand { Demand(rawValue: unlimitedValue) }

        /// No values. As the result of `receive(_:)`: no additional demand. Never a valid request.
        @inlinable public static var none: Demand { Demand(rawValue: 0) }

        /// At most `value` values.
        /// - Precondition: `value` is not negative.
        @inlinable
        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0, "a demand is never negative")
            return Demand(rawValue: UInt(value))
        }

        /// The limit, or nil for unlimited.
        @inlinable public var max: Int? { self == .unlimited ? nil : Int(rawValue) }

        public var description: String { max.map { "max(\($0))" } ?? "unlimited" }

        /// Traps on an empty request.
        @inlinable
        func requirePositive() {
            precondition(rawValue > 0, "a request for no values: the demand must be positive")
        }

        @inlinable
        public static func < (lhs: Demand, rhs: Demand) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }
}

// MARK: - Arithmetic

extension Subscribers.Demand {
    @inlinable
    public static func + (lhs: Self, rhs: Self) -> Self {
        // Both are at most 2⁶³: only the sum of two unlimited demands overflows.
        let (sum, overflow) = lhs.rawValue.addingReportingOverflow(rhs.rawValue)
        return overflow ? .unlimited : Self(rawValue: sum)
    }

    @inlinable
    public static func - (lhs: Self, rhs: Self) -> Self {
        if lhs == .unlimited { return .unlimited }
        return lhs.rawValue < rhs.rawValue ? .none : Self(rawValue: lhs.rawValue - rhs.rawValue)
    }

    @inlinable public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
    @inlinable public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
}

// MARK: - Outstanding demand

/// Outstanding demand: requested less delivered.
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

// MARK: - Completion

extension Subscribers {
    /// The end of a stream.
    @frozen
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Sendable where Failure: Sendable {}

extension Subscribers.Completion {
    @usableFromInline
    func mapError<Other: Error>(_ transform: (Failure) -> Other) -> Subscribers.Completion<Other> {
        switch self {
        case .finished: .finished
        case .failure(let error): .failure(transform(error))
        }
    }
}
