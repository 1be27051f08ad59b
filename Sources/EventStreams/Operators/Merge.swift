extension Publisher {
    /// Interleaves the values of two publishers. Fails with the first failure; finishes when both have finished.
    @inlinable
    public func merge<B: Publisher>(with b: B) -> AnyPublisher<Output, Failure> where B.Output == Output, B.Failure == Failure {
        AnyPublisher { subscriber in
            let (first, second) = (UpstreamSubscription(), UpstreamSubscription())
            let machine = MergeStateMachine<AnySubscriber<Output, Failure>>([first, second])
            let storage = OperatorStorage(machine, to: subscriber)
            storage.start()
            storage.subscribe(first, to: self)
            storage.subscribe(second, to: b)
        }
    }

    /// As above, for three publishers and more.
    public func merge(
        with b: any Publisher<Output, Failure>, _ c: any Publisher<Output, Failure>, _ others: any Publisher<Output, Failure>...
    ) -> AnyPublisher<Output, Failure> {
        ([b, c] + others).reduce(eraseToAnyPublisher()) { $0.merge(with: $1.eraseToAnyPublisher()) }
    }
}

// MARK: - FlatMap

extension Publisher {
    /// Merges the publishers created from the values, at most `maxPublishers` at a time: asks for another value when one has finished.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, Failure> where P.Failure == Failure {
        maxPublishers.requirePositive()
        return inner(maxPublishers, isLatestOnly: false, transform)
    }

    /// Merges publishers created from the values, or delivers the latest one's values.
    fileprivate func inner<P: Publisher>(
        _ maxPublishers: Subscribers.Demand, isLatestOnly: Bool, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, Failure> where P.Failure == Failure {
        AnyPublisher { subscriber in
            let outer = UpstreamSubscription()
            let machine = MergeStateMachine<AnySubscriber<P.Output, Failure>>([], outer: outer, isLatestOnly: isLatestOnly)
            let storage = OperatorStorage(machine, to: subscriber)
            subscribe(
                UpstreamSubscriber(
                    of: outer, for: storage, start: maxPublishers,
                    onValue: { value in .publisher(insteadOf: nil) { storage.subscribe($0, to: transform(value)) } },
                    onCompletion: { .ended(outer, $0) }))
        }
    }
}

// MARK: - SwitchToLatest

extension Publisher where Output: Publisher, Failure == Output.Failure {
    /// Switches to each new publisher and cancels the previous one.
    public func switchToLatest() -> AnyPublisher<Output.Output, Failure> { inner(.unlimited, isLatestOnly: true) { $0 } }
}

// MARK: - Catch

extension Publisher {
    /// On failure continues with the handler's publisher.
    public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> AnyPublisher<Output, P.Failure>
    where P.Output == Output {
        AnyPublisher { subscriber in
            let source = UpstreamSubscription()
            let storage = OperatorStorage(MergeStateMachine<AnySubscriber<Output, P.Failure>>([source]), to: subscriber)
            storage.start()
            storage.requestFirst(of: source)
            subscribe(
                UpstreamSubscriber(of: source, for: storage, onValue: { .value($0, from: source) }) { completion in
                    switch completion {
                    case .finished: .ended(source, .finished)
                    case .failure(let error):
                        .publisher(insteadOf: source) { storage.subscribe($0, to: handler(error)) }
                    }
                })
        }
    }
}

// MARK: - State machine of all

/// Delivers the values of several publishers as they arrive, or holds them for demand.
///
/// Each source is asked for one value in advance, and for the next one when that is delivered; with unlimited demand, for all. So `ready` holds
/// at most one value per source. A replaced source is not in `sources`: its events, which may already be queued, have no effect.
@usableFromInline
struct MergeStateMachine<Downstream: Subscriber>: OperatorStateMachine {
    @usableFromInline
    enum Event {
        case value(Downstream.Input, from: UpstreamSubscription)
        case ended(UpstreamSubscription, Subscribers.Completion<Downstream.Failure>)
        /// Adds a publisher, to which the closure subscribes, in place of one that has ended, if any.
        case publisher(insteadOf: UpstreamSubscription?, (UpstreamSubscription) -> Void)
    }

    @usableFromInline var sources: ContiguousArray<UpstreamSubscription>
    @usableFromInline var ready: ContiguousArray<(from: UpstreamSubscription, value: Downstream.Input)> = []
    /// The publisher of publishers; nil after its end.
    private var outer: UpstreamSubscription?
    /// Whether a new publisher replaces the others.
    @usableFromInline let isLatestOnly: Bool

    @usableFromInline
    init(_ sources: ContiguousArray<UpstreamSubscription>, outer: UpstreamSubscription? = nil, isLatestOnly: Bool = false) {
        self.sources = sources
        self.outer = outer
        self.isLatestOnly = isLatestOnly
    }

    @inlinable
    mutating func handle(_ event: Event, in storage: OperatorStorage<Self>) {
        guard case .value(let value, let source) = event else { return change(event, in: storage) }
        if isLatestOnly, source !== sources.last { return }
        if ready.isEmpty, storage.emit(value) {
            if storage.ledger.outstanding != .unlimited { storage.ask(source, for: .max(1)) }
        } else {
            ready.append((source, value))
        }
    }

    @usableFromInline
    mutating func change(_ event: Event, in storage: OperatorStorage<Self>) {
        switch event {
        case .value: break
        case .publisher(let ended, let subscribe):
            if isLatestOnly { cancelSources(of: storage) }
            if let ended { remove(ended, from: storage) }
            let source = UpstreamSubscription()
            sources.append(source)
            storage.later { subscribe(source) }
        case .ended(let source, _) where source !== outer && !sources.contains { $0 === source }: break
        case .ended(let source, .finished):
            if source === outer { outer = nil } else if let outer { storage.ask(outer, for: .max(1)) }
            remove(source, from: storage)
            finishIfOver(storage)
        case .ended(_, let failure): storage.complete(failure)
        }
    }

    private mutating func cancelSources(of storage: OperatorStorage<Self>) {
        for source in sources {
            remove(source, from: storage)
            source.cancel()
        }
        ready.removeAll()
    }

    private mutating func remove(_ source: UpstreamSubscription, from storage: OperatorStorage<Self>) {
        storage.upstreams.remove(source)
        sources.removeAll { $0 === source }
    }

    @usableFromInline
    mutating func demandCame(_ demand: Subscribers.Demand, in storage: OperatorStorage<Self>) {
        while let next = ready.first, storage.ledger.claim() {
            ready.removeFirst()
            storage.deliver(next.value)
            storage.ask(next.from, for: .max(1))
        }
        if storage.ledger.outstanding == .unlimited {
            for source in sources { storage.ask(source, for: .unlimited) }
        }
        finishIfOver(storage)
    }

    private func finishIfOver(_ storage: OperatorStorage<Self>) {
        if outer == nil, sources.isEmpty, ready.isEmpty { storage.complete(.finished) }
    }
}

extension OperatorStorage {
    @usableFromInline
    func requestFirst(of source: UpstreamSubscription) {
        source.request(ledger.outstanding == .unlimited ? .unlimited : .max(1))
    }

    /// Subscribes to one of several publishers.
    @inlinable
    func subscribe<P: Publisher, S: Subscriber>(_ source: UpstreamSubscription, to publisher: P)
    where Machine == MergeStateMachine<S>, P.Output == S.Input, P.Failure == S.Failure {
        requestFirst(of: source)
        publisher.subscribe(
            UpstreamSubscriber(
                of: source, for: self, onValue: { .value($0, from: source) }, onCompletion: { .ended(source, $0) }))
    }
}
