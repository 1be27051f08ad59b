/// A signed length of time in nanoseconds: what the strides of our schedulers are made of. About ±292 years.
public struct Nanoseconds: SchedulerTimeIntervalConvertible, Hashable, Codable, Sendable, ExpressibleByFloatLiteral {
    /// The length in nanoseconds.
    public var magnitude: Int

    public init(_ nanoseconds: Int) {
        magnitude = nanoseconds
    }

    /// In seconds, as in `.seconds`.
    public init(integerLiteral value: Int) {
        self = .seconds(value)
    }

    /// In seconds, as in `.seconds`.
    public init(floatLiteral value: Double) {
        self = .seconds(value)
    }

    public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        self.init(value)
    }

    public static func seconds(_ s: Int) -> Self { Self(s * 1_000_000_000) }
    public static func seconds(_ s: Double) -> Self { Self(Int(s * 1_000_000_000)) }
    public static func milliseconds(_ ms: Int) -> Self { Self(ms * 1_000_000) }
    public static func microseconds(_ us: Int) -> Self { Self(us * 1_000) }
    public static func nanoseconds(_ ns: Int) -> Self { Self(ns) }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }
    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }
    public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }
    public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }
    public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
}
