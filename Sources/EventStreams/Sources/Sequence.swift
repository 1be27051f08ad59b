extension Publishers {
    /// Emits the elements on demand and finishes after the last.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element

        public let sequence: Elements

        public init(sequence: Elements) {
            self.sequence = sequence
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let storage = OperatorStorage(SequenceStateMachine(sequence.makeIterator()), to: subscriber)
            storage.start()
            storage.post(.event(()))
        }
    }
}

extension Sequence {
    /// A publisher of the elements.
    public var publisher: Publishers.Sequence<Self, Never> {
        Publishers.Sequence(sequence: self)
    }
}

/// Emits an iterator's elements on demand; its one event is the beginning.
private struct SequenceStateMachine<Elements: IteratorProtocol, Downstream: Subscriber>: OperatorStateMachine
where Elements.Element == Downstream.Input {
    private var elements: Elements
    /// One element of lookahead, to complete together with the last element.
    private var next: Elements.Element?

    init(_ elements: Elements) {
        self.elements = elements
        next = self.elements.next()
    }

    mutating func handle(_: Void, in storage: OperatorStorage<Self>) { demandCame(.none, in: storage) }

    mutating func demandCame(_: Subscribers.Demand, in storage: OperatorStorage<Self>) {
        while storage.isOpen, let value = next, storage.ledger.claim() {
            next = elements.next()
            storage.deliver(value)
        }
        if next == nil { storage.complete(.finished) }
    }
}
