extension Publishers {
    /// Turns each value into a publisher and emits what all of these emit.
    public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        public typealias Output = NewPublisher.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let maxPublishers: Subscribers.Demand
        public let transform: (Upstream.Output) -> NewPublisher
        let waitingRoom: WaitingRoom<Upstream.Output>

        public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand, transform: @escaping (Upstream.Output) -> NewPublisher
        ) {
            self.init(upstream: upstream, maxPublishers: maxPublishers, waitingRoom: WaitingRoom(), transform: transform)
        }

        init(
            upstream: Upstream, maxPublishers: Subscribers.Demand, waitingRoom: WaitingRoom<Upstream.Output>,
            transform: @escaping (Upstream.Output) -> NewPublisher
        ) {
            maxPublishers.requirePositive()
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.waitingRoom = waitingRoom
            self.transform = transform
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let outer = Lifeline()
            let logic = FlatMapLogic<Upstream.Output, NewPublisher, S>(
                outer: outer, places: maxPublishers, waitingRoom: waitingRoom, transform: transform)
            upstream.subscribe(
                Inlet(
                    to: Outlet(logic, to: subscriber), lifeline: outer, start: maxPublishers, acceptsOverflow: true,
                    onValue: { .outer($0) }, onCompletion: { .outerEnded($0) }))
        }
    }
}

/// Where values wait that came from a source which cannot: how many at most, and who is told of those turned away.
struct WaitingRoom<Value> {
    var limit = Int.max
    var onDrop: (Value) -> Void = { _ in }
}

extension Publisher {
    /// Emits what the publishers made from the values emit, at most `maxPublishers` of them at a time.
    ///
    /// Upstream is asked for a value only when there is a place for its publisher. A subject cannot be asked to wait: what
    /// it sends meanwhile is kept, without limit, and nothing is lost. `flatMap(maxPublishers:waiting:onDrop:_:)` sets a
    /// limit, and `buffer(size:prefetch:whenFull:)` upstream is another way to.
    public func flatMap<T, P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, P.Failure == Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }

    /// As `flatMap(maxPublishers:_:)`, with at most `limit` values waiting for a place. One more is dropped, and reported.
    public func flatMap<T, P: Publisher>(
        maxPublishers: Subscribers.Demand, waiting limit: Int, onDrop: @escaping (Output) -> Void,
        _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, P.Failure == Failure {
        precondition(limit >= 0, "a limit is never negative")
        let waitingRoom = WaitingRoom(limit: limit, onDrop: onDrop)
        return Publishers.FlatMap(
            upstream: self, maxPublishers: maxPublishers, waitingRoom: waitingRoom, transform: transform)
    }
}
