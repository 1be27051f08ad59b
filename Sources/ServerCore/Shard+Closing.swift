import TableEngine
import TableModel
import Wire

/// How the house closes.
extension Shard {
    /// Closes every table when its round is over. Nobody gets a new seat from now on.
    /// - Parameters:
    ///   - deadline: when ``giveUpRounds(at:)`` follows; nil for never.
    ///   - reason: the host's, for those who are there.
    public func drain(at now: Int64, deadline: Int64? = nil, reason: String = "") {
        self.now = now
        isDraining = true
        for table in hostedTables {
            // Refused only by a table that closes already.
            try? table.perform(.close(ClosingNotice(.server, deadline: deadline, reason: reason)), at: now)
            publish(table)
        }
    }

    /// Gives up the rounds that are still in play, whose bets go back. After ``drain(at:)``.
    public func giveUpRounds(at now: Int64) {
        self.now = now
        for table in hostedTables where table.engine.phase != .closed {
            if (try? table.perform(.void, at: now)) != nil {
                if table.facts.contains(where: { if case .roundEnded = $0 { true } else { false } }) {
                    directory.metrics.voided.add()
                }
            }
            publish(table)
        }
    }

    /// Whether every table is closed.
    public var isDrained: Bool { hostedTables.allSatisfy { $0.engine.phase == .closed } }

    /// Ends every connection with a word of the reason.
    public func sayGoodbye(code: GoodbyeCode, message: String) {
        for connection in sessions.keys.sorted() { dismiss(connection, code, message) }
    }

    func dismiss(_ connection: ConnectionID, _ code: GoodbyeCode, _ message: String) {
        guard let session = sessions[connection] else { return }
        session.goodbye = DisconnectReason(code)
        session.sender.send(ServerMessage.bye(code: code.rawValue, message: message).encoded())
        session.sender.close()
    }

    /// The last word to a peer that does not read what it is sent.
    public static let tooSlow = ServerMessage.bye(
        code: GoodbyeCode.tooSlow.rawValue, message: "Too much was waiting for you, for too long."
    ).encoded()
}
