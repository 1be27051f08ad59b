extension Subscribers {
    /// Takes everything as it comes, without limit.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        public let receiveValue: (Input) -> Void
        public let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
        @usableFromInline let lifeline = Lifeline()

        @inlinable
        public init(
            receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping (Input) -> Void
        ) {
            self.receiveCompletion = receiveCompletion
            self.receiveValue = receiveValue
        }

        public func receive(subscription: any Subscription) {
            if lifeline.attach(subscription) { lifeline.request(.unlimited) }
        }

        @inlinable
        public func receive(_ value: Input) -> Subscribers.Demand {
            if lifeline.isLive { receiveValue(value) }
            return .none
        }

        public func receive(completion: Subscribers.Completion<Failure>) {
            if lifeline.end() { receiveCompletion(completion) }
        }

        public func cancel() {
            lifeline.cancel()
        }

        /// Cancels without keeping the closures: they live as long as the stream, not as long as whoever may stop it.
        @inlinable var cancellable: AnyCancellable { AnyCancellable(lifeline) }
    }
}

extension Publisher {
    /// Calls the closures for every value and at the end, until the result is cancelled or dropped.
    @inlinable
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink<Output, Failure>(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(sink)
        return sink.cancellable
    }
}

extension Publisher where Failure == Never {
    /// Calls the closure for every value, until the result is cancelled or dropped.
    @inlinable
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
