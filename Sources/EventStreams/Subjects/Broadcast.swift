/// The machinery of all subjects: one stream of events to many conduits, in one order for all of them.
///
/// Everything goes through one mailbox. A value sent while another is being delivered, by a subscriber or from another
/// thread, waits until every subscriber has had the earlier one. A new subscriber takes its place in the same order: it
/// gets what is sent after it came.
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
        /// Nobody is left who could send.
        case abandoned
    }

    @usableFromInline let mailbox = Mailbox<Mail>()
    // All touched in turn only, which the compiler cannot see: to check for exclusive access at run time would cost more than the delivery.
    @exclusivity(unchecked) @usableFromInline var members: ContiguousArray<Member> = []
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
    @exclusivity(unchecked) @usableFromInline var spare: ContiguousArray<Mail> = []
    /// What a newcomer gets first, in subjects that have a current value.
    @exclusivity(unchecked) @usableFromInline var latest: Output?
    @exclusivity(unchecked) @usableFromInline var isOver = false
    @usableFromInline let keepsLatest: Bool
    private var upstreams: [any Subscription] = []
    /// Those of upstream that are to be asked after the turn.
    @exclusivity(unchecked) @usableFromInline var unasked: [any Subscription] = []
    private var isWanted: Bool

    init(latest: Output? = nil) {
        self.latest = latest
        keepsLatest = latest != nil
        // A subject with a value of its own keeps it up to date whether anybody looks or not.
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

    /// Where a value has come to by `enter`.
    @usableFromInline
    enum Place {
        /// It has the turn and is the first.
        case atTheHead
        /// It has the turn and waits with others.
        case inQueue
        /// The holder of the turn will come to it.
        case inLine
    }

    /// Gives the value its place in the order. Calls nobody, so that it can be done under a lock; `proceed` must follow.
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

    /// Handles what has come meanwhile, ends the turn, and only then asks upstream: what it sends in answer is delivered
    /// as it comes and need not wait in the mailbox.
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
        // Moved out and back, which saves a retain of the array for each value: `bjbench stream` −10 ns.
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

    /// Lets the subscribers go, who will hear no more of this.
    private func abandon() {
        isOver = true
        let (leaving, sources) = (members, upstreams)
        (members, upstreams) = ([], [])
        for source in sources { source.cancel() }
        withExtendedLifetime(leaving) {}
    }
}
