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
        guard account.session?.isHouse != true else { throw .houseBot }
        let end = now + SentAway.milliseconds
        table.sentAway.insert(account.id, until: end)
        directory.decide(table.name, owner.id) { $0.sentAway.insert(account.id, until: end) }
        environment.record(.sentAway(table: table.name, owner: owner.id, account.id, until: end))
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
        let phrase = OwnerPhrase(pass: pass == "" ? nil : pass, configured: table.configuredPass)
        table.pass = phrase.pass
        directory.decide(table.name, owner.id) { $0.phrase = phrase }
        environment.record(
            .ownerPass(table: table.name, owner: owner.id, phrase.pass, configured: phrase.configured))
        listingChanged(table)
        // Logs the change, never the phrase.
        environment.log(
            .info, "table_pass_changed",
            [
                LogField("table", table.name), LogField("pass", table.pass == nil ? "none" : "set"),
                LogField("owner", owner.name),
            ])
        return Answer(.done("pass"))
    }

    /// Says that the owner whom a table's setting names has no account.
    func warnOfUnknownOwner(_ setting: ShardConfiguration.TableSetting) {
        guard let name = setting.owner else { return }
        var fields = [LogField("table", setting.name), LogField("owner", name)]
        if !environment.isRecording { fields.append(LogField("data", "none")) }
        environment.log(.warning, "table_owner_unknown", fields)
    }

    /// The decisions of a table's owner that hold when it opens. The owner's phrase holds unless the configuration names another
    /// one than it did when the owner set theirs.
    func takeDecisions(_ setting: ShardConfiguration.TableSetting, _ owner: TableOwner?) -> OwnerDecisions? {
        if owner == nil { warnOfUnknownOwner(setting) }
        let decisions = directory.decisions(ofTable: setting.name, by: owner?.id)
        guard let owner, let decisions else { return nil }
        guard let phrase = decisions.phrase else { return decisions }
        let fields = [
            LogField("table", setting.name), LogField("pass", phrase.pass == nil ? "none" : "set"),
            LogField("owner", owner.name),
        ]
        guard phrase.configured == setting.pass else {
            directory.overrulePhrase(ofTable: setting.name)
            environment.record(.pass(table: setting.name, setting.pass))
            environment.log(.info, "owner_pass_overruled", fields)
            return directory.decisions(ofTable: setting.name, by: owner.id)
        }
        environment.log(.info, "owner_pass_kept", fields)
        return decisions
    }

    /// An account that may own tables has another name, or is deleted.
    func ownerChanged(_ id: PlayerID, name: String?) {
        for table in hostedTables where table.owner?.id == id {
            table.owner = name.map { TableOwner(id: id, name: $0) }
            listingChanged(table)
        }
    }
}
