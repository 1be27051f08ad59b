extension Publishers {
    /// Emits the elements, as many as are asked for, and finishes after the last.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element

        public let sequence: Elements

        public init(sequence: Elements) {
            self.sequence = sequence
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let source = Source(sequence.makeIterator(), to: subscriber)
            subscriber.receive(subscription: source)
            source.post(())
        }
    }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Publishers.Sequence {
    private final class Source<Downstream: Subscriber>: Outlet<Void, Downstream>
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private var iterator: Elements.Iterator
        /// One element ahead, to finish with the last element and not with the demand after it.
        private var next: Output?

        init(_ iterator: Elements.Iterator, to downstream: Downstream) {
            self.iterator = iterator
            next = self.iterator.next()
            super.init(to: downstream)
        }

        /// The start, which finishes an empty sequence without demand.
        override func handle(_: Void) {
            demandCame()
        }

        override func demandCame() {
            while let value = next {
                guard isOpen, ledger.claim() else { return }
                next = iterator.next()
                deliver(value)
            }
            complete(.finished)
        }
    }
}

extension Sequence {
    /// A publisher of the elements.
    public var publisher: Publishers.Sequence<Self, Never> {
        Publishers.Sequence(sequence: self)
    }
}
