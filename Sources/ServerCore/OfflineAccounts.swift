import Journal
import Records
import TableEngine
import Wire

/// The accounts of a data folder that no server uses: changes them through the journal.
public struct OfflineAccounts {
    /// The state with the changes so far.
    public private(set) var state: SavedState
    private let log: DurableLog
    private let now: Int64

    /// Takes the files until ``close()``.
    /// - Parameters:
    ///   - wallClock: milliseconds since 1970.
    ///   - full: called when the disk has no room; changes wait for it.
    /// - Throws: also for a folder without a journal, and for one that a server uses.
    public init(
        _ storage: any JournalStorage, wallClock: Int64, full: @escaping @Sendable (String) -> Void
    ) throws(RecoveryError) {
        do {
            let folder = try JournalFolder(taking: storage)
            do {
                self = try OfflineAccounts(folder, wallClock, full)
            } catch {
                folder.storage.unlock()
                throw error
            }
        } catch { throw RecoveryError(error) }
    }

    private init(_ folder: JournalFolder, _ wallClock: Int64, _ full: @escaping @Sendable (String) -> Void) throws {
        let found = try SavedState.recover(from: folder)
        guard let end = found.end, let house = end.house else { throw RecoveryError.empty(folder: folder.storage.location) }
        _ = try found.state.checkedNames()
        state = found.state
        now = max(wallClock, found.state.time)
        log = try DurableLog(
            folder, continuing: end, house: house,
            callbacks: DurableLog.Callbacks(failed: { _ in }, full: { full($0.description) }))
    }

    /// Carries out a change. It is durable when this returns.
    /// - Returns: the account after the change; as it was before, if it was deleted.
    public mutating func change(accountNamed name: String, _ change: AccountChange) throws -> AccountSummary {
        guard let account = state.account(named: name) else { throw AccountRefusal.noSuchAccount(name) }
        // The standard list: the folder has no configuration.
        try change.check(of: account.playerName, reserved: ReservedNames())
        let (changed, record) = try account.changed(by: change, at: now)
        if case .rename(let new) = change {
            let isInUse = state.accounts.values.contains { other in
                other.id != account.id && (other.playerName.key == new.key || other.playerName.skeleton == new.skeleton)
            }
            guard !isInUse else { throw AccountRefusal.nameInUse(new.text) }
        }
        var lines = try postponeTables()
        try state.apply(record)
        record.encode(into: &lines)
        try store(lines)
        return AccountSummary(changed, tables: state.tables)
    }

    /// Deletes the accounts whose players were not here since a date, except disabled ones, owners of tables, and players with a seat.
    /// - Parameter date: `2026-05-01`, in UTC.
    /// - Returns: the accounts as they were, by name.
    public mutating func deleteUnused(since date: String) throws -> [AccountSummary] {
        let owners = Set(state.decisions.values.map(\.owner))
        let unused = state.accounts.values.filter { account in
            !account.isGuest && !account.isDisabled && account.table == nil && !owners.contains(account.id)
                && Timestamp(account.lastSeen).description < date
        }
        let deleted = unused.map { AccountSummary($0, tables: [:]) }.sorted(by: AccountSummary.precedes)
        var lines = deleted.isEmpty ? [] : try postponeTables()
        for account in deleted {
            let record = Record.closed(account.id, time: now)
            try state.apply(record)
            record.encode(into: &lines)
            guard lines.count > 1 << 16 else { continue }
            try store(lines)
            lines.removeAll()
        }
        if !lines.isEmpty { try store(lines) }
        return deleted
    }

    private func store(_ lines: [UInt8]) throws(RecoveryError) {
        guard log.waitUntilDurable(log.append(lines)) else {
            throw .journal(log.failure ?? .overflow(bytes: lines.count))
        }
    }

    /// Ends the use of the folder.
    public func close() { log.close() }

    /// Moves the deadlines of tables by the time since the last record. A later start would not count that time as an outage, because
    /// the new record ends it.
    private mutating func postponeTables() throws(ReplayError) -> [UInt8] {
        let outage = now - state.time
        var lines: [UInt8] = []
        guard outage > 0 else { return lines }
        for (name, saved) in state.tables.sorted(by: { $0.key < $1.key }) where saved.table.nextEvent != nil {
            var (table, facts) = (saved.table, FactList())
            // Refused by a closed table, which has no deadline.
            try? table.perform(.postpone(by: Int(outage)), at: Moment(milliseconds: now), into: &facts)
            guard !facts.facts.isEmpty else { continue }
            let record = Record.facts(table: name, time: now, facts.facts)
            try state.apply(record)
            record.encode(into: &lines)
        }
        return lines
    }
}
