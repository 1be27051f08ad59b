// Operators evaluated at once: another source instead of a stage, as Combine's overloads do.

extension Optional.Publisher {
    private typealias Optional = Swift.Optional

    /// The value if the predicate holds, else empty.
    private func keep(if isKept: (Wrapped) -> Bool) -> Wrapped?.Publisher {
        Optional<Wrapped>.Publisher(output.flatMap { isKept($0) ? $0 : nil })
    }

    public func map<T>(_ transform: (Output) -> T) -> T?.Publisher { output.map(transform).publisher }

    public func compactMap<T>(_ transform: (Output) -> T?) -> T?.Publisher { output.flatMap(transform).publisher }
    public func filter(_ isIncluded: (Output) -> Bool) -> Wrapped?.Publisher { keep(if: isIncluded) }
    public func ignoreOutput() -> Empty<Output, Never> { Empty() }

    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> T?.Publisher {
        map { nextPartialResult(initialResult, $0) }
    }

    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> T?.Publisher {
        Optional(output.map { nextPartialResult(initialResult, $0) } ?? initialResult).publisher
    }

    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Wrapped?.Publisher { self }
    public func collect() -> [Output]?.Publisher { Optional(output.map { [$0] } ?? []).publisher }
    public func count() -> Int?.Publisher { Optional(output == nil ? 0 : 1).publisher }
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Wrapped?.Publisher { self }
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Wrapped?.Publisher { self }
    public func replaceError(with output: Output) -> Wrapped?.Publisher { self }
    public func replaceEmpty(with output: Output) -> Just<Wrapped> { Just(self.output ?? output) }
    public func retry(_ times: Int) -> Wrapped?.Publisher { self }
    public func first() -> Wrapped?.Publisher { self }
    public func last() -> Wrapped?.Publisher { self }
    public func first(where predicate: (Output) -> Bool) -> Wrapped?.Publisher { keep(if: predicate) }
    public func last(where predicate: (Output) -> Bool) -> Wrapped?.Publisher { keep(if: predicate) }
    public func drop(while predicate: (Output) -> Bool) -> Wrapped?.Publisher { keep { !predicate($0) } }
    public func prefix(while predicate: (Output) -> Bool) -> Wrapped?.Publisher { keep(if: predicate) }

    public func dropFirst(_ count: Int = 1) -> Wrapped?.Publisher {
        precondition(count >= 0, "a count is never negative")
        return keep { _ in count == 0 }
    }

    public func prefix(_ maxLength: Int) -> Wrapped?.Publisher {
        precondition(maxLength >= 0, "a length is never negative")
        return keep { _ in maxLength > 0 }
    }

    public func output(at index: Int) -> Wrapped?.Publisher {
        precondition(index >= 0, "values are counted from zero")
        return keep { _ in index == 0 }
    }

    public func output<R: RangeExpression<Int>>(in range: R) -> Wrapped?.Publisher {
        let range = range.relative(to: 0..<Int.max)
        precondition(range.lowerBound >= 0, "values are counted from zero")
        return keep { _ in range.contains(0) }
    }

    public func allSatisfy(_ predicate: (Output) -> Bool) -> Bool?.Publisher {
        Optional(output.map(predicate) ?? true).publisher
    }

    public func contains(where predicate: (Output) -> Bool) -> Bool?.Publisher {
        Optional(output.map(predicate) ?? false).publisher
    }
}

extension Optional.Publisher where Wrapped: Equatable {
    public func contains(_ output: Output) -> Bool?.Publisher { Bool?.some(self.output == output).publisher }
    public func removeDuplicates() -> Wrapped?.Publisher { self }
}

extension Optional.Publisher where Wrapped: Comparable {
    public func min() -> Wrapped?.Publisher { self }
    public func max() -> Wrapped?.Publisher { self }
}
