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
        Pump(recording.output.makeIterator(), ending: recording.completion, to: subscriber).start()
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
