/// Runs closures at once or at a time on its own clock.
public protocol Scheduler<SchedulerTimeType> {
    /// A time on this scheduler's clock.
    associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
    /// Further options; `Never` for none.
    associatedtype SchedulerOptions

    var now: SchedulerTimeType { get }

    /// The smallest useful tolerance.
    var minimumTolerance: SchedulerTimeType.Stride { get }

    /// Runs the action as soon as possible.
    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

    /// Runs the action once, at the time or up to `tolerance` later.
    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void)

    /// Runs the action at the time, then at each interval until cancelled.
    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable
}

extension Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        schedule(options: nil, action)
    }

    public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
        schedule(after: date, tolerance: minimumTolerance, options: nil, action)
    }

    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping () -> Void
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
    }
}

/// A duration with units: `.seconds(2)`, `.milliseconds(250)`.
public protocol SchedulerTimeIntervalConvertible: Comparable, SignedNumeric {
    static func seconds(_ s: Int) -> Self
    static func seconds(_ s: Double) -> Self
    static func milliseconds(_ ms: Int) -> Self
    static func microseconds(_ us: Int) -> Self
    static func nanoseconds(_ ns: Int) -> Self
}

// MARK: - Nanoseconds

/// A signed duration in nanoseconds, the stride of this module's schedulers. Saturates at about ±292 years.
public struct Nanoseconds: SchedulerTimeIntervalConvertible, Hashable, Sendable, ExpressibleByFloatLiteral {
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

// MARK: - ImmediateScheduler

/// Runs every action synchronously and ignores delays. For tests, and where no other thread is wanted.
public struct ImmediateScheduler: Scheduler, Sendable {
    public typealias SchedulerOptions = Never

    /// The only time: advancing it has no effect.
    public struct SchedulerTimeType: Strideable, Sendable {
        public typealias Stride = Nanoseconds

        public func distance(to other: Self) -> Stride { .zero }
        public func advanced(by n: Stride) -> Self { self }
    }

    public static let shared = ImmediateScheduler()

    public var now: SchedulerTimeType { SchedulerTimeType() }
    public var minimumTolerance: SchedulerTimeType.Stride { .zero }

    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        action()
    }

    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
    ) {
        action()
    }

    /// Runs the action once: all its dates are equal.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        action()
        return Subscriptions.empty
    }
}
