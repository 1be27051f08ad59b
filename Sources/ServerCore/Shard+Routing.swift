import TableEngine
import Wire

/// Which loop a request belongs to. A player, the connection that speaks for him and the table where he sits or watches are on one loop:
/// whatever asks for another one is passed on, connection and all.
extension Shard {
    /// Answers a request here, or moves it with its connection to the loop it belongs to.
    /// - Returns: whether it was a bet or a decision that was carried out.
    @discardableResult
    func route(_ request: Request, from session: Session, at now: Int64, hops: Int) -> Bool {
        if directory.loops > 1, hops < 8, case .success(let message) = request.message,
            let destination = destination(of: message, from: session), destination.loop != loop
        {
            move(session, to: destination.loop, request, holding: destination.claim, hops: hops + 1)
            return false
        }
        return answer(request, from: session, at: now)
    }

    /// A connection has come from another loop with the line that it came for.
    public func arrived(_ passage: Passage, at now: Int64) {
        self.now = now
        let session = passage.session
        sessions[session.connection] = session
        session.sender = environment.sender(for: session.connection)
        if let account = passage.account { adopt(account) }
        if session.account == nil {
            environment.setTimer(.connection(session.connection), at: session.loginDeadline)
        } else {
            scheduleSilence(of: session)
        }
        if session.followsLobby { scheduleLobby() }
        // The claim lasts until the table itself has said whether the seat is taken.
        _ = withExtendedLifetime(passage.claim) { route(passage.request, from: session, at: now, hops: passage.hops) }
    }

    /// A connection could not be moved, because it has ended meanwhile: its player is here again, and away.
    public func returned(_ passage: Passage, at now: Int64) {
        sessions[passage.session.connection] = passage.session
        if let account = passage.account {
            adopt(account)
            directory.move(account.name, of: account.id, to: loop)
        }
        disconnected(passage.session.connection, at: now)
    }

    private func move(_ session: Session, to destination: Int, _ request: Request, holding claim: SeatClaim?, hops: Int) {
        stopWatching(session)
        sessions[session.connection] = nil
        environment.setTimer(.connection(session.connection), at: nil)
        if let account = session.account { release(account) }
        let passage = Passage(session: session, account: session.account, request: request, claim: claim, hops: hops)
        environment.move(session.connection, to: destination, passage)
        if let account = passage.account { directory.move(account.name, of: account.id, to: destination) }
    }

    /// The loop that a request has to be carried out on, and the seat that waits there; nil when any will do.
    private func destination(of message: ClientMessage, from session: Session) -> (loop: Int, claim: SeatClaim?)? {
        switch message {
        case .login(let name, _, _, _):
            guard session.account == nil, let name = try? PlayerName(name) else { return nil }
            return directory.residence(of: name).map { ($0.loop, nil) }
        case .sit(nil, _, _):
            guard let account = session.account, account.table == nil, session.watching == nil, anyFree == nil else { return nil }
            return directory.claimSeat(preferring: loop).map { (directory.loop(ofTable: $0.table), $0) }
        case .sit(let table?, _, _), .watch(let table?, _), .resume(let table?, _, _, _, _):
            guard let account = session.account, account.table == nil else { return nil }
            return directory.index(ofTable: table).map { (directory.loop(ofTable: $0), nil) }
        case .watch(nil, _), .resume(nil, _, _, _, _):
            // The only table there is.
            guard let account = session.account, account.table == nil, session.watching == nil else { return nil }
            return directory.onlyTable.map { (directory.loop(ofTable: $0), nil) }
        default: return nil
        }
    }

    /// A table of this loop that is open to all and has a free seat.
    var anyFree: HostedTable? { hostedTables.first { $0.pass == nil && $0.freeSeats > 0 } }
}
