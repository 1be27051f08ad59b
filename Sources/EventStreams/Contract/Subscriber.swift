import Synchronization

/// Receives a subscription, then the requested values, then at most one completion.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error

    /// Called first and once. The subscriber keeps the subscription to request values.
    func receive(subscription: any Subscription)

    /// Receives a requested value. The result adds to the outstanding demand.
    func receive(_ input: Input) -> Subscribers.Demand

    /// The end of the stream; no event follows.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// Receives a value of type `Void`.
    public func receive() -> Subscribers.Demand {
        receive(())
    }
}

/// A subscriber's connection to a publisher. Both methods may be called from any thread.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Adds to the demand.
    /// - Precondition: the demand is not `none`.
    func request(_ demand: Subscribers.Demand)
}

extension Subscriptions {
    /// A subscription without effect.
    public static var empty: any Subscription { EmptySubscription() }

    private struct EmptySubscription: Subscription, CustomStringConvertible {
        let description = "Empty"
        let combineIdentifier = CombineIdentifier()

        func request(_ demand: Subscribers.Demand) {
            demand.requirePositive()
        }

        func cancel() {}
    }
}

// MARK: - Cancellable

/// A cancellable activity. Cancelling is idempotent and safe from any thread, callbacks included.
public protocol Cancellable {
    func cancel()
}

extension Cancellable {
    /// Adds the cancellable to a collection.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(AnyCancellable(self))
    }

    /// Adds the cancellable to a set.
    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(AnyCancellable(self))
    }
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

// MARK: - CombineIdentifier

/// Identity of a subscriber or a subscription.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
    private enum Value: Hashable {
        case number(UInt64)
        case object(ObjectIdentifier)
    }

    private static let numbers = Atomic<UInt64>(0)

    private let value: Value

    /// Unique within the process.
    public init() {
        value = .number(Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Equal for the same object during its lifetime.
    public init(_ object: AnyObject) {
        value = .object(ObjectIdentifier(object))
    }

    public var description: String {
        switch value {
        case .number(let number): "\(number)"
        case .object(let object): "0x" + String(UInt(bitPattern: object), radix: 16)
        }
    }
}

public protocol CustomCombineIdentifierConvertible {
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

// MARK: - AnySubscriber

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
