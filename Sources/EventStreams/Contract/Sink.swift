extension Subscribers {
    /// A subscriber with unlimited demand. Releases its closures at the end.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private struct Closures {
            let value: (Input) -> Void
            let completion: (Subscribers.Completion<Failure>) -> Void
        }

        private let closures: Guarded<Closures?>
        private let lifeline = Lifeline()

        public init(
            receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping (Input) -> Void
        ) {
            closures = Guarded(Closures(value: receiveValue, completion: receiveCompletion))
        }

        /// No effect after the end.
        public var receiveValue: (Input) -> Void { closures.withLock { $0?.value } ?? { _ in } }

        /// No effect after the end.
        public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
            closures.withLock { $0?.completion } ?? { _ in }
        }

        public func receive(subscription: any Subscription) {
            if lifeline.attach(subscription) { lifeline.request(.unlimited) }
        }

        public func receive(_ value: Input) -> Subscribers.Demand {
            if lifeline.isLive { receiveValue(value) }
            return .none
        }

        public func receive(completion: Subscribers.Completion<Failure>) {
            if lifeline.end() { takeClosures()?.completion(completion) }
        }

        public func cancel() {
            lifeline.cancel()
            _ = takeClosures()
        }

        /// Returns the closures, so that they are released outside the lock.
        private func takeClosures() -> Closures? {
            closures.withLock { closures in
                defer { closures = nil }
                return closures
            }
        }
    }
}

/// The subscriber behind `sink`. Owned by the stream alone, so the closures need no lock.
@usableFromInline
final class ClosureSink<Input, Failure: Error>: Subscriber {
    @usableFromInline let receiveValue: (Input) -> Void
    @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let lifeline = Lifeline()

    @inlinable
    init(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        if lifeline.attach(subscription) { lifeline.request(.unlimited) }
    }

    @inlinable
    func receive(_ value: Input) -> Subscribers.Demand {
        if lifeline.isLive { receiveValue(value) }
        return .none
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
        if lifeline.end() { receiveCompletion(completion) }
    }
}

extension Publisher {
    /// Calls the closures for every value and at the end, until the result is cancelled or released.
    @inlinable
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = ClosureSink<Output, Failure>(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(sink)
        return AnyCancellable(sink.lifeline)
    }
}

extension Publisher where Failure == Never {
    /// Calls the closure for every value, until the result is cancelled or released.
    @inlinable
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
