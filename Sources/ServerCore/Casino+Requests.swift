import TableEngine
import TableModel
import Wire

/// What each request does. A refusal is thrown before anything has changed.
extension Casino {
    func carryOut(_ message: ClientMessage, _ id: RequestID?, from connection: ConnectionID, at now: Int64) throws {
        switch message {
        case .ping: send(.ok(id: id, .ping(time: now)), to: connection)
        case .available(let name):
            let name = try PlayerName(name)
            send(.ok(id: id, .available(accounts.named(name) == nil)), to: connection)
        case .lobby: send(.ok(id: id, .lobby(hosts.map(\.summary))), to: connection)
        case .login(let name, let token, let isBot, let version):
            guard version == WireLimits.version else { throw ProtocolError.unsupportedVersion(version) }
            try logIn(PlayerName(name), token, isBot, id, connection, now)
        case .watch(let table): try watch(table, id, connection, now)
        case .sit(let table, let seat): try sit(table, seat, id, connection, now)
        case .leave: try leave(id, connection, now)
        case .logout: try logOut(id, connection, now)
        case .bet(let amount, let seat):
            try play("bet", id, connection, now) { .bet(player: $0, seat: seat, amount: amount) }
        case .act(let action, let seat, let hand, let amount):
            try play("act", id, connection, now) {
                .act(player: $0, action: action, seat: seat, hand: hand.map { $0 - 1 }, amount: amount)
            }
        case .sitOut: try play("sitOut", id, connection, now) { .sitOut(player: $0) }
        case .sitIn: try play("sitIn", id, connection, now) { .sitIn(player: $0) }
        }
    }

    private func logIn(
        _ name: PlayerName, _ token: String?, _ isBot: Bool, _ id: RequestID?, _ connection: ConnectionID, _ now: Int64
    ) throws {
        guard sessions[connection]?.player == nil else { throw CasinoRefusal.alreadyLoggedIn }
        if let known = accounts.named(name) {
            guard let token else { throw CasinoRefusal.nameTaken }
            guard isSame(token, known.token) else { throw CasinoRefusal.wrongToken }
            takeOver(known, connection)
        } else {
            guard accounts.count < configuration.maximumPlayers else { throw CasinoRefusal.serverFull }
            let secret = environment.randomBytes(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let account = accounts.open(
                name, token: secret, isBot: isBot, chips: configuration.startingChips, connection: connection)
            sessions[connection]?.player = account.id
        }
        environment.remind(.connection(connection), at: now + configuration.idleMilliseconds)
        guard let player = sessions[connection]?.player, let account = accounts[player] else { return }
        environment.log(.info, "login", [LogField("conn", connection), LogField("name", account.name)])
        let host = account.table.map { hosts[$0] }
        let reply = LoginReply(
            name: account.name.text, token: account.token, chips: account.chips, table: host?.name,
            seats: host?.table.seats(of: player) ?? [])
        send(.ok(id: id, .login(reply)), to: connection)
        guard let index = account.table else { return }
        _ = try? hosts[index].perform(.reconnected(player: player), at: now)
        publish(index)
        show(index, to: connection)
    }

    /// The newest connection speaks for the player; the one before is told and closed.
    private func takeOver(_ account: Account, _ connection: ConnectionID) {
        environment.remind(.player(account.id), at: nil)
        if let old = account.connection, sessions[old] != nil {
            sessions[old]?.player = nil
            if let index = sessions[old]?.watching { hosts[index].removeViewer(old) }
            sessions[old]?.watching = nil
            send(.bye(code: "replaced", message: "The player has come back on another connection."), to: old)
            environment.close(old)
        }
        accounts.update(account.id) {
            $0.connection = connection
            $0.isExpired = false
        }
        sessions[connection]?.player = account.id
    }

    private func watch(_ table: String?, _ id: RequestID?, _ connection: ConnectionID, _ now: Int64) throws {
        let player = try player(connection)
        let index = try find(table) ?? sessions[connection]?.watching ?? only()
        if let seated = accounts[player]?.table, seated != index { throw CasinoRefusal.alreadyAtTable(hosts[seated].name) }
        send(.ok(id: id, .watch(table: hosts[index].name)), to: connection)
        show(index, to: connection)
    }

    private func sit(_ table: String?, _ seat: Int?, _ id: RequestID?, _ connection: ConnectionID, _ now: Int64) throws {
        let player = try player(connection)
        let index = try find(table) ?? accounts[player]?.table ?? sessions[connection]?.watching ?? anyFree()
        // A hand that is due to end may bring the player's chips home first.
        tick(index, at: now)
        guard let account = accounts[player] else { throw CasinoRefusal.notLoggedIn }
        if let seated = account.table, seated != index { throw CasinoRefusal.alreadyAtTable(hosts[seated].name) }
        let host = hosts[index]
        // Who comes with less than a bet is lent a new stake: these are chips to play with.
        let isBroke = account.table == nil && account.chips < host.table.rules.minimumBet
        let loan = isBroke ? max(configuration.startingChips, host.table.rules.minimumBet) : 0
        let command = Command.sit(
            player: player, profile: PlayerProfile(name: account.name.text, isBot: account.isBot), seat: seat,
            chips: account.chips + loan)
        let facts = try host.perform(command, at: now)
        if loan > 0 { accounts.lend(player, loan) }
        accounts.takeChips(player, to: index)
        let taken = facts.compactMap { if case .sat(player, _, let seat, _) = $0 { seat } else { nil } }.first ?? 0
        environment.log(
            .info, "sat", [LogField("table", host.name), LogField("seat", taken), LogField("name", account.name)])
        send(.ok(id: id, .sit(table: host.name, seat: taken)), to: connection)
        publish(index)
        if sessions[connection]?.watching != index { show(index, to: connection) }
    }

    private func leave(_ id: RequestID?, _ connection: ConnectionID, _ now: Int64) throws {
        let player = try player(connection)
        let seated = accounts[player]?.table
        guard let index = seated ?? sessions[connection]?.watching else { throw CasinoRefusal.notAtTable }
        if seated != nil { try hosts[index].perform(.leave(player: player), at: now) }
        sessions[connection]?.watching = nil
        hosts[index].removeViewer(connection)
        send(.ok(id: id, .done("leave")), to: connection)
        publish(index)
    }

    /// The player is forgotten as soon as he is at no table; the chips go back to the bank.
    private func logOut(_ id: RequestID?, _ connection: ConnectionID, _ now: Int64) throws {
        let player = try player(connection)
        let seated = accounts[player]?.table
        if let index = sessions[connection]?.watching { hosts[index].removeViewer(connection) }
        sessions[connection]?.watching = nil
        sessions[connection]?.player = nil
        accounts.update(player) {
            $0.connection = nil
            $0.isExpired = true
        }
        if let seated {
            // Refused only when he is leaving already.
            _ = try? hosts[seated].perform(.leave(player: player), at: now)
        } else {
            accounts.close(player)
        }
        send(.ok(id: id, .done("logout")), to: connection)
        send(.bye(code: "logged_out", message: "Goodbye."), to: connection)
        environment.close(connection)
        if let seated { publish(seated) }
    }

    /// A command of a player to the table where he sits.
    private func play(
        _ type: String, _ id: RequestID?, _ connection: ConnectionID, _ now: Int64, _ command: (PlayerID) -> Command
    ) throws {
        let player = try player(connection)
        guard let index = accounts[player]?.table else { throw CasinoRefusal.notAtTable }
        try hosts[index].perform(command(player), at: now)
        send(.ok(id: id, .done(type)), to: connection)
        publish(index)
    }

    private func show(_ index: Int, to connection: ConnectionID) {
        if let old = sessions[connection]?.watching, old != index { hosts[old].removeViewer(connection) }
        sessions[connection]?.watching = index
        hosts[index].addViewer(connection)
    }

    private func player(_ connection: ConnectionID) throws(CasinoRefusal) -> PlayerID {
        guard let player = sessions[connection]?.player else { throw .notLoggedIn }
        return player
    }

    private func find(_ table: String?) throws(CasinoRefusal) -> Int? {
        guard let table else { return nil }
        guard let index = hosts.firstIndex(where: { $0.name == table }) else { throw .noSuchTable }
        return index
    }

    private func only() throws(CasinoRefusal) -> Int {
        guard hosts.count == 1 else { throw .noTableNamed }
        return 0
    }

    /// The first table with a free seat; the first of all when there is none, so that it says that it is full.
    private func anyFree() -> Int { hosts.firstIndex { $0.summary.freeSeats > 0 } ?? 0 }

    /// Compares in a time that says nothing about where two secrets differ.
    private func isSame(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
