import TableEngine
import TableModel
import Wire

/// A table and those who watch it: commands in; facts, diffs and snapshots out.
final class HostedTable {
    /// Somebody who watches.
    struct Viewer {
        /// What it saw last, if what comes afterwards is kept from it because it does not read fast enough.
        final class Delay {
            let table: TableSnapshot
            let revision: Int
            /// When the first was kept from it, in milliseconds; nil before that.
            var since: Int64?

            init(_ table: TableSnapshot, revision: Int) {
                self.table = table
                self.revision = revision
            }
        }

        // What each difference needs is here, so that nothing else of the session is looked at.
        let session: Session
        let sender: any LineSender
        var behind: Delay?
        var wantsCheck: Bool
        var isVerbose: Bool

        init(_ session: Session) {
            self.session = session
            sender = session.sender
            wantsCheck = session.wantsCheck
            isVerbose = session.isVerbose
        }
    }

    let name: String
    /// Among all tables of the directory.
    let index: Int
    var pass: String?
    /// What tells this table from another one of the same name, such as the one before a restart.
    let epoch: String
    // What each action touches is not checked for exclusive access: all of it is on one loop, and nothing that is done to it calls out.
    @exclusivity(unchecked) private(set) var engine: Table
    /// What the viewers see, at this revision.
    @exclusivity(unchecked) private(set) var display: TableDisplay
    private(set) var revision = 0
    /// Kept, so that looking for a seat among many tables is cheap.
    private(set) var freeSeats: Int
    @exclusivity(unchecked) private(set) var history: DiffHistory
    /// In the order in which they came, so that the same inputs give the same order of sending.
    @exclusivity(unchecked) var viewers: [Viewer] = []
    /// What has happened since the last time that viewers were told, in sentences, if any of them wants those.
    @exclusivity(unchecked) var notes: [String] = []

    /// The last lines that were said here, oldest first, for those who come back.
    var chat: [ChatLine] = []
    /// How many were said in all.
    var chatSequence = 0

    /// Told of everything that has happened, also of what a refused command met on its way.
    var onFacts: (([Fact]) -> Void)?

    unowned let environment: any Environment
    private let timer: TimerID
    let metrics: ServerMetrics
    /// The moment of the last command, in milliseconds.
    private var moment: Int64 = 0
    private let bench: TableScratch
    /// The moment that a timer is asked for, until it has come.
    private var timerDeadline: Int64?
    /// Whether a round was settled since viewers were told: the diff that shows it has a check value.
    private var endsRound = false
    /// Whether the last revision was described and not sent yet; its difference is in the shared memory until another table's is.
    private var isUnsent = false

    init(
        _ setting: ShardConfiguration.TableSetting, index: Int, table: Table, epoch: String, bench: TableScratch,
        metrics: ServerMetrics, environment: any Environment
    ) {
        name = setting.name
        pass = setting.pass
        self.index = index
        self.engine = table
        self.epoch = epoch
        self.bench = bench
        self.metrics = metrics
        self.environment = environment
        timer = .table(index)
        freeSeats = setting.rules.seats
        display = TableDisplay(table)
        history = DiffHistory(display.rows, revision: 0)
        tools.pointee.facts.facts.removeAll(keepingCapacity: true)
        finish(at: Moment(milliseconds: 0))
    }

    /// What the viewers see, as a whole.
    var shown: TableSnapshot { display.rows.snapshot }

    private var tools: UnsafeMutablePointer<TableScratch.Tools> { bench.tools }

    /// What has happened here last, until something happens at another table of the loop.
    var facts: [Fact] { tools.pointee.facts.facts }

    /// Carries a command out, and whatever is due before it. Viewers are told by ``publish()``.
    /// What has happened then is in ``facts``.
    func perform(_ command: Command, at now: Int64) throws(Rejection) {
        assert(!isUnsent, "what was described is sent before anything else happens")
        tools.pointee.facts.facts.removeAll(keepingCapacity: true)
        self.moment = now
        let moment = Moment(milliseconds: now)
        // A refused command may still have met a deadline: what that brought about has happened all the same.
        defer { finish(at: moment) }
        try engine.perform(command, at: moment, into: &tools.pointee.facts)
    }

    /// Prepares the next shuffle if the last one is used up, and passes on all that has happened.
    private func finish(at now: Moment) {
        if engine.needsShoeSource {
            try? engine.perform(.supplyShoe(environment.shoeSource()), at: now, into: &tools.pointee.facts)
        }
        let facts = facts
        if !facts.isEmpty {
            environment.record(facts, table: name)
            display.note(facts, at: engine)
            for fact in facts {
                switch fact {
                case .settled: endsRound = true
                case .sat, .left, .closing: freeSeats = countFreeSeats()
                default: break
                }
            }
            onFacts?(facts)
        }
        setTimer()
    }

    /// None at a table that takes nobody any more.
    private func countFreeSeats() -> Int {
        engine.isClosing ? 0 : engine.rules.seats - engine.playerViews.reduce(0) { $0 + $1.seats.count }
    }

    /// Asks to be reminded of what happens at the table by itself next, but not where an earlier timer is on its way: that one asks again when it comes, once
    /// a while, and the deadline is put off with every decision.
    private func setTimer() {
        guard let deadline = engine.nextEvent?.milliseconds else {
            if timerDeadline != nil { environment.setTimer(timer, at: nil) }
            timerDeadline = nil
            return
        }
        if let timerDeadline, timerDeadline <= deadline { return }
        timerDeadline = deadline
        environment.setTimer(timer, at: deadline)
    }

    /// The timer asked for has come.
    func timerFired() { timerDeadline = nil }

    /// Brings what is shown up to date, before anything is sent: so a reply can name the ``revision`` that shows what was done.
    func describe() {
        guard !isUnsent, display.follow(engine, &tools.pointee.change) else { return }
        revision += 1
        isUnsent = true
    }

    /// The revision that shows what has been done, and whose it is.
    func describedRevision() -> TableRevision {
        describe()
        return TableRevision(revision, epoch: epoch)
    }

    /// Sends the difference to everybody who watches, encoded once, if anything visible has changed.
    func publish() -> Bool {
        describe()
        guard isUnsent else { return false }
        defer { (endsRound, isUnsent) = (false, false) }
        let line = makeLine(isChecked: endsRound)
        history.append(line, to: display.rows)
        tellViewers(line, isChecked: endsRound)
        return true
    }

    private func makeLine(isChecked: Bool) -> [UInt8] {
        let value = isChecked ? tools.pointee.check.value(of: display.rows) : nil
        return tools.pointee.lines.write { line in
            tools.pointee.change.withDifference {
                ServerMessage.encodeDiff(from: revision - 1, to: revision, check: value, $0, into: &line)
            }
        }
    }

    /// - Parameter isChecked: whether the line has the check value for everybody.
    private func tellViewers(_ line: [UInt8], isChecked: Bool) {
        // Read once for all of them.
        let viewers = viewers
        /// The line with the check value, once there is somebody who wants it with each.
        var checkedLine = isChecked ? line : []
        /// What is shown now, once somebody turns out to be slow.
        var shown: TableSnapshot?
        for index in viewers.indices {
            if let behind = viewers[index].behind {
                if behind.since == nil { behind.since = moment }
                continue
            }
            if viewers[index].wantsCheck, checkedLine.isEmpty { checkedLine = makeLine(isChecked: true) }
            // Two calls, so that neither line is retained only to choose between them.
            let hasTaken =
                viewers[index].wantsCheck ? viewers[index].sender.offer(checkedLine) : viewers[index].sender.offer(line)
            if hasTaken { continue }
            // It gets this one still, and what comes after it in one, later: so nobody needs to know what was shown before.
            viewers[index].sender.send(viewers[index].wantsCheck ? checkedLine : line)
            let table = shown ?? self.shown
            shown = table
            self.viewers[index].behind = Viewer.Delay(table, revision: revision)
        }
    }
}
