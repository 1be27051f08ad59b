import Fairness
import Records
import TableEngine
import TableModel
import Wire

/// The account that a table belongs to.
struct TableOwner: Equatable, Sendable {
    let id: PlayerID
    let name: String
}

/// A code used by a login, returned if the login is refused.
struct OwnerClaim: Equatable, Sendable {
    let table: String
    let code: Digest
    /// The code's end in milliseconds since 1970; nil if this account has used the code before.
    let end: Int64?

    static func digest(of code: String) -> Digest { SHA256.hash(code.utf8) }
}

/// The owners of tables by the table's name, their decisions, and the codes for new owners. Kept even if a table is closed.
struct TableOwners: Sendable {
    /// Milliseconds for which a code is valid.
    static let codeMilliseconds: Int64 = 3_600_000

    private(set) var decisions: [String: OwnerDecisions] = [:]
    private var names: [PlayerID: String] = [:]
    /// At most one per table. In memory only: after a restart, the host requests a new code.
    private var codes: [String: OwnerClaim] = [:]

    init() {}

    init(_ state: SavedState, elsewhere: [PlayerID: String] = [:]) {
        (decisions, names) = (state.decisions, elsewhere)
        for owner in decisions.values.map(\.owner) { names[owner] = state.accounts[owner]?.playerName.text ?? names[owner] }
    }

    func owner(of table: String) -> TableOwner? {
        guard let id = decisions[table]?.owner, let name = names[id] else { return nil }
        return TableOwner(id: id, name: name)
    }

    // MARK: Codes

    /// - Parameter code: replaces the table's former one.
    mutating func expect(_ code: Digest, of table: String, until end: Int64) {
        codes[table] = OwnerClaim(table: table, code: code, end: end)
    }

    /// Removes a code, so that no other login can use it.
    mutating func take(_ code: Digest, at now: Int64) -> OwnerClaim? {
        codes = codes.filter { $0.value.end ?? 0 > now }
        guard let claim = codes.values.first(where: { $0.code == code }) else { return nil }
        return codes.removeValue(forKey: claim.table)
    }

    /// The table that an account owns by a code.
    func table(of owner: PlayerID, by code: Digest) -> String? {
        decisions.first { $0.value.owner == owner && $0.value.code == code }?.key
    }

    /// Restores the code of a refused login, unless there is a newer one.
    mutating func giveBack(_ claim: OwnerClaim) {
        if claim.end != nil, codes[claim.table] == nil { codes[claim.table] = claim }
    }

    // MARK: Owners

    mutating func own(_ claim: OwnerClaim, _ owner: TableOwner) {
        _ = decisions.own(claim.table, owner.id, claim.code)
        names[owner.id] = owner.name
    }

    /// - Returns: false, without effect, if the table has another owner.
    mutating func decide(_ table: String, _ owner: PlayerID, _ body: (inout OwnerDecisions) -> Void) -> Bool {
        guard decisions[table]?.owner == owner else { return false }
        decisions.decide(table, owner, body)
        return true
    }

    mutating func rename(_ owner: PlayerID, to name: String) { if names[owner] != nil { names[owner] = name } }

    /// Removes a deleted account.
    mutating func forget(_ owner: PlayerID) {
        decisions.forget(owner)
        names[owner] = nil
    }
}

/// An account becomes a table's owner by a login with a code that the host's terminal shows.
extension Shard {
    /// Uses the code of a login.
    /// - Throws: a refusal for a guest, and for a used, expired or unknown code, which counts as a wrong secret; a ``RemoteDependency`` if
    ///   another server has issued the code.
    func takeOwnerCode(_ credentials: Credentials, of name: PlayerName, _ session: Session) throws -> OwnerClaim? {
        guard let text = credentials.owner else { return nil }
        // A guest's account ends with the connection, so the code would be wasted.
        guard credentials.secret != nil else { throw Rejection.guestWithCode }
        if let partition = registryClient?.partition(ofOwnerCode: text) { throw RemoteDependency.partition(partition) }
        try mayShowSecret(session)
        let (code, id) = (OwnerClaim.digest(of: text), player(like: name))
        // A repeated login whose first reply was lost.
        if let table = id.flatMap({ owners.table(of: $0, by: code) }) {
            return OwnerClaim(table: table, code: code, end: nil)
        }
        if let claim = owners.take(code, at: now) { return claim }
        wrongSecret("wrong_owner", name.text, session)
        throw Rejection.wrongOwner
    }

    /// Makes an account the owner of a table.
    func own(_ claim: OwnerClaim, _ account: Account) {
        guard claim.end != nil else { return }
        if owners.decisions[claim.table]?.owner != account.id { endEvening(ofTable: claim.table) }
        owners.own(claim, TableOwner(id: account.id, name: account.name.text))
        apply(.owned(table: claim.table, owner: account.id, code: claim.code), to: account)
        environment.log(.info, "table_owned", ["table": claim.table, "owner": account.name])
        guard let index = lobby.indices[claim.table] else { return }
        // The former owner's decisions end.
        let table = hostedTables[index]
        let decisions = owners.decisions[table.name]
        table.owner = owners.owner(of: table.name)
        table.pass = decisions?.phrase.map(\.pass) ?? table.configuredPass
        table.sentAway = decisions?.sentAway ?? SentAway()
        listingChanged(table)
    }

    /// Updates the tables of a renamed or deleted owner.
    func ownerChanged(_ id: PlayerID) {
        for table in hostedTables where table.owner?.id == id {
            table.owner = owners.owner(of: table.name)
            listingChanged(table)
        }
    }
}

/// Requests of a table's owner.
extension Shard {
    /// The table of a player who owns it.
    func ownTable(_ session: Session) throws(Rejection) -> (owner: Account, table: HostedTable) {
        let account = try account(session)
        guard let table = account.table ?? session.watching else { throw .notAtTable }
        guard owners.owner(of: table.name)?.id == account.id else { throw .notOwner(table: table.name) }
        return (account, table)
    }

    /// Kicks a player from the owner's table, as the host's kick does, or readmits one.
    func sendAway(_ text: String, for minutes: Int, _ session: Session) throws -> Answer {
        let (owner, table) = try ownTable(session)
        guard let name = try? PlayerName(text), let id = try player(like: name) ?? absent(like: name, session), id != owner.id
        else { throw Rejection.noSuchPlayer }
        let left = table.sentAway.wait(of: id, at: now)
        func log(_ event: StaticString, _ name: PlayerName) {
            let fields: LogFields = ["table": table.name, "name": name, "owner": owner.name]
            environment.log(.info, event, fields)
        }
        guard minutes > 0 else {
            guard left != nil else { return Answer(.kick(minutes: 0)) }
            try decideOnStay(of: id, until: 0, owner, table)
            log("kick_lifted", name)
            return Answer(.kick(minutes: 0)) { [self] in
                let words = "\(owner.name.text), the owner of table \(table.name), lets you return."
                let notice = HostNotice(HostNotice.said, name: HostNotice.host, reason: words, time: now)
                accounts[id]?.session?.sender.send(ServerMessage.notice(notice).encoded())
            }
        }
        // Idempotent: keeps the end of an earlier kick.
        if let left { return Answer(.kick(minutes: Int((left + 59_999) / 60_000))) }
        guard let account = accounts[id],
            account.table === table && !account.isKicked || account.session?.watching === table
        else { throw Rejection.noSuchPlayer }
        guard account.session?.isHouse != true else { throw Rejection.houseBot }
        try decideOnStay(of: id, until: now + Int64(minutes) * 60_000, owner, table)
        log("kicked", account.name)
        return Answer(.kick(minutes: minutes)) { [self] in
            let time = UniversalTime.duration(minutes * 60_000)
            let message = "\(owner.name.text), the owner of table \(table.name), has kicked you for \(time)"
            _ = kick(id, message: message, by: owner.name.text, at: now)
        }
    }

    /// - Parameter end: see ``Record/sentAway(table:owner:_:until:)``.
    private func decideOnStay(
        of player: PlayerID, until end: Int64, _ owner: Account, _ table: HostedTable
    ) throws(Rejection) {
        try decide(.sentAway(table: table.name, owner: owner.id, player, until: end), at: table, owner) {
            $0.sentAway.insert(player, until: end)
        }
        table.sentAway.insert(player, until: end)
    }

    func decide(
        _ record: Record, at table: HostedTable, _ owner: Account, _ body: (inout OwnerDecisions) -> Void
    ) throws(Rejection) {
        guard owners.decide(table.name, owner.id, body) else { throw .notOwner(table: table.name) }
        environment.record(record)
    }

    /// Sets or removes the pass phrase of the owner's table.
    func changePass(_ pass: String?, _ session: Session) throws(Rejection) -> Answer {
        let (owner, table) = try ownTable(session)
        let phrase = OwnerPhrase(pass: pass == "" ? nil : pass, configured: table.configuredPass)
        if owners.decisions[table.name]?.phrase == phrase { return Answer(.done("pass")) }
        let record = Record.ownerPass(table: table.name, owner: owner.id, phrase.pass, configured: phrase.configured)
        try decide(record, at: table, owner) { $0.phrase = phrase }
        table.pass = phrase.pass
        listingChanged(table)
        // Logs the change, never the phrase.
        environment.log(
            .info, "table_pass_changed",
            ["table": table.name, "pass": table.pass == nil ? "none" : "set", "owner": owner.name])
        // Players at the table need the phrase to reconnect.
        let words = table.pass.map { "The new pass phrase of this table: \($0)" } ?? "This table no longer has a pass phrase."
        return Answer(.done("pass")) { [now] in
            table.broadcast(.notice(HostNotice(HostNotice.said, name: HostNotice.host, reason: words, time: now)))
        }
    }

    /// The decisions of a table's owner, without a phrase that a start has replaced by the configuration's new one.
    func takeDecisions(_ setting: ShardConfiguration.TableSetting) -> OwnerDecisions? {
        let decisions = owners.decisions[setting.name]
        guard let decisions, let phrase = decisions.phrase else { return decisions }
        precondition(phrase.configured == setting.pass, "a start overrules other phrases")
        environment.log(
            .info, "owner_pass_kept",
            [
                "table": setting.name, "pass": phrase.pass == nil ? "none" : "set",
                "owner": owners.owner(of: setting.name)?.name ?? "",
            ])
        return decisions
    }
}
