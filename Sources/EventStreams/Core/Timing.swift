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
        timed logic: Logic, to downstream: Logic.Downstream, _ timing: Timing<Context>, start: Subscribers.Demand = .none,
        begin: ((Outlet<Logic>) -> Void)? = nil
    ) where Logic.Event == Signal<Output, Failure, Context.SchedulerTimeType> {
        let passesDemand = start == .none
        let lifeline = Lifeline()
        let outlet = Outlet(logic, to: downstream, demandsOf: passesDemand ? lifeline : nil, elsewhere: timing.run)
        begin?(outlet)
        subscribe(
            Inlet(
                to: outlet, lifeline: lifeline, start: start, acceptsOverflow: passesDemand && downstream.keepsOverflow,
                onValue: { .value($0, at: timing.now) }, onCompletion: { .completion($0, at: timing.now) }))
    }
}
