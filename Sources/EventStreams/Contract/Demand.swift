extension Subscribers {
    /// The number of values a subscriber is ready for: none to `Int.max`, or unlimited.
    ///
    /// Sums saturate at `unlimited`, which is absorbing; differences stop at `none`.
    @frozen
    public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable, CustomStringConvertible {
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

// MARK: - Coding, as one number

extension Subscribers.Demand {
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(UInt.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
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

    @inlinable
    public static func * (lhs: Self, rhs: Int) -> Self {
        precondition(rhs >= 0, "a demand is never negative")
        if lhs == .unlimited { return .unlimited }
        let (product, overflow) = lhs.rawValue.multipliedReportingOverflow(by: UInt(rhs))
        return overflow ? .unlimited : Self(rawValue: product)
    }

    /// `rhs` may be negative; the result is not.
    @inlinable
    public static func + (lhs: Self, rhs: Int) -> Self {
        rhs < 0 ? lhs - Self(rawValue: rhs.magnitude) : lhs + Self(rawValue: UInt(rhs))
    }

    @inlinable
    public static func - (lhs: Self, rhs: Int) -> Self {
        rhs < 0 ? lhs + Self(rawValue: rhs.magnitude) : lhs - Self(rawValue: UInt(rhs))
    }

    @inlinable public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
    @inlinable public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
    @inlinable public static func += (lhs: inout Self, rhs: Int) { lhs = lhs + rhs }
    @inlinable public static func -= (lhs: inout Self, rhs: Int) { lhs = lhs - rhs }
    @inlinable public static func *= (lhs: inout Self, rhs: Int) { lhs = lhs * rhs }
}

// MARK: - Comparison with a number: `unlimited` is greater than any

extension Subscribers.Demand {
    @inlinable public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }
    @inlinable public static func == (lhs: Int, rhs: Self) -> Bool { rhs.max == lhs }
    @inlinable public static func != (lhs: Self, rhs: Int) -> Bool { lhs.max != rhs }
    @inlinable public static func != (lhs: Int, rhs: Self) -> Bool { rhs.max != lhs }
    @inlinable public static func < (lhs: Self, rhs: Int) -> Bool { lhs.max.map { $0 < rhs } ?? false }
    @inlinable public static func < (lhs: Int, rhs: Self) -> Bool { rhs.max.map { lhs < $0 } ?? true }
    @inlinable public static func > (lhs: Self, rhs: Int) -> Bool { rhs < lhs }
    @inlinable public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }
    @inlinable public static func <= (lhs: Self, rhs: Int) -> Bool { !(rhs < lhs) }
    @inlinable public static func <= (lhs: Int, rhs: Self) -> Bool { !(rhs < lhs) }
    @inlinable public static func >= (lhs: Self, rhs: Int) -> Bool { !(lhs < rhs) }
    @inlinable public static func >= (lhs: Int, rhs: Self) -> Bool { !(lhs < rhs) }
}
