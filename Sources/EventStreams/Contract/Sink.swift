extension Subscribers {
    /// A subscriber with unlimited demand. Releases its closures at the end.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private struct Closures {
            let value: (Input) -> Void
            let completion: (Subscribers.Completion<Failure>) -> Void
        }

        private let closures: Guarded<Closures?>
        private let lifeline = Lifeline()

        public init(
            receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping (Input) -> Void
        ) {
            closures = Guarded(Closures(value: receiveValue, completion: receiveCompletion))
        }

        /// No effect after the end.
        public var receiveValue: (Input) -> Void { closures.withLock { $0?.value } ?? { _ in } }

        /// No effect after the end.
        public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
            closures.withLock { $0?.completion } ?? { _ in }
        }

        public func receive(subscription: any Subscription) {
            if lifeline.attach(subscription) { lifeline.request(.unlimited) }
        }

        public func receive(_ value: Input) -> Subscribers.Demand {
            if lifeline.isLive { receiveValue(value) }
            return .none
        }

        public func receive(completion: Subscribers.Completion<Failure>) {
            if lifeline.end() { takeClosures()?.completion(completion) }
        }

        public func cancel() {
            lifeline.cancel()
            _ = takeClosures()
        }

        /// Returns the closures, so that they are released outside the lock.
        private func takeClosures() -> Closures? {
            closures.withLock { closures in
                defer { closures = nil }
                return closures
            }
        }
    }
}

/// The subscriber behind `sink`. Owned by the stream alone, so the closures need no lock.
@usableFromInline
final class ClosureSink<Input, Failure: Error>: Subscriber {
    @usableFromInline let receiveValue: (Input) -> Void
    @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let lifeline = Lifeline()

    @inlinable
    init(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        if lifeline.attach(subscription) { lifeline.request(.unlimited) }
    }

    @inlinable
    func receive(_ value: Input) -> Subscribers.Demand {
        if lifeline.isLive { receiveValue(value) }
        return .none
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
        if lifeline.end() { receiveCompletion(completion) }
    }
}

extension Publisher {
    /// Calls the closures for every value and at the end, until the result is cancelled or released.
    @inlinable
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = ClosureSink<Output, Failure>(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(sink)
        return AnyCancellable(sink.lifeline)
    }
}

extension Publisher where Failure == Never {
    /// Calls the closure for every value, until the result is cancelled or released.
    @inlinable
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}

// MARK: - Assign

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
