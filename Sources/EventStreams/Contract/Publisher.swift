/// A source of values over time. Delivers to each subscriber at most the values requested.
///
/// Names, type parameters and behaviour follow Apple's Combine (developer.apple.com/documentation/combine).
public protocol Publisher<Output, Failure> {
    associatedtype Output
    /// `Never` for a publisher that cannot fail.
    associatedtype Failure: Error

    /// Attaches the subscriber. Publishers implement this method; callers use `subscribe(_:)`.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    // Forced inlining, with Stage: without, two maps and a filter take 19 times as long (bjbench stream).

    /// Attaches the subscriber: it receives a subscription, then at most the requested values, then one completion.
    @inlinable @inline(__always)
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }
}

/// Namespace of the types that operators return.
public enum Publishers {}

/// Namespace of subscriber types.
public enum Subscribers {}

// MARK: - AnyPublisher

/// A type-erased publisher.
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    // Erased on both sides of a closure that is created where the publisher's type is known: the operators on either side still
    // specialise as one chain.
    @usableFromInline let attach: (AnySubscriber<Output, Failure>) -> Void

    /// - Parameter attach: attaches a subscriber.
    @inlinable
    init(_ attach: @escaping (AnySubscriber<Output, Failure>) -> Void) {
        self.attach = attach
    }

    @inlinable
    public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
        if let erased = publisher as? Self {
            attach = erased.attach
        } else {
            attach = { publisher.subscribe($0) }
        }
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        attach(AnySubscriber(subscriber))
    }
}

extension Publisher {
    /// Erases the operators' types, so that an interface need not name them.
    @inlinable
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
        AnyPublisher(self)
    }
}

// MARK: - Subject

/// A publisher fed imperatively from outside a stream.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)

    /// Ends the stream; later values are ignored.
    func send(completion: Subscribers.Completion<Failure>)
}
