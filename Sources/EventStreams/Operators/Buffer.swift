extension Publishers {
    /// How a buffer is kept filled.
    public enum PrefetchStrategy: Equatable, Hashable, Sendable {
        /// Asks upstream for as many values as fit in.
        case keepFull
        /// Asks upstream for everything.
        case byRequest
    }

    /// What a full buffer does with one value more.
    public enum BufferingStrategy<Failure: Error> {
        case dropNewest
        case dropOldest
        /// Fails, after the values that were kept.
        case customError(() -> Failure)
    }

    /// Keeps values for which downstream has no demand yet.
    public struct Buffer<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let size: Int
        public let prefetch: PrefetchStrategy
        public let whenFull: BufferingStrategy<Failure>
        let onDrop: (Output) -> Void

        public init(upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Failure>) {
            self.init(upstream: upstream, size: size, prefetch: prefetch, whenFull: whenFull, onDrop: { _ in })
        }

        init(
            upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Failure>,
            onDrop: @escaping (Output) -> Void
        ) {
            precondition(size > 0, "a buffer has room for something")
            self.upstream = upstream
            self.size = size
            self.prefetch = prefetch
            self.whenFull = whenFull
            self.onDrop = onDrop
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Keeper(self, to: subscriber))
        }
    }
}

extension Publishers.Buffer {
    private final class Keeper<Downstream: Subscriber>: SerialStage<Output, Failure, Downstream>
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private let buffer: Publishers.Buffer<Upstream>
        private var kept = Queue<Output>()
        private var completion: Subscribers.Completion<Failure>?

        init(_ buffer: Publishers.Buffer<Upstream>, to downstream: Downstream) {
            self.buffer = buffer
            super.init(to: downstream)
        }

        /// What a subject sends beyond the demand comes here too, where the strategy says what becomes of it.
        override var acceptsOverflow: Bool { true }

        override func started() {
            lifeline.request(buffer.prefetch == .keepFull ? .max(buffer.size) : .unlimited)
        }

        override func handle(_ signal: Signal<Output, Failure>) {
            switch signal {
            case .value(let value):
                if completion == nil { keep(value) }
            case .completion(let completion): self.completion = self.completion ?? completion
            case .tick: break
            }
            demandCame()
        }

        override func demandCame() {
            while isOpen, let value = kept.first, ledger.claim() {
                kept.removeFirst()
                deliver(value)
                if buffer.prefetch == .keepFull { lifeline.request(.max(1)) }
            }
            if kept.isEmpty, let completion { complete(completion) }
        }

        private func keep(_ value: Output) {
            guard kept.count >= buffer.size else { return kept.append(value) }
            switch buffer.whenFull {
            case .dropNewest: buffer.onDrop(value)
            case .dropOldest:
                if let oldest = kept.popFirst() { buffer.onDrop(oldest) }
                kept.append(value)
            case .customError(let error):
                lifeline.cancel()
                completion = .failure(error())
            }
        }
    }
}

extension Publisher {
    /// Keeps at most `size` values until downstream asks for them.
    public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
    }

    /// As `buffer(size:prefetch:whenFull:)`, and reports each value that is dropped.
    public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>,
        onDrop: @escaping (Output) -> Void
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull, onDrop: onDrop)
    }
}
