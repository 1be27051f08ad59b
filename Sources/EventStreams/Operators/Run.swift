extension Publisher {
    /// Feeds each value to a state machine: `handle` changes the subscription's own state in place and returns outputs, emitted in order. An
    /// output may be an effect that a subscriber performs; a value sent in answer to one is handled after the other outputs.
    ///
    /// Requests a value when all outputs have been delivered and downstream wants another.
    public func run<State, T>(
        _ initialState: State, _ handle: @escaping (inout State, Output) -> [T]
    ) -> AnyPublisher<T, Failure> {
        AnyPublisher { subscriber in
            let source = UpstreamSubscription()
            let machine = RunStateMachine<Output, State, AnySubscriber<T, Failure>>(
                upstream: source, state: initialState, transition: handle)
            subscribe(
                UpstreamSubscriber(
                    of: source, for: OperatorStorage(machine, to: subscriber), start: Subscribers.Demand.none,
                    onValue: { .value($0) }, onCompletion: { .completion($0) }))
        }
    }
}

private struct RunStateMachine<Input, State, Downstream: Subscriber>: OperatorStateMachine {
    typealias Event = UpstreamEvent<Input, Downstream.Failure>

    let upstream: UpstreamSubscription
    var state: State
    let transition: (inout State, Input) -> [Downstream.Input]
    /// Outputs without demand.
    var waiting: ContiguousArray<Downstream.Input> = []
    /// Demand that upstream has not met.
    var asked = Subscribers.Demand.none
    var completion: Subscribers.Completion<Downstream.Failure>?

    mutating func handle(_ event: Event, in storage: OperatorStorage<Self>) {
        switch event {
        case .value(let input):
            asked -= .max(1)
            for output in transition(&state, input) where !(waiting.isEmpty && storage.emit(output)) { waiting.append(output) }
        case .completion(let completion): self.completion = completion
        }
        goOn(in: storage)
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in storage: OperatorStorage<Self>) {
        while let output = waiting.first, storage.ledger.claim() {
            waiting.removeFirst()
            storage.deliver(output)
        }
        goOn(in: storage)
    }

    private mutating func goOn(in storage: OperatorStorage<Self>) {
        guard waiting.isEmpty else { return }
        if let completion { return storage.complete(completion) }
        let outstanding = storage.ledger.outstanding
        let wanted = outstanding == .unlimited ? outstanding : min(outstanding, .max(1))
        guard asked < wanted else { return }
        asked += wanted
        storage.ask(upstream, for: wanted)
    }
}
