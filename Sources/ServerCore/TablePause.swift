import Records
import TableEngine
import TableModel
import Wire

/// The pause of a table by its owner: clocks stand still, nothing else.
///
/// While it lasts, the table arms no timer but that of the pause's end, and postpones its deadlines by what has passed before each command and at the
/// end (``HostedTable/step(_:at:in:)``); so do the times for which absent players keep their seats.
extension Shard {
    func pause(_ isOn: Bool, _ reason: String?, _ session: Session) throws -> Answer {
        let (owner, table) = try ownTable(session)
        let reason = try reason.map { text throws(ProtocolError) in try ChatText(text).text } ?? ""
        let answer = { Answer(.applied("pause", at: table.describe())) { table.publish() } }
        guard isOn else {
            endPause(of: table)
            return answer()
        }
        guard !table.engine.isClosing else { throw Rejection.tableClosing }
        // Due time-outs are over, or what has passed in the pause so far.
        tick(table, at: now)
        guard table.evening.pause?.reason != reason else { return answer() }
        // Its reason reaches as many as a line of chat.
        try payChat(owner, session, isReaction: false)
        let until = table.evening.pause?.until ?? now + Evening.Pause.longest
        try decide(
            .ownerPause(table: table.name, owner: owner.id, until: until, reason: reason, time: now), at: table, owner
        ) { _ in }
        table.pause(Evening.Pause(since: now, until: until, reason: reason), in: environment)
        pausedTables.insert(table.index)
        environment.log(.info, "table_paused", ["table": table.name, "owner": owner.name])
        return answer()
    }

    private func endPause(of table: HostedTable) {
        guard table.isPaused, let owner = owners.decisions[table.name]?.owner else { return }
        perform(.tick, at: table, now)
        environment.record(.ownerPause(table: table.name, owner: owner, until: nil, time: now))
        table.pause(nil, in: environment)
        pauseEnded(at: table)
    }

    /// Another account becomes the owner.
    func endEvening(ofTable name: String) {
        guard let index = lobby.indices[name] else { return }
        endPause(of: hostedTables[index])
        hostedTables[index].play(nil)
        hostedTables[index].publish()
    }

    /// An account is about to be deleted.
    func endEvenings(of owner: PlayerID) {
        for table in hostedTables where owners.decisions[table.name]?.owner == owner { endEvening(ofTable: table.name) }
    }

    /// The timer of a table has fired.
    func endPauseIfOver(_ table: HostedTable) {
        if table.isPaused, table.pauseEnd <= now { endPause(of: table) }
    }

    /// The connection of a player has ended, or there is one again.
    func ownerChanged(_ id: PlayerID, isHere: Bool) {
        for table in pausedTables.sorted().map({ hostedTables[$0] }) where owners.decisions[table.name]?.owner == id {
            let until = table.evening.pause?.until ?? 0
            // An earlier connection may have ended before.
            let end = isHere ? until : min(table.pauseEnd, now + Evening.Pause.withoutOwner)
            if end != table.pauseEnd { table.endPause(at: end, in: environment) }
        }
    }

    /// Absent players keep their seats for longer.
    func holdSeats(at table: HostedTable, for milliseconds: Int) {
        forEachAbsent(at: table) { $0.heldUntil += Int64(milliseconds) }
    }

    /// The times for which absent players keep their seats run again.
    func pauseEnded(at table: HostedTable) {
        pausedTables.remove(table.index)
        environment.log(.info, "table_resumed", ["table": table.name])
        forEachAbsent(at: table) { environment.setTimer(.player($0.id), at: $0.heldUntil) }
    }

    private func forEachAbsent(at table: HostedTable, _ body: (Account) -> Void) {
        for player in table.engine.playerViews {
            if let account = accounts[player.id], account.session == nil { body(account) }
        }
    }
}
