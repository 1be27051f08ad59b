/// One of several ways into an operator in the serial core.
///
/// It holds the operator, which is below it; the operator holds only the inlet's lifeline. So there is no cycle to break.
final class Inlet<Input, Failure: Error>: Subscriber, OverflowAccepting {
    let lifeline: Lifeline
    let acceptsOverflow: Bool
    private let onValue: (Input) -> Void
    private let onCompletion: (Subscribers.Completion<Failure>) -> Void

    init(
        lifeline: Lifeline, acceptsOverflow: Bool = false, onValue: @escaping (Input) -> Void,
        onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        self.lifeline = lifeline
        self.acceptsOverflow = acceptsOverflow
        self.onValue = onValue
        self.onCompletion = onCompletion
    }

    func receive(subscription: any Subscription) {
        _ = lifeline.attach(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        if lifeline.isLive { onValue(input) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        if lifeline.end() { onCompletion(completion) }
    }
}

/// Lifelines that come and go, and end together.
struct Lifelines: ~Copyable {
    private let held = Guarded<[Lifeline]?>([])

    /// Cancels it on the spot if the others have been.
    func add(_ lifeline: Lifeline) {
        let isOpen = held.withLock {
            $0?.append(lifeline)
            return $0 != nil
        }
        if !isOpen { lifeline.cancel() }
    }

    func remove(_ lifeline: Lifeline) {
        held.withLock { $0?.removeAll { $0 === lifeline } }
    }

    func cancelAll() {
        let ending = held.withLock { held in
            defer { held = nil }
            return held
        }
        for lifeline in ending ?? [] { lifeline.cancel() }
    }
}
