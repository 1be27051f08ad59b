// Identity operators: another source instead of a stage.

extension Empty {
    public func setFailureType<E: Error>(to failureType: E.Type) -> Empty<Output, E> where Failure == Never {
        Empty<Output, E>(completeImmediately: completeImmediately)
    }

    public func map<T>(_ transform: (Output) -> T) -> Empty<T, Failure> {
        Empty<T, Failure>(completeImmediately: completeImmediately)
    }

    public func mapError<E: Error>(_ transform: (Failure) -> E) -> Empty<Output, E> {
        Empty<Output, E>(completeImmediately: completeImmediately)
    }
}

extension Fail {
    public func map<T>(_ transform: (Output) -> T) -> Fail<T, Failure> { Fail<T, Failure>(error: error) }
    public func mapError<E: Error>(_ transform: (Failure) -> E) -> Fail<Output, E> { Fail<Output, E>(error: transform(error)) }
    public func replaceError(with output: Output) -> Just<Output> { Just(output) }

    public func setFailureType<E: Error>(to failureType: E.Type) -> Fail<Output, E> where Failure == Never {
        switch error {}
    }
}
