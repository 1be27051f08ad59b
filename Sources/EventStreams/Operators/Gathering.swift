import Synchronization

/// The core of `flatMap`, `switchToLatest` and `merge`: many publishers, that come one after another, into one stream.
final class Gathering<Outer, Inner: Publisher, Downstream: Subscriber>:
    Outlet<Gathering<Outer, Inner, Downstream>.Event, Downstream>, Subscriber, OverflowAccepting
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
    typealias Failure = Inner.Failure

    /// Which publishers are listened to.
    enum Admission: Equatable {
        /// So many at a time; the others wait.
        case upTo(Subscribers.Demand)
        /// The newest only; it takes the place of the one before.
        case newest
    }

    enum Event {
        case outer(Outer)
        case outerEnded(Subscribers.Completion<Failure>)
        case inner(Lifeline, Inner.Output)
        case innerEnded(Lifeline, Subscribers.Completion<Failure>)
    }

    private let admission: Admission
    private let waitingRoom: WaitingRoom<Outer>
    private let transform: (Outer) -> Inner
    private let lifelines = Lifelines()
    private let outer = Lifeline()

    // In turn:
    private var active: [Lifeline] = []
    private var waiting = Queue<Outer>()
    /// Values that inner publishers emitted and that downstream has no demand for, at most one of each publisher.
    private var ready = Queue<(from: Lifeline, value: Inner.Output)>()
    private var outerHasEnded = false

    init(
        to downstream: Downstream, admission: Admission, waitingRoom: WaitingRoom<Outer> = WaitingRoom(),
        transform: @escaping (Outer) -> Inner
    ) {
        self.admission = admission
        self.waitingRoom = waitingRoom
        self.transform = transform
        super.init(to: downstream)
        lifelines.add(outer)
    }

    // MARK: Upstream

    var acceptsOverflow: Bool { true }

    func receive(subscription: any Subscription) {
        guard outer.attach(subscription) else { return }
        downstream.receive(subscription: self)
        switch admission {
        case .upTo(let places): outer.request(places)
        case .newest: outer.request(.unlimited)
        }
    }

    func receive(_ input: Outer) -> Subscribers.Demand {
        if outer.isLive { post(.outer(input)) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        if outer.end() { post(.outerEnded(completion)) }
    }

    override func letGo() {
        lifelines.cancelAll()
    }

    // MARK: In turn

    override func handle(_ event: Event) {
        switch event {
        case .outer(let value): admit(value)
        case .inner(let source, let value): take(value, from: source)
        case .innerEnded(let source, .finished): leave(source)
        case .outerEnded(.finished): outerHasEnded = true
        case .outerEnded(let failure), .innerEnded(_, let failure): return complete(failure)
        }
        if outerHasEnded, active.isEmpty, waiting.isEmpty, ready.isEmpty { complete(.finished) }
    }

    override func demandCame() {
        while let next = ready.first, ledger.claim() {
            ready.removeFirst()
            deliver(next.value)
            askAgain(next.from)
        }
        if ready.isEmpty, ledger.outstanding == .unlimited {
            for source in active { source.request(.unlimited) }
        }
        if outerHasEnded, active.isEmpty, waiting.isEmpty, ready.isEmpty { complete(.finished) }
    }

    private func admit(_ value: Outer) {
        switch admission {
        case .newest:
            for source in active { drop(source) }
            listen(to: value)
        case .upTo(let places):
            if active.count < places {
                listen(to: value)
            } else if waiting.count < waitingRoom.limit {
                waiting.append(value)
            } else {
                waitingRoom.onDrop(value)
            }
        }
    }

    private func listen(to value: Outer) {
        let source = Lifeline()
        active.append(source)
        lifelines.add(source)
        source.request(ledger.outstanding == .unlimited ? .unlimited : .max(1))
        transform(value).subscribe(
            Inlet(
                lifeline: source, onValue: { [self] in post(.inner(source, $0)) },
                onCompletion: { [self] in post(.innerEnded(source, $0)) }))
    }

    private func take(_ value: Inner.Output, from source: Lifeline) {
        guard active.contains(where: { $0 === source }) else { return }
        if ready.isEmpty, emit(value) { return askAgain(source) }
        ready.append((source, value))
    }

    private func leave(_ source: Lifeline) {
        lifelines.remove(source)
        guard let place = active.firstIndex(where: { $0 === source }) else { return }
        active.remove(at: place)
        if let next = waiting.popFirst() {
            listen(to: next)
        } else if case .upTo(let places) = admission, places != .unlimited, !outerHasEnded {
            outer.request(.max(1))
        }
    }

    private func drop(_ source: Lifeline) {
        lifelines.remove(source)
        source.cancel()
        active.removeAll { $0 === source }
        ready.removeAll { $0.from === source }
    }

    /// Lets the publisher emit one more, unless it may emit freely.
    private func askAgain(_ source: Lifeline) {
        if ledger.outstanding != .unlimited { source.request(.max(1)) }
    }
}
