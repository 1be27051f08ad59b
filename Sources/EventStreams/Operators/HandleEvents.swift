extension Publishers {
    /// Emits what upstream emits and tells a bystander of everything that passes, up and down.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public var receiveSubscription: ((any Subscription) -> Void)?
        public var receiveOutput: ((Output) -> Void)?
        public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
        public var receiveCancel: (() -> Void)?
        public var receiveRequest: ((Subscribers.Demand) -> Void)?

        public init(
            upstream: Upstream,
            receiveSubscription: ((any Subscription) -> Void)? = nil,
            receiveOutput: ((Output) -> Void)? = nil,
            receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
            receiveCancel: (() -> Void)? = nil,
            receiveRequest: ((Subscribers.Demand) -> Void)? = nil
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
            self.receiveCancel = receiveCancel
            self.receiveRequest = receiveRequest
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Tap(self, to: subscriber))
        }
    }
}

extension Publishers.HandleEvents {
    private final class Tap<Downstream: Subscriber>: Subscriber, Subscription, OverflowAccepting
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private let events: Publishers.HandleEvents<Upstream>
        private let downstream: Downstream
        private let lifeline = Lifeline()

        init(_ events: Publishers.HandleEvents<Upstream>, to downstream: Downstream) {
            self.events = events
            self.downstream = downstream
        }

        var acceptsOverflow: Bool { downstream.keepsOverflow }

        func receive(subscription: any Subscription) {
            guard lifeline.attach(subscription) else { return }
            events.receiveSubscription?(subscription)
            downstream.receive(subscription: self)
        }

        func receive(_ input: Output) -> Subscribers.Demand {
            guard lifeline.isLive else { return .none }
            events.receiveOutput?(input)
            let more = downstream.receive(input)
            if more > .none { events.receiveRequest?(more) }
            return more
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            guard lifeline.end() else { return }
            events.receiveCompletion?(completion)
            downstream.receive(completion: completion)
        }

        func request(_ demand: Subscribers.Demand) {
            demand.requirePositive()
            guard !lifeline.hasEnded else { return }
            events.receiveRequest?(demand)
            lifeline.request(demand)
        }

        func cancel() {
            lifeline.cancelIfLive(first: { events.receiveCancel?() })
        }
    }
}

extension Publisher {
    /// Calls the closures as things happen, each before it is passed on. Demand returned by downstream with a value
    /// counts as a request.
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.HandleEvents(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
    }
}
