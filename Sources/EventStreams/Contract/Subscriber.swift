/// Receives a subscription, then the requested values, then at most one completion.
public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    /// Called first and once. The subscriber keeps the subscription to request values.
    func receive(subscription: any Subscription)

    /// Receives a requested value. The result adds to the outstanding demand.
    func receive(_ input: Input) -> Subscribers.Demand

    /// The end of the stream; no event follows.
    func receive(completion: Subscribers.Completion<Failure>)
}

/// A subscriber's connection to a publisher. Both methods may be called from any thread.
public protocol Subscription: Cancellable {
    /// Adds to the demand.
    /// - Precondition: the demand is not `none`.
    func request(_ demand: Subscribers.Demand)
}

// MARK: - Cancellable

/// A cancellable activity. Cancelling is idempotent and safe from any thread, callbacks included.
public protocol Cancellable {
    func cancel()
}

/// Cancels when its last reference is released.
public final class AnyCancellable: Cancellable, Hashable {
    private let action: Guarded<(() -> Void)?>

    public init(_ cancel: @escaping () -> Void) {
        action = Guarded(cancel)
    }

    public init<C: Cancellable>(_ canceller: C) {
        action = Guarded { canceller.cancel() }
    }

    deinit {
        cancel()
    }

    public func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool {
        lhs === rhs
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(self)
    }

    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self)
    }
}

extension AnyCancellable: Sendable {}

// MARK: - AnySubscriber

/// A type-erased subscriber.
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    @usableFromInline let onSubscription: (any Subscription) -> Void
    @usableFromInline let onValue: (Input) -> Subscribers.Demand
    @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Void

    @inlinable
    public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
        if let erased = subscriber as? Self {
            self = erased
            return
        }
        onSubscription = { subscriber.receive(subscription: $0) }
        onValue = { subscriber.receive($0) }
        onCompletion = { subscriber.receive(completion: $0) }
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
