/// Logic of `zip` and `combineLatest`: two publishers to one stream of pairs.
struct PairingLogic<A, B, Downstream: Subscriber>: OutletLogic where Downstream.Input == (A, B) {
    /// The pairing rule.
    enum Rule {
        /// The nth value of one with the nth of the other.
        case inStep
        /// The latest of each, on every new value.
        case newest
    }

    enum Event {
        case a(A)
        case b(B)
        case ended(Side, Subscribers.Completion<Downstream.Failure>)
    }

    enum Side { case a, b }

    let rule: Rule
    let lifelineA = Lifeline()
    let lifelineB = Lifeline()
    // With `.newest`, at most one element each:
    var waitingA = Queue<A>()
    var waitingB = Queue<B>()
    var endedA = false
    var endedB = false
    /// With `.newest`: a value arrived since the last pair.
    var isNew = false

    static func start<P: Publisher, Q: Publisher>(_ a: P, _ b: Q, rule: Rule, to downstream: Downstream)
    where P.Output == A, Q.Output == B, P.Failure == Downstream.Failure, Q.Failure == Downstream.Failure {
        let logic = PairingLogic(rule: rule)
        let (lifelineA, lifelineB) = (logic.lifelineA, logic.lifelineB)
        let outlet = Outlet(logic, to: downstream)
        outlet.start()
        a.subscribe(
            Inlet(to: outlet, lifeline: lifelineA, onValue: { .a($0) }, onCompletion: { .ended(.a, $0) }))
        b.subscribe(
            Inlet(to: outlet, lifeline: lifelineB, onValue: { .b($0) }, onCompletion: { .ended(.b, $0) }))
    }

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .a(let value):
            if rule == .newest { waitingA.removeAll() }
            waitingA.append(value)
            isNew = true
        case .b(let value):
            if rule == .newest { waitingB.removeAll() }
            waitingB.append(value)
            isNew = true
        case .ended(_, .failure(let error)): return outlet.complete(.failure(error))
        case .ended(.a, .finished): endedA = true
        case .ended(.b, .finished): endedB = true
        }
        emitPairs(in: outlet)
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        passUp(demand, in: outlet)
        emitPairs(in: outlet)
    }

    private func passUp(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        outlet.ask(lifelineA, for: demand)
        outlet.ask(lifelineB, for: demand)
    }

    private mutating func emitPairs(in outlet: Outlet<Self>) {
        while outlet.isOpen, let a = waitingA.first, let b = waitingB.first, rule == .inStep || isNew, outlet.ledger.claim() {
            isNew = false
            if rule == .inStep {
                waitingA.removeFirst()
                waitingB.removeFirst()
            }
            passUp(outlet.deliver((a, b)), in: outlet)
        }
        if isOver { outlet.complete(.finished) }
    }

    private var isOver: Bool {
        switch rule {
        case .inStep: (endedA && waitingA.isEmpty) || (endedB && waitingB.isEmpty)
        case .newest: endedA && endedB && !(isNew && !waitingA.isEmpty && !waitingB.isEmpty)
        }
    }
}
