extension Publishers {
    /// Emits upstream's values and calls observers on every event, up and down.
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
            upstream.subscribe(Observer(self, to: subscriber))
        }
    }
}

extension Publishers.HandleEvents {
    private final class Observer<Downstream: Subscriber>: Subscriber, OverflowAccepting
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private typealias Events = (
            subscription: ((any Subscription) -> Void)?, output: ((Output) -> Void)?,
            completion: ((Subscribers.Completion<Failure>) -> Void)?, request: ((Subscribers.Demand) -> Void)?
        )

        private let events: Events
        private let downstream: Downstream
        private let wayUp: WayUp

        init(_ events: Publishers.HandleEvents<Upstream>, to downstream: Downstream) {
            self.events = (events.receiveSubscription, events.receiveOutput, events.receiveCompletion, events.receiveRequest)
            self.downstream = downstream
            wayUp = WayUp(onRequest: events.receiveRequest, onCancel: events.receiveCancel)
        }

        var acceptsOverflow: Bool { downstream.keepsOverflow }

        func receive(subscription: any Subscription) {
            guard wayUp.lifeline.attach(subscription) else { return }
            events.subscription?(subscription)
            downstream.receive(subscription: wayUp)
        }

        func receive(_ input: Output) -> Subscribers.Demand {
            guard wayUp.lifeline.isLive else { return .none }
            events.output?(input)
            let more = downstream.receive(input)
            if more > .none { events.request?(more) }
            return more
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            guard wayUp.end() else { return }
            events.completion?(completion)
            downstream.receive(completion: completion)
        }
    }

    /// Downstream's subscription. Releases the closures at the end.
    private final class WayUp: Subscription {
        typealias Closures = (onRequest: ((Subscribers.Demand) -> Void)?, onCancel: (() -> Void)?)

        let lifeline = Lifeline()
        private let closures: Guarded<Closures>

        init(onRequest: ((Subscribers.Demand) -> Void)?, onCancel: (() -> Void)?) {
            closures = Guarded((onRequest, onCancel))
        }

        func request(_ demand: Subscribers.Demand) {
            demand.requirePositive()
            closures.withLock { $0.onRequest }?(demand)
            lifeline.request(demand)
        }

        func cancel() {
            let onCancel = takeClosures().onCancel
            lifeline.cancelIfLive(first: { onCancel?() })
        }

        func end() -> Bool {
            _ = takeClosures()
            return lifeline.end()
        }

        private func takeClosures() -> Closures {
            closures.withLock { closures in
                defer { closures = (nil, nil) }
                return closures
            }
        }
    }
}

extension Publisher {
    /// Calls the closures before each event is passed on. Demand returned by downstream with a value counts as a request.
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
