import TableEngine
import TableModel
import Wire

/// A table and those who watch it: commands in; facts, diffs and snapshots out.
final class TableHost {
    /// Somebody who watches.
    struct Viewer {
        let session: Session
        /// What it saw last, if what came afterwards was kept from it because it does not read fast enough.
        var behind: (table: TableSnapshot, revision: Int, since: Int64)?
    }

    let name: String
    /// Among all tables of the house.
    let index: Int
    let pass: String?
    /// What tells this table from another one of the same name, such as the one before a restart.
    let epoch: String
    private(set) var table: Table
    /// What the viewers see, at this revision.
    private(set) var shown: TableSnapshot
    private(set) var revision = 0
    /// Kept, so that looking for a seat among many tables is cheap.
    private(set) var freeSeats: Int
    private(set) var history: DiffHistory
    /// In the order in which they came, so that the same inputs give the same order of sending.
    var viewers: [Viewer] = []
    /// What has happened since the last time that viewers were told, in sentences, if any of them wants those.
    var notes: [String] = []

    /// Told of everything that has happened, also of what a refused command met on its way.
    var onFacts: (([Fact]) -> Void)?

    unowned let environment: any Environment
    private let reminder: Reminder
    let metrics: ServerMetrics
    /// The moment of the last command, in milliseconds.
    private var moment: Int64 = 0
    private var line: [UInt8] = []
    private var checkedLine: [UInt8] = []
    private var checkText: [UInt8] = []
    /// What has happened since the last time that viewers were told.
    private var footprint = TableFootprint()

    init(
        _ setting: CasinoConfiguration.TableSetting, index: Int, table: Table, epoch: String, metrics: ServerMetrics,
        environment: any Environment
    ) {
        name = setting.name
        pass = setting.pass
        self.index = index
        self.table = table
        self.epoch = epoch
        self.metrics = metrics
        self.environment = environment
        reminder = .table(index)
        freeSeats = setting.rules.seats
        shown = TableSnapshot(table)
        history = DiffHistory(shown, revision: 0)
        var facts = FactList()
        finish(&facts, at: Moment(milliseconds: 0))
    }

    /// Carries a command out, and whatever is due before it. Viewers are told by ``publish()``.
    /// - Returns: what has happened.
    @discardableResult
    func perform(_ command: Command, at now: Int64) throws(Rejection) -> [Fact] {
        var facts = FactList()
        self.moment = now
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
            for fact in facts.facts {
                footprint.add(fact, sharesBankrolls: sharesBankrolls)
                switch fact {
                case .sat, .left, .closing: freeSeats = countFreeSeats()
                default: break
                }
            }
            onFacts?(facts.facts)
        }
        environment.remind(reminder, at: table.deadline?.milliseconds)
    }

    /// None at a table that takes nobody any more.
    private func countFreeSeats() -> Int {
        table.isClosing ? 0 : table.rules.seats - table.playerViews.reduce(0) { $0 + $1.seats.count }
    }

    /// Sends the difference to everybody who watches, encoded once, if anything visible has changed.
    func publish() -> Bool {
        guard !footprint.isEmpty else { return false }
        var now = shown
        now.follow(table, footprint)
        footprint = TableFootprint()
        let difference = shown.difference(to: now)
        guard !difference.isEmpty else { return false }
        let before = shown
        shown = now
        revision += 1
        line.removeAll(keepingCapacity: true)
        let endsRound = now.phase == .settled && before.phase != .settled
        let check = endsRound ? shown.check(using: &checkText) : nil
        ServerMessage.diff(from: revision - 1, to: revision, check: check, difference).encode(into: &line)
        history.append(line, from: before)
        checkedLine.removeAll(keepingCapacity: true)
        for index in viewers.indices { tell(index, before, check, difference) }
        return true
    }

    private func tell(_ index: Int, _ before: TableSnapshot, _ check: UInt32?, _ difference: TableDifference) {
        guard viewers[index].behind == nil else { return }
        let session = viewers[index].session
        guard !environment.isCongested(session.connection) else {
            viewers[index].behind = (before, revision - 1, moment)
            return
        }
        guard session.wantsCheck && check == nil else { return environment.send(line, to: session.connection) }
        if checkedLine.isEmpty {
            let check = shown.check(using: &checkText)
            ServerMessage.diff(from: revision - 1, to: revision, check: check, difference).encode(into: &checkedLine)
        }
        environment.send(checkedLine, to: session.connection)
    }
}
