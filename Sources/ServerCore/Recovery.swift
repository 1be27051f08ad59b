import Fairness
import Journal
import Records
import Rules
import Sockets
import TableEngine
import TableModel
import Wire

/// A server's journal, and the recovered state, adapted to the configuration.
public struct Recovery: Sendable {
    /// Settings of a journal.
    public struct Options: Sendable {
        public var journal = JournalConfiguration()
        /// How much of the journal to keep.
        public var history = JournalHistory.everything
        /// The program's version, for the journal.
        public var version = ""
        /// Whether a folder without a journal becomes a new house, and a missing folder is created.
        public var creates = true
        /// Identifier of the house of a new journal; nil draws one.
        package var house: UInt64?
        /// The account registry of a house of several servers; nil for a house of one server.
        public var registry: (any Registry)?
        /// Snapshots of the journals of the house's other partitions, for players' histories.
        public var others: @Sendable () -> [any JournalStorage] = { [] }
        /// Partitions of tables that other servers of the house have, by name.
        public var tablesElsewhere: [String: Int] = [:]
        /// Chooses the tables to continue from those open in the journal; nil: the configuration's tables.
        public var tables: (@Sendable (_ open: [ShardConfiguration.TableSetting]) -> [ShardConfiguration.TableSetting])?
        /// Runs the journal's writer.
        package var executor = WriterExecutor.thread
        /// Runs background work; nil for queues.
        package var system: (any SimulatedSystem)?

        public init() {}
    }

    public let log: DurableLog
    /// The adapted state. The records of the adaptation are in the journal.
    public var state: SavedState { restart.state }
    /// Milliseconds since the last record before this start: deadlines are postponed by them.
    public var outage: Int64 { restart.outage }
    let restart: Restart
    /// The first frame of this start.
    let position: UInt64
    let registry: (any Registry)?
    /// Milliseconds by which the wall clock is behind the last record; negative if it is ahead.
    public let clockSetBack: Int64
    /// The tables of this start: those of the configuration, unless ``Options/tables`` chose others.
    public let tables: [ShardConfiguration.TableSetting]
    /// Tables that the configuration does not continue: closed, with bets and chips returned to the accounts.
    public var closedTables: [ClosedTable] { restart.closed }
    /// Tables where the configuration's new phrase has replaced the owner's.
    public let overruledTables: [String]
    /// The end of the journal as it was found.
    public let end: JournalEnd
    /// The newest checkpoint, if the anchor lacks it.
    public let strayCheckpoint: UInt64?
    let checkpointer: Checkpointer
    /// Answers players' questions.
    let reader: HistoryReader
    /// The path of the folder.
    public let location: String
    /// nil for another storage.
    private var folder: FileStorage?

    /// Opens a folder, creates it if it is missing and the options say so, and reads the state in it.
    /// - Parameters:
    ///   - configuration: a table with the same name and rules continues, at this pace.
    ///   - wallClock: milliseconds since 1970.
    ///   - callbacks: see ``DurableLog``.
    public static func open(
        folder path: String, configuration: ShardConfiguration, options: Options, wallClock: Int64,
        callbacks: DurableLog.Callbacks
    ) throws(JournalError) -> Recovery {
        let storage = try FileStorage(path: path, creating: options.creates)
        do throws(JournalError) {
            var recovery = try open(
                storage, configuration: configuration, options: options, wallClock: wallClock, callbacks: callbacks)
            recovery.folder = storage
            return recovery
        } catch {
            storage.removeIfCreated()
            throw error
        }
    }

    /// Closes the journal of a start that fails before it serves, and removes a folder that this start has created.
    ///
    /// Does not retain the state, which the server releases.
    public var abandon: @Sendable () -> Void {
        { [log, folder] in
            _ = log.close()
            folder?.removeIfCreated()
        }
    }

    /// ``open(folder:configuration:options:wallClock:callbacks:)`` on any storage.
    package static func open(
        _ storage: any JournalStorage, configuration: ShardConfiguration, options: Options = Options(), wallClock: Int64,
        callbacks: DurableLog.Callbacks
    ) throws(JournalError) -> Recovery {
        let folder = try options.creates ? JournalFolder(locking: storage) : JournalFolder(taking: storage)
        return try Recovery(folder, configuration, options, wallClock, callbacks)
    }

    /// - Parameter folder: locked; unlocked after an error.
    private init(
        _ folder: JournalFolder, _ configuration: ShardConfiguration, _ options: Options, _ wallClock: Int64,
        _ callbacks: DurableLog.Callbacks
    ) throws(JournalError) {
        do throws(JournalError) {
            let plan = try StartPlan(folder, configuration, options, wallClock)
            var (reopening, names) = (plan.reopening, plan.names)
            (clockSetBack, tables, end) = (plan.clockSetBack, plan.tables, plan.end)
            let newest = try folder.checkpoints().last
            strayCheckpoint = newest ?? 0 > plan.end.anchor?.sequence ?? .max ? newest : nil
            registry = options.registry
            var owners: [PlayerID: String] = [:]
            if let registry {
                try reopening.reconcile(with: registry, at: wallClock)
                for id in Set(reopening.state.decisions.values.map(\.owner)) where reopening.state.accounts[id] == nil {
                    owners[id] = try registry.row(of: id)?.name.text
                }
                names = try reopening.state.checkedNames()
            }
            log = try DurableLog(
                folder, continuing: end, house: plan.house, configuration: options.journal, executor: options.executor,
                callbacks: callbacks)
            // The first frame of this start.
            position = log.append(reopening.lines)
            restart = Restart(
                state: reopening.state, outage: reopening.outage, names: names, ownersElsewhere: owners,
                closed: reopening.closed)
            overruledTables = reopening.overruled
            checkpointer = Checkpointer(folder, keeping: options.history, on: options.system)
            reader = HistoryReader(folder, log, others: options.others, on: options.system)
            location = folder.storage.location
        } catch {
            folder.storage.unlock()
            throw error
        }
    }
}

/// The outcome of a start on a journal, before anything is changed.
public struct StartPlan: Sendable {
    /// The end of the journal as it was found.
    let end: JournalEnd
    let house: UInt64
    /// The folded names of all accounts.
    let names: [PlayerID: FoldedName]
    let clockSetBack: Int64
    public let tables: [ShardConfiguration.TableSetting]
    fileprivate let reopening: Reopening
    /// Tables that the configuration does not continue.
    public var closedTables: [ClosedTable] { reopening.closed }
    public var accounts: Int { reopening.state.accounts.count }

    public init(
        reading storage: any JournalStorage, configuration: ShardConfiguration, options: Recovery.Options, wallClock: Int64
    ) throws(JournalError) {
        self = try Self(JournalFolder(reading: storage), configuration, options, wallClock)
    }

    fileprivate init(
        _ folder: JournalFolder, _ configuration: ShardConfiguration, _ options: Recovery.Options, _ wallClock: Int64
    ) throws(JournalError) {
        let found = try SavedState.recover(from: folder)
        guard let end = found.end else { preconditionFailure("reading everything reaches the end") }
        // If another partition opened the table, its hands would be lost.
        for (table, partition) in options.tablesElsewhere.sorted(by: { $0.key < $1.key }) {
            guard found.state.tables[table].map({ $0.table.handsInPlay == 0 }) ?? true else {
                throw .refused(
                    "table \(table) has hands in play here, but the configuration moves it to partition \(partition): start with the old "
                        + "partition, stop with SIGINT, which finishes the hands, then change the partition")
            }
        }
        self.end = end
        house = end.house ?? end.anchor?.house ?? options.house ?? UInt64.random(in: .min ... .max)
        names = try found.state.checkedNames()
        clockSetBack = found.state.time - wallClock
        let isNew = end.house == nil
        // An anchor proves that the house exists.
        if isNew, end.anchor == nil, !options.creates { throw .empty(folder: folder.storage.location) }
        var configuration = configuration
        if let choose = options.tables { configuration.tables = choose(found.state.openTables) }
        tables = configuration.tables
        reopening = try Reopening(
            isNew ? SavedState(house: SavedState.houseText(house)) : found.state, configuration, version: options.version,
            at: wallClock)
    }
}

/// A table that a start has closed. An unfinished round was voided, and its bets were returned.
public struct ClosedTable: Sendable {
    public let name: String
    public let reason: String
    public var players: [(id: PlayerID, name: String, bets: Int)]

    /// The notice for a player who had a seat there.
    func notice(bets: Int) -> String {
        let chips =
            bets > 0
            ? "Your bets of \(bets) were returned; your chips are in your account." : "Your chips are in your account."
        return "Table \(name) is closed: \(reason). \(chips)"
    }
}

extension SavedState {
    /// Tables with a hand in play, by name.
    public var tablesInPlay: [String] { tables.filter { $0.value.table.handsInPlay > 0 }.keys.sorted() }

    /// The open tables as settings, by name.
    var openTables: [ShardConfiguration.TableSetting] {
        tables.sorted { $0.key < $1.key }.compactMap { name, saved in
            guard saved.table.phase != .closed, !saved.table.isClosing else { return nil }
            // The owner's phrase applies.
            let pass = if let phrase = decisions[name]?.phrase { phrase.configured } else { saved.pass }
            return .init(name: name, rules: saved.rules, pass: pass)
        }
    }
}

/// The step from a recovered state to a new start: moves deadlines by the outage, closes tables that the configuration does not continue,
/// gives the others its pace, and closes accounts that do not last.
struct Reopening {
    private(set) var state: SavedState
    /// The records of the changes, as lines.
    private(set) var lines: [UInt8] = []
    /// Tables that were open and are not continued, by name.
    private(set) var closed: [ClosedTable] = []
    /// Tables where the configuration's new phrase has replaced the owner's.
    private(set) var overruled: [String] = []
    /// Milliseconds since the last record: deadlines are postponed by them.
    let outage: Int64

    /// - Parameters:
    ///   - configuration: a table with the same name and rules continues.
    ///   - now: milliseconds since 1970; before the state's time if the clock was set back.
    init(_ state: SavedState, _ configuration: ShardConfiguration, version: String, at now: Int64) throws(JournalError) {
        let tables = configuration.tables
        self.state = state
        // A new folder has no time yet.
        outage = state.time == 0 ? 0 : max(0, now - state.time)
        try record(.started(time: now, version: version, careers: true))
        try overrule(tables)
        let settings = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
        for (name, saved) in self.state.tables.sorted(by: { $0.key < $1.key }) {
            let setting = settings[name]
            let isContinued = setting?.rules == saved.rules && !saved.table.isClosing && saved.table.phase != .closed
            guard isContinued else {
                let reason =
                    setting == nil
                    ? "it is not in the settings" : saved.table.isClosing ? "it was closing" : "its rules have changed"
                try close(name, saved.table, because: reason, at: now)
                continue
            }
            try postpone(name, saved.table, at: now)
            if saved.pace != configuration.pace { try record(.paced(table: name, pace: configuration.pace, time: now)) }
        }
        let ended = self.state.accounts.values.filter { !$0.lasts && $0.table == nil }
        for account in ended.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { try record(.closed(account.id, time: now)) }
    }

    private mutating func record(_ record: Record) throws(JournalError) {
        do { try state.apply(record) } catch { throw JournalError(error) }
        record.encode(into: &lines)
    }

    /// Rows that a start reads at once.
    private static let rowsAtOnce = 500

    /// Completes moves that a crash interrupted between the registry's rows and the journal. A claimed row whose account never
    /// arrived: records the arrival. A recorded departure whose row was already written: removes it from the outbox. Accounts
    /// without a seat then return to their rows. Idempotent: a second call finds nothing to do, so a crash during the start is
    /// harmless.
    mutating func reconcile(with registry: any Registry, at now: Int64) throws(JournalError) {
        let now = max(now, state.time)
        var (here, last) = (Set<PlayerID>(), PlayerID(0))
        while true {
            let rows = try registry.rowsHere(after: last, limit: Self.rowsAtOnce)
            for row in rows { if try reconcile(row, with: registry, at: now) { here.insert(row.id) } }
            guard rows.count == Self.rowsAtOnce, let next = rows.last?.id else { break }
            last = next
        }
        for departure in state.departures.values.sorted(by: Self.precedes) where !here.contains(departure.account.id) {
            try record(.delivered(departure.account.id, serial: departure.account.serial, time: now))
        }
        for account in state.accounts.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) where account.table == nil {
            try record(account.lasts ? .departed(account.id, ticket: nil, time: now) : .closed(account.id, time: now))
        }
    }

    private static func precedes(_ a: Departure, _ b: Departure) -> Bool { a.account.id.rawValue < b.account.id.rawValue }

    /// - Returns: whether the row stays.
    private mutating func reconcile(_ row: AccountRow, with registry: any Registry, at now: Int64) throws(JournalError) -> Bool {
        // The departure is yet to be delivered.
        if state.departures[row.id]?.account.serial == row.serial { return true }
        if state.accounts[row.id] == nil {
            guard !row.account.isEmpty else {
                // The account was never opened, or is closed.
                _ = try registry.remove(row.id, serial: row.serial)
                return false
            }
            guard let arrival = Record.arrival(of: row.id, row.account, serial: row.serial, at: now) else {
                throw .contradiction("the row of account \(row.id.rawValue) cannot be read")
            }
            try record(arrival)
        }
        if let account = state.accounts[row.id], account.playerName != row.name {
            try record(.renamed(row.id, name: row.name.text))
        }
        return true
    }

    /// Records changed phrases of the configuration. An owner's phrase applies while the configuration has the phrase that it had when the
    /// owner set theirs.
    private mutating func overrule(_ tables: [ShardConfiguration.TableSetting]) throws(JournalError) {
        for setting in tables {
            let phrase = state.decisions[setting.name]?.phrase
            let isChanged: Bool
            if let phrase {
                isChanged = phrase.configured != setting.pass
            } else {
                isChanged = state.tables[setting.name].map { $0.pass != setting.pass } ?? false
            }
            guard isChanged else { continue }
            if phrase != nil { overruled.append(setting.name) }
            try record(.pass(table: setting.name, setting.pass))
        }
    }

    /// Part of the first frame of the start, so an interrupted start has postponed all deadlines or none.
    private mutating func postpone(_ name: String, _ table: Table, at now: Int64) throws(JournalError) {
        let outage = outage(of: name, at: now)
        guard outage > 0, table.phase != .closed else { return }
        var table = table
        try perform(.postpone(by: Int(outage)), at: name, &table, now)
    }

    /// Milliseconds for which a table's clocks stood still: also since its owner's pause, as far as they are not in the records.
    private func outage(of table: String, at now: Int64) -> Int64 {
        state.decisions[table]?.evening.pause.map { max(0, now - $0.since) } ?? outage
    }

    /// Each command has its own record, as in a running server.
    private mutating func close(_ name: String, _ table: Table, because reason: String, at now: Int64) throws(JournalError) {
        var table = table
        let (wasOpen, players) = (table.phase != .closed, table.playerViews)
        func chips(_ id: PlayerID) -> Int { state.accounts[id]?.chips ?? 0 }
        let before = players.map { chips($0.id) &+ $0.bankroll }
        if wasOpen {
            // Time-outs during the outage do not count.
            let outage = outage(of: name, at: now)
            if outage > 0 { try perform(.postpone(by: Int(outage)), at: name, &table, now) }
            // Refused, without effect, if the table is closing already.
            try perform(.close(ClosingNotice(.table, reason: "")), at: name, &table, now)
            try perform(.void, at: name, &table, now)
        }
        // Ends the display of results.
        while table.phase != .closed, let next = table.nextEvent {
            try perform(.tick, at: name, &table, max(next.milliseconds, now))
        }
        // Open only if the records were forged.
        guard table.phase == .closed else { throw JournalError(ReplayError(place: nil, reason: .tableInUse(name))) }
        if wasOpen {
            let seated = zip(players, before).map { player, before in
                (id: player.id, name: state.accounts[player.id]?.name ?? "", bets: chips(player.id) &- before)
            }
            closed.append(ClosedTable(name: name, reason: reason, players: seated))
        }
        try record(.gone(table: name, time: max(now, state.time)))
    }

    private mutating func perform(
        _ command: Command, at name: String, _ table: inout Table, _ time: Int64
    ) throws(JournalError) {
        var facts = FactList()
        try? table.perform(command, at: Timestamp(milliseconds: time), into: &facts)
        if !facts.facts.isEmpty { try record(.facts(table: name, time: time, facts.facts)) }
    }
}

/// The state with which a start continues.
struct Restart: Sendable {
    let state: SavedState
    /// Milliseconds since the last record: deadlines were postponed by them.
    let outage: Int64
    /// The folded names of all accounts: folding is most of the work of a start.
    let names: [PlayerID: FoldedName]
    /// Owners of tables whose accounts are elsewhere, by name.
    var ownersElsewhere: [PlayerID: String] = [:]
    /// Closed tables whose players are yet to be notified.
    var closed: [ClosedTable] = []
}

extension SavedState {
    /// The folded names of all accounts. Checks invariants that only forged records can violate.
    /// - Throws: `.contradiction`.
    func checkedNames() throws(JournalError) -> [PlayerID: FoldedName] {
        var names: [PlayerID: FoldedName] = [:]
        var owners: [Int: PlayerID] = [:]
        for account in accounts.values {
            let (id, name) = (account.id.rawValue, FoldedName(account.playerName))
            if let other = owners.updateValue(account.id, forKey: name.skeleton) {
                throw .contradiction(
                    "accounts \(min(id, other.rawValue)) and \(max(id, other.rawValue)) have names that look alike")
            }
            if let table = account.table, tables[table]?.table.playerViews.contains(where: { $0.id == account.id }) != true {
                throw .contradiction("account \(id) has chips at table \(table), but no seat")
            }
            guard id <= lastID, lastID < 1 << 53 else {
                throw .contradiction("account \(id) is beyond the highest id, \(lastID)")
            }
            names[account.id] = name
        }
        return names
    }
}

/// Restores the accounts, names, bans and owners' decisions of a recovered state.
extension Shard {
    func restore(_ restart: Restart) {
        let saved = restart.state
        for table in restart.closed {
            for player in table.players { startNotices[player.id] = table.notice(bets: player.bets) }
        }
        for (text, end) in saved.bans {
            guard let block = AddressBlock(text) else { continue }
            _ = banList.ban(block, until: end, at: saved.time)
        }
        owners = TableOwners(saved, elsewhere: restart.ownersElsewhere)
        formerProofs = saved.formerProofs
        lastID = saved.lastID
        // In the order of replacement.
        let accounts = saved.accounts.values.sorted { ($0.lastPlayed, $0.id.rawValue) < ($1.lastPlayed, $1.id.rawValue) }
        for account in accounts {
            guard let name = restart.names[account.id] else { continue }
            if !account.isGuest { openAccounts += 1 }
            if account.table.flatMap({ lobby.indices[$0] }) != nil {
                names.insert(account.id, name)
            } else if account.lasts {
                bank &-= account.chips
                dormant.insert(account, name)
            }
        }
    }
}

/// Restores the tables of a recovered state and their players.
extension Shard {
    /// Milliseconds after a start for which players count as connected, so that clients can reconnect.
    static let restartGrace: Int64 = 30_000

    /// Called once the tables exist.
    func restorePlayers(_ restart: Restart) {
        formerTables = (restart.state.former.houseNet, restart.state.former.rounds)
        bank &-= formerTables.houseNet
        for table in hostedTables {
            guard let former = restart.state.tables[table.name]?.table else { continue }
            bank &-= table.engine.chipsOnTable &+ table.engine.houseNet
            for player in table.engine.playerViews {
                guard let saved = restart.state.accounts[player.id] else { preconditionFailure("a seat has an account") }
                let account = Account(saved)
                account.table = table
                if table.pass != nil { table.admitted.insert(account.id) }
                bank &-= account.state.chips
                accounts[account.id] = account
            }
            // A round that waited for its key began when the table was made. Later rounds are noted with their facts.
            if table.engine.round > former.round { notePlayed(at: table) }
            for player in table.engine.playerViews {
                if let account = accounts[player.id] { awaitReturn(of: account, at: table) }
            }
            table.publish()
        }
    }

    private func awaitReturn(of account: Account, at table: HostedTable) {
        guard !account.state.isGuest else { return giveUpSeat(of: account) }
        account.isExpected = true
        account.heldUntil = now + Self.restartGrace
        environment.setTimer(.player(account.id), at: account.heldUntil)
    }
}

// MARK: - Journal

extension JournalFolder {
    /// Locks the folder of a journal. Refuses other folders, and leaves them unchanged.
    init(taking storage: any JournalStorage) throws(JournalError) {
        guard try Self.isBegun(in: storage) else { throw .empty(folder: storage.location) }
        try self.init(locking: storage)
    }

    /// Reads the records of a journal, line by line.
    /// - Parameters:
    ///   - first: the sequence of the first frame.
    ///   - last: the sequence of the last frame.
    ///   - body: gets each line without its newline, and its place. The line is valid during the call.
    /// - Returns: the end of the journal; nil if `last` was reached.
    @discardableResult
    public func records<Failure: Error>(
        from first: UInt64 = 1, through last: UInt64 = .max,
        _ body: (UnsafeBufferPointer<UInt8>, RecordPlace) throws(Failure) -> Void
    ) throws -> JournalEnd? {
        var reader = try JournalReader(self, from: first, through: last)
        while let frame = try reader.next() { try frame.forEachLine(body) }
        return reader.end
    }
}

extension JournalFrame {
    /// - Parameter body: gets each line without its newline, and its place. The line is valid during the call.
    func forEachLine<Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>, RecordPlace) throws(Failure) -> Void
    ) throws(Failure) {
        var (rest, number) = (records, 0)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            number += 1
            let place = RecordPlace(sequence: sequence, line: number)
            try rest[..<end].withUnsafeBufferPointer { line throws(Failure) in try body(line, place) }
            rest = rest[(end + 1)...]
        }
    }
}

extension SavedState {
    /// Recovers the state of a journal: its newest checkpoint, and the records after it.
    /// - Parameter last: the sequence of the last frame to read.
    /// - Returns: the state, and the end of the journal; nil if it was read only in part.
    package static func recover(
        from folder: JournalFolder, through last: UInt64 = .max
    ) throws(JournalError) -> (state: SavedState, end: JournalEnd?) {
        let newest = try folder.checkpoints().last { $0 <= last } ?? 0
        var state = try start(after: newest, in: folder)
        var reader = try JournalReader(folder, from: newest + 1, through: last)
        while let frame = try reader.next() {
            do { try state.apply(frame) } catch { throw JournalError(error) }
        }
        try state.checkLedger()
        return (state, reader.end)
    }

    /// Applies the records of a frame.
    mutating func apply(_ frame: JournalFrame) throws(ReplayError) {
        try frame.forEachLine { line, place throws(ReplayError) in try apply(line: line, at: place) }
    }

    func checkLedger() throws(JournalError) {
        let ledger = ledger
        guard ledger == 0 else { throw .unreadable("the journal's chips do not add up: \(ledger) too many") }
    }

    /// The state before the records after a frame: its checkpoint, or for 0 that of the journal's beginning.
    static func start(after sequence: UInt64, in folder: JournalFolder) throws(JournalError) -> SavedState {
        if sequence > 0 { return try checkpoint(at: sequence, in: folder) }
        return SavedState(house: try folder.house().map(SavedState.houseText) ?? "")
    }

    static func checkpoint(at sequence: UInt64, in folder: JournalFolder) throws(JournalError) -> SavedState {
        var reader = CheckpointReader()
        // The start of a line that continues in the next chunk.
        var open: [UInt8] = []
        var failure: CheckpointError?
        try folder.readCheckpoint(at: sequence) { part throws(JournalError) in
            guard failure == nil else { return }
            open += part
            do throws(CheckpointError) { open = Array(try reader.read(lines: open[...])) } catch { failure = error }
        }
        do throws(CheckpointError) {
            if let failure { throw failure }
            return try reader.finish().state
        } catch { throw JournalError(error) }
    }

    /// Writes a checkpoint of this state.
    func write(to folder: JournalFolder, at sequence: UInt64) throws(JournalError) {
        try folder.writeCheckpoint(at: sequence) { writer throws(JournalError) in
            try writeCheckpoint(sequence: sequence) { lines throws(JournalError) in try writer.append(copy lines) }
        }
    }
}

extension JournalError {
    init(_ error: ReplayError) { self = .unreadable("the journal contradicts itself: \(error)") }
    init(_ error: CheckpointError) { self = .unreadable("the checkpoint is damaged: \(error)") }
}

extension SavedState {
    /// 16 hexadecimal digits.
    static func houseText(_ house: UInt64) -> String {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: house >> UInt64($0)) }.hex
    }
}
