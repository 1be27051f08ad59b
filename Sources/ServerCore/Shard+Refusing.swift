import Rules
import TableEngine
import Wire

/// Refusals. They are frequent (late clicks, floods of invalid input), so their text is encoded without allocation.
extension Shard {
    /// Refuses a request for a protocol error.
    /// - Parameter message: the request, if it could be read.
    func refuse(_ request: Request, _ error: ProtocolError, noting message: ClientMessage? = nil, _ session: Session) {
        replyBuffer.removeAll(keepingCapacity: true)
        ServerMessage.error(Refusal(id: request.id, type: request.type, error)).encode(into: &replyBuffer)
        sendRefusal(error.code, request.id, noting: message, session)
    }

    /// Refuses a request that needs no judgement by a table.
    func refuse(_ request: Request, _ refusal: RequestRefusal, noting message: ClientMessage? = nil, _ session: Session) {
        // A refusal with `retry_after` is not recorded: the same request has to be tried again.
        let noted = refusal.retryAfter == nil ? message : nil
        refuse(request, refusal.code, refusal.message, retryAfter: refusal.retryAfter, noting: noted, session)
    }

    /// Refuses a request.
    /// - Parameters:
    ///   - legal: the legal actions, for a refused action.
    ///   - retryAfter: milliseconds until a retry can succeed, if known.
    ///   - message: the request, if it could be read.
    func refuse(
        _ request: Request, _ code: ErrorCode, _ text: RefusalText, legal: ActionSet? = nil, retryAfter: Int? = nil,
        noting message: ClientMessage? = nil, _ session: Session
    ) {
        replyBuffer.removeAll(keepingCapacity: true)
        text.withUTF8 {
            ServerMessage.encodeRefusal(
                id: request.id, type: request.type, code, message: $0, legal: legal, retryAfter: retryAfter, into: &replyBuffer)
        }
        sendRefusal(code, request.id, noting: message, session)
    }

    /// Sends the refusal in ``replyBuffer``.
    private func sendRefusal(_ code: ErrorCode, _ id: RequestID?, noting message: ClientMessage?, _ session: Session) {
        if let message { note(message, id, .refused, session) }
        session.sender.send(replyBuffer)
        environment.log(.debug, "refused", [LogField("conn", session.connection), LogField("code", code.rawValue)])
        count(code)
        guard code.isFatal else { return }
        // `line_too_long` is the only refusal that closes an admitted connection.
        session.closeReason = .lineTooLong
        session.sender.close()
    }

    func count(_ code: ErrorCode) {
        if let label = RefusalCode(code) { directory.metrics.errors[label].add() }
    }
}
