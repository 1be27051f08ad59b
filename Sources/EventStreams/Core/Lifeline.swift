import Synchronization

/// A way up: the subscription above, from `receive(subscription:)` until completion or cancel.
///
/// References in a stream point down for good (a stage keeps the next one in a `let`) and up only through a lifeline,
/// which is also what a subscriber gets as its subscription. Ending a lifeline drops the way up, and with it every cycle:
/// the source lets its subscriber go, and the whole chain below it. So a value's way needs no lock, only the load behind
/// `isLive`, and nothing outlives its stream, not even for a subscriber that keeps its subscription.
@usableFromInline
final class Lifeline: Subscription {
    private enum State {
        /// With what was asked for before there was anybody to ask.
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

    /// A way up that exists already: what a source hands to its subscriber.
    @usableFromInline init(to subscription: any Subscription) {
        phase = Atomic(Self.live)
        state = Guarded(.attached(subscription))
    }

    /// Whether values may pass: the subscription is here and neither cancel nor completion was.
    @inlinable
    var isLive: Bool { phase.load(ordering: .acquiring) == 1 }

    /// Takes the first subscription and cancels every other, or this one if the end came before it.
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

    /// Asks upstream for more, or remembers to.
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

    /// Notes upstream's completion and drops the way up. True once, for the caller that may pass the completion on.
    @usableFromInline @discardableResult
    func end() -> Bool {
        guard case .attached = close() else { return false }
        return true
    }

    @usableFromInline
    func cancel() {
        cancelIfLive()
    }

    /// Cancels upstream, and calls `first` before. True for the one call that ended a live stream.
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

// Sendable: its state is behind a lock, and a subscription may be asked or cancelled from any thread by contract.
extension Lifeline: @unchecked Sendable {}

/// Lifelines that come and go, and end together.
@usableFromInline
struct Lifelines: ~Copyable {
    private let held = Guarded<ContiguousArray<Lifeline>?>([])

    @usableFromInline init() {}

    /// Cancels it on the spot if the others have been.
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
