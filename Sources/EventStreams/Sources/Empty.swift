/// Finishes at once or never, without values.
public struct Empty<Output, Failure: Error>: Publisher, Equatable {
    public let completeImmediately: Bool

    public init(completeImmediately: Bool = true) {
        self.completeImmediately = completeImmediately
    }

    /// For calls without context for type inference.
    public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
        self.init(completeImmediately: completeImmediately)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        guard completeImmediately else { return subscriber.receive(subscription: Subscriptions.empty) }
        let source = Single(to: subscriber)
        subscriber.receive(subscription: source)
        source.finish(.finished)
    }
}

/// Fails at once.
public struct Fail<Output, Failure: Error>: Publisher {
    public let error: Failure

    public init(error: Failure) {
        self.error = error
    }

    /// For calls without context for type inference.
    public init(outputType: Output.Type, failure: Failure) {
        self.init(error: failure)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let source = Single(to: subscriber)
        subscriber.receive(subscription: source)
        source.finish(.failure(error))
    }
}

extension Fail: Equatable where Failure: Equatable {}
