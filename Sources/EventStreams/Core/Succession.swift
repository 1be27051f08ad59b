/// Core of `catch`, `retry`, `append` and similar: successive publishers joined into one stream with one demand. Values pass directly; changes
/// of publisher run on a trampoline, so a publisher that fails during subscription is one iteration, not a recursion.
final class Succession<Downstream: Subscriber>: Subscription {
    private struct State {
        var outstanding = Subscribers.Demand.none
        var current: Lifeline?
        var isOver = false
    }

    private let downstream: Downstream
    private let state = Guarded(State())
    private let changes = Trampoline()
    private let handle = Guarded(Weak<Handle<Succession>>())
    let acceptsOverflow: Bool

    init(to downstream: Downstream) {
        self.downstream = downstream
        acceptsOverflow = downstream.keepsOverflow
    }

    /// Sends downstream its subscription and starts the first publisher.
    func start(_ first: @escaping () -> Void) {
        let handle = Handle(to: self)
        self.handle.withLock { $0.object = handle }
        downstream.receive(subscription: handle)
        change(first)
    }

    /// Runs the closure after any current change, unless the stream has ended.
    func change(_ change: @escaping () -> Void) {
        changes.post { [self] in
            if !state.withLock({ $0.isOver }) { change() }
        }
    }

    /// Switches to this publisher, within a change. `onEnd` runs as a change and decides the next step.
    func follow<P: Publisher>(_ publisher: P, onEnd: @escaping (Subscribers.Completion<P.Failure>) -> Void)
    where P.Output == Downstream.Input {
        let source = Lifeline()
        let (isOpen, owed) = state.withLock { state in
            guard !state.isOver else { return (false, Subscribers.Demand.none) }
            state.current = source
            return (true, state.outstanding)
        }
        guard isOpen else { return }
        if owed > .none { source.request(owed) }
        publisher.subscribe(Follower(succession: self, lifeline: source, onEnd: onEnd))
    }

    func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
        guard close() else { return }
        downstream.receive(completion: completion)
    }

    fileprivate func pass(_ value: Downstream.Input, from source: Lifeline) -> Subscribers.Demand {
        let isDue = state.withLock { state in
            guard !state.isOver, state.current === source else { return false }
            guard state.outstanding > .none else { return acceptsOverflow }
            state.outstanding -= 1
            return true
        }
        guard isDue else { return .none }
        let more = downstream.receive(value)
        guard more > .none else { return .none }
        return state.withLock { state in
            state.outstanding += more
            // A change in between has requested the outstanding demand from the new publisher, but not this increment.
            return state.current === source ? more : .none
        }
    }

    // MARK: Subscription

    func request(_ demand: Subscribers.Demand) {
        let current = state.withLock { state in
            state.outstanding += demand
            return state.current
        }
        current?.request(demand)
    }

    func cancel() {
        _ = close()
    }

    private func close() -> Bool {
        let (wasOpen, current) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.current)
        }
        guard wasOpen else { return false }
        current?.cancel()
        handle.withLock { $0.object }?.sever()
        return true
    }
}

/// The subscriber to one of a succession's publishers.
private final class Follower<Downstream: Subscriber, Failure: Error>: Subscriber, OverflowAccepting {
    typealias Input = Downstream.Input

    private let succession: Succession<Downstream>
    private let lifeline: Lifeline
    private let onEnd: (Subscribers.Completion<Failure>) -> Void

    init(
        succession: Succession<Downstream>, lifeline: Lifeline, onEnd: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        self.succession = succession
        self.lifeline = lifeline
        self.onEnd = onEnd
    }

    var acceptsOverflow: Bool { succession.acceptsOverflow }

    func receive(subscription: any Subscription) {
        _ = lifeline.attach(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        lifeline.isLive ? succession.pass(input, from: lifeline) : .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        guard lifeline.end() else { return }
        succession.change { [onEnd] in onEnd(completion) }
    }
}
