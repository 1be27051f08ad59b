/// The subscriber behind `sink`. Owned by the stream alone, so the closures need no lock.
@usableFromInline
final class ClosureSink<Input, Failure: Error>: Subscriber {
    @usableFromInline let receiveValue: (Input) -> Void
    @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let upstream = UpstreamSubscription()

    @inlinable
    init(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        if upstream.attach(subscription) { upstream.request(.unlimited) }
    }

    @inlinable
    func receive(_ value: Input) -> Subscribers.Demand {
        if upstream.isLive { receiveValue(value) }
        return .none
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
        if upstream.end() { receiveCompletion(completion) }
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
        return AnyCancellable(sink.upstream)
    }
}

extension Publisher where Failure == Never {
    /// Calls the closure for every value, until the result is cancelled or released.
    @inlinable
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
