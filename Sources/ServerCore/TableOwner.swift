import Operations
import Records
import TableEngine
import TableModel
import Wire

/// The account that a table belongs to.
struct TableOwner: Equatable, Sendable {
    let id: PlayerID
    var name: String
}

extension SavedState {
    /// The accounts that own these tables by the configuration, by name. Only an account with a secret can own a table.
    func owners(of tables: [ShardConfiguration.TableSetting]) -> [String: TableOwner] {
        var owners: [String: TableOwner] = [:]
        for name in Set(tables.compactMap(\.owner)) {
            guard let account = account(named: name), account.secret != nil else { continue }
            owners[name] = TableOwner(id: account.id, name: account.shownName)
        }
        return owners
    }
}

/// Players whom a table's owner has sent away. Not kept across a restart.
struct SentAway {
    /// Milliseconds for which a player may not sit there.
    static let milliseconds: Int64 = 600_000
    /// Players at most; the one whose time ends first makes room.
    static let capacity = 64

    private var ends: [PlayerID: Int64] = [:]

    mutating func insert(_ player: PlayerID, at now: Int64) {
        ends = ends.filter { $0.value > now }
        if ends.count >= Self.capacity, let first = ends.min(by: { $0.value < $1.value }) { ends[first.key] = nil }
        ends[player] = now + Self.milliseconds
    }

    /// Milliseconds that are left; nil for a player who may sit.
    func wait(of player: PlayerID, at now: Int64) -> Int64? { ends[player].flatMap { $0 > now ? $0 - now : nil } }
}

/// Requests of a table's owner.
extension Shard {
    /// The table of a player who owns it.
    private func ownTable(_ session: Session) throws(RequestRefusal) -> (owner: Account, table: HostedTable) {
        let account = try account(session)
        guard let table = account.table ?? session.watching else { throw .notAtTable }
        guard table.owner?.id == account.id else { throw .notOwner(table: table.name) }
        return (account, table)
    }

    /// Sends a player away from the owner's table, as the host's kick does.
    func sendAway(_ text: String, _ session: Session) throws(RequestRefusal) -> Answer {
        let (owner, table) = try ownTable(session)
        // Somebody at this table is on this loop.
        guard let name = try? PlayerName(text), let location = directory.location(of: name), location.id != owner.id,
            let account = accounts[location.id], account.name.key == name.key,
            account.table === table || account.session?.watching === table
        else { throw .noSuchPlayer }
        table.sentAway.insert(account.id, at: now)
        environment.log(
            .info, "sent_away",
            [LogField("table", table.name), LogField("name", account.name), LogField("owner", owner.name)])
        return Answer(.done("kick")) { [self] in
            let minutes = SentAway.milliseconds / 60_000
            let message = "\(owner.name.text), the owner of table \(table.name), has sent you away for \(minutes) minutes"
            _ = kick(account.id, message: message, by: owner.name.text, at: now)
        }
    }

    /// Sets or takes away the pass phrase of the owner's table.
    func changePass(_ pass: String?, _ session: Session) throws(RequestRefusal) -> Answer {
        let (owner, table) = try ownTable(session)
        setPass(pass == "" ? nil : pass, ofTable: table.index)
        // Logs the change, never the phrase.
        environment.log(
            .info, "table_pass_changed",
            [
                LogField("table", table.name), LogField("pass", table.pass == nil ? "none" : "set"),
                LogField("owner", owner.name),
            ])
        return Answer(.done("pass"))
    }

    /// An account that may own tables has another name, or is deleted.
    func ownerChanged(_ id: PlayerID, name: String?) {
        for table in hostedTables where table.owner?.id == id {
            table.owner = name.map { TableOwner(id: id, name: $0) }
            listingChanged(table)
        }
    }
}
