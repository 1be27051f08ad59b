import Operations
import Wire

/// Requests for the chart of a table's rules.
extension Shard {
    /// Milliseconds after which a place in the queue may be free.
    private static let busyMilliseconds = 1000

    /// Has a chart computed in the background unless it is known: the message follows the `ok`.
    func chart(ofTable named: String?, _ session: Session) throws(RequestRefusal) -> Answer {
        let account = try account(session)
        let rules = try tableRules(named, session).rules
        guard session.chart == nil else { throw .rateLimited(retryAfter: Self.busyMilliseconds) }
        if case .refused(let wait) = account.questions.take(of: Self.questions, at: now) {
            throw .rateLimited(retryAfter: Int(wait))
        }
        let ticket = ChartTicket(for: rules, from: session.connection)
        guard environment.makeChart(for: ticket) else { throw .rateLimited(retryAfter: Self.busyMilliseconds) }
        session.chart = ticket
        return Answer(.done("chart")) { [self] in deliverChart(to: session) }
    }

    /// A chart may be ready. The connection may be on another loop, which is asked, too.
    package func chartWasMade(for ticket: ChartTicket) {
        if let session = sessions[ticket.connection], session.chart === ticket { deliverChart(to: session) }
    }

    /// Sends the chart that a session has asked for, if it is ready.
    func deliverChart(to session: Session) {
        guard let line = session.chart?.line.take() else { return }
        session.chart = nil
        guard session.closeReason == nil else { return }
        session.sender.send(line)
    }
}
