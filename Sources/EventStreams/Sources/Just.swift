/// Emits one value and finishes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never

    public let output: Output

    public init(_ output: Output) {
        self.output = output
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let source = Single("Just", to: subscriber)
        subscriber.receive(subscription: source)
        source.resolve(output)
    }
}

extension Just: Equatable where Output: Equatable {}

// MARK: - Optional and Result

extension Optional {
    /// Emits the value, if any, and finishes.
    public struct Publisher: EventStreams.Publisher {
        public typealias Output = Wrapped
        public typealias Failure = Never

        public let output: Wrapped?

        public init(_ output: Wrapped?) {
            self.output = output
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Wrapped, S.Failure == Never {
            let source = Single("Optional", to: subscriber)
            subscriber.receive(subscription: source)
            if let output { source.resolve(output) } else { source.finish(.finished) }
        }
    }

    public var publisher: Publisher { Publisher(self) }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}

extension Result {
    /// Emits the value and finishes, or fails.
    public struct Publisher: EventStreams.Publisher {
        public typealias Output = Success

        public let result: Result<Success, Failure>

        public init(_ result: Result<Success, Failure>) {
            self.result = result
        }

        public init(_ output: Success) {
            self.init(.success(output))
        }

        public init(_ failure: Failure) {
            self.init(.failure(failure))
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
            let source = Single("Result", to: subscriber)
            subscriber.receive(subscription: source)
            source.resolve(result)
        }
    }

    public var publisher: Publisher { Publisher(self) }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}

// MARK: - Empty and Fail

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
        let source = Single("Empty", to: subscriber)
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
        let source = Single("Fail", to: subscriber)
        subscriber.receive(subscription: source)
        source.finish(.failure(error))
    }
}

extension Fail: Equatable where Failure: Equatable {}

// MARK: - Deferred

/// Makes a new publisher for each subscriber, on subscription.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure

    public let createPublisher: () -> DeferredPublisher

    public init(createPublisher: @escaping () -> DeferredPublisher) {
        self.createPublisher = createPublisher
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        createPublisher().subscribe(subscriber)
    }
}
