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

// MARK: - Optional and Result

extension Optional {
    /// Emits the value, if any, and finishes.
    public var publisher: AnyPublisher<Wrapped, Never> {
        map { Just($0).eraseToAnyPublisher() } ?? Empty().eraseToAnyPublisher()
    }
}

extension Result {
    /// Emits the value and finishes, or fails.
    public var publisher: AnyPublisher<Success, Failure> {
        switch self {
        case .success(let value): Just(value).setFailureType(to: Failure.self).eraseToAnyPublisher()
        case .failure(let error): Fail(error: error).eraseToAnyPublisher()
        }
    }
}

// MARK: - Empty and Fail

/// Finishes at once or never, without values.
public struct Empty<Output, Failure: Error>: Publisher {
    public let completeImmediately: Bool

    public init(completeImmediately: Bool = true) {
        self.completeImmediately = completeImmediately
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

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let source = Single("Fail", to: subscriber)
        subscriber.receive(subscription: source)
        source.finish(.failure(error))
    }
}

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
