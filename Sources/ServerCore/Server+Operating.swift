import Dispatch
import Journal
import Records
import Sockets
import Synchronization
import TableEngine
import TableModel
import Wire

/// A table's status, for the operator.
public struct TableStatus: Sendable {
    public let name: String
    public let phase: String
    public let seats: Int
    public let taken: Int
    /// Connections that watch, players included.
    public let viewers: Int
    public let round: Int
    /// Chips of its players and bets.
    public let chips: Int
    public let minimumBet: Int
    public let maximumBet: Int
    /// The pass phrase in force; nil: the table is open to all.
    public let pass: String?
    /// Whether the owner's word on the phrase differs from the configuration's.
    public let isPassOwners: Bool
    /// nil: the host's table.
    public let owner: String?
    public let isClosing: Bool
}

/// A player's status, for the operator.
public struct PlayerStatus: Sendable {
    public let name: String
    public let isBot: Bool
    /// nil for a player without a table.
    public let table: String?
    public let seats: [Int]
    /// In the account and at the table, without bets.
    public let chips: Int
    /// nil while the player is away.
    public let connection: UInt64?
    public let address: IPAddress?
    /// Milliseconds since the player's last line; nil while they are away.
    public let idle: Int64?
}

/// Operator commands. They wait for the loop, so none may be called on a loop.
extension Server {
    /// How codes for ``expectOwner(ofTable:code:)`` begin, so that a login with one at any server of the house gets here; empty for a house of
    /// one server.
    public var ownerCodePrefix: String { registrar.map { "\($0.registry.partition)-" } ?? "" }

    /// Has a code, once and for an hour, make the account that logs in with it the table's owner, in place of the table's former code.
    /// - Parameter code: nobody can guess it; at most ``WireLimits/codeBytes``.
    /// - Returns: false if there is no such table.
    public func expectOwner(ofTable name: String, code: String) -> Bool {
        guard directory.index(ofTable: name) != nil else { return false }
        let (digest, end) = (OwnerClaim.digest(of: code), now + TableOwners.codeMilliseconds)
        directory.owners.withLock { $0.expect(digest, of: name, until: end) }
        return true
    }

    /// The evening's results, the best first.
    public var evening: [EveningResult] { directory.evening.withLock { $0 }.ranking }

    /// Disconnects a player and gives up the seat.
    /// - Returns: false if no resident player has this name.
    @discardableResult
    public func kick(_ name: String, reason: String = "") -> Bool {
        guard let name = try? PlayerName(name) else { return false }
        return driver.performAndWait { driver in
            let id = directory.location(of: name)?.id
            return id.map { driver.shard.kick($0, reason: reason, at: now) } ?? false
        }
    }

    /// Says the host's words at a table; nil: at all tables.
    /// - Returns: the number of people there, without bots; nil if there is no such table.
    public func say(_ words: ChatText, at table: String? = nil) -> Int? {
        let index = table.flatMap { directory.index(ofTable: $0) }
        guard table == nil || index != nil else { return nil }
        return driver.performAndWait { $0.shard.say(words, at: index, at: now) }
    }

    /// Bans a block for the operator and closes its connections.
    /// - Parameter seconds: duration, at least 1; nil for ever.
    /// - Returns: the number of closed connections; nil if the operator's bans have reached the limit.
    public func ban(_ block: AddressBlock, seconds: Int?) -> Int? {
        let now = now
        let end = seconds.map { now + Int64($0.clamped(to: 1...31_536_000)) * 1000 }
        guard directory.ban(block, until: end, at: now) else { return nil }
        record(.banned(block: block.description, until: end))
        share(block, until: end)
        return dismissBanned()
    }

    /// Lifts the operator's ban of exactly this block. Bans by the configuration stay.
    public func unban(_ block: AddressBlock) -> Unbanning {
        let result = directory.unban(block, at: now)
        if result.isLifted {
            record(.unbanned(block: block.description))
            share(block, until: 0)
        }
        return result
    }

    /// Has the other servers of the house ban a block, too.
    private func share(_ block: AddressBlock, until end: Int64?) {
        guard registrar?.ban(block, until: end) == false else { return }
        writeLog("ban_not_shared", [LogField("block", block)], level: .warning)
    }

    /// Where relays from other servers of the house reach this one: host and port of its listener for proxies.
    public func announce(relay: String?) { registrar?.announce(relay) }

    /// The house's other servers have other tables, or bans.
    func houseChanged(_ old: HouseNotice, _ new: HouseNotice) {
        for reason in new.damage.subtracting(old.damage).sorted() {
            writeLog("row_damaged", [LogField("reason", reason)], level: .error)
        }
        if old.partitions != new.partitions {
            directory.list(elsewhere: new)
            for (partition, notice) in new.partitions {
                guard let address = notice.relay, address != old.partitions[partition]?.relay else { continue }
                relays?.perform { $0.moved(partition, to: address) }
            }
            driver.perform { $0.fire(.lobby) }
        }
        guard old.bans != new.bans else { return }
        let now = now
        for (block, end) in new.bans where old.bans[block] != .some(end) {
            // Of its own record, if it was banned here.
            if end.map({ $0 > now }) ?? true {
                _ = directory.ban(block, until: end, at: now)
            } else if directory.unban(block, at: now).isLifted {
                record(.unbanned(block: block.description))
            }
        }
        for block in old.bans.keys where new.bans[block] == nil { _ = directory.unban(block, at: now) }
        dismissBanned()
    }

    /// Records an event that the loop does not own.
    private func record(_ record: Record) {
        if let journal { _ = journal.append(record.encoded()) }
    }

    /// The active bans.
    public var bans: [BanList.Entry] { directory.bans(at: now) }

    @discardableResult
    private func dismissBanned() -> Int {
        // Matches addresses on this thread; the loop only lists its addresses and closes connections.
        let banned = inspect(\.addresses).filter { directory.isBanned($0, at: now) }
        return banned.isEmpty ? 0 : driver.performAndWait { $0.shard.dismiss(from: banned, at: now) }
    }

    /// Hands in play at all tables.
    public var handsInPlay: Int { inspect { $0.hostedTables.reduce(0) { $0 + $1.engine.handsInPlay } } }

    /// Every open table.
    public var tableStatuses: [TableStatus] {
        inspect { $0.hostedTables.filter { $0.engine.phase != .closed }.map(TableStatus.init) }
    }

    /// Every resident player, by name.
    public var playerStatuses: [PlayerStatus] {
        inspect { $0.accounts.values.map { PlayerStatus($0, now: now) } }.sorted { $0.name < $1.name }
    }
}

extension TableStatus {
    init(_ table: HostedTable) {
        let engine = table.engine
        name = table.name
        phase = engine.phase.name
        seats = engine.rules.seats
        taken = engine.playerViews.reduce(0) { $0 + $1.seats.count }
        viewers = table.viewers.count
        round = engine.round
        chips = engine.chipsOnTable
        minimumBet = engine.rules.minimumBet
        maximumBet = engine.rules.maximumBet
        pass = table.pass
        isPassOwners = table.pass != table.configuredPass
        owner = table.owner?.name
        isClosing = engine.isClosing
    }
}

extension PlayerStatus {
    init(_ account: Account, now: Int64) {
        name = account.name.text
        isBot = account.state.isBot
        table = account.table?.name
        seats = account.table?.engine.seats(of: account.id) ?? []
        chips = account.shownChips + (account.table?.engine.bankroll(of: account.id) ?? 0)
        connection = account.session?.connection
        address = account.session?.address
        idle = account.session.map { max(0, now - $0.heard) }
    }
}

extension Server {
    /// A simulated process has ended without a word: writes nothing more, and releases loops and connections.
    package func abandon() {
        journal?.abandon()
        registrar?.stop()
        driver.performAndWait { $0.abandon() }
        group.stop()
        // Work that a stop posts is carried out before the process is over.
        for index in 0..<group.count { group[index].performAndWait {} }
    }

    // MARK: Accounts

    // An operator's view and changes of accounts. They wait for the loop, so none may be called on a loop.

    /// The id of the house.
    public var house: String { directory.configuration.house ?? "" }

    /// Accounts by name: at most `limit`, and the number of the others. A guest has one from the first seat until the connection ends.
    ///
    /// The loop lists its residents; the dormant accounts, most of all, are read without it. Of several servers each lists those in the
    /// house's rows, too, unless the database does not answer: `unread` is the reason.
    public func accounts(limit: Int) -> (entries: [AccountSummary], others: Int, unread: StorageError?) {
        var found: [PlayerID: AccountSummary] = [:]
        var (away, unread) = (nil as (rows: [AccountRow], others: Int)?, nil as StorageError?)
        // Without the lock that the questions of logins take in turn.
        do throws(StorageError) { away = try registrar?.registry.rowsAway(limit: limit) } catch { unread = error }
        for row in away?.rows ?? [] { found[row.id] = AccountSummary(away: row) }
        for account in directory.dormantAccountList { found[account.id] = AccountSummary(dormant: account) }
        for account in inspect({ $0.accounts.values.filter(\.isOpen).map(\.summary) }) { found[account.id] = account }
        let sorted = found.values.sorted(by: AccountSummary.precedes)
        return (Array(sorted.prefix(limit)), max(0, sorted.count - limit) + (away?.others ?? 0), unread)
    }

    /// Accounts that were not used since a day, by name, of this server and in their rows: at most `limit`, and the number of the others. Never
    /// those of players who are here or have a seat, disabled ones, and owners of tables.
    /// - Parameter date: `2026-05-01`, in UTC.
    public func unusedAccounts(
        since date: String, limit: Int
    ) -> (entries: [AccountSummary], others: Int, unread: StorageError?) {
        var (unused, others, unread) = accounts(limit: directory.configuration.maximumAccounts)
        let owners = directory.owners.withLock { Set($0.decisions.values.map(\.owner)) }
        unused.removeAll { account in
            account.isConnected || account.isGuest || account.isDisabled || account.table != nil || owners.contains(account.id)
                || Timestamp(account.lastSeen).description >= date
        }
        others += max(0, unused.count - limit)
        return (Array(unused.prefix(limit)), others, unread)
    }

    /// The account with a name, in any case; a name that only looks like it is another.
    public func account(named text: String) throws(AccountRefusal) -> AccountSummary {
        if let name = try? PlayerName(text), directory.location(of: name) == nil, let registrar {
            guard let found = try registrar.row(of: text, name, isTaken: false) else { throw .noSuchAccount(text) }
            if !found.isBusy, let summary = AccountSummary(away: found.row) { return summary }
            throw [0, registrar.registry.partition].contains(found.row.place)
                ? .moving(text) : registrar.elsewhere(text, found.row.place)
        }
        return try atAccount(named: text) { name, isResident, id in
            isResident
                ? inspect { $0.openAccount(id, of: name)?.summary }
                : directory.dormantAccount(named: name).map { AccountSummary(dormant: $0) }
        }
    }

    /// Why no player here has a name; nil if nobody has.
    public func absence(ofPlayerNamed text: String) -> AccountRefusal? {
        guard let registrar, let name = try? PlayerName(text), directory.location(of: name) == nil else { return nil }
        do throws(AccountRefusal) {
            guard let row = try registrar.row(of: text, name, isTaken: false)?.row else { return nil }
            return [0, registrar.registry.partition].contains(row.place) ? nil : registrar.elsewhere(text, row.place)
        } catch { return error }
    }

    /// Carries out an operator's change, wherever the account is. Durable after ``waitUntilDurable()``.
    /// - Throws: also if the server stops.
    /// - Returns: the account after the change; as it was before, if it was deleted.
    public func change(accountNamed text: String, _ change: AccountChange) throws(AccountRefusal) -> AccountSummary {
        guard state != .stopping else { throw .stopping }
        let claimed = try claim(accountNamed: text)
        var name = claimed?.name
        defer { if let id = claimed?.id, let name { directory.sendBack(id, name, at: now) { record($0) } } }
        var former: (id: PlayerID, name: PlayerName)?
        defer { if let former { _ = try? registrar?.rename(former.id, to: former.name) } }
        let changed = try atAccount(named: text) { name, isResident, id throws(AccountRefusal) in
            try change.check(of: name, reserved: directory.configuration.reservedNames)
            if case .rename(let new) = change, let registrar {
                // Before the row has the name: the account may be one that cannot have another.
                if isResident { try inspect { $0.check(change, of: id) }.get() }
                guard let isFree = try? registrar.rename(id, to: new) else { throw .unknown(text) }
                guard isFree else { throw .nameInUse(new.text) }
                former = (id, name)
            }
            guard isResident else {
                var sequence: UInt64 = 0
                // Recorded under the lock: nobody acts on the change before its record is in the journal.
                let account = try directory.change(name, change, at: now) { sequence = journal?.append($0.encoded()) ?? 0 }
                // A closed journal takes no record.
                guard sequence <= journal?.appended ?? 0 else { throw .stopping }
                return account
            }
            return try inspect { shard in
                Result { () throws(AccountRefusal) in try shard.change(id, of: name, change, at: now) }
            }.get()
        }
        former = nil
        if case .rename(let new) = change { name = new }
        switch change {
        case .rename, .delete:
            if change == .delete {
                directory.forgetPast(of: changed.id)
            } else {
                directory.owners.withLock { $0.rename(changed.id, to: changed.name) }
            }
            inspect { $0.ownerChanged(changed.id) }
        case .credit, .disable, .secret: break
        }
        return changed
    }

    /// Takes an account from its row, for an operator's change: it is dormant then.
    /// - Returns: nil for an account that this server has.
    private func claim(accountNamed text: String) throws(AccountRefusal) -> (id: PlayerID, name: PlayerName)? {
        guard let registrar, let name = try? PlayerName(text), directory.location(of: name) == nil else { return nil }
        guard let (row, isBusy) = try registrar.row(of: text, name, isTaken: true) else { throw .noSuchAccount(text) }
        guard !isBusy else { throw .moving(text) }
        guard row.place == registrar.registry.partition else {
            throw registrar.elsewhere(text, row.place)
        }
        directory.arrive(row, at: now) { record($0) }
        return (row.id, row.name)
    }

    /// Calls `body` until it finds an account as a resident's or as a dormant one: it may become the other meanwhile.
    private func atAccount<Value>(
        named text: String, _ body: (PlayerName, _ isResident: Bool, PlayerID) throws(AccountRefusal) -> Value?
    ) throws(AccountRefusal) -> Value {
        guard let name = try? PlayerName(text) else { throw .noSuchAccount(text) }
        for _ in 0..<8 {
            // A name that only looks like it is another's.
            guard let location = directory.location(of: name), location.isExact else { throw .noSuchAccount(text) }
            if let value = try body(name, location.isResident, location.id) { return value }
        }
        throw .moving(text)
    }
}

extension Table {
    /// Hands without a settlement.
    var handsInPlay: Int {
        (1...rules.seats).reduce(0) { sum, seat in
            sum + (0..<handCount(seat: seat)).count { settledHand(HandID(seat: seat, hand: $0)) == nil }
        }
    }
}

extension Shard {
    /// A resident's account that has a record; nil if it is not here.
    func openAccount(_ id: PlayerID, of name: PlayerName) -> Account? {
        guard let account = accounts[id], account.isOpen, account.name.key == name.key else { return nil }
        return account
    }

    /// Whether a resident's account can be changed so.
    func check(_ change: AccountChange, of id: PlayerID) -> Result<Void, AccountRefusal> {
        Result { () throws(AccountRefusal) in _ = try accounts[id]?.state.changed(by: change, at: now) }
    }

    /// Carries out an operator's change.
    /// - Returns: the account after the change; as it was before, if it was deleted. Nil if it is not here.
    func change(
        _ id: PlayerID, of name: PlayerName, _ change: AccountChange, at now: Int64
    ) throws(AccountRefusal) -> AccountSummary? {
        self.now = now
        guard let account = accounts[id], account.name.key == name.key else { return nil }
        guard account.isOpen else { throw .noSuchAccount(name.text) }
        let record = try account.state.changed(by: change, at: now).record
        if change == .delete { return delete(account) }
        if case .rename(let new) = change {
            guard directory.rename(id, from: account.name, to: new) else { throw .nameInUse(new.text) }
            account.name = new
        }
        apply(record, to: account)
        if change == .disable(true) { _ = kick(id, reason: "The account is disabled.", at: now) }
        if case .secret = change, let session = account.session {
            // It was opened by the old secret, perhaps by a thief.
            dismiss(session.connection, .kicked, "The host has changed the secret.")
        }
        environment.handOver()
        return account.summary
    }

    private func delete(_ account: Account) -> AccountSummary {
        let (summary, session) = (account.summary, account.session)
        if let session { stopWatching(session) }
        close(account)
        if let session { dismiss(session.connection, .kicked, "The host has deleted the account.") }
        return summary
    }
}

// MARK: - Measuring

/// Collects measurements from the loop with a bounded wait.
final class LoopProbe: Sendable {
    private struct State {
        /// Start time of an unanswered request, in nanoseconds.
        var asked: UInt64?
        var lag: UInt64 = 0
        var measurement = ShardMeasurement()
    }

    private let state = Mutex(State())

    /// Asks the loop, unless a request is pending, and waits up to `timeout` milliseconds.
    /// - Returns: the last measurement, and the answer time, so far of a pending request, in nanoseconds.
    func ask(_ driver: LoopConfined<ShardDriver>, timeout: Int) -> (last: ShardMeasurement, lag: UInt64) {
        let start = DispatchTime.now()
        let isIdle = state.withLock { state in
            defer { state.asked = state.asked ?? start.uptimeNanoseconds }
            return state.asked == nil
        }
        if isIdle {
            let answered = DispatchSemaphore(value: 0)
            driver.perform { [self] driver in
                let lag = DispatchTime.now().uptimeNanoseconds &- start.uptimeNanoseconds
                let measurement = driver.shard.measure()
                state.withLock { $0 = State(lag: lag, measurement: measurement) }
                answered.signal()
            }
            _ = answered.wait(timeout: start + .milliseconds(timeout))
        }
        let now = DispatchTime.now().uptimeNanoseconds
        return state.withLock { ($0.measurement, $0.asked.map { now &- $0 } ?? $0.lag) }
    }
}

extension Server {
    /// Updates the gauges that are computed on demand. Must not be called on a loop. If the loop does not answer in time,
    /// reports the last measurement and the current lag.
    public func measure(timeout milliseconds: Int = 250) {
        let (last, lag) = probe.ask(driver, timeout: milliseconds)
        let metrics = directory.metrics
        metrics.players.set(last.players)
        metrics.tables.set(last.tables)
        metrics.seats.set(last.seats)
        metrics.accounts.set(registrar?.accounts ?? directory.openAccounts)
        metrics.chipsInPlay.set(last.chipsInPlay)
        metrics.imbalance.set(last.imbalance &+ directory.ledger.imbalance)
        metrics.outboundQueue.set(group.outboundBytes)
        metrics.loopLag.set(Int(clamping: lag))
        metrics.stalled.set(journal?.isBehind(options) == true ? 1 : 0)
        let usage = checkpointer?.usage(within: milliseconds)
        metrics.journalBytes.set(usage?.bytes ?? -1)
        metrics.checkpointAge.set(usage?.checkpointAge ?? -1)
        metrics.freeBytes.set(usage?.free ?? -1)
    }

    /// Whether the loop answers within `milliseconds`. Must not be called on a loop.
    public func isResponsive(within milliseconds: Int) -> Bool {
        probe.ask(driver, timeout: milliseconds).lag <= UInt64(milliseconds) * 1_000_000
    }
}
