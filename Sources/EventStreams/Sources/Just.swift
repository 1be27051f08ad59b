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
        source.post(.success(output))
    }
}

extension Just: Equatable where Output: Equatable {}

/// The source behind publishers with one result: the value when it is there and asked for, or the failure.
final class Single<Downstream: Subscriber>: Outlet<Result<Downstream.Input, Downstream.Failure>, Downstream> {
    /// Drops the way to whoever makes the result.
    private let onEnd: (Single) -> Void

    init(to downstream: Downstream, onEnd: @escaping (Single) -> Void = { _ in }) {
        self.onEnd = onEnd
        super.init(to: downstream)
    }

    override func handle(_ result: Result<Downstream.Input, Downstream.Failure>) {
        switch result {
        case .success(let value): emitLast(value)
        case .failure(let error): complete(.failure(error))
        }
    }

    override func letGo() {
        onEnd(self)
    }
}
