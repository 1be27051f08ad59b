import Operations
import Rules
import TableEngine
import TableModel
import Wire

/// What an operator does to a running shard, and sees of it.
extension Shard {
    /// Has other bounds hold from now on. Tables are opened and closed one by one.
    func reconfigure(_ configuration: ShardConfiguration) { self.configuration = configuration.bounded }

    /// Sends a player home: the seat is given up, as if he had left, and the connection is closed. The chips are kept for a while; those of a
    /// player who is away already are not. All at the table are told.
    /// - Returns: whether the player is at home on this loop.
    func kick(_ id: PlayerID, reason: String = "", at now: Int64) -> Bool {
        self.now = now
        guard let account = accounts[id] else { return false }
        let table = account.table
        if account.session != nil, let table { try? table.perform(.leave(player: id), at: now) }
        let seenAt = table ?? account.session?.watching
        if let session = account.session {
            let end = reason.isEmpty ? "." : ": \(reason)"
            dismiss(session.connection, .kicked, "The host has sent you home" + end)
        }
        if let seenAt {
            let notice = HostNotice(HostNotice.kicked, name: account.name.text, reason: reason.isEmpty ? nil : reason, time: now)
            seenAt.tell(.notice(notice), except: account.session)
        }
        if account.session == nil { evict(id, at: now) } else if let table { publish(table) }
        return true
    }

    /// Where the connections of this loop come from, and the players who are away.
    var addresses: Set<IPAddress> {
        Set(sessions.values.compactMap(\.address)).union(accounts.values.compactMap { $0.session == nil ? $0.address : nil })
    }

    /// Closes every connection from addresses that are banned now, and forgets the players who came from there.
    /// - Returns: how many connections.
    func dismiss(from banned: Set<IPAddress>, at now: Int64) -> Int {
        self.now = now
        let dismissed = sessions.values.filter { session in session.address.map { banned.contains($0) } ?? false }
        for session in dismissed.sorted(by: { $0.connection < $1.connection }) {
            dismiss(session.connection, .banned, "The host does not want this address here.")
        }
        let away = accounts.values.filter { account in
            account.session == nil && account.address.map { banned.contains($0) } ?? false
        }
        for account in away.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { evict(account.id, at: now) }
        return dismissed.count
    }

    /// Opens a table whose place is reserved.
    func open(_ setting: ShardConfiguration.TableSetting, at index: Int) {
        precondition(directory.loop(ofTable: index) == loop, "a table is opened on its loop")
        let table = makeTable(setting, index)
        put(table)
        directory.list(index, table.summary)
        listingChanged(table)
        if directory.loops > 1 { environment.spreadLobby() }
        // The house began to close while the table was on its way.
        if isDraining { closeTable(index, at: now) }
    }

    /// Has a table close when its round is over: no new seats from now on.
    func closeTable(_ index: Int, reason: String = "", at now: Int64) {
        self.now = now
        // It may have closed for good meanwhile.
        guard let table = hostedTable(at: index) else { return }
        // Refused only by a table that closes already.
        try? table.perform(.close(ClosingNotice(.table, reason: reason)), at: now)
        listingChanged(table)
        publish(table)
    }

    /// Has a table ask newcomers for another pass phrase, or for none. Those who watch or sit there stay.
    func setPass(_ pass: String?, ofTable index: Int) {
        guard let table = hostedTable(at: index) else { return }
        table.pass = pass
        listingChanged(table)
    }

    /// A table has closed for good: it is not listed any more. When the whole house closes the list stays: there is nobody to read it.
    func tableClosed(_ table: HostedTable) {
        guard !isDraining, directory.unlist(table.index, table.name) else { return }
        environment.log(.info, "table_closed", [LogField("table", table.name)])
        scheduleLobby()
        if directory.loops > 1 { environment.spreadLobby() }
    }
}

extension Shard {
    /// Those who have seen a table close watch nothing any more; the others have yet to catch up with it.
    func letViewersGo(_ table: HostedTable) {
        for viewer in table.viewers where viewer.behind == nil { stopWatching(viewer.session) }
        forgetIfGone(table)
    }
}

/// What is measured of one loop's part of the house; parts add up.
struct ShardMeasurement: Sendable {
    var players = [0, 0]
    var tables = [Int](repeating: 0, count: TableActivity.allCases.count)
    var seats = [Int](repeating: 0, count: SeatState.allCases.count)
    var chipsInPlay = 0
    var imbalance = 0
    /// Filled in by whoever has the connections.
    var outboundBytes = 0

    static func + (a: Self, b: Self) -> Self {
        var sum = a
        for index in sum.players.indices { sum.players[index] += b.players[index] }
        for index in sum.tables.indices { sum.tables[index] += b.tables[index] }
        for index in sum.seats.indices { sum.seats[index] += b.seats[index] }
        sum.chipsInPlay &+= b.chipsInPlay
        sum.imbalance &+= b.imbalance
        sum.outboundBytes += b.outboundBytes
        return sum
    }
}

extension Shard {
    /// What there is to see now.
    func measure() -> ShardMeasurement {
        var result = ShardMeasurement()
        for account in accounts.values {
            result.players[(account.session == nil ? PlayerState.away : .here).rawValue] += 1
        }
        for table in hostedTables {
            let table = table.engine
            result.tables[TableActivity(RoundPhase(table.phase)).rawValue] += 1
            guard table.phase != .closed else { continue }
            var taken = 0
            for player in table.playerViews {
                let state: SeatState = player.profile.isBot ? .bot : player.isAway ? .away : .player
                result.seats[state.rawValue] += player.seats.count
                taken += player.seats.count
            }
            result.seats[SeatState.free.rawValue] += table.rules.seats - taken
        }
        let ledger = ledger
        result.chipsInPlay = ledger.tables
        result.imbalance = ledger.imbalance
        return result
    }

    /// Counts what facts mean for the metrics.
    func count(_ facts: [Fact]) {
        let metrics = directory.metrics
        for fact in facts {
            switch fact {
            case .roundStarted: metrics.rounds.add()
            case .settled(_, _, let outcome, _, _): metrics.hands[HandOutcome(outcome)].add()
            case .stood(_, _, .timedOut), .declined(_, timedOut: true): metrics.timeouts.add()
            default: break
            }
        }
    }
}
