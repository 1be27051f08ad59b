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
