// MARK: Append and prepend

extension Publisher {
    /// Emits the values before this publisher's.
    public func prepend(_ elements: Output...) -> AnyPublisher<Output, Failure> {
        prepend(Publishers.Sequence(sequence: elements))
    }

    /// Emits `publisher`'s values before this one's.
    public func prepend<P: Publisher<Output, Failure>>(_ publisher: P) -> AnyPublisher<Output, Failure> {
        publisher.append(self)
    }

    /// Emits the values after this publisher's, if it finishes.
    public func append(_ elements: Output...) -> AnyPublisher<Output, Failure> {
        append(Publishers.Sequence(sequence: elements))
    }

    /// Emits `publisher`'s values after this one's, if this one finishes.
    public func append<P: Publisher<Output, Failure>>(_ publisher: P) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let succession = Succession("Concatenate", to: subscriber)
            succession.start { [unowned succession] in
                succession.follow(self) { [unowned succession] completion in
                    guard case .finished = completion else { return succession.complete(completion) }
                    succession.follow(publisher) { [unowned succession] in succession.complete($0) }
                }
            }
        }
    }

    /// Emits `output` if this publisher finishes without a value.
    public func replaceEmpty(with output: Output) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let succession = Succession("ReplaceEmpty", to: subscriber)
            var isEmpty = true
            let counted = map { value in
                isEmpty = false
                return value
            }
            succession.start { [unowned succession] in
                succession.follow(counted) { [unowned succession] completion in
                    guard case .finished = completion, isEmpty else { return succession.complete(completion) }
                    succession.follow(Just(output)) { [unowned succession] _ in succession.complete(.finished) }
                }
            }
        }
    }
}

// MARK: - Failures

extension Publisher {
    /// On failure continues with the handler's publisher and the remaining demand.
    public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> AnyPublisher<Output, P.Failure>
    where P.Output == Output {
        AnyPublisher { subscriber in
            let succession = Succession("Catch", to: subscriber)
            succession.start { [unowned succession] in
                succession.follow(self) { [unowned succession] completion in
                    switch completion {
                    case .finished: succession.complete(.finished)
                    case .failure(let error):
                        succession.follow(handler(error)) { [unowned succession] in succession.complete($0) }
                    }
                }
            }
        }
    }

    /// Emits `output` and finishes in place of a failure.
    public func replaceError(with output: Output) -> AnyPublisher<Output, Never> {
        self.catch { _ in Just(output) }
    }

    /// Subscribes again after a failure, at most `retries` times.
    public func retry(_ retries: Int) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let succession = Succession("Retry", to: subscriber)
            succession.start { [unowned succession] in attempt(in: succession, left: retries) }
        }
    }

    private func attempt<S: Subscriber>(in succession: Succession<S>, left: Int) where S.Input == Output, S.Failure == Failure {
        succession.follow(self) { [unowned succession] completion in
            if case .failure = completion, left != 0 {
                attempt(in: succession, left: left - 1)
            } else {
                succession.complete(completion)
            }
        }
    }
}

// MARK: - Core of all

/// Core of `catch`, `retry`, `append` and similar: successive publishers joined into one stream with one demand. Values pass directly; changes
/// of publisher run on a trampoline, so a publisher that fails during subscription is one iteration, not a recursion.
final class Succession<Downstream: Subscriber>: Subscription, CustomStringConvertible {
    private struct State {
        var outstanding = Subscribers.Demand.none
        var current: Lifeline?
        var isOver = false
    }

    /// The operator's name.
    let description: String
    private let downstream: Downstream
    private let state = Guarded(State())
    private let changes = Trampoline()
    private let handle = Guarded(Weak<Handle<Succession>>())
    let acceptsOverflow: Bool

    init(_ description: String, to downstream: Downstream) {
        self.description = description
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
