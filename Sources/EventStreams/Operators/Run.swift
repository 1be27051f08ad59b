extension Publisher {
    /// Feeds each value to a state machine: `handle` changes the subscription's own state in place and returns outputs, emitted in order. An
    /// output may be an effect that a subscriber performs; a value sent in answer to one is handled after the other outputs.
    ///
    /// Asks for a value when all outputs have been delivered and another one is wanted.
    public func run<State, T>(
        _ initialState: State, _ handle: @escaping (inout State, Output) -> [T]
    ) -> AnyPublisher<T, Failure> {
        AnyPublisher { subscriber in
            let source = Lifeline()
            let logic = RunLogic<Output, State, AnySubscriber<T, Failure>>(
                source: source, state: initialState, transition: handle)
            subscribe(
                Inlet(
                    to: Outlet("Run", logic, to: subscriber), lifeline: source, start: Subscribers.Demand.none,
                    onValue: { .value($0) }, onCompletion: { .completion($0) }))
        }
    }
}

private struct RunLogic<Input, State, Downstream: Subscriber>: OutletLogic {
    enum Event {
        case value(Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
    }

    let source: Lifeline
    var state: State
    let transition: (inout State, Input) -> [Downstream.Input]
    /// Outputs without demand.
    var waiting = Queue<Downstream.Input>()
    /// Demand that upstream has not met.
    var asked = Subscribers.Demand.none
    var completion: Subscribers.Completion<Downstream.Failure>?

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let input):
            asked -= 1
            for output in transition(&state, input) where !(waiting.isEmpty && outlet.emit(output)) { waiting.append(output) }
        case .completion(let completion): self.completion = completion
        }
        goOn(in: outlet)
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        while let output = waiting.first, outlet.ledger.claim() {
            waiting.removeFirst()
            outlet.deliver(output)
        }
        goOn(in: outlet)
    }

    private mutating func goOn(in outlet: Outlet<Self>) {
        guard waiting.isEmpty else { return }
        if let completion { return outlet.complete(completion) }
        let outstanding = outlet.ledger.outstanding
        let wanted = outstanding == .unlimited ? outstanding : min(outstanding, .max(1))
        guard asked < wanted else { return }
        asked += wanted
        outlet.ask(source, for: wanted)
    }
}
