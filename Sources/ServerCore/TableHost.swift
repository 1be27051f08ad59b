import TableEngine
import TableModel
import Wire

/// A table and those who watch it: commands in; facts, diffs and snapshots out.
final class TableHost {
    let name: String
    private(set) var table: Table
    /// What the viewers see, at this revision.
    private(set) var shown: TableSnapshot
    private(set) var revision = 0
    /// In the order in which they came, so that the same inputs give the same order of sending.
    private(set) var viewers: [ConnectionID] = []

    /// Told of everything that has happened, also of what a refused command met on its way.
    var onFacts: (([Fact]) -> Void)?

    private unowned let environment: any Environment
    private let reminder: Reminder
    private var line: [UInt8] = []
    /// What has happened since the last time that viewers were told.
    private var footprint = TableFootprint()

    init(name: String, index: Int, table: Table, environment: any Environment) {
        self.name = name
        self.table = table
        self.environment = environment
        reminder = .table(index)
        shown = TableSnapshot(table)
        var facts = FactList()
        finish(&facts, at: Moment(milliseconds: 0))
    }

    /// Carries a command out, and whatever is due before it. Viewers are told by ``publish()``.
    /// - Returns: what has happened.
    @discardableResult
    func perform(_ command: Command, at now: Int64) throws(Rejection) -> [Fact] {
        var facts = FactList()
        let moment = Moment(milliseconds: now)
        // A refused command may still have met a deadline: what that brought about has happened all the same.
        defer { finish(&facts, at: moment) }
        try table.perform(command, at: moment, into: &facts)
        return facts.facts
    }

    /// Prepares the next shuffle if the last one is used up, and passes on all that has happened.
    private func finish(_ facts: inout FactList, at now: Moment) {
        if table.needsShoeSource { try? table.perform(.supplyShoe(environment.shoeSource()), at: now, into: &facts) }
        if !facts.facts.isEmpty {
            environment.record(facts.facts, table: name)
            let sharesBankrolls = table.rules.seatsPerPlayer > 1
            for fact in facts.facts { footprint.add(fact, sharesBankrolls: sharesBankrolls) }
            onFacts?(facts.facts)
        }
        environment.remind(reminder, at: table.deadline?.milliseconds)
    }

    /// Sends the difference to everybody who watches, encoded once, if anything visible has changed.
    func publish() -> Bool {
        guard !footprint.isEmpty else { return false }
        var now = shown
        now.follow(table, footprint)
        footprint = TableFootprint()
        let difference = shown.difference(to: now)
        guard !difference.isEmpty else { return false }
        shown = now
        revision += 1
        line.removeAll(keepingCapacity: true)
        ServerMessage.diff(table: name, from: revision - 1, to: revision, difference).encode(into: &line)
        for viewer in viewers { environment.send(line, to: viewer) }
        return true
    }

    /// Sends the whole table to a connection, and from then on each difference.
    func addViewer(_ connection: ConnectionID) {
        if !viewers.contains(connection) { viewers.append(connection) }
        environment.send(ServerMessage.snapshot(table: name, revision: revision, shown).encoded(), to: connection)
    }

    func removeViewer(_ connection: ConnectionID) { viewers.removeAll { $0 == connection } }
}
