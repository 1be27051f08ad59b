extension Publishers {
    /// Interleaves the values of two publishers.
    public struct Merge<A: Publisher, B: Publisher>: Publisher
    where A.Output == B.Output, A.Failure == B.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        public let a: A
        public let b: B

        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var merging = Merging(of: 2, to: subscriber)
            merging.add(a)
            merging.add(b)
        }
    }

    /// Interleaves the values of any number of publishers.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let publishers: [Upstream]

        public init(_ upstream: Upstream...) {
            publishers = upstream
        }

        public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream {
            publishers = Array(upstream)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var merging = Merging(of: publishers.count, to: subscriber)
            for publisher in publishers { merging.add(publisher) }
        }
    }
}

extension Publisher {
    /// Fails with the first failure; finishes when both have finished.
    @inlinable
    public func merge<B: Publisher>(with b: B) -> Publishers.Merge<Self, B>
    where B.Output == Output, B.Failure == Failure {
        Publishers.Merge(self, b)
    }

    /// As above, for three publishers and more.
    public func merge(
        with b: any Publisher<Output, Failure>, _ c: any Publisher<Output, Failure>, _ others: any Publisher<Output, Failure>...
    ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
        Publishers.MergeMany([eraseToAnyPublisher()] + ([b, c] + others).map { $0.eraseToAnyPublisher() })
    }
}

// MARK: - Logic

/// Logic of `merge`: delivers values as they arrive, or holds them for demand, at most one per publisher.
@usableFromInline
struct MergeLogic<Downstream: Subscriber>: OutletLogic {
    @usableFromInline
    enum Event {
        case value(Downstream.Input, from: Lifeline)
        case ended(Subscribers.Completion<Downstream.Failure>)
    }

    @usableFromInline let sources: ContiguousArray<Lifeline>
    private var running: Int
    @usableFromInline var ready = Queue<(from: Lifeline, value: Downstream.Input)>()

    @usableFromInline
    init(_ sources: ContiguousArray<Lifeline>) {
        self.sources = sources
        running = sources.count
    }

    @inlinable
    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        guard case .value(let value, let source) = event else { return end(event, in: outlet) }
        if ready.isEmpty, outlet.emit(value) {
            if outlet.ledger.outstanding != .unlimited { outlet.ask(source, for: .max(1)) }
        } else {
            ready.append((source, value))
        }
    }

    @usableFromInline
    mutating func end(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value: break
        case .ended(.finished):
            running -= 1
            finishIfOver(outlet)
        case .ended(let failure): outlet.complete(failure)
        }
    }

    @usableFromInline
    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        while let next = ready.first, outlet.ledger.claim() {
            ready.removeFirst()
            outlet.deliver(next.value)
            outlet.ask(next.from, for: .max(1))
        }
        if outlet.ledger.outstanding == .unlimited {
            for source in sources { outlet.ask(source, for: .unlimited) }
        }
        finishIfOver(outlet)
    }

    private func finishIfOver(_ outlet: Outlet<Self>) {
        if running == 0, ready.isEmpty { outlet.complete(.finished) }
    }
}

/// Attaches publishers of different types to one outlet.
@usableFromInline
struct Merging<Downstream: Subscriber>: ~Copyable {
    @usableFromInline let outlet: Outlet<MergeLogic<Downstream>>
    @usableFromInline var sources: ContiguousArray<Lifeline>

    @usableFromInline
    init(of count: Int, to downstream: Downstream) {
        sources = ContiguousArray((0..<count).map { _ in Lifeline() })
        outlet = Outlet("Merge", MergeLogic(sources), to: downstream)
        sources.reverse()
        outlet.start()
        if count == 0 { outlet.complete(.finished) }
    }

    @inlinable
    mutating func add<P: Publisher>(_ publisher: P)
    where P.Output == Downstream.Input, P.Failure == Downstream.Failure {
        let source = sources.removeLast()
        source.request(outlet.ledger.outstanding == .unlimited ? .unlimited : .max(1))
        publisher.subscribe(
            Inlet(to: outlet, lifeline: source, onValue: { .value($0, from: source) }, onCompletion: { .ended($0) }))
    }
}
