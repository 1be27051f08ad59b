/// Core of all subjects: one stream of events to many conduits, in one order for all. A value sent during a delivery waits until every
/// subscriber has the earlier one; a new subscriber joins in the same order and receives later values.
@usableFromInline
final class Broadcast<Output, Failure: Error> {
    @usableFromInline typealias Member = Conduit<Output, Failure>

    @usableFromInline
    enum Mail {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
        case attach(Member)
        case detach(Member)
        case demand(Member)
        case upstream(any Subscription)
        /// The last sender is gone.
        case abandoned
    }

    @usableFromInline let mailbox = Mailbox<Mail>()
    // All confined to the turn, which the compiler cannot see: checks for exclusive access would cost more than the delivery.
    @exclusivity(unchecked) @usableFromInline var members: ContiguousArray<Member> = []
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
    @exclusivity(unchecked) @usableFromInline var spare: ContiguousArray<Mail> = []
    /// First value for a new subscriber, in subjects with a current value.
    @exclusivity(unchecked) @usableFromInline var latest: Output?
    @exclusivity(unchecked) @usableFromInline var isOver = false
    @usableFromInline let keepsLatest: Bool
    private var upstreams: [any Subscription] = []
    /// Upstream subscriptions to request from after the turn.
    @exclusivity(unchecked) @usableFromInline var unasked: [any Subscription] = []
    private var isWanted: Bool

    init(latest: Output? = nil) {
        self.latest = latest
        keepsLatest = latest != nil
        // A subject with a current value consumes upstream even without subscribers.
        isWanted = keepsLatest
    }

    deinit {
        for subscription in upstreams { subscription.cancel() }
    }

    @inlinable @inline(__always)
    func attach<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        let conduit = Conduit<Output, Failure>(to: subscriber)
        post(.attach(conduit))
        subscriber.receive(subscription: Tap(to: conduit, of: self))
        conduit.open()
    }

    @inlinable
    func send(_ value: Output) {
        proceed(value, at: enter(value))
    }

    /// The result of `enter`.
    @usableFromInline
    enum Place {
        /// Has the turn, queue empty.
        case atTheHead
        /// Has the turn, behind queued events.
        case inQueue
        /// Queued for the holder of the turn.
        case inLine
    }

    /// Enqueues the value. Calls no subscriber, so it is safe under a lock; `proceed` must follow.
    @inlinable
    func enter(_ value: Output) -> Place {
        if mailbox.takeTurn() { return .atTheHead }
        return mailbox.leave(.value(value)) ? .inQueue : .inLine
    }

    @inlinable
    func proceed(_ value: Output, at place: Place) {
        switch place {
        case .atTheHead:
            deliver(value)
            if !mailbox.passTurn() { leaveTurn() }
        case .inQueue: leaveTurn()
        case .inLine: break
        }
    }

    @usableFromInline
    func post(_ mail: Mail) {
        if mailbox.takeTurn() {
            handle(mail)
            leaveTurn()
        } else if mailbox.leave(mail) {
            leaveTurn()
        }
    }

    /// Handles queued events, ends the turn, then requests from upstream, so that synchronous answers bypass the mailbox.
    @inlinable
    func leaveTurn() {
        while unasked.isEmpty {
            if mailbox.passTurn() { return }
            mailbox.drainBatch(&spare, handle)
        }
        leaveTurnAndAsk()
    }

    @usableFromInline
    func leaveTurnAndAsk() {
        let asked = unasked
        unasked = []
        leaveTurn()
        for subscription in asked { subscription.request(.unlimited) }
    }

    // MARK: In turn

    @inlinable
    func deliver(_ value: Output) {
        guard !isOver else { return }
        if keepsLatest { latest = value }
        // Moved out and back to save a retain of the array per value: `bjbench stream` −10 ns.
        var present = ContiguousArray<Member>()
        swap(&present, &members)
        for index in present.indices { present[index].offer(value) }
        swap(&present, &members)
    }

    @inlinable
    func handle(_ mail: Mail) {
        if case .value(let value) = mail { deliver(value) } else { administer(mail) }
    }

    @usableFromInline
    func administer(_ mail: Mail) {
        switch mail {
        case .value: break
        case .completion(let completion): finish(completion)
        case .attach(let member): welcome(member)
        case .detach(let member): members.removeAll { $0 === member }
        case .demand(let member): supply(member)
        case .upstream(let subscription): take(subscription)
        case .abandoned: abandon()
        }
    }

    private func welcome(_ member: Member) {
        if let completion { return member.finish(completion) }
        guard !member.isClosed else { return }
        members.append(member)
        member.isBehind = keepsLatest
    }

    private func supply(_ member: Member) {
        guard !isOver else { return }
        if !isWanted {
            isWanted = true
            unasked = upstreams
        }
        if member.isBehind, let latest { member.offer(latest) }
    }

    private func take(_ subscription: any Subscription) {
        guard !isOver else { return subscription.cancel() }
        upstreams.append(subscription)
        if isWanted { unasked.append(subscription) }
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
        guard !isOver else { return }
        isOver = true
        self.completion = completion
        let (leaving, sources) = (members, upstreams)
        (members, upstreams, latest) = ([], [], nil)
        for member in leaving { member.finish(completion) }
        for source in sources { source.cancel() }
    }

    /// Releases the subscribers without a completion.
    private func abandon() {
        isOver = true
        let (leaving, sources) = (members, upstreams)
        (members, upstreams) = ([], [])
        for source in sources { source.cancel() }
        withExtendedLifetime(leaving) {}
    }
}

extension Broadcast: @unchecked Sendable where Output: Sendable {}  // variables are used in the mailbox's turn, by one thread
