/// Keeps a source or an operator alive, for its subscriber and for scheduled work, until the end of the stream.
///
/// The subscriber keeps its subscription and the source keeps the subscriber: severing the handle breaks that cycle.
@usableFromInline
final class Handle<Target: Subscription & AnyObject>: Subscription {
    @usableFromInline let held: Guarded<Target?>

    @inlinable
    init(to target: Target) {
        held = Guarded(target)
    }

    /// Nil after the end.
    @inlinable var target: Target? { held.withLock { $0 } }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        target?.request(demand)
    }

    @usableFromInline
    func cancel() {
        take()?.cancel()
    }

    @usableFromInline
    func sever() {
        _ = take()
    }

    /// Handed out, so that it is not let go of under the lock.
    private func take() -> Target? {
        held.withLock { held in
            defer { held = nil }
            return held
        }
    }
}

/// A reference that does not keep its object.
@usableFromInline
struct Weak<Object: AnyObject> {
    @usableFromInline weak var object: Object?

    @inlinable
    init() {}
}
