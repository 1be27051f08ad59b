import Records
import Rules
import TableEngine
import TableModel

/// The step from a recovered state to a new start: closes tables that the configuration does not continue, and forgets guests.
struct Reopening {
    private(set) var state: SavedState
    /// The records of the changes, as lines.
    private(set) var lines: [UInt8] = []
    /// Tables that were open and are not continued, by name: an unfinished round was void, and its bets were returned.
    private(set) var closed: [String] = []
    /// Milliseconds since the last record, by which deadlines move.
    let outage: Int64

    /// - Parameters:
    ///   - tables: the configured tables. A table with the same name and rules goes on.
    ///   - now: milliseconds since 1970, not before the state's time.
    init(
        _ state: SavedState, tables: [ShardConfiguration.TableSetting], version: String, at now: Int64
    ) throws(ReplayError) {
        self.state = state
        outage = max(0, now - state.time)
        try record(.started(time: now, version: version))
        let rules = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0.rules) })
        for (name, saved) in state.tables.sorted(by: { $0.key < $1.key }) {
            let isContinued = rules[name] == saved.rules && !saved.table.isClosing && saved.table.phase != .closed
            if !isContinued { try close(name, saved.table, at: now) }
        }
        let guests = self.state.accounts.values.filter { $0.secret == nil && $0.table == nil }
        for guest in guests.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { try record(.closed(guest.id, time: now)) }
    }

    private mutating func record(_ record: Record) throws(ReplayError) {
        try state.apply(record)
        record.encode(into: &lines)
    }

    private mutating func close(_ name: String, _ table: Table, at now: Int64) throws(ReplayError) {
        let wasClosed = table.phase == .closed
        var (table, facts) = (table, FactList())
        let moment = Moment(milliseconds: now)
        // Time-outs that fell into the outage are nobody's fault.
        try? table.perform(.postpone(by: Int(outage)), at: moment, into: &facts)
        // Refused if it is closing or closed already.
        try? table.perform(.close(ClosingNotice(.table, reason: "")), at: moment, into: &facts)
        try? table.perform(.void, at: moment, into: &facts)
        // Results that were still shown.
        while table.phase != .closed, let next = table.nextEvent { table.advance(to: max(next, moment), into: &facts) }
        precondition(table.phase == .closed, "a closing table without a round closes")
        if !facts.facts.isEmpty { try record(.facts(table: name, time: now, facts.facts)) }
        try record(.gone(table: name, time: now))
        if !wasClosed { closed.append(name) }
    }
}
