import Records
import Rules
import Sockets
import TableEngine
import TableModel
import Wire

/// Operator commands and measurements.
extension Shard {
    /// Postpones all deadlines by the length of a pause.
    /// - Parameter length: milliseconds, at least 1.
    func postpone(by length: Int64, at now: Int64) {
        self.now = now
        for session in sessions.values {
            session.heard += length
            session.loginDeadline += length
        }
        // A paused table postpones them by all that has passed.
        for account in accounts.values where account.session == nil && account.table?.isPaused != true {
            account.heldUntil += length
        }
        for table in hostedTables where table.engine.nextEvent != nil && !table.isPaused {
            perform(.postpone(by: Int(length)), at: table, now)
            table.publish()
        }
    }

    /// Disconnects a player, gives up the seat and notifies the table. The chips are kept for a while, unless the player was
    /// away.
    /// - Parameters:
    ///   - message: for the player, without the reason and full stop.
    ///   - owner: the table's owner who kicks; nil for the host.
    /// - Returns: whether the player is here.
    func kick(
        _ id: PlayerID, reason: String = "", message: String = "The host has kicked you", by owner: String? = nil,
        at now: Int64
    ) -> Bool {
        self.now = now
        guard let account = accounts[id] else { return false }
        let table = account.table
        if let table {
            account.isKicked = true
            perform(.leave(player: id), at: table, now)
        }
        let seenAt = table ?? account.session?.watching
        if let session = account.session {
            let end = reason.isEmpty ? "." : ": \(reason)"
            dismiss(session.connection, .kicked, message + end)
        }
        if let seenAt {
            let notice = HostNotice(
                HostNotice.kicked, name: account.name.text, reason: reason.isEmpty ? nil : reason, by: owner, time: now)
            seenAt.broadcast(.notice(notice), except: account.session)
        }
        if account.session == nil { evict(id, at: now) }
        if let table { table.publish() }
        return true
    }

    /// Sends a message of the host to a table, or to all tables and viewers of the lobby.
    /// - Returns: the number of people reached, without bots.
    func say(_ words: ChatText, at index: Int?, at now: Int64) -> Int {
        self.now = now
        let tables = hostedTables.filter { index == nil || $0.index == index }
        let notice = HostNotice(HostNotice.said, name: HostNotice.host, reason: words.text, time: now)
        for table in tables { table.broadcast(.notice(notice)) }
        let choosing = index != nil ? [] : sessions.values.filter { $0.followsLobby && $0.watching == nil }
        let line = ServerMessage.notice(notice).encoded()
        for session in choosing.sorted(by: { $0.connection < $1.connection }) { _ = session.sender.offer(line) }
        let people = tables.reduce(0) { sum, table in
            sum + table.viewers.count { $0.session.account?.state.isBot != true }
        }
        return people + choosing.count { $0.account?.state.isBot != true }
    }

    /// The addresses of connections and of absent players.
    var addresses: Set<IPAddress> {
        Set(sessions.values.compactMap(\.address)).union(accounts.values.compactMap { $0.session == nil ? $0.address : nil })
    }

    /// Closes connections from banned addresses and evicts their absent players.
    /// - Returns: the number of connections.
    func dismiss(from banned: Set<IPAddress>, at now: Int64) -> Int {
        self.now = now
        let dismissed = sessions.values.filter { session in session.address.map { banned.contains($0) } ?? false }
        for session in dismissed.sorted(by: { $0.connection < $1.connection }) {
            dismiss(session.connection, .banned, "The host has banned this address.")
        }
        let away = accounts.values.filter { account in
            account.session == nil && account.address.map { banned.contains($0) } ?? false
        }
        for account in away.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { evict(account.id, at: now) }
        return dismissed.count
    }

}

extension Shard {
    /// Sets the gauges that the loop alone knows.
    /// - Returns: the unsettled hands.
    @discardableResult
    func measure() -> Int {
        var (tables, seats, hands) = ([String: Int](), [String: Int](), 0)
        let here = accounts.values.count { $0.session != nil }
        for table in hostedTables {
            let table = table.engine
            tables[RoundPhase(table.phase).rawValue, default: 0] += 1
            guard table.phase != .closed else { continue }
            var taken = 0
            for player in table.playerViews {
                let state = player.isAway ? "away" : player.profile.isBot ? "bot" : "player"
                seats[state, default: 0] += player.seats.count
                taken += player.seats.count
            }
            seats["free", default: 0] += table.rules.seats - taken
            hands += table.handsInPlay
        }
        let ledger = ledger
        metrics.players.set(["here": here, "away": accounts.count - here])
        metrics.tables.set(tables)
        metrics.seats.set(seats)
        metrics.accounts.set(registryClient?.accounts ?? openAccounts)
        metrics.chipsInPlay.set(ledger.tables)
        metrics.imbalance.set(ledger.imbalance)
        return hands
    }

    // MARK: Closing

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
                perform(.close(ClosingNotice(.server, deadline: deadline, reason: reason)), at: table, now)
            }
            listingChanged(table)
            table.publish()
        }
    }

    /// Voids the rounds in play and returns their bets. Called after ``drain(at:deadline:reason:)``.
    package func voidRounds(at now: Int64) {
        self.now = now
        for table in hostedTables where table.engine.phase != .closed {
            notingReturns(at: table) {
                let step = perform(.void, at: table, now)
                if step.rejection == nil, step.facts.contains(where: { if case .roundEnded = $0 { true } else { false } }) {
                    metrics.voided.add()
                }
            }
            table.publish()
        }
    }

    /// Runs a command that returns bets, and notes their chips for each player's `bye`.
    private func notingReturns(at table: HostedTable, _ command: () -> Void) {
        // Runs due time-outs first: they settle bets instead of returning them.
        perform(.tick, at: table, now)
        let players = table.engine.playerViews.compactMap { accounts[$0.id] }
        let chips = players.map { $0.state.chips + (table.engine.bankroll(of: $0.id) ?? 0) }
        command()
        for (player, before) in zip(players, chips) {
            let returned = player.state.chips + (table.engine.bankroll(of: player.id) ?? 0) - before
            if returned > 0 { returnedChips[player.id, default: 0] += returned }
        }
    }

    /// Whether every table is closed.
    package var isDrained: Bool { hostedTables.allSatisfy { $0.engine.phase == .closed } }

    /// Closes every connection after a `bye` with the chips of returned bets and, after a drain, the player's result.
    package func disconnectAll(code: GoodbyeCode, message: String) {
        let final = code == .shuttingDown ? leaderboard.final : nil
        for connection in sessions.keys.sorted() {
            let account = sessions[connection]?.account
            let returned = account.flatMap { returnedChips[$0.id] }
            var end = returned.map { " Your bets were returned: \($0) \($0 == 1 ? "chip" : "chips")." } ?? ""
            var standings = final?(account?.id)
            standings?.isPartial = registryClient != nil
            if let result = standings?.own { end += " Your result: \(result.text)." }
            dismiss(
                connection, code, message + end, account?.state.isBot == true ? nil : standings, of: final == nil ? nil : account)
        }
    }

    /// - Parameter account: whose career the goodbye shows.
    func dismiss(
        _ connection: ConnectionID, _ code: GoodbyeCode, _ message: String, _ standings: Standings? = nil,
        of account: Account? = nil
    ) {
        guard let session = sessions[connection] else { return }
        session.isClosing = true
        session.isBanned = code == .banned
        let career = account?.state.ranked
        session.sender.send(
            ServerMessage.bye(code: code.rawValue, message: message, standings: standings, career: career).encoded())
        session.sender.close()
    }

    /// The last message to a peer that reads too slowly.
    package static let tooSlow = ServerMessage.bye(
        code: GoodbyeCode.tooSlow.rawValue, message: "The client reads too slowly."
    ).encoded()
}

// MARK: - Inspection

/// The distribution of all chips.
package struct Ledger: Equatable, Sendable {
    /// Minus the chips issued.
    package var bank: Int
    package var accounts: Int
    /// Chips of players and bets at all tables.
    package var tables: Int
    /// The house's winnings at all tables.
    package var house: Int

    package init(bank: Int = 0, accounts: Int = 0, tables: Int = 0, house: Int = 0) {
        self.bank = bank
        self.accounts = accounts
        self.tables = tables
        self.house = house
    }

    /// Always 0: chips are conserved.
    package var imbalance: Int { bank &+ accounts &+ tables &+ house }
}

extension Shard {
    package var ledger: Ledger {
        Ledger(
            bank: bank, accounts: accounts.values.reduce(dormant.chips) { $0 &+ $1.state.chips },
            tables: hostedTables.reduce(0) { $0 &+ $1.engine.chipsOnTable },
            house: hostedTables.reduce(formerTables.houseNet) { $0 &+ $1.engine.houseNet })
    }

    /// Rounds begun at all tables.
    package var rounds: Int { hostedTables.reduce(formerTables.rounds) { $0 + $1.engine.round } }

    /// The round and the last question of a table, which `bet` and `act` name.
    package func guards(ofTable index: Int) -> (round: Int, turn: Int) {
        (hostedTables[index].engine.round, hostedTables[index].engine.turn)
    }

    /// A table's visible state and revision.
    package func shown(_ table: String) -> (revision: Int, snapshot: TableSnapshot)? {
        hostedTables.first { $0.name == table }.map { ($0.revision, $0.shown) }
    }
}
