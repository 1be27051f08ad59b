extension Subscribers {
    /// Assigns each value to a property. Retains the object until the stream ends or is cancelled.
    public final class Assign<Root, Input>: Subscriber, Cancellable {
        public typealias Failure = Never

        public let keyPath: ReferenceWritableKeyPath<Root, Input>
        private let target: Guarded<Root?>
        let lifeline = Lifeline()

        public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
            target = Guarded(object)
            self.keyPath = keyPath
        }

        /// Nil after the end.
        public var object: Root? { target.withLock { $0 } }

        public func receive(subscription: any Subscription) {
            if lifeline.attach(subscription) { lifeline.request(.unlimited) }
        }

        public func receive(_ value: Input) -> Subscribers.Demand {
            if lifeline.isLive, let object { object[keyPath: keyPath] = value }
            return .none
        }

        public func receive(completion: Subscribers.Completion<Never>) {
            if lifeline.end() { release() }
        }

        public func cancel() {
            lifeline.cancel()
            release()
        }

        private func release() {
            // Returned from the closure, so that the object is released outside the lock.
            _ = target.withLock { target in
                defer { target = nil }
                return target
            }
        }
    }
}

extension Publisher where Failure == Never {
    /// Assigns each value to a property. The stream retains `object`: an object that stores the result must not be the target;
    /// use `assign(to:weaklyOn:)`.
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        let assign = Subscribers.Assign(object: object, keyPath: keyPath)
        subscribe(assign)
        return AnyCancellable(assign.lifeline)
    }

    /// Assigns each value to a property without retaining the object. For an object that assigns to itself and stores the
    /// result.
    public func assign<Root: AnyObject>(
        to keyPath: ReferenceWritableKeyPath<Root, Output>, weaklyOn object: Root
    ) -> AnyCancellable {
        sink { [weak object] value in object?[keyPath: keyPath] = value }
    }
}
