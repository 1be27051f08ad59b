// MARK: - Concatenate and ReplaceEmpty

extension Publishers {
    /// Emits one publisher's values, then another's once the first has finished.
    public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
    where Prefix.Failure == Suffix.Failure, Prefix.Output == Suffix.Output {
        public typealias Output = Suffix.Output
        public typealias Failure = Suffix.Failure

        public let prefix: Prefix
        public let suffix: Suffix

        public init(prefix: Prefix, suffix: Suffix) {
            self.prefix = prefix
            self.suffix = suffix
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let succession = Succession("Concatenate", to: subscriber)
            succession.start { [unowned succession, prefix, suffix] in
                succession.follow(prefix) { [unowned succession] completion in
                    guard case .finished = completion else { return succession.complete(completion) }
                    succession.follow(suffix) { [unowned succession] in succession.complete($0) }
                }
            }
        }
    }

    /// Emits a value for an empty stream.
    public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let output: Output

        public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let succession = Succession("ReplaceEmpty", to: subscriber)
            var isEmpty = true
            let counted = upstream.map { value in
                isEmpty = false
                return value
            }
            succession.start { [unowned succession, output] in
                succession.follow(counted) { [unowned succession] completion in
                    guard case .finished = completion, isEmpty else { return succession.complete(completion) }
                    succession.follow(Just(output)) { [unowned succession] _ in succession.complete(.finished) }
                }
            }
        }
    }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}
extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publisher {
    /// Emits `output` if this publisher finishes without a value.
    public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
        Publishers.ReplaceEmpty(upstream: self, output: output)
    }

    /// Emits the values before this publisher's.
    public func prepend(_ elements: Output...) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> {
        prepend(elements)
    }

    /// Emits the elements before this publisher's values.
    public func prepend<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where S.Element == Output {
        prepend(Publishers.Sequence(sequence: elements))
    }

    /// Emits `publisher`'s values before this one's.
    public func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self>
    where P.Output == Output, P.Failure == Failure {
        Publishers.Concatenate(prefix: publisher, suffix: self)
    }

    /// Emits the values after this publisher's, if it finishes.
    public func append(_ elements: Output...) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
        append(elements)
    }

    /// Emits the elements after this publisher's values, if it finishes.
    public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where S.Element == Output {
        append(Publishers.Sequence(sequence: elements))
    }

    /// Emits `publisher`'s values after this one's, if this one finishes.
    public func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P>
    where P.Output == Output, P.Failure == Failure {
        Publishers.Concatenate(prefix: self, suffix: publisher)
    }
}

// MARK: - Catch and ReplaceError

extension Publishers {
    /// Emits upstream's values; on failure continues with another publisher.
    public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = NewPublisher.Failure

        public let upstream: Upstream
        public let handler: (Upstream.Failure) -> NewPublisher

        public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let succession = Succession("Catch", to: subscriber)
            succession.start { [unowned succession, upstream, handler] in
                succession.follow(upstream) { [unowned succession] completion in
                    switch completion {
                    case .finished: succession.complete(.finished)
                    case .failure(let error):
                        succession.follow(handler(error)) { [unowned succession] in succession.complete($0) }
                    }
                }
            }
        }
    }

    /// As `Catch`, with a throwing handler.
    public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        public let upstream: Upstream
        public let handler: (Upstream.Failure) throws -> NewPublisher

        public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
            self.upstream = upstream
            self.handler = handler
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.catch { [handler] error -> AnyPublisher<Output, any Error> in
                do {
                    return try handler(error).mapError { $0 }.eraseToAnyPublisher()
                } catch {
                    return Fail(error: error).eraseToAnyPublisher()
                }
            }
            .subscribe(subscriber)
        }
    }

    /// Emits upstream's values, and a last value in place of a failure.
    public struct ReplaceError<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Never

        public let upstream: Upstream
        public let output: Output

        public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
            upstream.catch { [output] _ in Just(output) }.subscribe(subscriber)
        }
    }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publisher {
    /// On failure continues with the handler's publisher and the remaining demand.
    public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P>
    where P.Output == Output {
        Publishers.Catch(upstream: self, handler: handler)
    }

    /// As `catch`; an error thrown by the handler fails the stream.
    public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P) -> Publishers.TryCatch<Self, P>
    where P.Output == Output {
        Publishers.TryCatch(upstream: self, handler: handler)
    }

    /// Emits `output` and finishes in place of a failure.
    public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
        Publishers.ReplaceError(upstream: self, output: output)
    }
}

// MARK: - Retry

extension Publishers {
    /// Subscribes to upstream again after a failure.
    public struct Retry<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        /// The most retries; nil for no limit.
        public let retries: Int?

        public init(upstream: Upstream, retries: Int?) {
            self.upstream = upstream
            self.retries = retries
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let succession = Succession("Retry", to: subscriber)
            succession.start { [unowned succession, self] in attempt(in: succession, left: retries) }
        }

        private func attempt<S: Subscriber>(in succession: Succession<S>, left: Int?)
        where S.Input == Output, S.Failure == Failure {
            succession.follow(upstream) { [unowned succession] completion in
                if case .failure = completion, left != 0 {
                    attempt(in: succession, left: left.map { $0 - 1 })
                } else {
                    succession.complete(completion)
                }
            }
        }
    }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}

extension Publisher {
    /// Subscribes again after a failure, at most `retries` times.
    public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
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
