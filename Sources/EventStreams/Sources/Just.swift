/// Emits one value and finishes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never

    public let output: Output

    public init(_ output: Output) {
        self.output = output
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        Single.start(subscriber).resolve(.success(output))
    }
}

// MARK: - Empty

/// Finishes at once or never, without values.
public struct Empty<Output, Failure: Error>: Publisher {
    public let completeImmediately: Bool

    public init(completeImmediately: Bool = true) {
        self.completeImmediately = completeImmediately
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        guard completeImmediately else { return subscriber.receive(subscription: Subscriptions.empty) }
        Single.start(subscriber).finish(.finished)
    }
}
