// MARK: Debounce

extension Publisher {
    /// Emits a value on the scheduler when `dueTime` has passed without another. As in Combine, a pending value is dropped when
    /// upstream completes.
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let timing = Timing(scheduler, options: options)
            let logic = DebounceLogic<AnySubscriber<Output, Failure>, S>(dueTime: dueTime, timing: timing)
            subscribe("Debounce", timed: logic, to: subscriber, timing, start: .unlimited)
        }
    }
}

private struct DebounceLogic<Downstream: Subscriber, Context: Scheduler>: OutletLogic {
    typealias Event = Signal<Downstream.Input, Downstream.Failure, Context.SchedulerTimeType>

    let dueTime: Context.SchedulerTimeType.Stride
    let timing: Timing<Context>
    var latest: Downstream.Input?
    /// Due time of the latest value; nil once due.
    var deadline: Context.SchedulerTimeType?
    var isTimerSet = false

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value, let time):
            latest = value
            deadline = time.advanced(by: dueTime)
            setTimer(in: outlet)
        case .tick:
            isTimerSet = false
            // A later value moved the deadline: the one timer is set again.
            if let deadline, timing.now < deadline { setTimer(in: outlet) } else { deadline = nil }
            emitIfDue(in: outlet)
        case .completion(let completion, _): outlet.complete(completion)
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        emitIfDue(in: outlet)
    }

    /// A due value without demand waits, until demand or a newer value.
    private mutating func emitIfDue(in outlet: Outlet<Self>) {
        if deadline == nil, let value = latest, outlet.emit(value) { latest = nil }
    }

    private mutating func setTimer(in outlet: Outlet<Self>) {
        guard !isTimerSet, let deadline else { return }
        isTimerSet = true
        timing.tick(.tick, in: outlet, at: deadline)
    }
}

// MARK: - Throttle

extension Publisher {
    /// Emits the first value at once, then at the end of each interval its latest value (or its first), on the scheduler. A
    /// pending value is emitted when upstream finishes.
    public func throttle<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
    ) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let timing = Timing(scheduler, options: nil)
            let logic = ThrottleLogic<AnySubscriber<Output, Failure>, S>(interval: interval, latest: latest, timing: timing)
            subscribe("Throttle", timed: logic, to: subscriber, timing, start: .unlimited)
        }
    }
}

private struct ThrottleLogic<Downstream: Subscriber, Context: Scheduler>: OutletLogic {
    typealias Event = Signal<Downstream.Input, Downstream.Failure, Context.SchedulerTimeType>

    let interval: Context.SchedulerTimeType.Stride
    let latest: Bool
    let timing: Timing<Context>
    var held: Downstream.Input?
    /// True within an interval after an emitted value.
    var isShut = false

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value, _):
            if latest || held == nil { held = value }
            emitIfOpen(in: outlet)
        case .tick:
            isShut = false
            emitIfOpen(in: outlet)
        case .completion(.finished, _):
            guard let value = held else { return outlet.complete(.finished) }
            held = nil
            outlet.emitLast(value)
        case .completion(let failure, _): outlet.complete(failure)
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        emitIfOpen(in: outlet)
    }

    private mutating func emitIfOpen(in outlet: Outlet<Self>) {
        guard !isShut, let value = held, outlet.emit(value) else { return }
        held = nil
        isShut = true
        timing.tick(.tick, in: outlet, at: timing.now.advanced(by: interval))
    }
}

// MARK: - Delay

extension Publisher {
    /// Emits values and the completion `interval` later, in order, on the scheduler.
    public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let timing = Timing(scheduler, options: options)
            let logic = DelayLogic<AnySubscriber<Output, Failure>, S>(
                interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance, timing: timing)
            subscribe("Delay", timed: logic, to: subscriber, timing)
        }
    }
}

/// Queues pending events, with one timer for the earliest.
private struct DelayLogic<Downstream: Subscriber, Context: Scheduler>: OutletLogic {
    typealias Event = Signal<Downstream.Input, Downstream.Failure, Context.SchedulerTimeType>

    let interval: Context.SchedulerTimeType.Stride
    let tolerance: Context.SchedulerTimeType.Stride
    let timing: Timing<Context>
    var underway = Queue<(due: Context.SchedulerTimeType, signal: Event)>()
    var isTimerSet = false

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .tick: isTimerSet = false
        case .value(_, let time), .completion(_, let time): underway.append((time.advanced(by: interval), event))
        }
        if !isTimerSet { arrive(in: outlet) }
    }

    private mutating func arrive(in outlet: Outlet<Self>) {
        while let next = underway.first {
            guard timing.now >= next.due else {
                isTimerSet = true
                return timing.tick(.tick, in: outlet, at: next.due, tolerance: tolerance)
            }
            underway.removeFirst()
            switch next.signal {
            case .value(let value, _): outlet.forward(value)
            case .completion(let completion, _): outlet.complete(completion)
            case .tick: break
            }
        }
    }
}

// MARK: - Timeout

extension Publisher {
    /// Fails with the custom error, or finishes, when `interval` passes without a value.
    public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (() -> Failure)? = nil
    ) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let timing = Timing(scheduler, options: options)
            let deadline = scheduler.now.advanced(by: interval)
            let logic = TimeoutLogic<AnySubscriber<Output, Failure>, S>(
                interval: interval, customError: customError, timing: timing, deadline: deadline)
            subscribe("Timeout", timed: logic, to: subscriber, timing) { timing.tick(.tick, in: $0, at: deadline) }
        }
    }
}

private struct TimeoutLogic<Downstream: Subscriber, Context: Scheduler>: OutletLogic {
    typealias Event = Signal<Downstream.Input, Downstream.Failure, Context.SchedulerTimeType>

    let interval: Context.SchedulerTimeType.Stride
    let customError: (() -> Downstream.Failure)?
    let timing: Timing<Context>
    var deadline: Context.SchedulerTimeType

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value, let time):
            deadline = time.advanced(by: interval)
            outlet.forward(value)
        case .completion(let completion, _): outlet.complete(completion)
        case .tick:
            // A later value moved the deadline: the one timer is set again.
            guard timing.now >= deadline else { return timing.tick(.tick, in: outlet, at: deadline) }
            outlet.complete(customError.map { .failure($0()) } ?? .finished)
        }
    }
}

// MARK: - Core of timed operators

/// An operator's scheduler and options.
@usableFromInline
struct Timing<Context: Scheduler> {
    @usableFromInline typealias Time = Context.SchedulerTimeType

    @usableFromInline let scheduler: Context
    @usableFromInline let options: Context.SchedulerOptions?

    @usableFromInline
    init(_ scheduler: Context, options: Context.SchedulerOptions?) {
        self.scheduler = scheduler
        self.options = options
    }

    @usableFromInline var now: Time { scheduler.now }

    /// Handles an outlet's events on the scheduler: in order and one at a time, even on a concurrent one.
    @usableFromInline
    func run(_ drain: @escaping () -> Void) {
        scheduler.schedule(options: options, drain)
    }

    /// Schedules an event, not before the given time. Retains the outlet until the end.
    func tick<Logic: OutletLogic>(
        _ event: Logic.Event, in outlet: Outlet<Logic>, at time: Time, tolerance: Time.Stride? = nil
    ) {
        let handle = outlet.makeHandle()
        scheduler.schedule(after: time, tolerance: tolerance ?? scheduler.minimumTolerance, options: options) {
            handle.target?.postHere(event)
        }
    }
}

/// Events of a timed operator: from upstream and from its timers.
@usableFromInline
enum Signal<Input, Failure: Error, Time> {
    /// A value and its arrival time; the scheduler may handle it later.
    case value(Input, at: Time)
    case completion(Subscribers.Completion<Failure>, at: Time)
    case tick
}

extension Publisher {
    /// Subscribes a timed operator. Downstream's demand reaches upstream unless the operator requests its own at the start.
    func subscribe<Logic: OutletLogic, Context: Scheduler>(
        _ name: String, timed logic: Logic, to downstream: Logic.Downstream, _ timing: Timing<Context>,
        start: Subscribers.Demand = .none,
        begin: ((Outlet<Logic>) -> Void)? = nil
    ) where Logic.Event == Signal<Output, Failure, Context.SchedulerTimeType> {
        let passesDemand = start == .none
        let lifeline = Lifeline()
        let outlet = Outlet(name, logic, to: downstream, demandsOf: passesDemand ? lifeline : nil, elsewhere: timing.run)
        begin?(outlet)
        subscribe(
            Inlet(
                to: outlet, lifeline: lifeline, start: start, acceptsOverflow: passesDemand && downstream.keepsOverflow,
                onValue: { .value($0, at: timing.now) }, onCompletion: { .completion($0, at: timing.now) }))
    }
}
