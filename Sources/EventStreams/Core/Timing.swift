/// The scheduler of an operator, with the options for it.
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

    /// Has an outlet's events handled on the scheduler: in order and one at a time, on a concurrent one too.
    @usableFromInline
    func run(_ drain: @escaping () -> Void) {
        scheduler.schedule(options: options, drain)
    }

    /// Sets a timer: has the event handled on the scheduler, not before the given time. It owns the outlet until the end.
    func tick<Logic: OutletLogic>(
        _ event: Logic.Event, in outlet: Outlet<Logic>, at time: Time, tolerance: Time.Stride? = nil
    ) {
        let handle = outlet.makeHandle()
        scheduler.schedule(after: time, tolerance: tolerance ?? scheduler.minimumTolerance, options: options) {
            handle.target?.postHere(event)
        }
    }
}

/// The events of a timed operator: from upstream and from its timers.
@usableFromInline
enum Signal<Input, Failure: Error, Time> {
    /// A value, and when it came: the scheduler may get round to it later.
    case value(Input, at: Time)
    case completion(Subscribers.Completion<Failure>, at: Time)
    case tick
}

extension Publisher {
    /// Subscribes a timed operator, which is asked for demand by downstream if it does not ask for itself at the start.
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
