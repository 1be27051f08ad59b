import Operations
import Records
import TableEngine
import TableModel
import Wire

/// A table and its viewers. Inputs: commands. Output: facts, diffs, snapshots.
final class HostedTable {
    /// A session that receives the table's diffs.
    struct Viewer {
        /// The state that a slow viewer saw last; later diffs are held back and sent as one.
        final class Lag {
            let table: TableSnapshot
            let revision: Int
            /// Time of the first diff held back, in milliseconds; nil if there is none.
            var since: Int64?

            init(_ table: TableSnapshot, revision: Int) {
                self.table = table
                self.revision = revision
            }
        }

        // Copied from the session: a diff reads one cache line per viewer.
        let session: Session
        let sender: any LineSender
        var lag: Lag?
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
    /// Index in the directory.
    let index: Int
    /// In force: the owner's phrase, or else the configuration's.
    var pass: String?
    /// The configuration's phrase.
    var configuredPass: String?
    /// nil: the host's table.
    var owner: TableOwner?
    var sentAway: SentAway
    var lostSeats: LostSeats
    /// Players who know or knew the pass phrase.
    var admitted = AdmittedPlayers()
    /// Wrong pass phrases of others, from all addresses together.
    var guesses = TokenBucket()
    /// Distinguishes this table from others of the same name, such as the one before a restart.
    let epoch: String
    // No exclusive access checks on state of every action: one loop, and no access spans a call to foreign code.
    @exclusivity(unchecked) private(set) var engine: Table
    /// The state shown to viewers, at `revision`.
    @exclusivity(unchecked) private(set) var display: TableDisplay
    private(set) var revision = 0
    /// Cached, for fast searches over many tables.
    private(set) var freeSeats: Int
    @exclusivity(unchecked) private(set) var history: DiffHistory
    /// In order of arrival: keeps the order of sending deterministic.
    @exclusivity(unchecked) var viewers: [Viewer] = []
    /// Facts since the last publication as sentences, if a viewer wants those.
    @exclusivity(unchecked) var notes: [String] = []

    /// The last chat lines, oldest first.
    var chat: [ChatLine] = []
    /// Number of chat lines so far.
    var chatSequence = 0

    private let timer: TimerID
    let metrics: ServerMetrics
    /// Time of the last command, in milliseconds.
    private var lastCommandTime: Int64 = 0
    private let scratch: TableScratch
    /// Deadline of the running timer; nil if there is none.
    private var timerDeadline: Int64?
    /// Whether a round was settled since the last diff: the next one carries a check value.
    private var endsRound = false
    /// Whether the last revision was described but not sent. Its difference is in the scratch buffers.
    private var isUnsent = false

    init(
        _ setting: ShardConfiguration.TableSetting, index: Int, table: Table, epoch: String, scratch: TableScratch,
        metrics: ServerMetrics, owner: TableOwner?, decisions: OwnerDecisions?, at now: Int64, in environment: any Environment
    ) {
        name = setting.name
        configuredPass = setting.pass
        pass = decisions?.phrase.map(\.pass) ?? setting.pass
        sentAway = decisions?.sentAway ?? SentAway()
        self.owner = owner
        self.index = index
        self.epoch = epoch
        self.scratch = scratch
        self.metrics = metrics
        timer = .table(index)
        let (start, tools) = (Moment(milliseconds: now), scratch.tools)
        tools.pointee.facts.facts.removeAll(keepingCapacity: true)
        var table = table
        // A table that was played at begins after its deadlines have moved: the command runs time-outs.
        if setting.hasCeremonies, table.round == 0, table.playerViews.isEmpty {
            // Refused by a table that has them.
            try? table.perform(.beginCeremonies(table: name), at: start, into: &tools.pointee.facts)
        }
        Self.supply(&table, at: start, into: tools, from: environment)
        engine = table
        lostSeats = LostSeats(table)
        display = TableDisplay(table)
        history = DiffHistory(display.rows, revision: 0)
        freeSeats = Self.freeSeats(of: table)
        if !facts.isEmpty { environment.record(facts, table: name, at: now) }
        setTimer(in: environment)
    }

    /// A snapshot of the state shown to viewers.
    var shown: TableSnapshot { display.rows.snapshot }

    private var tools: UnsafeMutablePointer<TableScratch.Tools> { scratch.tools }

    /// Facts of the last operation. Valid until another table of the loop runs.
    var facts: [Fact] { tools.pointee.facts.facts }

    /// Runs a command after all due events. ``facts`` holds the facts, ``publish()`` sends the change.
    func perform(_ command: Command, at now: Int64, in environment: any Environment) throws(Rejection) {
        assert(!isUnsent, "what was described is sent before anything else happens")
        tools.pointee.facts.facts.removeAll(keepingCapacity: true)
        lastCommandTime = now
        let moment = Moment(milliseconds: now)
        // A refused command can have triggered a time-out, whose facts stand.
        defer { finish(at: moment, in: environment) }
        try engine.perform(command, at: moment, into: &tools.pointee.facts)
    }

    /// Supplies a shoe or secrets if needed.
    private static func supply(
        _ engine: inout Table, at now: Moment, into tools: UnsafeMutablePointer<TableScratch.Tools>,
        from environment: any Environment
    ) {
        if engine.needsShoeSource {
            try? engine.perform(.supplyShoe(environment.shoeSource()), at: now, into: &tools.pointee.facts)
        }
        // In the same record as the facts that need it: a secret is durable before its commitment is seen. With no contributor the
        // key follows at once, and with it a round that waits, so another may be needed.
        while engine.needsSecret {
            let command = Command.supplySecret(environment.shoeSecret())
            guard (try? engine.perform(command, at: now, into: &tools.pointee.facts)) != nil else { break }
        }
    }

    /// Supplies a secret or a shoe if needed, and records and shows all facts.
    private func finish(at now: Moment, in environment: any Environment) {
        if engine.needsShoeSource || engine.needsSecret {
            Self.supply(&engine, at: now, into: tools, from: environment)
        }
        let facts = facts
        if !facts.isEmpty {
            environment.record(facts, table: name, at: now.milliseconds)
            display.note(facts, at: engine)
            for fact in facts {
                switch fact {
                case .settled: endsRound = true
                case .sat, .left, .closing: freeSeats = Self.freeSeats(of: engine)
                default: break
                }
            }
        }
        setTimer(in: environment)
    }

    /// 0 at a closing table.
    private static func freeSeats(of engine: Table) -> Int {
        engine.isClosing ? 0 : engine.rules.seats - engine.playerViews.reduce(0) { $0 + $1.seats.count }
    }

    /// Sets the timer to the next event. An earlier timer is kept and re-arms itself when it fires, since decisions keep moving
    /// the deadline.
    private func setTimer(in environment: any Environment) {
        guard let deadline = engine.nextEvent?.milliseconds else {
            if timerDeadline != nil { environment.setTimer(timer, at: nil) }
            timerDeadline = nil
            return
        }
        if let timerDeadline, timerDeadline <= deadline { return }
        timerDeadline = deadline
        environment.setTimer(timer, at: deadline)
    }

    /// The timer has fired.
    func timerFired() { timerDeadline = nil }

    /// Updates the shown state without sending, so that a reply can name the ``revision`` that shows its effect.
    func describe() {
        guard !isUnsent, display.follow(engine, &tools.pointee.change) else { return }
        revision += 1
        isUnsent = true
    }

    /// The revision that shows the last command's effect.
    func describedRevision() -> TableRevision {
        describe()
        return TableRevision(revision, epoch: epoch)
    }

    /// Sends a diff to all viewers, encoded once, if the shown state has changed.
    func publish() -> Bool {
        describe()
        guard isUnsent else { return false }
        defer { (endsRound, isUnsent) = (false, false) }
        let line = makeLine(isChecked: endsRound)
        history.append(line, to: display.rows)
        fanOut(line, isChecked: endsRound)
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

    /// - Parameter isChecked: whether `line` carries the check value.
    private func fanOut(_ line: [UInt8], isChecked: Bool) {
        // Reads the property once.
        let viewers = viewers
        /// The line with a check value, encoded for the first viewer that wants it.
        var checkedLine = isChecked ? line : []
        /// The current snapshot, made for the first slow viewer.
        var shown: TableSnapshot?
        for index in viewers.indices {
            if let lag = viewers[index].lag {
                if lag.since == nil { lag.since = lastCommandTime }
                continue
            }
            if viewers[index].wantsCheck, checkedLine.isEmpty { checkedLine = makeLine(isChecked: true) }
            // Two calls, so that neither line is retained.
            let hasTaken =
                viewers[index].wantsCheck ? viewers[index].sender.offer(checkedLine) : viewers[index].sender.offer(line)
            if hasTaken { continue }
            // Sent although the viewer is slow: later diffs are collapsed relative to this revision, which needs no older
            // snapshot.
            viewers[index].sender.send(viewers[index].wantsCheck ? checkedLine : line)
            let table = shown ?? self.shown
            shown = table
            self.viewers[index].lag = Viewer.Lag(table, revision: revision)
        }
    }
}
