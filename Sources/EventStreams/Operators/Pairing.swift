/// The core of `zip` and `combineLatest`: two publishers into one stream of pairs.
final class Pairing<A, B, Downstream: Subscriber>: Outlet<Pairing<A, B, Downstream>.Event, Downstream>
where Downstream.Input == (A, B) {
    /// Which values make a pair.
    enum Rule {
        /// The first of one with the first of the other, the second with the second.
        case inStep
        /// The newest of each, anew whenever there is a newer one.
        case newest
    }

    enum Event {
        case a(A)
        case b(B)
        case ended(Side, Subscribers.Completion<Downstream.Failure>)
    }

    enum Side { case a, b }

    private let rule: Rule
    private let lifelineA = Lifeline()
    private let lifelineB = Lifeline()

    // In turn; with `.newest`, at most one of each:
    private var waitingA = Queue<A>()
    private var waitingB = Queue<B>()
    private var endedA = false
    private var endedB = false
    /// With `.newest`: one of the two is newer than the last pair.
    private var isNew = false

    init(to downstream: Downstream, rule: Rule) {
        self.rule = rule
        super.init(to: downstream)
    }

    func start<P: Publisher, Q: Publisher>(_ a: P, _ b: Q)
    where P.Output == A, Q.Output == B, P.Failure == Downstream.Failure, Q.Failure == Downstream.Failure {
        downstream.receive(subscription: self)
        a.subscribe(
            Inlet(
                lifeline: lifelineA, onValue: { [self] in post(.a($0)) }, onCompletion: { [self] in post(.ended(.a, $0)) }))
        b.subscribe(
            Inlet(
                lifeline: lifelineB, onValue: { [self] in post(.b($0)) }, onCompletion: { [self] in post(.ended(.b, $0)) }))
    }

    override func letGo() {
        lifelineA.cancel()
        lifelineB.cancel()
    }

    override func passUp(_ demand: Subscribers.Demand) {
        lifelineA.request(demand)
        lifelineB.request(demand)
    }

    // MARK: In turn

    override func handle(_ event: Event) {
        switch event {
        case .a(let value):
            if rule == .newest { waitingA.removeAll() }
            waitingA.append(value)
            isNew = true
        case .b(let value):
            if rule == .newest { waitingB.removeAll() }
            waitingB.append(value)
            isNew = true
        case .ended(_, .failure(let error)): return complete(.failure(error))
        case .ended(.a, .finished): endedA = true
        case .ended(.b, .finished): endedB = true
        }
        demandCame()
    }

    override func demandCame() {
        while isOpen, let a = waitingA.first, let b = waitingB.first, rule == .inStep || isNew, ledger.claim() {
            isNew = false
            if rule == .inStep {
                waitingA.removeFirst()
                waitingB.removeFirst()
            }
            let more = deliver((a, b))
            if more > .none { passUp(more) }
        }
        if isOver { complete(.finished) }
    }

    private var isOver: Bool {
        switch rule {
        case .inStep: (endedA && waitingA.isEmpty) || (endedB && waitingB.isEmpty)
        case .newest: endedA && endedB && !(isNew && !waitingA.isEmpty && !waitingB.isEmpty)
        }
    }
}
