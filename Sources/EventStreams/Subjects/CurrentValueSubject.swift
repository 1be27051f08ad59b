/// A subject that has a value at any time, gives it to a newcomer first, and passes on each change.
///
/// A subscriber without demand misses the changes in between but gets the latest value as soon as it asks.
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

    /// The value sent last, at once, even while it is still on its way to the subscribers. To set it is to send it; after
    /// the completion it is only kept.
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
        // Under the lock, so that the value that stays is the one that subscribers see last. The old one is handed out,
        // so that it is not let go of under the lock.
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

// Sendable: its value is behind a lock, the rest belongs to the broadcast, whose mailbox lets one thread at a time at it.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
