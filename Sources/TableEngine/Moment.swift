/// A point in time, in milliseconds since the epoch of the host's clock.
///
/// The table reads no clock: every command carries its moment, and moments never decrease.
@frozen
public struct Moment: Hashable, Comparable, Sendable, BitwiseCopyable {
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Later than every moment that occurs.
    static var never: Moment { Moment(milliseconds: .max) }

    @inlinable
    public static func < (a: Moment, b: Moment) -> Bool { a.milliseconds < b.milliseconds }

    @inlinable
    public func adding(seconds: Int) -> Moment { Moment(milliseconds: milliseconds + Int64(seconds) * 1000) }

    @inlinable
    public func adding(milliseconds more: Int) -> Moment { Moment(milliseconds: milliseconds + Int64(more)) }
}
