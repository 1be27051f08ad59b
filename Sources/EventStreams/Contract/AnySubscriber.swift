/// A type-erased subscriber.
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    public let combineIdentifier: CombineIdentifier
    @usableFromInline let onSubscription: (any Subscription) -> Void
    @usableFromInline let onValue: (Input) -> Subscribers.Demand
    @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let acceptsOverflow: Bool

    @inlinable
    public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
        if let erased = subscriber as? Self {
            self = erased
            return
        }
        combineIdentifier = subscriber.combineIdentifier
        onSubscription = { subscriber.receive(subscription: $0) }
        onValue = { subscriber.receive($0) }
        onCompletion = { subscriber.receive(completion: $0) }
        acceptsOverflow = subscriber.keepsOverflow
    }

    /// Forwards to a subject. A subject has no demand of its own to return.
    public init<S: Subject>(_ subject: S) where S.Output == Input, S.Failure == Failure {
        combineIdentifier = CombineIdentifier(subject)
        onSubscription = { subject.send(subscription: $0) }
        onValue = {
            subject.send($0)
            return .none
        }
        onCompletion = { subject.send(completion: $0) }
        acceptsOverflow = false
    }

    /// An omitted closure does nothing; without `receiveValue` the demand is never raised.
    public init(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveValue: ((Input) -> Subscribers.Demand)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) {
        combineIdentifier = CombineIdentifier()
        onSubscription = receiveSubscription ?? { _ in }
        onValue = receiveValue ?? { _ in .none }
        onCompletion = receiveCompletion ?? { _ in }
        acceptsOverflow = false
    }

    @inlinable
    public func receive(subscription: any Subscription) {
        onSubscription(subscription)
    }

    @inlinable
    public func receive(_ value: Input) -> Subscribers.Demand {
        onValue(value)
    }

    @inlinable
    public func receive(completion: Subscribers.Completion<Failure>) {
        onCompletion(completion)
    }
}

extension AnySubscriber: OverflowAccepting {}
