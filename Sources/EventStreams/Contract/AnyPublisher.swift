/// A type-erased publisher.
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    // Erased on both sides of a closure that is created where the publisher's type is known: the operators on either side still
    // specialise as one chain.
    @usableFromInline let attach: (AnySubscriber<Output, Failure>) -> Void

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

extension AnyPublisher: CustomStringConvertible {
    public var description: String { "AnyPublisher" }
}

extension Publisher {
    /// Erases the operators' types, so that an interface need not name them.
    @inlinable
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
        AnyPublisher(self)
    }
}
