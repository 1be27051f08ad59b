extension Publishers {
    /// Merges the publishers created from upstream's values.
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

/// Buffer for values of a source that ignores demand: its limit and the callback for drops.
struct WaitingRoom<Value> {
    var limit = Int.max
    var onDrop: (Value) -> Void = { _ in }
}

extension Publisher {
    /// Merges the publishers created from the values, at most `maxPublishers` at a time. Values that a subject sends while no slot is free are
    /// buffered without limit; `flatMap(maxPublishers:waiting:onDrop:_:)` or `buffer(size:prefetch:whenFull:)` sets one.
    public func flatMap<T, P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, P.Failure == Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }

    /// As `flatMap(maxPublishers:_:)`, buffering at most `limit` values. Drops and reports further ones.
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
