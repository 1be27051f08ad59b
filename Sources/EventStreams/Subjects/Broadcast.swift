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
    }

    @usableFromInline let mailbox = Mailbox<Mail>()
    // All touched in turn only, which the compiler cannot see: to check for exclusive access at run time would cost more than the delivery.
    @exclusivity(unchecked) @usableFromInline var members: ContiguousArray<Member> = []
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
    /// What a newcomer gets first, in subjects that have a current value.
    @exclusivity(unchecked) @usableFromInline var latest: Output?
    @usableFromInline let keepsLatest: Bool
    private var upstreams: [any Subscription] = []
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
        let conduit = Conduit(to: subscriber, of: self)
        post(.attach(conduit))
        subscriber.receive(subscription: conduit)
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
        /// Whoever has the turn will come to it.
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
            if !mailbox.passTurn() { drain() }
        case .inQueue: drain()
        case .inLine: break
        }
    }

    @usableFromInline
    func post(_ mail: Mail) {
        mailbox.post(mail, handle: handle)
    }

    @inlinable
    func drain() {
        mailbox.drain(handle)
    }

    // MARK: In turn

    @inlinable
    func deliver(_ value: Output) {
        guard completion == nil else { return }
        if keepsLatest { latest = value }
        for member in members { member.offer(value) }
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
        }
    }

    private func welcome(_ member: Member) {
        if let completion { return member.finish(completion) }
        guard !member.isClosed else { return }
        members.append(member)
        member.isBehind = keepsLatest
    }

    private func supply(_ member: Member) {
        guard completion == nil else { return }
        if !isWanted {
            isWanted = true
            for subscription in upstreams { subscription.request(.unlimited) }
        }
        if member.isBehind, let latest { member.offer(latest) }
    }

    private func take(_ subscription: any Subscription) {
        guard completion == nil else { return subscription.cancel() }
        upstreams.append(subscription)
        if isWanted { subscription.request(.unlimited) }
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
        guard self.completion == nil else { return }
        self.completion = completion
        let (leaving, sources) = (members, upstreams)
        (members, upstreams, latest) = ([], [], nil)
        for member in leaving { member.finish(completion) }
        for source in sources { source.cancel() }
    }
}
