import TableEngine
import Wire

/// Chooses the loop of a request. A player, their connection and their table share one loop; a request for a table or account on
/// another loop moves the connection there.
extension Shard {
    /// Answers a request here, or moves it with its connection to its loop.
    /// - Returns: whether a bet or a decision was applied.
    @discardableResult
    func route(_ request: Request, from session: Session, hops: Int) -> Bool {
        if directory.loops > 1, hops < 8, case .success(let message) = request.message,
            let destination = destination(of: message, from: session), destination.loop != loop
        {
            move(session, to: destination.loop, request, holding: destination.claim, hops: hops + 1)
            return false
        }
        return answer(request, from: session)
    }

    /// Takes over a connection from another loop, with the request that caused the move.
    public func arrived(_ transfer: Transfer, at now: Int64) {
        self.now = now
        let session = transfer.session
        assert(session.watching == nil && transfer.account?.table == nil, "a transfer refers to no table of its old loop")
        sessions[session.connection] = session
        session.sender = environment.sender(for: session.connection)
        if let account = transfer.account { adopt(account, with: session) }
        if session.account == nil {
            environment.setTimer(.connection(session.connection), at: session.loginDeadline)
        } else {
            scheduleSilence(of: session)
        }
        if session.followsLobby { scheduleLobby() }
        // It may have come while the session was on the way.
        deliverHistory(to: session)
        deliverChart(to: session)
        // Keeps the seat claimed until the table has answered the request.
        _ = withExtendedLifetime(transfer.claim) { route(transfer.request, from: session, hops: transfer.hops) }
    }

    /// Takes back a connection that ended before it could move; its player is away.
    public func returned(_ transfer: Transfer, at now: Int64) {
        sessions[transfer.session.connection] = transfer.session
        if let account = transfer.account {
            adopt(account, with: transfer.session)
            directory.move(account.name, of: account.id, to: loop)
        }
        disconnected(transfer.session.connection, at: now)
    }

    private func adopt(_ account: Account, with session: Session) {
        adopt(account)
        account.session = session
    }

    private func move(_ session: Session, to destination: Int, _ request: Request, holding claim: SeatClaim?, hops: Int) {
        stopWatching(session)
        sessions[session.connection] = nil
        environment.setTimer(.connection(session.connection), at: nil)
        if let account = session.account {
            release(account)
            // On the way the session alone refers to the account: a transfer that is dropped leaves nothing behind.
            account.session = nil
        }
        let transfer = Transfer(session: session, account: session.account, request: request, claim: claim, hops: hops)
        environment.move(session.connection, to: destination, transfer)
        if let account = transfer.account { directory.move(account.name, of: account.id, to: destination) }
    }

    /// The loop of a request, with a claimed seat if it needs one; nil for any loop.
    private func destination(of message: ClientMessage, from session: Session) -> (loop: Int, claim: SeatClaim?)? {
        switch message {
        case .login(let name, _, _, _, _, _):
            guard session.account == nil, let name = try? PlayerName(name) else { return nil }
            // A dormant account becomes a resident of any loop.
            return directory.location(of: name)?.loop.map { ($0, nil) }
        case .sit(nil, _, _):
            guard let account = session.account, account.table == nil, session.watching == nil, anyFree == nil else { return nil }
            return directory.claimSeat(preferring: loop).map { (directory.loop(ofTable: $0.table), $0) }
        case .sit(let table?, _, _), .watch(let table?, _), .resume(let table?, _, _, _, _):
            guard let account = session.account, account.table == nil else { return nil }
            return directory.index(ofTable: table).map { (directory.loop(ofTable: $0), nil) }
        case .proof(let table?, _, _):
            // Not from a table that is watched: the move would end that.
            guard let account = session.account, account.table == nil, session.watching == nil else { return nil }
            return directory.index(ofTable: table).map { (directory.loop(ofTable: $0), nil) }
        case .watch(nil, _), .resume(nil, _, _, _, _):
            // Without a name: the only table.
            guard let account = session.account, account.table == nil, session.watching == nil else { return nil }
            return directory.onlyTable.map { (directory.loop(ofTable: $0), nil) }
        default: return nil
        }
    }

    /// A table of this loop, without a pass, that has a free seat.
    var anyFree: HostedTable? { hostedTables.first { $0.pass == nil && $0.freeSeats > 0 } }
}
