import Records
import Rules
import TableEngine
import TableModel

/// The step from a recovered state to a new start: moves deadlines by the outage, closes tables that the configuration does not continue, and
/// forgets guests.
struct Reopening {
    private(set) var state: SavedState
    /// The records of the changes, as lines.
    private(set) var lines: [UInt8] = []
    /// Tables that were open and are not continued, by name: an unfinished round was void, and its bets were returned.
    private(set) var closed: [String] = []
    /// Tables whose owner's phrase is over: the configuration names another phrase or owner.
    private(set) var overruled: [String] = []
    /// Milliseconds since the last record, by which deadlines move.
    let outage: Int64

    /// - Parameters:
    ///   - tables: the configured tables. A table with the same name and rules goes on, unless it is empty and has another owner.
    ///   - now: milliseconds since 1970; before the state's time if the clock was set back.
    init(
        _ state: SavedState, tables: [ShardConfiguration.TableSetting], version: String, at now: Int64
    ) throws(ReplayError) {
        self.state = state
        // Nothing was interrupted in a new folder.
        outage = state.time == 0 ? 0 : max(0, now - state.time)
        try record(.started(time: now, version: version))
        let owners = state.owners(of: tables)
        try overrule(tables, owners)
        let settings = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
        for (name, saved) in state.tables.sorted(by: { $0.key < $1.key }) {
            let setting = settings[name]
            // An empty table is opened again under its new owner; no hand is lost for one.
            let isOwned = setting?.owner.flatMap { owners[$0]?.id } == saved.owner || !saved.table.playerViews.isEmpty
            let isContinued = setting?.rules == saved.rules && isOwned && !saved.table.isClosing && saved.table.phase != .closed
            if isContinued { try postpone(name, saved.table, at: now) } else { try close(name, saved.table, at: now) }
        }
        let guests = self.state.accounts.values.filter { $0.secret == nil && $0.table == nil }
        for guest in guests.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { try record(.closed(guest.id, time: now)) }
    }

    private mutating func record(_ record: Record) throws(ReplayError) {
        try state.apply(record)
        record.encode(into: &lines)
    }

    /// Records the configuration's phrases where they are other ones than before. An owner's phrase holds while the configuration
    /// names the phrase that it named when the owner set theirs.
    private mutating func overrule(
        _ tables: [ShardConfiguration.TableSetting], _ owners: [String: TableOwner]
    ) throws(ReplayError) {
        for setting in tables {
            let decided = state.decisions[setting.name]
            let isChanged: Bool
            if let phrase = decided?.phrase {
                isChanged = phrase.configured != setting.pass || decided?.owner != setting.owner.flatMap { owners[$0]?.id }
            } else {
                isChanged = state.tables[setting.name].map { $0.pass != setting.pass } ?? false
            }
            guard isChanged else { continue }
            if decided?.phrase != nil { overruled.append(setting.name) }
            try record(.pass(table: setting.name, setting.pass))
        }
    }

    /// Within the frame of the start: a start that is cut short later has moved all deadlines, or none.
    private mutating func postpone(_ name: String, _ table: Table, at now: Int64) throws(ReplayError) {
        guard outage > 0, table.phase != .closed else { return }
        var table = table
        try perform(.postpone(by: Int(outage)), at: name, &table, now)
    }

    /// Each command has a record of its own, as if the server had carried it out.
    private mutating func close(_ name: String, _ table: Table, at now: Int64) throws(ReplayError) {
        var table = table
        if table.phase != .closed {
            closed.append(name)
            // Time-outs that fell into the outage are nobody's fault.
            if outage > 0 { try perform(.postpone(by: Int(outage)), at: name, &table, now) }
            // Refused if it is closing already.
            try perform(.close(ClosingNotice(.table, reason: "")), at: name, &table, now)
            try perform(.void, at: name, &table, now)
        }
        // Results that were still shown.
        while table.phase != .closed, let next = table.nextEvent {
            try perform(.tick, at: name, &table, max(next.milliseconds, now))
        }
        // A closing table without a round closes, but for a forged one.
        guard table.phase == .closed else { throw ReplayError(place: nil, reason: .tableInUse(name)) }
        try record(.gone(table: name, time: max(now, state.time)))
    }

    private mutating func perform(
        _ command: Command, at name: String, _ table: inout Table, _ time: Int64
    ) throws(ReplayError) {
        var facts = FactList()
        try? table.perform(command, at: Moment(milliseconds: time), into: &facts)
        if !facts.facts.isEmpty { try record(.facts(table: name, time: time, facts.facts)) }
    }
}
