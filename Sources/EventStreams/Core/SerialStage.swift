/// What an operator in the serial core hears from its upstreams and from its timers.
enum Signal<Input, Failure: Error> {
    case value(Input)
    case completion(Subscribers.Completion<Failure>)
    /// A timer that the operator set has run off.
    case tick
}

/// A serial operator with one upstream.
class SerialStage<Input, Failure: Error, Downstream: Subscriber>: Outlet<Signal<Input, Failure>, Downstream>, Subscriber {
    final let lifeline = Lifeline()
    /// As in `OverflowAccepting`. Who keeps nothing back answers for downstream.
    var acceptsOverflow: Bool { false }

    override func letGo() {
        lifeline.cancel()
    }

    final func receive(subscription: any Subscription) {
        guard lifeline.attach(subscription) else { return }
        downstream.receive(subscription: self)
        started()
    }

    /// Downstream has the subscription: the moment to ask upstream, for those who do not pass demand up.
    func started() {}

    final func receive(_ input: Input) -> Subscribers.Demand {
        if lifeline.isLive { post(.value(input)) }
        return .none
    }

    final func receive(completion: Subscribers.Completion<Failure>) {
        if lifeline.end() { post(.completion(completion)) }
    }

    /// Passes a value on and the demand in answer to it up. In turn; for those who pass demand up.
    final func forward(_ value: Downstream.Input) {
        guard ledger.claim() || acceptsOverflow else { return }
        let more = deliver(value)
        if more > .none { lifeline.request(more) }
    }
}

extension SerialStage: OverflowAccepting {}

/// A serial operator whose events are handled on a scheduler: in order and one at a time, on a concurrent one too.
class ScheduledStage<Input, Failure: Error, Downstream: Subscriber, Context: Scheduler>:
    SerialStage<Input, Failure, Downstream>
{
    final let scheduler: Context
    final let options: Context.SchedulerOptions?

    init(to downstream: Downstream, on scheduler: Context, options: Context.SchedulerOptions?) {
        self.scheduler = scheduler
        self.options = options
        super.init(to: downstream) { drain in scheduler.schedule(options: options, drain) }
    }

    /// Sets a timer: has `.tick` handled on the scheduler, not before the given time. It does not keep the stage alive.
    final func tick(at time: Context.SchedulerTimeType, tolerance: Context.SchedulerTimeType.Stride? = nil) {
        scheduler.schedule(after: time, tolerance: tolerance ?? scheduler.minimumTolerance, options: options) { [weak self] in
            self?.post(.tick)
        }
    }
}
