/// A point on the host's clock, in milliseconds from wherever that clock starts.
///
/// The table reads no clock: every command brings its moment, and moments never run backwards.
@frozen
public struct Moment: Hashable, Comparable, Sendable, BitwiseCopyable {
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Later than any moment that comes.
    static var never: Moment { Moment(milliseconds: .max) }

    @inlinable @inline(always)
    public static func < (a: Moment, b: Moment) -> Bool { a.milliseconds < b.milliseconds }

    @inlinable @inline(always)
    public func adding(seconds: Int) -> Moment { Moment(milliseconds: milliseconds + Int64(seconds) * 1000) }

    @inlinable @inline(always)
    public func adding(milliseconds more: Int) -> Moment { Moment(milliseconds: milliseconds + Int64(more)) }
}
