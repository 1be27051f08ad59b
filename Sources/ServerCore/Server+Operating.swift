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
    /// Seats with bots.
    public let bots: Int
    /// Viewers, players included.
    public let viewers: Int
    public let round: Int
    /// Chips of its players, and bets.
    public let chips: Int
    public let minimumBet: Int
    public let maximumBet: Int
    /// The current pass phrase; nil for a public table.
    public let pass: String?
    /// Whether the phrase is the owner's, not the configuration's.
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
    /// Chips in the account and at the table, without bets.
    public let chips: Int
    /// nil while the player is away.
    public let connection: UInt64?
    public let address: IPAddress?
    /// Milliseconds since the player's last line; nil while they are away.
    public let idle: Int64?
}

/// The result of lifting the bans of a block.
public struct Unbanning: Sendable, Equatable {
    /// Whether the operator had banned it.
    public let isLifted: Bool
    /// The ban that still covers the whole block: its own or that of an enclosing block.
    public let left: BanList.Entry?
}

/// Operator commands. They wait for the loop, so none may be called on a loop.
extension Server {
    /// The prefix of codes for ``expectOwner(ofTable:code:)``, by which other servers of the house relay a login here; empty for a house of
    /// one server.
    public var ownerCodePrefix: String { registryClient.map { "\($0.registry.partition)-" } ?? "" }

    /// Registers a one-time code, valid for an hour: the account that logs in with it becomes the table's owner. Replaces an earlier code.
    /// - Parameter code: unguessable, at most ``WireLimits/codeBytes``.
    /// - Returns: false if there is no such table.
    public func expectOwner(ofTable name: String, code: String) -> Bool {
        let (digest, end) = (OwnerClaim.digest(of: code), now + TableOwners.codeMilliseconds)
        return inspect { shard in
            guard shard.lobby.indices[name] != nil else { return false }
            shard.owners.expect(digest, of: name, until: end)
            return true
        }
    }

    /// The results of all players, best first.
    public var leaderboard: [LeaderboardEntry] { inspect(\.leaderboard).ranking }

    /// Disconnects a player and gives up the seat.
    /// - Returns: false if no resident player has this name.
    @discardableResult
    public func kick(_ name: String, reason: String = "") -> Bool {
        guard let name = try? PlayerName(name) else { return false }
        return inspect { shard in shard.player(like: name).map { shard.kick($0, reason: reason, at: now) } ?? false }
    }

    /// Sends a message of the host to a table; nil: to all.
    /// - Returns: the number of people there, without bots; nil if there is no such table.
    public func say(_ words: ChatText, at table: String? = nil) -> Int? {
        inspect { shard in
            let index = table.flatMap { shard.lobby.indices[$0] }
            guard table == nil || index != nil else { return nil }
            return shard.say(words, at: index, at: now)
        }
    }

    /// Bans blocks for the operator and closes their connections.
    /// - Parameter seconds: duration, at least 1; nil for ever.
    /// - Returns: the number of closed connections, and the first block beyond the limit of bans: it and those after it are not banned.
    public func ban(_ blocks: [AddressBlock], seconds: Int?) -> (closed: Int, refused: AddressBlock?) {
        let now = now
        let end = seconds.map { now + Int64($0.clamped(to: 1...31_536_000)) * 1000 }
        let banned = inspect { shard in
            blocks.prefix { block in
                guard shard.banList.ban(block, until: end, at: now) else { return false }
                shard.environment.record(.banned(block: block.description, until: end))
                return true
            }
        }
        for block in banned { share(block, until: end) }
        // Once for all blocks, since it checks every connection.
        return (dismissBanned(), banned.count < blocks.count ? blocks[banned.count] : nil)
    }

    /// Lifts the operator's ban of exactly this block. Bans by the configuration stay.
    public func unban(_ block: AddressBlock) -> Unbanning {
        let result = inspect { shard in
            Unbanning(isLifted: shard.unban(block, at: now), left: shard.banList.entry(for: block, at: now))
        }
        if result.isLifted { share(block, until: 0) }
        return result
    }

    /// Shares a ban with the other servers of the house.
    private func share(_ block: AddressBlock, until end: Int64?) {
        guard registryClient?.ban(block, until: end) == false else { return }
        writeLog("ban_not_shared", [LogField("block", block)], level: .warning)
    }

    /// Announces this server's address for relays to the house's other servers: host and port of its listener for proxies.
    public func announce(relay: String?) { registryClient?.announce(relay) }

    /// Applies changed tables and bans of the house's other servers.
    func houseChanged(_ old: HouseNotice, _ new: HouseNotice) {
        for reason in new.damage.subtracting(old.damage).sorted() {
            writeLog("row_damaged", [LogField("reason", reason)], level: .error)
        }
        if old.partitions != new.partitions {
            driver.perform { driver in
                driver.shard.lobby.list(elsewhere: new.partitions.sorted { $0.key < $1.key }.flatMap(\.value.tables))
                driver.fire(.lobby)
            }
            for (partition, notice) in new.partitions {
                guard let address = notice.relay, address != old.partitions[partition]?.relay else { continue }
                relays?.perform { $0.moved(partition, to: address) }
            }
        }
        guard old.bans != new.bans else { return }
        inspect { $0.takeBans(new.bans, after: old.bans, at: now) }
        dismissBanned()
    }

    /// The active bans.
    public var bans: [BanList.Entry] { inspect(\.banList).list(at: now) }

    @discardableResult
    private func dismissBanned() -> Int {
        // Matches addresses on this thread; the loop only lists its addresses and closes connections.
        let (addresses, bans) = inspect { ($0.addresses, $0.banList) }
        let banned = addresses.filter { bans.bans($0, at: now) }
        return banned.isEmpty ? 0 : inspect { $0.dismiss(from: banned, at: now) }
    }

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
        phase = RoundPhase(engine.phase).rawValue
        seats = engine.rules.seats
        taken = engine.playerViews.reduce(0) { $0 + $1.seats.count }
        bots = table.summary.bots
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
    /// Ends a simulated process abruptly: writes nothing more, and releases loops and connections.
    package func abandon() {
        journal?.abandon()
        registryClient?.stop()
        driver.performAndWait { $0.abandon() }
        for loop in group { loop.stop() }
        // Runs the work that a stop posts.
        for loop in group { loop.performAndWait {} }
    }

    // MARK: Accounts

    /// Slots of dormant accounts read per slice: some 50 µs.
    private static let slotsAtOnce = 1024

    /// Accounts by name: at most `limit`, and the number of the others. A player has one from the first seat on.
    ///
    /// Dormant accounts, the most numerous, are read in slices. In a house of several servers the list includes the accounts in the
    /// registry's rows, unless the database does not answer: `unread` is the reason.
    public func accounts(limit: Int) -> (entries: [AccountSummary], others: Int, unread: JournalError?) {
        var found: [PlayerID: AccountSummary] = [:]
        var (away, unread) = (nil as (rows: [AccountRow], others: Int)?, nil as JournalError?)
        // Bypasses the registry client's lock, so that logins do not wait.
        do throws(JournalError) { away = try registryClient?.registry.rowsAway(limit: limit) } catch { unread = error }
        for row in away?.rows ?? [] { found[row.id] = AccountSummary(away: row) }
        // May miss an account that changes between resident and dormant meanwhile.
        for start in stride(from: 0, to: inspect(\.dormant.slotCount), by: Self.slotsAtOnce) {
            let part = inspect { $0.dormant.accounts(inSlots: start..<start + Self.slotsAtOnce) }
            for account in part { found[account.id] = AccountSummary(dormant: account) }
        }
        for account in inspect({ $0.accounts.values.filter(\.isOpen).map(\.summary) }) { found[account.id] = account }
        let sorted = found.values.sorted(by: AccountSummary.precedes)
        return (Array(sorted.prefix(limit)), max(0, sorted.count - limit) + (away?.others ?? 0), unread)
    }

    /// The careers of all accounts that ``accounts(limit:)`` finds, best first.
    public var careers: [LeaderboardEntry] {
        accounts(limit: inspect(\.configuration.maximumAccounts)).entries.compactMap(\.account.ranked).sorted { $0.precedes($1) }
    }

    /// Accounts of this server and in rows without a hand since a day, by name: at most `limit`, and the number of the others. Excludes
    /// connected and seated players, disabled accounts, and owners of tables.
    /// - Parameter date: `2026-05-01`, in UTC.
    public func unusedAccounts(
        since date: String, limit: Int
    ) -> (entries: [AccountSummary], others: Int, unread: JournalError?) {
        var (unused, others, unread) = accounts(limit: inspect(\.configuration.maximumAccounts))
        let owners = inspect { Set($0.owners.decisions.values.map(\.owner)) }
        unused.removeAll { account in
            account.isConnected || account.isGuest || account.isDisabled || account.table != nil || owners.contains(account.id)
                || RFC3339(account.lastPlayed).description >= date
        }
        others += max(0, unused.count - limit)
        return (Array(unused.prefix(limit)), others, unread)
    }

    /// The account with a name, case-insensitively; look-alikes do not count.
    public func account(named text: String) throws(AccountRefusal) -> AccountSummary {
        guard let name = try? PlayerName(text) else { throw .noSuchAccount(text) }
        let (summary, isKnown) = inspect { ($0.summary(of: name), $0.player(like: name) != nil) }
        if let summary { return summary }
        guard !isKnown, let registryClient, let found = try registryClient.row(of: text, name, isTaken: false) else {
            throw .noSuchAccount(text)
        }
        if !found.isBusy, let summary = AccountSummary(away: found.row) { return summary }
        throw [0, registryClient.registry.partition].contains(found.row.place)
            ? .moving(text) : registryClient.elsewhere(text, found.row.place)
    }

    /// The refusal for a player who is on another server; nil if no server has the name.
    public func absence(ofPlayerNamed text: String) -> AccountRefusal? {
        guard let registryClient, let name = try? PlayerName(text), !isKnown(name) else { return nil }
        do throws(AccountRefusal) {
            guard let row = try registryClient.row(of: text, name, isTaken: false)?.row else { return nil }
            return [0, registryClient.registry.partition].contains(row.place) ? nil : registryClient.elsewhere(text, row.place)
        } catch { return error }
    }

    /// Performs an operator's change of an account that is here or in its row. Durable after ``waitUntilDurable()``.
    /// - Throws: also while the server stops.
    /// - Returns: the account after the change; as it was before, if it was deleted.
    public func change(accountNamed text: String, _ change: AccountChange) throws(AccountRefusal) -> AccountSummary {
        guard state != .stopping else { throw .stopping }
        guard var name = try? PlayerName(text) else { throw .noSuchAccount(text) }
        let claimed = try claim(name, text)
        defer { if let claimed { inspect { [name] in $0.sendBack(claimed, name, at: now) } } }
        var former: (id: PlayerID, name: PlayerName)?
        defer { if let former { _ = try? registryClient?.rename(former.id, to: former.name) } }
        if case .rename(let new) = change, let registryClient {
            // Checked before the row changes.
            let id = try inspect { [name] shard throws(AccountRefusal) in try shard.check(change, of: name) }
            guard let isFree = try? registryClient.rename(id, to: new) else { throw .unknown(text) }
            guard isFree else { throw .nameInUse(new.text) }
            former = (id, name)
        }
        let changed = try inspect { [name] shard throws(AccountRefusal) in
            // The journal is closed.
            guard state != .stopping else { throw .stopping }
            return try shard.change(name, change, at: now)
        }
        former = nil
        if case .rename(let new) = change { name = new }
        return changed
    }

    /// Whether a player on this server has the name, or one that looks like it.
    private func isKnown(_ name: PlayerName) -> Bool { inspect { $0.player(like: name) != nil } }

    /// Claims an account from its row for an operator's change; it becomes dormant.
    /// - Returns: nil for an account that this server has.
    private func claim(_ name: PlayerName, _ text: String) throws(AccountRefusal) -> PlayerID? {
        guard let registryClient, !isKnown(name) else { return nil }
        guard let (row, isBusy) = try registryClient.row(of: text, name, isTaken: true) else { throw .noSuchAccount(text) }
        guard !isBusy else { throw .moving(text) }
        guard row.place == registryClient.registry.partition else { throw registryClient.elsewhere(text, row.place) }
        inspect { $0.arrive(row, at: now) }
        return row.id
    }
}

extension Table {
    /// The number of unsettled hands.
    var handsInPlay: Int {
        (1...rules.seats).reduce(0) { sum, seat in
            sum + (0..<handCount(seat: seat)).count { settledHand(HandID(seat: seat, hand: $0)) == nil }
        }
    }
}

extension Shard {
    /// Lifts the operator's ban of a block.
    /// - Returns: whether there was one.
    func unban(_ block: AddressBlock, at now: Int64) -> Bool {
        guard banList.unban(block, at: now) != nil else { return false }
        environment.record(.unbanned(block: block.description))
        return true
    }

    /// Applies changed bans of the house's other servers.
    func takeBans(_ bans: [AddressBlock: Int64?], after old: [AddressBlock: Int64?], at now: Int64) {
        for (block, end) in bans where old[block] != .some(end) {
            // A lifted ban that this server issued is recorded as well.
            if end.map({ $0 > now }) ?? true {
                _ = banList.ban(block, until: end, at: now)
            } else {
                _ = unban(block, at: now)
            }
        }
        for block in old.keys where bans[block] == nil { _ = banList.unban(block, at: now) }
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
        metrics.players.set(last.players)
        metrics.tables.set(last.tables)
        metrics.seats.set(last.seats)
        metrics.accounts.set(last.accounts)
        metrics.chipsInPlay.set(last.chipsInPlay)
        metrics.imbalance.set(last.imbalance)
        metrics.outboundQueue.set(group.reduce(0) { $0 + $1.outboundBytes })
        metrics.loopLag.set(Int(clamping: lag))
        metrics.stalled.set(journal?.isBehind(options) == true ? 1 : 0)
        let usage = checkpointer?.usage(within: milliseconds)
        metrics.journalBytes.set(usage?.bytes ?? -1)
        metrics.checkpointAge.set(usage?.checkpointAge ?? -1)
        metrics.freeBytes.set(usage?.free ?? -1)
    }

    /// The number of unsettled hands; that of the last measurement if the loop does not answer in time.
    public func handsInPlay(timeout milliseconds: Int = 250) -> Int { probe.ask(driver, timeout: milliseconds).last.handsInPlay }

    /// Whether the loop answers within `milliseconds`. Must not be called on a loop.
    public func isResponsive(within milliseconds: Int) -> Bool {
        probe.ask(driver, timeout: milliseconds).lag <= UInt64(milliseconds) * 1_000_000
    }
}
