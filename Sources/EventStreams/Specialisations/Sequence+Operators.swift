// Operators evaluated at once or to another sequence: no stage, as Combine's overloads do.

extension Publishers.Sequence {
    public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
        Publishers.Sequence<[T], Failure>(sequence: sequence.map(transform))
    }

    public func compactMap<T>(_ transform: (Elements.Element) -> T?) -> Publishers.Sequence<[T], Failure> {
        Publishers.Sequence<[T], Failure>(sequence: sequence.compactMap(transform))
    }

    public func filter(_ isIncluded: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure> {
        Publishers.Sequence<[Elements.Element], Failure>(sequence: sequence.filter(isIncluded))
    }

    public func ignoreOutput() -> Empty<Elements.Element, Failure> { Empty() }

    public func scan<T>(
        _ initialResult: T, _ nextPartialResult: (T, Elements.Element) -> T
    ) -> Publishers.Sequence<[T], Failure> {
        var result = initialResult
        return map {
            result = nextPartialResult(result, $0)
            return result
        }
    }

    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Elements.Element) -> T
    ) -> Result<T, Failure>.Publisher {
        Result<T, Failure>.Publisher(sequence.reduce(initialResult, nextPartialResult))
    }

    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Elements.Element) throws -> T
    ) -> Result<T, any Error>.Publisher {
        Result { try sequence.reduce(initialResult, nextPartialResult) }.publisher
    }

    public func collect() -> Result<[Elements.Element], Failure>.Publisher {
        Result<[Elements.Element], Failure>.Publisher(Array(sequence))
    }

    public func replaceNil<T>(with output: T) -> Publishers.Sequence<[T], Failure> where Elements.Element == T? {
        map { $0 ?? output }
    }

    public func setFailureType<E: Error>(to error: E.Type) -> Publishers.Sequence<Elements, E> {
        Publishers.Sequence<Elements, E>(sequence: sequence)
    }

    public func allSatisfy(_ predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
        Result<Bool, Failure>.Publisher(sequence.allSatisfy(predicate))
    }

    public func tryAllSatisfy(_ predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        Result { try sequence.allSatisfy(predicate) }.publisher
    }

    public func contains(where predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
        Result<Bool, Failure>.Publisher(sequence.contains(where: predicate))
    }

    public func tryContains(where predicate: (Elements.Element) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        Result { try sequence.contains(where: predicate) }.publisher
    }
}

// MARK: - Parts

extension Publishers.Sequence {
    public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<DropFirstSequence<Elements>, Failure> {
        Publishers.Sequence<DropFirstSequence<Elements>, Failure>(sequence: sequence.dropFirst(count))
    }

    public func drop(
        while predicate: (Elements.Element) -> Bool
    ) -> Publishers.Sequence<DropWhileSequence<Elements>, Failure> {
        Publishers.Sequence<DropWhileSequence<Elements>, Failure>(sequence: sequence.drop(while: predicate))
    }

    public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
        Publishers.Sequence<PrefixSequence<Elements>, Failure>(sequence: sequence.prefix(maxLength))
    }

    public func prefix(
        while predicate: (Elements.Element) -> Bool
    ) -> Publishers.Sequence<[Elements.Element], Failure> {
        Publishers.Sequence<[Elements.Element], Failure>(sequence: sequence.prefix(while: predicate))
    }

    public func removeDuplicates(
        by predicate: (Elements.Element, Elements.Element) -> Bool
    ) -> Publishers.Sequence<[Elements.Element], Failure> {
        var last: Elements.Element?
        return filter { element in
            if let last, predicate(last, element) { return false }
            last = element
            return true
        }
    }
}

extension Publishers.Sequence where Elements.Element: Equatable {
    public func removeDuplicates() -> Publishers.Sequence<[Elements.Element], Failure> { removeDuplicates(by: ==) }

    public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher {
        Result<Bool, Failure>.Publisher(sequence.contains(output))
    }
}

extension Publishers.Sequence where Failure == Never {
    public func first(where predicate: (Elements.Element) -> Bool) -> Elements.Element?.Publisher {
        sequence.first(where: predicate).publisher
    }

    public func min(by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool) -> Elements.Element?.Publisher {
        sequence.min(by: areInIncreasingOrder).publisher
    }

    public func max(by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool) -> Elements.Element?.Publisher {
        sequence.max(by: areInIncreasingOrder).publisher
    }
}

extension Publishers.Sequence where Failure == Never, Elements.Element: Comparable {
    public func min() -> Elements.Element?.Publisher { sequence.min().publisher }
    public func max() -> Elements.Element?.Publisher { sequence.max().publisher }
}

extension Publishers.Sequence where Elements: Collection, Failure == Never {
    public func first() -> Elements.Element?.Publisher { sequence.first.publisher }

    public func output(at index: Elements.Index) -> Elements.Element?.Publisher {
        (sequence.indices.contains(index) ? sequence[index] : nil).publisher
    }
}

extension Publishers.Sequence where Elements: Collection {
    public func count() -> Result<Int, Failure>.Publisher { Result<Int, Failure>.Publisher(sequence.count) }

    public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Elements.Element], Failure> {
        let bounds = sequence.startIndex..<sequence.endIndex
        return Publishers.Sequence<[Elements.Element], Failure>(sequence: Array(sequence[range.clamped(to: bounds)]))
    }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
    public func last() -> Elements.Element?.Publisher { sequence.last.publisher }

    public func last(where predicate: (Elements.Element) -> Bool) -> Elements.Element?.Publisher {
        sequence.last(where: predicate).publisher
    }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
    public func prepend(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> { prepend(elements) }

    public func prepend<S: Sequence<Elements.Element>>(_ elements: S) -> Publishers.Sequence<Elements, Failure> {
        Publishers.Sequence(sequence: elements + sequence)
    }

    public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
        Publishers.Sequence(sequence: publisher.sequence + sequence)
    }

    public func append(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> { append(elements) }

    public func append<S: Sequence<Elements.Element>>(_ elements: S) -> Publishers.Sequence<Elements, Failure> {
        Publishers.Sequence(sequence: sequence + elements)
    }

    public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
        Publishers.Sequence(sequence: sequence + publisher.sequence)
    }
}
