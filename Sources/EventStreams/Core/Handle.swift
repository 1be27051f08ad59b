/// Retains a source or an operator for its subscriber and for scheduled work until the stream ends.
///
/// Severing the handle breaks the cycle of a subscriber that keeps its subscription and a source that keeps its subscriber.
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

    /// Returns the target, so that it is released outside the lock.
    private func take() -> Target? {
        held.withLock { held in
            defer { held = nil }
            return held
        }
    }
}

/// A weak reference.
@usableFromInline
struct Weak<Object: AnyObject> {
    @usableFromInline weak var object: Object?

    @inlinable
    init() {}
}
