/// A subject with a current value, sent first to each new subscriber, then on each change.
///
/// A subscriber without demand misses intermediate values but receives the latest on its next request.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    @usableFromInline
    struct Current {
        @usableFromInline var value: Output
        @usableFromInline var isOver = false
    }

    @usableFromInline let broadcast: Broadcast<Output, Failure>
    @usableFromInline let current: Guarded<Current>

    public init(_ value: Output) {
        broadcast = Broadcast(latest: value)
        current = Guarded(Current(value: value))
    }

    /// The last value sent, updated before delivery. Setting it sends it; after completion it is only stored.
    public var value: Output {
        get { current.withLock { $0.value } }
        set { set(newValue, afterCompletion: true) }
    }

    @inlinable
    public func send(_ value: Output) {
        set(value, afterCompletion: false)
    }

    @inlinable
    func set(_ value: Output, afterCompletion: Bool) {
        // Enqueued under the lock, so that the stored value is the last one delivered. Returned, so that the old value is
        // released outside.
        let (old, place): (Output?, Broadcast<Output, Failure>.Place) = current.withLock { current in
            guard !current.isOver || afterCompletion else { return (nil, .inLine) }
            let old = current.value
            current.value = value
            return (old, current.isOver ? .inLine : broadcast.enter(value))
        }
        _ = old
        broadcast.proceed(value, at: place)
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        current.withLock { $0.isOver = true }
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

extension CurrentValueSubject: Sendable where Output: Sendable {}
