import Operations
import TableEngine
import Wire

/// Players' questions about their own past.
extension Shard {
    /// Questions of a player, charts included. Kept with the account, so that a new connection does not refill it.
    static let questions = RateLimit.perMinute(12, burst: 4)
    /// Milliseconds after which a place in the queue may be free.
    private static let busyMilliseconds = 2000

    /// Has a question answered in the background: the message follows the `ok`, so that no other reply waits for the disk.
    func ask(_ kind: HistoryTicket.Kind, _ session: Session) throws(RequestRefusal) -> Answer {
        let account = try account(session)
        guard !account.isGuest else { throw .accountNeeded }
        guard let history = environment.history else { throw .noHistory }
        guard session.question == nil else { throw .rateLimited(retryAfter: Self.busyMilliseconds) }
        if case .refused(let wait) = account.questions.take(of: Self.questions, at: now) {
            throw .rateLimited(retryAfter: Int(wait))
        }
        let chips = account.shownChips + (account.table?.engine.bankroll(of: account.id) ?? 0)
        let ticket = HistoryTicket(kind, of: account.id, from: session.connection, chips: chips, at: now)
        guard history.ask(ticket) else { throw .rateLimited(retryAfter: Self.busyMilliseconds) }
        session.question = ticket
        return Answer(.done(kind == .history ? "history" : "statement"))
    }

    /// A question may have its answer. The connection may be on another loop, which is asked, too.
    package func historyWasRead(_ ticket: HistoryTicket) {
        if let session = sessions[ticket.connection], session.question === ticket { deliverHistory(to: session) }
    }

    /// Sends the answer to a session's question, if there is one and the player is still the same.
    func deliverHistory(to session: Session) {
        guard let ticket = session.question, let line = ticket.line.take() else { return }
        session.question = nil
        guard session.account?.id == ticket.account, session.closeReason == nil else { return }
        session.sender.send(line)
    }
}
