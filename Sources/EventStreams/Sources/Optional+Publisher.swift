extension Optional {
    /// Emits the value, if any, and finishes.
    public struct Publisher: EventStreams.Publisher {
        public typealias Output = Wrapped
        public typealias Failure = Never

        public let output: Wrapped?

        public init(_ output: Wrapped?) {
            self.output = output
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Wrapped, S.Failure == Never {
            let source = Single(to: subscriber)
            subscriber.receive(subscription: source)
            if let output { source.resolve(output) } else { source.finish(.finished) }
        }
    }

    public var publisher: Publisher { Publisher(self) }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}

extension Result {
    /// Emits the value and finishes, or fails.
    public struct Publisher: EventStreams.Publisher {
        public typealias Output = Success

        public let result: Result<Success, Failure>

        public init(_ result: Result<Success, Failure>) {
            self.result = result
        }

        public init(_ output: Success) {
            self.init(.success(output))
        }

        public init(_ failure: Failure) {
            self.init(.failure(failure))
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
            let source = Single(to: subscriber)
            subscriber.receive(subscription: source)
            source.resolve(result)
        }
    }

    public var publisher: Publisher { Publisher(self) }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
