/// A signed duration in nanoseconds, the stride of this module's schedulers. Saturates at about ±292 years.
public struct Nanoseconds: SchedulerTimeIntervalConvertible, Hashable, Codable, Sendable, ExpressibleByFloatLiteral {
    /// Nanoseconds.
    public var magnitude: Int

    public init(_ nanoseconds: Int) {
        magnitude = nanoseconds
    }

    /// In seconds, as `.seconds`.
    public init(integerLiteral value: Int) {
        self = .seconds(value)
    }

    /// In seconds, as `.seconds`.
    public init(floatLiteral value: Double) {
        self = .seconds(value)
    }

    public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
    }

    public static func seconds(_ s: Int) -> Self { Self(s.multipliedSaturated(by: 1_000_000_000)) }
    public static func milliseconds(_ ms: Int) -> Self { Self(ms.multipliedSaturated(by: 1_000_000)) }
    public static func microseconds(_ us: Int) -> Self { Self(us.multipliedSaturated(by: 1_000)) }
    public static func nanoseconds(_ ns: Int) -> Self { Self(ns) }

    /// NaN becomes zero.
    public static func seconds(_ s: Double) -> Self {
        let nanoseconds = s * 1_000_000_000
        if nanoseconds.isNaN { return .zero }
        // 2⁶³ is exact as a Double, `Int.max` is not.
        if nanoseconds >= 0x1p63 { return Self(.max) }
        return nanoseconds < -0x1p63 ? Self(.min) : Self(Int(nanoseconds))
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

    // Saturating arithmetic.

    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude.addingSaturated(rhs.magnitude)) }

    public static func - (lhs: Self, rhs: Self) -> Self {
        let (difference, overflow) = lhs.magnitude.subtractingReportingOverflow(rhs.magnitude)
        return Self(overflow ? (lhs.magnitude < 0 ? .min : .max) : difference)
    }

    public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude.multipliedSaturated(by: rhs.magnitude)) }

    public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    public static prefix func - (operand: Self) -> Self { .zero - operand }
}

extension Int {
    /// The sum, clamped.
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The product, clamped.
    func multipliedSaturated(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
