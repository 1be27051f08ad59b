extension Publisher {
    /// Emits a value on the scheduler when `dueTime` has passed without another. As in Combine, a pending value is dropped when
    /// upstream completes.
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let machine = DebounceStateMachine<AnySubscriber<Output, Failure>, S>(
                dueTime: dueTime, scheduler: scheduler, options: options)
            let storage = OperatorStorage(
                machine, to: subscriber, elsewhere: { scheduler.schedule(options: options, $0) })
            // Due from the arrival, since the scheduler may handle the value later.
            subscribe(
                UpstreamSubscriber(
                    of: UpstreamSubscription(), for: storage, start: .unlimited,
                    onValue: { .value($0, due: scheduler.now.advanced(by: dueTime)) }, onCompletion: { .completion($0) }))
        }
    }
}

private struct DebounceStateMachine<Downstream: Subscriber, Context: Scheduler>: OperatorStateMachine {
    enum Event {
        case value(Downstream.Input, due: Context.SchedulerTimeType)
        case completion(Subscribers.Completion<Downstream.Failure>)
        case timer
    }

    let dueTime: Context.SchedulerTimeType.Stride
    let scheduler: Context
    let options: Context.SchedulerOptions?
    var latest: Downstream.Input?
    /// Due time of the latest value; nil once due.
    var deadline: Context.SchedulerTimeType?
    var isTimerSet = false

    mutating func handle(_ event: Event, in storage: OperatorStorage<Self>) {
        switch event {
        case .value(let value, let due):
            (latest, deadline) = (value, due)
            setTimer(in: storage)
        case .timer:
            isTimerSet = false
            // A later value moved the deadline: the one timer is set again.
            if let deadline, scheduler.now < deadline { setTimer(in: storage) } else { deadline = nil }
            emitIfDue(in: storage)
        case .completion(let completion): storage.complete(completion)
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in storage: OperatorStorage<Self>) {
        emitIfDue(in: storage)
    }

    /// A due value without demand waits, until demand or a newer value.
    private mutating func emitIfDue(in storage: OperatorStorage<Self>) {
        if deadline == nil, let value = latest, storage.emit(value) { latest = nil }
    }

    private mutating func setTimer(in storage: OperatorStorage<Self>) {
        guard !isTimerSet, let deadline else { return }
        isTimerSet = true
        // Retains the operator until the end.
        let handle = storage.makeHandle()
        scheduler.schedule(after: deadline, tolerance: scheduler.minimumTolerance, options: options) {
            handle.storage?.postHere(.timer)
        }
    }
}
