import TableEngine
import TableModel
import Wire

/// The list of tables: asked for once, or followed.
extension Shard {
    /// Notes that a table may be listed otherwise from now on, and has that told after a moment, together with whatever changes until then.
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

    /// Brings the house's list up to date and tells those who follow it here.
    func tellLobby() {
        isLobbyScheduled = false
        if !lobbyChanges.isEmpty {
            let changes = lobbyChanges.sorted().compactMap { index in hostedTable(at: index).map { (index, $0.summary) } }
            lobbyChanges = []
            if directory.update(changes), directory.loops > 1 { environment.spreadLobby() }
        }
        let lobby = directory.lobby
        defer { toldLobby = lobby }
        guard lobby.revision != toldLobby.revision, let change = lobby.change(since: toldLobby) else { return }
        let followers = sessions.values.filter(\.followsLobby)
        guard !followers.isEmpty else { return }
        let line = ServerMessage.lobby(change).encoded()
        for session in followers.sorted(by: { $0.connection < $1.connection }) {
            // Who does not read has lost the thread; the gap in the revisions says so.
            _ = session.sender.offer(line)
        }
    }

    /// The rules of any table of the house, whichever loop it is on: they never change.
    func rules(ofTable named: String?, _ session: Session) throws(RequestRefusal) -> Reply {
        let tables = directory.lobby.tables
        guard
            let name = named ?? session.account?.table?.name ?? session.watching?.name
                ?? (tables.count == 1 ? tables[0].name : nil)
        else { throw .noTableNamed }
        guard let rules = tables.first(where: { $0.name == name })?.rules else { throw .noSuchTable }
        return .rules(table: name, TableRules(rules, digest: rules.digest.hex))
    }

    func showLobby(_ follow: Bool?, to session: Session) -> Reply {
        tellLobby()
        if let follow { session.followsLobby = follow }
        return .lobby(revision: toldLobby.revision, total: toldLobby.tables.count, Array(toldLobby.listed))
    }
}
