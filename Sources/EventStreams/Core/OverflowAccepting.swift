/// A subscriber that buffers values beyond its demand.
///
/// A subject drops values without demand. `flatMap(maxPublishers:)` requests only as many values as it has slots for, so it
/// declares a buffer by this protocol; stages in between forward the property, and the subject delivers every value.
protocol OverflowAccepting {
    var acceptsOverflow: Bool { get }
}

extension Subscriber {
    /// True when this subscriber, or one below it, buffers values beyond its demand.
    @usableFromInline
    var keepsOverflow: Bool { (self as? any OverflowAccepting)?.acceptsOverflow ?? false }
}
