// MARK: Zip

extension Publisher {
    /// Pairs values in order. Finishes when one side has finished and has no unpaired value; fails with the first failure.
    /// Buffers unpaired values up to downstream's demand.
    public func zip<P: Publisher>(_ other: P) -> AnyPublisher<(Output, P.Output), Failure> where P.Failure == Failure {
        zip(other) { ($0, $1) }
    }

    public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
        tuples(.zip, other, transform)
    }

    public func zip<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> AnyPublisher<(Output, P.Output, Q.Output), Failure> where P.Failure == Failure, Q.Failure == Failure {
        triples(.zip, publisher1, publisher2)
    }
}

// MARK: - CombineLatest

extension Publisher {
    /// Emits the latest value of each publisher, once both have one, on every new value. Finishes when both have finished; fails with the
    /// first failure. Without demand keeps only the latest pair.
    public func combineLatest<P: Publisher>(
        _ other: P
    ) -> AnyPublisher<(Output, P.Output), Failure> where P.Failure == Failure {
        combineLatest(other) { ($0, $1) }
    }

    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
        tuples(.combineLatest, other, transform)
    }

    public func combineLatest<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> AnyPublisher<(Output, P.Output, Q.Output), Failure> where P.Failure == Failure, Q.Failure == Failure {
        triples(.combineLatest, publisher1, publisher2)
    }
}

extension Publisher {
    private func tuples<P: Publisher, T>(
        _ rule: TupleRule, _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
        AnyPublisher { subscriber in
            let (a, b) = (Lane<Output>(rule), Lane<P.Output>(rule))
            let outlet = TupleLogic.start(rule, [a, b], to: subscriber) { transform(a.take(), b.take()) }
            attach(to: a, in: outlet)
            other.attach(to: b, in: outlet)
        }
    }

    private func triples<P: Publisher, Q: Publisher>(
        _ rule: TupleRule, _ second: P, _ third: Q
    ) -> AnyPublisher<(Output, P.Output, Q.Output), Failure> where P.Failure == Failure, Q.Failure == Failure {
        AnyPublisher { subscriber in
            let (a, b, c) = (Lane<Output>(rule), Lane<P.Output>(rule), Lane<Q.Output>(rule))
            let outlet = TupleLogic.start(rule, [a, b, c], to: subscriber) { (a.take(), b.take(), c.take()) }
            attach(to: a, in: outlet)
            second.attach(to: b, in: outlet)
            third.attach(to: c, in: outlet)
        }
    }

    private func attach<S: Subscriber>(to lane: Lane<Output>, in outlet: Outlet<TupleLogic<S>>) where S.Failure == Failure {
        subscribe(
            Inlet(
                to: outlet, lifeline: lane.lifeline, onValue: { value in .value(add: { lane.add(value) }) },
                onCompletion: { .ended(lane, $0) }))
    }
}

// MARK: - Logic of both

/// Logic of `zip` and `combineLatest`: two or three publishers to one stream of tuples. Each publisher has a lane.
private struct TupleLogic<Downstream: Subscriber>: OutletLogic {
    typealias Completion = Subscribers.Completion<Downstream.Failure>

    enum Event {
        /// A value, which the closure adds to its lane.
        case value(add: () -> Void)
        case ended(TupleLane, Completion)
    }

    let rule: TupleRule
    let lanes: [TupleLane]
    /// Takes a value from each lane.
    let take: () -> Downstream.Input
    /// With `.combineLatest`: a value arrived since the last tuple.
    var isNew = false

    static func start(
        _ rule: TupleRule, _ lanes: [TupleLane], to downstream: Downstream, take: @escaping () -> Downstream.Input
    ) -> Outlet<Self> {
        let outlet = Outlet(rule.rawValue, TupleLogic(rule: rule, lanes: lanes, take: take), to: downstream)
        outlet.start()
        return outlet
    }

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let add):
            add()
            isNew = true
        case .ended(_, .failure(let error)): return outlet.complete(.failure(error))
        case .ended(let lane, .finished): lane.hasEnded = true
        }
        emit(in: outlet)
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        passUp(demand, in: outlet)
        emit(in: outlet)
    }

    private func passUp(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        for lane in lanes { outlet.ask(lane.lifeline, for: demand) }
    }

    private mutating func emit(in outlet: Outlet<Self>) {
        while outlet.isOpen, isReady, outlet.ledger.claim() {
            isNew = false
            passUp(outlet.deliver(take()), in: outlet)
        }
        let isOver =
            switch rule {
            case .zip: lanes.contains { $0.hasEnded && $0.isEmpty }
            case .combineLatest: lanes.allSatisfy { $0.hasEnded } && !isReady
            }
        if isOver { outlet.complete(.finished) }
    }

    private var isReady: Bool {
        (rule == .zip || isNew) && !lanes.contains { $0.isEmpty }
    }
}

/// When values form a tuple.
private enum TupleRule: String {
    /// The nth value of each publisher with the nth of the others.
    case zip = "Zip"
    /// The latest value of each, on every new value.
    case combineLatest = "CombineLatest"
}

/// One publisher of a tuple. Accessed in turn only.
private class TupleLane {
    final let lifeline = Lifeline()
    final var hasEnded = false
    final var isEmpty = true
}

/// With the values that no tuple has used.
private final class Lane<Value>: TupleLane {
    private let rule: TupleRule
    /// With `.combineLatest`, at most one.
    private var waiting = Queue<Value>()

    init(_ rule: TupleRule) {
        self.rule = rule
    }

    func add(_ value: Value) {
        if rule == .combineLatest { waiting.removeAll() }
        waiting.append(value)
        isEmpty = false
    }

    /// - Precondition: the lane is not empty.
    func take() -> Value {
        guard let value = rule == .zip ? waiting.popFirst() : waiting.first else { preconditionFailure("an empty lane") }
        isEmpty = waiting.isEmpty
        return value
    }
}
