import TableEngine
import TableModel
import Wire

/// Draining and stopping.
extension Shard {
    /// Closes every table at the end of its round. Grants no new seats.
    /// - Parameters:
    ///   - deadline: when ``voidRounds(at:)`` follows; nil for never.
    ///   - reason: shown to players.
    package func drain(at now: Int64, deadline: Int64? = nil, reason: String = "") {
        self.now = now
        isDraining = true
        for table in hostedTables {
            notingReturns(at: table) {
                // Refused only by a table that is already closing.
                try? perform(.close(ClosingNotice(.server, deadline: deadline, reason: reason)), at: table, now)
            }
            listingChanged(table)
            publish(table)
        }
    }

    /// Voids the rounds in play and returns their bets. Called after ``drain(at:deadline:reason:)``.
    package func voidRounds(at now: Int64) {
        self.now = now
        for table in hostedTables where table.engine.phase != .closed {
            notingReturns(at: table) {
                guard (try? perform(.void, at: table, now)) != nil else { return }
                if table.facts.contains(where: { if case .roundEnded = $0 { true } else { false } }) {
                    directory.metrics.voided.add()
                }
            }
            publish(table)
        }
    }

    /// Runs a command that returns bets, and notes their chips for each player's goodbye.
    private func notingReturns(at table: HostedTable, _ command: () -> Void) {
        // A time-out that is due settles bets instead of returning them.
        try? perform(.tick, at: table, now)
        let players = table.engine.playerViews.compactMap { accounts[$0.id] }
        let chips = players.map { $0.chips + (table.engine.bankroll(of: $0.id) ?? 0) }
        command()
        for (player, before) in zip(players, chips) {
            let returned = player.chips + (table.engine.bankroll(of: player.id) ?? 0) - before
            if returned > 0 { returnedChips[player.id, default: 0] += returned }
        }
    }

    /// Whether every table is closed.
    package var isDrained: Bool { hostedTables.allSatisfy { $0.engine.phase == .closed } }

    /// Closes every connection after a `bye`, which says how many chips of open bets the player has back.
    package func disconnectAll(code: GoodbyeCode, message: String) {
        for connection in sessions.keys.sorted() {
            let returned = sessions[connection]?.account.flatMap { returnedChips[$0.id] }
            let end = returned.map { " Your bets are returned: \($0) \($0 == 1 ? "chip" : "chips")." } ?? ""
            dismiss(connection, code, message + end)
        }
    }

    func dismiss(_ connection: ConnectionID, _ code: GoodbyeCode, _ message: String) {
        guard let session = sessions[connection] else { return }
        session.closeReason = DisconnectReason(code)
        session.sender.send(ServerMessage.bye(code: code.rawValue, message: message).encoded())
        session.sender.close()
    }

    /// The last message to a peer that reads too slowly.
    package static let tooSlow = ServerMessage.bye(
        code: GoodbyeCode.tooSlow.rawValue, message: "Too many bytes were waiting to be read, for too long."
    ).encoded()
}
