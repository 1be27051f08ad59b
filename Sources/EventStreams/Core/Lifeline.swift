import Synchronization

/// The upward reference, from `receive(subscription:)` until completion or cancel; also the subscription that a subscriber gets. Downward
/// references are permanent, so ending it breaks every cycle, and values need no lock: only the load behind `isLive`.
@usableFromInline
final class Lifeline: Subscription, Sendable {
    private enum State {
        /// With the demand requested before the subscription arrived.
        case awaiting(Subscribers.Demand)
        case attached(any Subscription)
        case ended
    }

    @usableFromInline static var awaiting: UInt8 { 0 }
    @usableFromInline static var live: UInt8 { 1 }
    @usableFromInline static var ended: UInt8 { 2 }

    @usableFromInline let phase: Atomic<UInt8>
    private let state: Guarded<State>

    @usableFromInline init() {
        phase = Atomic(Self.awaiting)
        state = Guarded(.awaiting(.none))
    }

    /// For a source, whose own subscription exists already.
    @usableFromInline init(to subscription: any Subscription) {
        phase = Atomic(Self.live)
        state = Guarded(.attached(subscription))
    }

    /// True between the subscription and cancel or completion.
    @inlinable
    var isLive: Bool { phase.load(ordering: .acquiring) == 1 }

    /// Accepts the first subscription; cancels a second one, or the first if the end came earlier.
    @usableFromInline
    func attach(_ subscription: any Subscription) -> Bool {
        let owed: Subscribers.Demand? = state.withLock {
            guard case .awaiting(let demand) = $0 else { return nil }
            $0 = .attached(subscription)
            phase.store(Self.live, ordering: .releasing)
            return demand
        }
        guard let owed else {
            subscription.cancel()
            return false
        }
        if owed > .none { subscription.request(owed) }
        return true
    }

    /// Requests from upstream, or stores the demand until the subscription arrives.
    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        let subscription: (any Subscription)? = state.withLock {
            switch $0 {
            case .awaiting(let earlier):
                $0 = .awaiting(earlier + demand)
                return nil
            case .attached(let subscription): return subscription
            case .ended: return nil
            }
        }
        subscription?.request(demand)
    }

    /// Records completion and drops the upward reference. True once: the caller may pass the completion on.
    @usableFromInline @discardableResult
    func end() -> Bool {
        guard case .attached = close() else { return false }
        return true
    }

    @usableFromInline
    func cancel() {
        cancelIfLive()
    }

    /// Calls `first`, then cancels upstream. True for the call that ended a live stream.
    @usableFromInline @discardableResult
    func cancelIfLive(first: () -> Void = {}) -> Bool {
        guard case .attached(let subscription) = close() else { return false }
        first()
        subscription.cancel()
        return true
    }

    private func close() -> State {
        state.withLock {
            let last = $0
            $0 = .ended
            phase.store(Self.ended, ordering: .releasing)
            return last
        }
    }
}

extension Lifeline: CustomStringConvertible {
    /// That of upstream: an operator that handles values one by one passes its upstream's description on.
    @usableFromInline var description: String {
        let state = state.withLock { $0 }
        return if case .attached(let subscription) = state { "\(subscription)" } else { "ended" }
    }
}

/// A set of lifelines cancelled together.
@usableFromInline
struct Lifelines: ~Copyable {
    private let held = Guarded<ContiguousArray<Lifeline>?>([])

    @usableFromInline init() {}

    /// Cancels at once if the set is cancelled.
    @usableFromInline
    borrowing func add(_ lifeline: Lifeline) {
        let isOpen = held.withLock {
            $0?.append(lifeline)
            return $0 != nil
        }
        if !isOpen { lifeline.cancel() }
    }

    borrowing func remove(_ lifeline: Lifeline) {
        held.withLock { $0?.removeAll { $0 === lifeline } }
    }

    @usableFromInline
    borrowing func cancelAll() {
        let ending = held.withLock { held in
            defer { held = nil }
            return held
        }
        for lifeline in ending ?? [] { lifeline.cancel() }
    }
}

// MARK: - Handle

/// Retains a source or an operator for its subscriber and for scheduled work until the stream ends.
///
/// Severing the handle breaks the cycle of a subscriber that keeps its subscription and a source that keeps its subscriber.
@usableFromInline
final class Handle<Target: Subscription & AnyObject & CustomStringConvertible>: Subscription, CustomStringConvertible {
    @usableFromInline let held: Guarded<Target?>

    @inlinable
    init(to target: Target) {
        held = Guarded(target)
    }

    /// Nil after the end.
    @inlinable var target: Target? { held.withLock { $0 } }

    @usableFromInline var description: String { target?.description ?? "ended" }

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
