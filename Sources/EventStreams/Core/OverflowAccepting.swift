/// A subscriber that buffers values beyond its demand, so that a subject delivers every value instead of dropping: `flatMap(maxPublishers:)`
/// requests only as many as it has slots for. Stages in between forward the property.
protocol OverflowAccepting {
    var acceptsOverflow: Bool { get }
}

extension Subscriber {
    /// True when this subscriber, or one below it, buffers values beyond its demand.
    @usableFromInline
    var keepsOverflow: Bool { (self as? any OverflowAccepting)?.acceptsOverflow ?? false }
}
