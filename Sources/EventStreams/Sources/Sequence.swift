extension Publishers {
    /// Emits the elements on demand and finishes after the last.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element

        public let sequence: Elements

        public init(sequence: Elements) {
            self.sequence = sequence
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            Pump("Sequence", sequence.makeIterator(), ending: .finished, to: subscriber).start()
        }
    }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Sequence {
    /// A publisher of the elements.
    public var publisher: Publishers.Sequence<Self, Never> {
        Publishers.Sequence(sequence: self)
    }
}

/// Emits an iterator's elements on demand, as a loop: a request during emission is served by the running loop.
final class Pump<Elements: IteratorProtocol, Downstream: Subscriber>: Subscription, CustomStringConvertible
where Elements.Element == Downstream.Input {
    private struct State {
        /// Nil after the end.
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        var isRunning = true
    }

    /// The source's name, without its elements: they may be many.
    let description: String
    private let state: Guarded<State>
    private let ending: Subscribers.Completion<Downstream.Failure>
    // For the running loop only:
    private var elements: Elements?
    /// One element of lookahead, to complete together with the last element.
    private var next: Elements.Element?

    init(
        _ description: String, _ elements: Elements, ending: Subscribers.Completion<Downstream.Failure>, to downstream: Downstream
    ) {
        self.description = description
        state = Guarded(State(downstream: downstream))
        self.elements = elements
        self.ending = ending
    }

    func start() {
        next = elements?.next()
        state.withLock { $0.downstream }?.receive(subscription: self)
        run()
    }

    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        let starts = state.withLock { state in
            guard state.downstream != nil else { return false }
            state.demand += demand
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { run() }
    }

    func cancel() {
        let isMine = state.withLock { state in
            let last = state.downstream
            state.downstream = nil
            defer { if last != nil { state.isRunning = true } }
            return (last, last != nil && !state.isRunning)
        }
        if isMine.1 { letGo() }
    }

    private func run() {
        var more = Subscribers.Demand.none
        while let value = next {
            guard let downstream = claim(returned: more) else { return }
            next = elements?.next()
            more = downstream.receive(value)
        }
        let last = state.withLock { state in
            defer { state.downstream = nil }
            return state.downstream
        }
        letGo()
        last?.receive(completion: ending)
    }

    /// Downstream, if attached and with demand; nil ends this run.
    private func claim(returned more: Subscribers.Demand) -> Downstream? {
        let (downstream, isCancelled): (Downstream?, Bool) = state.withLock { state in
            guard let downstream = state.downstream else { return (nil, true) }
            state.demand += more
            guard state.demand > .none else {
                state.isRunning = false
                return (nil, false)
            }
            state.demand -= 1
            return (downstream, false)
        }
        if isCancelled { letGo() }
        return downstream
    }

    private func letGo() {
        (elements, next) = (nil, nil)
    }
}

// MARK: - Record

/// Emits recorded values and a completion.
public struct Record<Output, Failure: Error>: Publisher {
    /// A series of values and its completion.
    public struct Recording {
        public typealias Input = Output

        public private(set) var output: [Output]
        public private(set) var completion: Subscribers.Completion<Failure>
        private var isComplete = false

        public init() {
            self.init(output: [], completion: .finished)
            isComplete = false
        }

        public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
            self.output = output
            self.completion = completion
            isComplete = true
        }

        /// Adds a value.
        /// - Precondition: the recording has no completion.
        public mutating func receive(_ input: Output) {
            precondition(!isComplete, "a value after the completion of the recording")
            output.append(input)
        }

        /// Ends the recording.
        public mutating func receive(completion: Subscribers.Completion<Failure>) {
            precondition(!isComplete, "a second completion of the recording")
            self.completion = completion
            isComplete = true
        }
    }

    public let recording: Recording

    public init(record: (inout Recording) -> Void) {
        var recording = Recording()
        record(&recording)
        self.init(recording: recording)
    }

    public init(recording: Recording) {
        self.recording = recording
    }

    public init(output: [Output], completion: Subscribers.Completion<Failure>) {
        self.init(recording: Recording(output: output, completion: completion))
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        Pump("Record", recording.output.makeIterator(), ending: recording.completion, to: subscriber).start()
    }
}

extension Record.Recording {
    private enum CodingKeys: String, CodingKey {
        case output
        case completion
    }
}

extension Record.Recording: Encodable where Output: Encodable, Failure: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(output, forKey: .output)
        try container.encode(completion, forKey: .completion)
    }
}

extension Record.Recording: Decodable where Output: Decodable, Failure: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            output: try container.decode([Output].self, forKey: .output),
            completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion))
    }
}

extension Record: Encodable where Output: Encodable, Failure: Encodable {}
extension Record: Decodable where Output: Decodable, Failure: Decodable {}

// MARK: - Overloads of Sequence

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
    public func count() -> Just<Int> { Just(sequence.count) }
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
