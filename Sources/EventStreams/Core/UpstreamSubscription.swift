import Synchronization

/// A stage's reference to its upstream, from `receive(subscription:)` until completion or cancel; also the subscription that a
/// subscriber gets.
///
/// References down the chain are permanent; this is the only one that points up. Ending it therefore breaks every reference
/// cycle. Values pass without a lock: each one only loads the flag behind `isLive`.
@usableFromInline
final class UpstreamSubscription: Subscription, Sendable {
    private enum State {
        /// With the demand requested before the subscription arrived.
        case awaiting(Subscribers.Demand)
        case attached(any Subscription)
        case ended
    }

    @usableFromInline static var live: UInt8 { 1 }
    @usableFromInline static var ended: UInt8 { 2 }

    @usableFromInline let phase = Atomic<UInt8>(0)
    private let state = Guarded(State.awaiting(.none))

    @usableFromInline init() {}

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
    @usableFromInline
    func end() -> Bool { close() != nil }

    @usableFromInline
    func cancel() { _ = cancelIfLive() }

    /// True for the call that ended a live stream.
    @usableFromInline
    func cancelIfLive() -> Bool {
        guard let subscription = close() else { return false }
        subscription.cancel()
        return true
    }

    /// Returns the subscription to the call that ended a live stream.
    private func close() -> (any Subscription)? {
        let last = state.withLock { state in
            defer { state = .ended }
            phase.store(Self.ended, ordering: .releasing)
            return state
        }
        return if case .attached(let subscription) = last { subscription } else { nil }
    }
}

/// Subscriptions to the upstreams of one operator, cancelled together.
@usableFromInline
struct UpstreamSubscriptions: ~Copyable {
    private let held = Guarded<ContiguousArray<UpstreamSubscription>?>([])

    @usableFromInline init() {}

    /// Cancels at once if the others have been cancelled.
    @usableFromInline
    borrowing func add(_ upstream: UpstreamSubscription) {
        let isOpen = held.withLock {
            $0?.append(upstream)
            return $0 != nil
        }
        if !isOpen { upstream.cancel() }
    }

    borrowing func remove(_ upstream: UpstreamSubscription) {
        held.withLock { $0?.removeAll { $0 === upstream } }
    }

    @usableFromInline
    borrowing func cancelAll() {
        let ending = held.withLock { held in
            defer { held = nil }
            return held
        }
        for upstream in ending ?? [] { upstream.cancel() }
    }
}
