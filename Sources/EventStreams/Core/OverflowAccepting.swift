/// A subscriber that keeps what it has not asked for instead of losing it.
///
/// A subject cannot wait: what it sends to a subscriber without demand is gone. `flatMap(maxPublishers:)` asks for no more
/// than it has places for, and over a subject that would lose values in silence. So it says by this that it has a place
/// to keep them, the stages in between pass the word up, and the subject hands over every value.
protocol OverflowAccepting {
    var acceptsOverflow: Bool { get }
}

extension Subscriber {
    /// Whether it, or who stands behind it, keeps what it has not asked for.
    @usableFromInline
    var keepsOverflow: Bool { (self as? any OverflowAccepting)?.acceptsOverflow ?? false }
}
