/// A subject without a current value: delivers to present subscribers with demand.
///
/// - A value sent during a delivery is delivered after it, to every subscriber in the same order; `send` then returns before
///   that.
/// - Delivers on a sending thread, possibly that of a concurrent `send`, never on two at once. `receive(on:)` chooses the
///   thread.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    @usableFromInline let broadcast = Broadcast<Output, Failure>()

    public init() {}

    deinit {
        broadcast.post(.abandoned)
    }

    @inlinable
    public func send(_ value: Output) {
        broadcast.send(value)
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        broadcast.post(.completion(completion))
    }

    public func send(subscription: any Subscription) {
        broadcast.post(.upstream(subscription))
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        broadcast.attach(subscriber)
    }
}

extension PassthroughSubject: Sendable where Output: Sendable {}
