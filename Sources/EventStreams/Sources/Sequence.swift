extension Publishers {
    /// Emits the elements on demand and finishes after the last.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element

        public let sequence: Elements

        public init(sequence: Elements) {
            self.sequence = sequence
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            SequenceSubscription(sequence.makeIterator(), to: subscriber).start()
        }
    }
}

extension Sequence {
    /// A publisher of the elements.
    public var publisher: Publishers.Sequence<Self, Never> {
        Publishers.Sequence(sequence: self)
    }
}

/// Emits an iterator's elements on demand, as a loop: a request during emission is served by the running loop.
///
/// `isRunning` is the right to use `elements` and `next`, taken and given up under the lock. `start` has it first; a loop without demand
/// gives it up, and the request that finds it free takes it and runs the next loop. A cancel clears `downstream`: a running loop then
/// releases the iterator; without one, the cancel takes the right for good and releases it.
final class SequenceSubscription<Elements: IteratorProtocol, Downstream: Subscriber>: Subscription
where Elements.Element == Downstream.Input {
    private struct State {
        /// Nil after the end.
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        var isRunning = true
    }

    private let state: Guarded<State>
    // Used with `isRunning` only.
    private var elements: Elements?
    /// One element of lookahead, to complete together with the last element.
    private var next: Elements.Element?

    init(_ elements: Elements, to downstream: Downstream) {
        state = Guarded(State(downstream: downstream))
        self.elements = elements
    }

    func start() {
        next = elements?.next()
        state.withLock { $0.downstream }?.receive(subscription: self)
        run()
    }

    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        let starts = state.withLock { state in
            guard state.downstream != nil else { return false }
            state.demand += demand
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { run() }
    }

    func cancel() {
        let isMine = state.withLock { state in
            let last = state.downstream
            state.downstream = nil
            defer { if last != nil { state.isRunning = true } }
            return (last, last != nil && !state.isRunning)
        }
        if isMine.1 { release() }
    }

    private func run() {
        var more = Subscribers.Demand.none
        while let value = next {
            guard let downstream = claim(returned: more) else { return }
            next = elements?.next()
            more = downstream.receive(value)
        }
        let last = state.withLock { state in
            defer { state.downstream = nil }
            return state.downstream
        }
        release()
        last?.receive(completion: .finished)
    }

    /// Downstream, if attached and with demand; nil ends this run.
    private func claim(returned more: Subscribers.Demand) -> Downstream? {
        let (downstream, isCancelled): (Downstream?, Bool) = state.withLock { state in
            guard let downstream = state.downstream else { return (nil, true) }
            state.demand += more
            guard state.demand > .none else {
                state.isRunning = false
                return (nil, false)
            }
            state.demand -= .max(1)
            return (downstream, false)
        }
        if isCancelled { release() }
        return downstream
    }

    private func release() {
        (elements, next) = (nil, nil)
    }
}
