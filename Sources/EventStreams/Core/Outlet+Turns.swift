import Synchronization

// Serialisation of an outlet's events.

extension Outlet {
    @inlinable
    func post(_ event: Logic.Event) {
        post(mail: .event(event))
    }

    @inlinable
    func post(mail: Mail) {
        guard elsewhere == nil else { return postElsewhere(mail) }
        if mailbox.takeTurn() {
            open(mail)
            if calls.isEmpty, mailbox.passTurn() { return }
            leaveTurn()
        } else if mailbox.leave(mail) {
            leaveTurn()
        }
    }

    /// Handles queued events, ends the turn, then makes the deferred upward calls.
    @usableFromInline
    func leaveTurn() {
        var due = ContiguousArray<Call>()
        swap(&due, &calls)
        while !mailbox.passTurn() {
            mailbox.drainBatch(&spare, open)
            due.append(contentsOf: calls)
            calls.removeAll(keepingCapacity: true)
        }
        perform(due)
    }

    @usableFromInline
    func perform(_ due: ContiguousArray<Call>) {
        for call in due {
            switch call {
            case .request(let demand, let lifeline): lifeline.request(demand)
            case .change(let change): changes.post(change)
            }
        }
    }

    @inlinable
    func postElsewhere(_ mail: Mail) {
        if mailbox.leave(mail) { scheduleDrain() }
    }

    @inlinable
    func scheduleDrain() {
        let handle = makeHandle()
        elsewhere? { handle.target?.drainElsewhere() }
    }

    /// Handles the event here: for timers, which already fire on the scheduler.
    func postHere(_ event: Logic.Event) {
        if mailbox.leave(.event(event)) { drainElsewhere() }
    }

    /// One batch at a time: fairness for other work on the scheduler's thread.
    @inlinable
    func drainElsewhere() {
        mailbox.drainBatch(&spare, open)
        guard !calls.isEmpty || !mailbox.passTurn() else { return }
        var due = ContiguousArray<Call>()
        swap(&due, &calls)
        if !mailbox.passTurn() { scheduleDrain() }
        perform(due)
    }

    @inlinable
    func open(_ mail: Mail) {
        guard isOpen else { return }
        switch mail {
        case .event(let event): logic.handle(event, in: self)
        case .demand(let demand): supply(demand)
        }
    }

    @usableFromInline
    func supply(_ demand: Subscribers.Demand) {
        guard let value = last else { return logic.demandCame(demand, in: self) }
        guard ledger.claim() else { return }
        last = nil
        _ = downstream.receive(value)
        complete(.finished)
    }
}
