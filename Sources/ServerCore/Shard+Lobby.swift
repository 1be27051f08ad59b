import Rules
import TableEngine
import TableModel
import Wire

/// The lobby: the list of tables, and its followers.
extension Shard {
    /// Records that a table's entry may have changed. Changes are debounced.
    func listingChanged(_ table: HostedTable) {
        lobbyChanges.insert(table.index)
        if directory.loops > 1 { directory.note(freeSeats: table.pass == nil ? table.freeSeats : 0, ofTable: table.index) }
        scheduleLobby()
    }

    func scheduleLobby() {
        guard !isLobbyScheduled else { return }
        isLobbyScheduled = true
        environment.setTimer(.lobby, at: now + configuration.lobbyMilliseconds)
    }

    /// Updates the directory's lobby and sends its changes to the followers on this shard.
    func publishLobby() {
        isLobbyScheduled = false
        if !lobbyChanges.isEmpty {
            let changes = lobbyChanges.sorted().compactMap { index in hostedTable(at: index).map { (index, $0.summary) } }
            lobbyChanges = []
            // Other loops read the directory at once.
            environment.handOver()
            if directory.update(changes), directory.loops > 1 { environment.spreadLobby() }
        }
        let lobby = directory.lobby
        defer { sentLobby = lobby }
        guard lobby.revision != sentLobby.revision else { return }
        let followers = sessions.values.filter(\.followsLobby)
        guard !followers.isEmpty else { return }
        // Also a change of nothing that is listed: followers count its revision.
        let line = ServerMessage.lobby(lobby.change(since: sentLobby)).encoded()
        for session in followers.sorted(by: { $0.connection < $1.connection }) {
            // A congested follower misses the line and detects the gap in the revisions.
            _ = session.sender.offer(line)
        }
    }

    /// The rules of any table, also of other loops: rules never change.
    func rules(ofTable named: String?, _ session: Session) throws(RequestRefusal) -> Reply {
        let (name, rules) = try tableRules(named, session)
        return .rules(table: name, TableRules(rules, digest: rules.digest.hex))
    }

    /// The table of that name, or the one that is meant without a name.
    func tableRules(_ named: String?, _ session: Session) throws(RequestRefusal) -> (name: String, rules: HouseRules) {
        let tables = directory.lobby.tables
        guard
            let name = named ?? session.account?.table?.name ?? session.watching?.name
                ?? (tables.count == 1 ? tables[0].name : nil)
        else { throw .noTableNamed }
        guard let rules = tables.first(where: { $0.name == name })?.rules else { throw .noSuchTable }
        return (name, rules)
    }

    func showLobby(_ follow: Bool?, to session: Session) -> Reply {
        publishLobby()
        if let follow { session.followsLobby = follow }
        return .lobby(revision: sentLobby.revision, total: sentLobby.tables.count, Array(sentLobby.listed))
    }
}
