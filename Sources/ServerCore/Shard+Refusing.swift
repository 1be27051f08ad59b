import Rules
import TableEngine
import Wire

/// Refusals, which a late click gets as often as not, and a flood of nonsense always: no word of them takes any memory.
extension Shard {
    /// Answers a request that is refused by the protocol.
    /// - Parameter message: the request, if it could be read.
    func refuse(_ request: Request, _ error: ProtocolError, noting message: ClientMessage? = nil, _ session: Session) {
        scratch.removeAll(keepingCapacity: true)
        ServerMessage.error(Refusal(id: request.id, type: request.type, error)).encode(into: &scratch)
        sendRefusal(error.code, request.id, noting: message, session)
    }

    /// Answers a request that is refused by the directory.
    func refuse(_ request: Request, _ refusal: RequestRefusal, noting message: ClientMessage? = nil, _ session: Session) {
        // What is to be sent again after a while must not get the same answer then.
        let noted = refusal.retryAfter == nil ? message : nil
        refuse(request, refusal.code, refusal.message, retryAfter: refusal.retryAfter, noting: noted, session)
    }

    /// Answers a request with a refusal.
    /// - Parameters:
    ///   - legal: the actions that would be legal, where the refusal is about one.
    ///   - retryAfter: after how many milliseconds it makes sense to try again, where that is known.
    ///   - message: the request, if it could be read.
    func refuse(
        _ request: Request, _ code: ErrorCode, _ text: RefusalText, legal: ActionSet? = nil, retryAfter: Int? = nil,
        noting message: ClientMessage? = nil, _ session: Session
    ) {
        scratch.removeAll(keepingCapacity: true)
        text.withUTF8 {
            ServerMessage.encodeRefusal(
                id: request.id, type: request.type, code, message: $0, legal: legal, retryAfter: retryAfter, into: &scratch)
        }
        sendRefusal(code, request.id, noting: message, session)
    }

    /// Sends the refusal that is in ``scratch``.
    private func sendRefusal(_ code: ErrorCode, _ id: RequestID?, noting message: ClientMessage?, _ session: Session) {
        if let message { note(message, id, .line, session) }
        session.sender.send(scratch)
        environment.log(.debug, "refused", [LogField("conn", session.connection), LogField("code", code.rawValue)])
        count(code)
        guard code.isFatal else { return }
        // The one refusal in a conversation that ends it.
        session.goodbye = .lineTooLong
        session.sender.close()
    }

    func count(_ code: ErrorCode) {
        if let label = RefusalCode(code) { directory.metrics.errors[label].add() }
    }
}
