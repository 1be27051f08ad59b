// `zip` and `combineLatest` of two to four publishers.

// MARK: Zip

extension Publishers {
    /// Emits pairs of the nth values of both publishers.
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure

        public let a: A
        public let b: B

        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            TupleLogic.start(.zip, a.eraseToAnyPublisher(), b.eraseToAnyPublisher(), to: subscriber)
        }
    }

    /// As `Zip`, for three.
    public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        public typealias Output = (A.Output, B.Output, C.Output)
        public typealias Failure = A.Failure

        public let a: A
        public let b: B
        public let c: C

        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            TupleLogic.start(
                .zip, a.eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(), to: subscriber)
        }
    }

    /// As `Zip`, for four.
    public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        public typealias Failure = A.Failure

        public let a: A
        public let b: B
        public let c: C
        public let d: D

        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            TupleLogic.start(
                .zip, a.eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(), d.eraseToAnyPublisher(),
                to: subscriber)
        }
    }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publisher {
    /// Pairs values in order. Finishes when one side has finished and has no unpaired value; fails with the first failure.
    /// Buffers unpaired values up to downstream's demand.
    public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure {
        Publishers.Zip(self, other)
    }

    public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Stepwise<Publishers.Zip<Self, P>, T, Failure> where P.Failure == Failure {
        zip(other).map(transform)
    }

    public func zip<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q) -> Publishers.Zip3<Self, P, Q>
    where P.Failure == Failure, Q.Failure == Failure {
        Publishers.Zip3(self, publisher1, publisher2)
    }

    public func zip<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Stepwise<Publishers.Zip3<Self, P, Q>, T, Failure> where P.Failure == Failure, Q.Failure == Failure {
        zip(publisher1, publisher2).map(transform)
    }

    public func zip<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.Zip4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        Publishers.Zip4(self, publisher1, publisher2, publisher3)
    }

    public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Stepwise<Publishers.Zip4<Self, P, Q, R>, T, Failure>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        zip(publisher1, publisher2, publisher3).map(transform)
    }
}

// MARK: - CombineLatest

extension Publishers {
    /// Emits the latest value of each publisher, once all have one, on every new value.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure

        public let a: A
        public let b: B

        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            TupleLogic.start(.combineLatest, a.eraseToAnyPublisher(), b.eraseToAnyPublisher(), to: subscriber)
        }
    }

    /// As `CombineLatest`, for three.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        public typealias Output = (A.Output, B.Output, C.Output)
        public typealias Failure = A.Failure

        public let a: A
        public let b: B
        public let c: C

        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            TupleLogic.start(
                .combineLatest, a.eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(), to: subscriber)
        }
    }

    /// As `CombineLatest`, for four.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        public typealias Failure = A.Failure

        public let a: A
        public let b: B
        public let c: C
        public let d: D

        public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            TupleLogic.start(
                .combineLatest, a.eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(),
                d.eraseToAnyPublisher(),
                to: subscriber)
        }
    }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publisher {
    /// Finishes when all have finished; fails with the first failure. Without demand keeps only the latest pair.
    public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P> where P.Failure == Failure {
        Publishers.CombineLatest(self, other)
    }

    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Stepwise<Publishers.CombineLatest<Self, P>, T, Failure> where P.Failure == Failure {
        combineLatest(other).map(transform)
    }

    public func combineLatest<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
        Publishers.CombineLatest3(self, publisher1, publisher2)
    }

    public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Stepwise<Publishers.CombineLatest3<Self, P, Q>, T, Failure> where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(publisher1, publisher2).map(transform)
    }

    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.CombineLatest4<Self, P, Q, R>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
    }

    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Stepwise<Publishers.CombineLatest4<Self, P, Q, R>, T, Failure>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        combineLatest(publisher1, publisher2, publisher3).map(transform)
    }
}

// MARK: - Logic of both

/// Logic of `zip` and `combineLatest`: any number of publishers to one stream of tuples. Each publisher has a lane.
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

    static func start<each Value>(
        _ rule: TupleRule, _ publishers: repeat AnyPublisher<each Value, Downstream.Failure>, to downstream: Downstream
    ) where Downstream.Input == (repeat each Value) {
        let lanes = (repeat Lane<each Value>(rule))
        var all: [TupleLane] = []
        for lane in repeat each lanes { all.append(lane) }
        let logic = TupleLogic(rule: rule, lanes: all) { (repeat (each lanes).take()) }
        let outlet = Outlet(rule.rawValue, logic, to: downstream)
        outlet.start()
        repeat attach(each publishers, to: each lanes, in: outlet)
    }

    private static func attach<Value>(
        _ publisher: AnyPublisher<Value, Downstream.Failure>, to lane: Lane<Value>, in outlet: Outlet<Self>
    ) {
        publisher.subscribe(
            Inlet(
                to: outlet, lifeline: lane.lifeline, onValue: { value in .value(add: { lane.add(value) }) },
                onCompletion: { .ended(lane, $0) }))
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
