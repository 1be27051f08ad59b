/// Emits one value and finishes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never

    public let output: Output

    public init(_ output: Output) {
        self.output = output
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let source = Single(to: subscriber)
        subscriber.receive(subscription: source)
        source.resolve(output)
    }
}

extension Just: Equatable where Output: Equatable {}
