/// Emits one value and finishes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never

    public let output: Output

    public init(_ output: Output) {
        self.output = output
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        Publishers.Sequence(sequence: CollectionOfOne(output)).subscribe(subscriber)
    }
}

/// Finishes at once, without values.
public struct Empty<Output, Failure: Error>: Publisher {
    public init() {}

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        Publishers.Sequence(sequence: EmptyCollection()).subscribe(subscriber)
    }
}
