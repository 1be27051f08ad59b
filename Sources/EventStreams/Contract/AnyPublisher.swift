/// A publisher of which only what it emits is known.
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    // Erased on both sides of a closure, which is made where the publisher's type is known: so the operators on either
    // side are still compiled as one each.
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
    /// Hides the operators behind the type, so that an interface need not name them.
    @inlinable
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
        AnyPublisher(self)
    }
}
