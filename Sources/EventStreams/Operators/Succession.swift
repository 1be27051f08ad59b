/// The core of `catch` and `retry`: publishers that follow one another into one stream, with one demand.
final class Succession<Downstream: Subscriber>: Outlet<Succession<Downstream>.Event, Downstream>, OverflowAccepting {
    enum Event {
        case value(Downstream.Input, from: Lifeline)
        /// A change of publishers.
        case change(() -> Void)
    }

    private let lifelines = Lifelines()

    // In turn:
    private var current: Lifeline?
    /// How much of the outstanding demand the current publisher has been asked for.
    private var asked = Subscribers.Demand.none

    var acceptsOverflow: Bool { downstream.keepsOverflow }

    /// Gives downstream its subscription and starts with the first publisher.
    func start(_ first: @escaping () -> Void) {
        downstream.receive(subscription: self)
        post(.change(first))
    }

    /// Listens to this publisher from now on. `onEnd` decides what follows it. To be called in turn; `onEnd` is.
    func follow<P: Publisher>(_ publisher: P, onEnd: @escaping (Subscribers.Completion<P.Failure>) -> Void)
    where P.Output == Downstream.Input {
        let source = Lifeline()
        if let current { lifelines.remove(current) }
        lifelines.add(source)
        current = source
        asked = .none
        topUp()
        publisher.subscribe(
            Inlet(
                lifeline: source, acceptsOverflow: acceptsOverflow, onValue: { [self] in post(.value($0, from: source)) },
                onCompletion: { [self] completion in post(.change { onEnd(completion) }) }))
    }

    override func letGo() {
        lifelines.cancelAll()
    }

    override func handle(_ event: Event) {
        switch event {
        case .change(let change): change()
        case .value(let value, let source):
            guard source === current, ledger.claim() || acceptsOverflow else { return }
            asked -= 1
            deliver(value)
            topUp()
        }
    }

    override func demandCame() {
        topUp()
    }

    private func topUp() {
        let outstanding = ledger.outstanding
        guard outstanding > asked else { return }
        let more = outstanding - asked
        asked = outstanding
        current?.request(more)
    }
}
