import Operations
import TableModel
import Wire

/// Budgets of addresses and of unauthenticated connections. Logged-in sessions prepay 32 requests at a time, so most lines only
/// decrement a counter.
extension Shard {
    /// Requests prepaid beyond the current one.
    private static let advance = 31

    /// Charges a logged-in session's address for a request and an advance. `admitStranger` charges unauthenticated connections.
    /// - Returns: false if the request was refused.
    func pay(for session: Session, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard session.account != nil else { return true }
        guard case .refused(let wait) = charge(1, session) else { return true }
        throttle(session, Request(line: line, isPedantic: false), retryAfter: wait)
        return false
    }

    /// Charges an unauthenticated request to its address and to the total of all such connections.
    /// - Returns: false if the request was refused.
    func admitStranger(_ request: Request, _ session: Session) -> Bool {
        let verdict: AddressBudgets.Verdict
        if case .success(.login) = request.message {
            verdict = take(.logIn, session.budget)
        } else {
            let extra = if case .success(let message) = request.message { extraPrice(of: message, session) } else { 0 }
            verdict = directory.budgets.withLock {
                $0.ask(session.budget, price: 1 + extra, advance: 0, isStranger: true, at: now).verdict
            }
            if verdict != .granted { noteRefusal(.ask) }
        }
        guard case .refused(let wait) = verdict else { return true }
        throttle(session, request, retryAfter: wait)
        return false
    }

    /// Charges an expensive request for units beyond the first.
    func payExtra(_ message: ClientMessage, for session: Session) throws(RequestRefusal) {
        guard session.account != nil else { return }
        let price = extraPrice(of: message, session)
        guard price > 0, case .refused(let wait) = charge(price, session) else { return }
        throw .rateLimited(retryAfter: Int(wait))
    }

    /// Charges a logged-in session.
    private func charge(_ price: Int, _ session: Session) -> AddressBudgets.Verdict {
        if session.paid >= price {
            session.paid -= price
            return .granted
        }
        // Seated players are not charged for other connections of their address: rate limit and number of seats bound them.
        guard let budget = session.budget, session.account?.table == nil else {
            session.paid = Self.advance
            session.hasPaid = false
            return .granted
        }
        let owed = price - session.paid
        let (paid, verdict) = directory.budgets.withLock {
            $0.ask(budget, price: owed, advance: Self.advance, isStranger: false, at: now)
        }
        guard verdict == .granted else {
            noteRefusal(.ask)
            return verdict
        }
        session.paid += paid - price
        session.hasPaid = true
        return .granted
    }

    /// Cost of a request beyond one unit, about 10 µs each.
    private func extraPrice(of message: ClientMessage, _ session: Session) -> Int {
        switch message {
        case .available(let name): name.utf8.count > name.unicodeScalars.count ? 3 : 0
        case .lobby: 1 + sentLobby.listed.count / 8
        case .watch, .resume, .sit: 3
        // A line of 10 kB, and a computation once per set of rules.
        case .chart: 10
        // Each reads from the disk in the background.
        case .history, .statement: 30
        case .chat: 1 + (session.watching?.viewers.count ?? 0) / 16
        default: 0
        }
    }

    /// Refunds prepaid requests to the address when the connection ends.
    func refund(_ session: Session) {
        guard session.hasPaid, session.paid > 0, let budget = session.budget else { return }
        directory.budgets.withLock { $0.giveBack(session.paid, budget) }
        session.paid = 0
    }

    /// Charges the address for a line of chat.
    func payChat(_ session: Session) throws(RequestRefusal) {
        guard case .refused(let wait) = take(.talk, session.budget) else { return }
        throw .rateLimited(retryAfter: Int(wait))
    }

    /// Charges the address for a new account.
    func payClaim(_ session: Session) throws(RequestRefusal) {
        guard case .refused(let wait) = take(.claim, session.budget) else { return }
        throw .rateLimited(retryAfter: Int(wait))
    }

    private func take(_ activity: AddressBudgets.Activity, _ budget: IPAddress?) -> AddressBudgets.Verdict {
        let verdict = directory.budgets.withLock { $0.take(activity, budget, at: now) }
        guard verdict != .granted else { return verdict }
        switch activity {
        case .connect, .logIn: noteRefusal(.logIn)
        case .talk: noteRefusal(.talk)
        case .claim: noteRefusal(.claim)
        case .ask: noteRefusal(.ask)
        }
        return verdict
    }

    private func noteRefusal(_ activity: AddressRefusal) {
        directory.metrics.addressRefusals[activity].add()
    }

    // MARK: Secrets

    /// The kind of secret shown.
    enum ShownSecret { case secret, invite, pass }

    /// Refuses to check a secret during the delay after earlier failures of the address.
    func mayShowSecret(_ session: Session) throws(RequestRefusal) {
        guard let budget = session.budget else { return }
        guard let wait = directory.budgets.withLock({ $0.delay(budget, at: now) }) else { return }
        noteRefusal(.secret)
        throw .rateLimited(retryAfter: Int(wait))
    }

    /// Counts a wrong secret, and logs it at a limited rate.
    func wrongSecret(_ kind: ShownSecret, of name: String, _ session: Session) {
        let failure = directory.budgets.withLock { $0.fail(session.budget, at: now) }
        guard failuresLogged.take(of: .perSecond(2, burst: 20), at: now) == .granted else {
            failuresUnlogged += 1
            return
        }
        let event: StaticString =
            switch kind {
            case .secret: "wrong_secret"
            case .invite: "wrong_invite"
            case .pass: "wrong_pass"
            }
        environment.log(
            .info, event,
            [
                LogField("conn", session.connection), LogField("address", session.address?.description ?? "-"),
                LogField(kind == .pass ? "table" : "name", name), LogField("failures", failure.count),
                LogField("delay_ms", failure.delay), LogField("unlogged", failuresUnlogged),
            ])
        failuresUnlogged = 0
    }
}

/// Absent players.
extension Shard {
    /// Registers a player as away; evicts one of the same address if it has too many.
    func noteAway(_ account: Account) {
        let member = AwayPlayers.Member(id: account.id, name: FoldedName(account.name), loop: loop)
        let first = directory.wentAway(
            member, from: account.address, isSeated: account.table != nil, isLimited: account.isLimited)
        if let first { evict(first) }
    }

    /// Evicts an absent player, on any loop.
    func evict(_ member: AwayPlayers.Member) {
        environment.log(.debug, "evicted", [LogField("player", member.id.rawValue)])
        if member.loop == loop { evict(member.id, at: now) } else { environment.evict(member.id, on: member.loop) }
    }
}
