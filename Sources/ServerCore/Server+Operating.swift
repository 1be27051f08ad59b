import Dispatch
import Journal
import Records
import Sockets
import Synchronization
import TableEngine
import TableModel
import Wire

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
    /// - Returns: the table and whether the player was connected, for the very name; nil if no resident player has this name.
    @discardableResult
    public func kick(_ text: String, reason: String = "") -> (table: String?, isHere: Bool)? {
        guard let name = try? PlayerName(text) else { return nil }
        return inspect { shard in
            guard let account = shard.player(like: name).flatMap({ shard.accounts[$0] }) else { return nil }
            let isNamed = account.name.text.lowercased() == text.lowercased()
            let found = (isNamed ? account.table?.name : nil, isNamed && account.session != nil)
            return shard.kick(account.id, reason: reason, at: now) ? found : nil
        }
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
        writeLog("ban_not_shared", ["block": block], level: .warning)
    }

    /// Announces this server's address for relays to the house's other servers: host and port of its listener for proxies.
    public func announce(relay: String?) { registryClient?.announce(relay) }

    /// Applies changed tables and bans of the house's other servers.
    func houseChanged(_ old: HouseNotice, _ new: HouseNotice) {
        for reason in new.damage.subtracting(old.damage).sorted() {
            writeLog("row_damaged", ["reason": reason], level: .error)
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

    /// Every open table, for the operator.
    public var tables: AdminTable {
        inspect { shard in
            var table = AdminTable(columns: [
                "name", "phase", "seats", "taken", "viewers", "round", "chips", "minimumBet", "maximumBet", "bots", "notes",
            ])
            for hosted in shard.hostedTables where hosted.engine.phase != .closed {
                let (engine, isPassOwners) = (hosted.engine, hosted.pass != hosted.configuredPass)
                let phrase = hosted.pass != nil ? "pass phrase" : isPassOwners ? "no pass phrase" : nil
                let notes = [
                    hosted.owner.map { "owner \($0.name)" }, phrase.map { $0 + (isPassOwners ? " by the owner" : "") },
                    engine.isClosing ? "closing" : nil,
                ].compactMap(\.self)
                table.add([
                    .text(hosted.name), .text(RoundPhase(engine.phase).rawValue), .number(engine.rules.seats),
                    .number(engine.playerViews.reduce(0) { $0 + $1.seats.count }), .number(hosted.viewers.count),
                    .number(engine.round), .number(engine.chipsOnTable), .number(engine.rules.minimumBet),
                    .number(engine.rules.maximumBet), .number(hosted.summary.bots),
                    notes.isEmpty ? .none : .text(notes.joined(separator: ", ")),
                ])
            }
            return table
        }
    }

    /// The pass phrase of an open table, nil without one, and its owner's name.
    public func access(toTable name: String) -> (pass: String?, owner: String?)? {
        inspect { shard in
            let table = shard.lobby.indices[name].map { shard.hostedTables[$0] }
            return table.flatMap { $0.engine.phase == .closed ? nil : ($0.pass, $0.owner?.name) }
        }
    }

    /// Every resident player, by name, for the operator.
    public var players: AdminTable {
        var table = AdminTable(columns: ["name", "kind", "table", "seats", "chips", "connection", "address", "idleSeconds"])
        let rows = inspect { shard in
            shard.accounts.values.map { account -> [AdminTable.Cell] in
                let (engine, session) = (account.table?.engine, account.session)
                let seats = engine?.seats(of: account.id) ?? []
                return [
                    .text(account.name.text), .text(account.state.isBot ? "bot" : "player"),
                    account.table.map { .text($0.name) } ?? .none,
                    seats.isEmpty ? .none : .text(seats.map(String.init).joined(separator: ",")),
                    .number(account.shownChips + (engine?.bankroll(of: account.id) ?? 0)),
                    session.map { .number(Int(clamping: $0.connection)) } ?? .text("away"),
                    session?.address.map { .text($0.description) } ?? .none,
                    session.map { .number(Int(max(0, now - $0.heard) / 1000)) } ?? .none,
                ]
            }
        }
        for row in rows.sorted(by: { $0[0].text < $1[0].text }) { table.add(row) }
        return table
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

/// A question that one asks at a time, and waits for no longer than it likes.
final class Inquiry<Answer: Sendable>: Sendable {
    private struct State {
        /// Start time of an unanswered question, in nanoseconds.
        var asked: UInt64?
        var latest: Answer
    }

    private let state: Mutex<State>

    init(_ answer: Answer) { state = Mutex(State(latest: answer)) }

    /// Asks, unless a question is pending, and waits up to `timeout` milliseconds.
    /// - Parameter question: called at once; may answer later.
    /// - Returns: the last answer, and the start time of a pending question.
    func ask(
        timeout: Int, _ question: (_ answer: @escaping @Sendable (Answer) -> Void) -> Void
    ) -> (latest: Answer, asked: UInt64?) {
        let start = DispatchTime.now()
        let isIdle = state.withLock { state in
            defer { state.asked = state.asked ?? start.uptimeNanoseconds }
            return state.asked == nil
        }
        if isIdle {
            let isAnswered = DispatchSemaphore(value: 0)
            question { [self] answer in
                state.withLock { $0 = State(latest: answer) }
                isAnswered.signal()
            }
            _ = isAnswered.wait(timeout: start + .milliseconds(timeout))
        }
        return state.withLock { ($0.latest, $0.asked) }
    }
}

extension Server {
    /// Updates the gauges that are computed on demand. Must not be called on a loop. If the loop does not answer in time,
    /// reports the last measurement and the current lag.
    public func measure(timeout milliseconds: Int = 250) {
        metrics.loopLag.set(Int(clamping: probe(timeout: milliseconds).lag))
        metrics.outboundQueue.set(group.reduce(0) { $0 + $1.outboundBytes })
        metrics.stalled.set(journal?.isBehind(options) == true ? 1 : 0)
        checkpointer?.measure(into: metrics, within: milliseconds)
    }

    /// Has the loop measure itself.
    /// - Returns: the hands in play then, and the answer time, so far of a pending question, in nanoseconds.
    private func probe(timeout milliseconds: Int) -> (hands: Int, lag: UInt64) {
        let (latest, asked) = loopInquiry.ask(timeout: milliseconds) { [driver] answer in
            let start = DispatchTime.now().uptimeNanoseconds
            driver.perform { driver in
                let lag = DispatchTime.now().uptimeNanoseconds &- start
                answer((driver.shard.measure(), lag))
            }
        }
        return (latest.hands, asked.map { DispatchTime.now().uptimeNanoseconds &- $0 } ?? latest.lag)
    }

    /// The number of unsettled hands; that of the last measurement if the loop does not answer in time.
    public func handsInPlay(timeout milliseconds: Int = 250) -> Int { probe(timeout: milliseconds).hands }

    /// Whether the loop answers within `milliseconds`. Must not be called on a loop.
    public func isResponsive(within milliseconds: Int) -> Bool {
        probe(timeout: milliseconds).lag <= UInt64(milliseconds) * 1_000_000
    }
}
