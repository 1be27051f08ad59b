extension Publishers {
    /// Emits all values in one array when upstream finishes.
    public struct Collect<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Collector<Upstream.Output, Failure, S>(to: subscriber, count: nil))
        }
    }

    /// Emits values in arrays of so many; the last may be shorter.
    public struct CollectByCount<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let count: Int

        public init(upstream: Upstream, count: Int) {
            precondition(count > 0, "an array of nothing would never be full")
            self.upstream = upstream
            self.count = count
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Collector<Upstream.Output, Failure, S>(to: subscriber, count: count))
        }
    }
}

private final class Collector<Input, Failure, Downstream: Subscriber>: SerialStage<Input, Failure, Downstream>
where Downstream.Input == [Input], Downstream.Failure == Failure {
    /// Nil for all of them.
    private let count: Int?
    private var collected: [Input] = []

    init(to downstream: Downstream, count: Int?) {
        self.count = count
        super.init(to: downstream)
    }

    override func started() {
        if count == nil { lifeline.request(.unlimited) }
    }

    override func passUp(_ demand: Subscribers.Demand) {
        if let count { lifeline.request(demand * count) }
    }

    override func handle(_ signal: Signal<Input, Failure>) {
        switch signal {
        case .value(let value):
            collected.append(value)
            if collected.count == count, emitted(collected) { collected.removeAll() }
        case .completion(.finished) where count != nil && collected.isEmpty: complete(.finished)
        case .completion(.finished): emitLast(collected)
        case .completion(let failure): complete(failure)
        case .tick: break
        }
    }

    private func emitted(_ values: [Input]) -> Bool {
        guard ledger.claim() else { return false }
        let more = deliver(values)
        if more > .none { passUp(more) }
        return true
    }
}

extension Publisher {
    /// Keeps every value until the end: for streams that are known to be short.
    public func collect() -> Publishers.Collect<Self> {
        Publishers.Collect(upstream: self)
    }

    public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        Publishers.CollectByCount(upstream: self, count: count)
    }
}
