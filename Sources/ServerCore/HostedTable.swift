import Records
import Sockets
import TableEngine
import TableModel
import Wire

/// A table and its viewers. Inputs: commands. Output: facts, diffs, snapshots.
///
/// A command passes in three steps. `step` runs the engine at the tick's time and records the facts. `describe` updates the
/// shown rows in place and computes their difference and revision, which the reply names. `publish` encodes the difference
/// once and sends the same line to every viewer.
///
/// Each line leads from the revision before to the next one. A viewer whose connection is congested gets no further lines: its
/// ``Viewer/Lag`` keeps the table as that viewer saw it last, and once the connection has drained one diff or a snapshot leads
/// from there to the current revision. So the memory for a slow viewer is bounded, and no viewer delays another.
final class HostedTable {
    /// A session that receives the table's diffs.
    struct Viewer {
        /// The state that a slow viewer saw last; later diffs are held back and sent as one.
        final class Lag {
            let table: TableSnapshot
            let revision: Int

            init(_ table: TableSnapshot, revision: Int) {
                self.table = table
                self.revision = revision
            }
        }

        // Copied from the session: a diff reads one cache line per viewer.
        let session: Session
        let sender: any LineSender
        var lag: Lag?
        var wantsFacts: Bool

        init(_ session: Session) {
            self.session = session
            sender = session.sender
            wantsFacts = session.wantsFacts
        }
    }

    let name: String
    /// Index in the configuration.
    let index: Int
    /// The current pass phrase: the owner's, else the configuration's.
    var pass: String?
    /// The configuration's phrase.
    var configuredPass: String?
    /// nil: the host's table.
    var owner: TableOwner? { didSet { if isPaused { display.evening = eveningItems } } }
    var sentAway: SentAway
    private(set) var evening: Evening { didSet { display.evening = eveningItems } }
    /// Sent behind the next diff.
    var notice: HostNotice?
    /// When a pause ends by itself.
    private(set) var pauseEnd: Int64
    /// The last network that was refused a seat while below its share, and the time. The inner nil is a trusted network; nil: none.
    var refusedSit: (network: IPAddress?, time: Int64)?
    /// Players who know or knew the pass phrase.
    var admitted = AdmittedPlayers()
    /// Limits wrong pass phrases of other players, from all addresses together.
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
    /// In order of arrival, so that the order of sending is deterministic.
    @exclusivity(unchecked) var viewers: [Viewer] = []
    /// Public facts since the last publication; nil while no viewer wants them.
    @exclusivity(unchecked) private var teller: FactTeller?

    /// The author of a line of chat, and the request.
    struct ChatOrigin {
        let player: PlayerID
        let id: RequestID?
        let connection: ConnectionID
    }

    /// The last chat lines, oldest first.
    private var chat: [(line: ChatLine, origin: ChatOrigin)] = []
    /// Number of chat lines so far.
    var chatSequence = 0

    private let timer: TimerID
    let metrics: Metrics
    private let scratch: TableScratch
    /// The rules' share of a check value.
    private let rulesCheck: UInt32
    /// Deadline of the running timer; nil if there is none.
    private var timerDeadline: Int64?
    /// Whether a round was settled since the last diff: the next one carries a check value.
    private var endsRound = false
    /// Whether the last revision is unsent. Its difference is in the scratch buffers.
    private var isUnsent = false
    /// Called with each published revision, for tests.
    @exclusivity(unchecked) var onPublish: ((_ revision: Int, TableSnapshot) -> Void)?

    init(
        _ setting: ShardConfiguration.TableSetting, index: Int, table: Table, epoch: String, scratch: TableScratch,
        metrics: Metrics, owner: TableOwner?, decisions: OwnerDecisions?, at now: Int64, in environment: any Environment
    ) {
        name = setting.name
        configuredPass = setting.pass
        pass = decisions?.phrase.map(\.pass) ?? setting.pass
        sentAway = decisions?.sentAway ?? SentAway()
        evening = decisions?.evening ?? Evening()
        // The owner has yet to come back.
        pauseEnd = min(evening.pause?.until ?? 0, now + Evening.Pause.withoutOwner)
        self.owner = owner
        self.index = index
        self.epoch = epoch
        self.scratch = scratch
        self.metrics = metrics
        timer = .table(index)
        let (start, tools) = (Timestamp(milliseconds: now), scratch.tools)
        tools.pointee.facts.clear()
        var table = table
        // A restored table begins after its deadlines have moved, since a command runs due time-outs.
        if setting.hasCeremonies, table.round == 0, table.playerViews.isEmpty {
            // Rejected, without effect, if the table already has ceremonies.
            try? table.perform(.beginCeremonies(table: name), at: start, into: &tools.pointee.facts)
        }
        Self.supply(&table, at: start, into: tools, from: environment)
        engine = table
        display = TableDisplay(table, evening: Self.items(evening, of: owner))
        history = DiffHistory(display.rows, revision: 0)
        rulesCheck = tools.pointee.check.value(of: display.rows.rules.map { [.rules($0)] } ?? [])
        freeSeats = Self.freeSeats(of: table)
        let facts = tools.pointee.facts.facts
        if !facts.isEmpty { record(facts, at: now, in: environment) }
        setTimer(in: environment)
    }

    /// A snapshot of the state shown to viewers.
    var shown: TableSnapshot { display.rows.snapshot }

    private var tools: UnsafeMutablePointer<TableScratch.Tools> { scratch.tools }

    /// The outcome of a command.
    struct Step {
        /// Facts of the command and of the due events before it. The latter hold even if the command is refused.
        let facts: [Fact]
        /// Results of rounds that ended.
        let results: [PlayerRound]
        let rejection: Rejection?

        /// - Throws: the rejection.
        @discardableResult
        func get() throws(Rejection) -> [Fact] {
            if let rejection { throw rejection }
            return facts
        }
    }

    /// Runs a command after all due events, supplies a shoe or a secret if needed, and records and notes all facts.
    /// ``publish()`` sends the change.
    func step(_ command: Command, at now: Int64, in environment: any Environment) -> Step {
        assert(!isUnsent, "what was described is sent before anything else happens")
        tools.pointee.facts.clear()
        let timestamp = Timestamp(milliseconds: now)
        var (asker, rejection): (PlayerID?, Rejection?) = (nil, nil)
        let wasPaused = isPaused
        if wasPaused, let pause = evening.pause, pause.since < now {
            // Refused by a closed table, which has no deadlines.
            try? engine.perform(.postpone(by: Int(now - pause.since)), at: timestamp, into: &tools.pointee.facts)
        }
        do {
            try engine.perform(command, at: timestamp, into: &tools.pointee.facts)
            if case .sitOut(let player, true) = command { asker = player }
        } catch {
            rejection = error
        }
        if engine.needsShoeSource || engine.needsSecret {
            Self.supply(&engine, at: timestamp, into: tools, from: environment)
        }
        let facts = tools.pointee.facts.facts
        if !facts.isEmpty {
            record(facts, at: now, in: environment)
            display.note(facts, at: engine)
            teller?.note(facts, sittingOut: asker)
            if wasPaused { evening.follow(facts, at: now) }
            for fact in facts {
                switch fact {
                case .settled: endsRound = true
                case .sat, .left, .closing: freeSeats = Self.freeSeats(of: engine)
                // Neither ends a hand nor changes seats.
                default: break
                }
            }
        }
        setTimer(in: environment)
        return Step(facts: facts, results: tools.pointee.facts.results, rejection: rejection)
    }

    /// Supplies a shoe or secrets if needed.
    private static func supply(
        _ engine: inout Table, at now: Timestamp, into tools: UnsafeMutablePointer<TableScratch.Tools>,
        from environment: any Environment
    ) {
        if engine.needsShoeSource {
            try? engine.perform(.supplyShoe(environment.shoeSource()), at: now, into: &tools.pointee.facts)
        }
        // Recorded with the facts of its commitment, so a secret is durable before its commitment is sent. A loop, since without contributors
        // the key is made at once, a waiting round begins, and another secret may be needed.
        while engine.needsSecret {
            let command = Command.supplySecret(environment.shoeSecret())
            guard (try? engine.perform(command, at: now, into: &tools.pointee.facts)) != nil else { break }
        }
    }

    private func record(_ facts: [Fact], at now: Int64, in environment: any Environment) {
        environment.record { Record.encodeFacts(table: name, time: now, facts: facts, into: &$0) }
    }

    /// 0 at a closing table.
    private static func freeSeats(of engine: Table) -> Int {
        engine.isClosing ? 0 : engine.rules.seats - engine.playerViews.reduce(0) { $0 + $1.seats.count }
    }

    // MARK: The owner's evening

    var isPaused: Bool { evening.pause != nil }

    private var eveningItems: [TableEntry] { Self.items(evening, of: owner) }

    private static func items(_ evening: Evening, of owner: TableOwner?) -> [TableEntry] {
        let pause = evening.pause.map { TableEntry.pause(TablePause(by: owner?.name ?? "", reason: $0.reason, until: $0.until)) }
        let match = evening.running.map { TableEntry.match($0.shown) }
        return [pause, match].compactMap(\.self)
    }

    func play(_ match: Evening.Match?) { evening.match = match }

    /// Begins, changes or ends a pause. All that has passed so far is in the table.
    func pause(_ pause: Evening.Pause?, in environment: any Environment) {
        evening.pause = pause
        endPause(at: pause?.until ?? 0, in: environment)
    }

    /// Sets when the pause ends by itself.
    func endPause(at end: Int64, in environment: any Environment) {
        pauseEnd = end
        // May be later than the present timer.
        if timerDeadline != nil { environment.setTimer(timer, at: nil) }
        timerDeadline = nil
        setTimer(in: environment)
    }

    /// Sets the timer to the next event; in a pause, when no clock runs, to its end. Keeps an earlier deadline, at which the timer re-arms itself: decisions keep moving the deadline.
    private func setTimer(in environment: any Environment) {
        guard let deadline = isPaused ? pauseEnd : engine.nextEvent?.milliseconds else {
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

    /// Updates the shown state without sending.
    /// - Returns: the revision that shows the last command's effect, for its reply.
    @discardableResult
    func describe() -> Int {
        if !isUnsent, display.follow(engine, &tools.pointee.change) { (revision, isUnsent) = (revision + 1, true) }
        return revision
    }

    /// Sends a diff to all viewers, encoded once, if the shown state has changed.
    func publish() {
        describe()
        guard isUnsent else { return }
        defer {
            (endsRound, isUnsent) = (false, false)
            teller?.clear()
            if let notice { broadcast(.notice(notice)) }
            notice = nil
            if let onPublish { onPublish(revision, shown) }
        }
        let value = endsRound ? tools.pointee.check.value(of: display.rows, rules: rulesCheck) : nil
        let line = tools.pointee.lines.write { line in
            tools.pointee.change.withDifference {
                ServerMessage.encodeDiff(from: revision - 1, to: revision, check: value, $0, into: &line)
            }
        }
        history.append(line, to: display.rows)
        let viewers = viewers
        let facts = teller?.facts ?? []
        // The line with the facts, made for the first viewer that wants them.
        var toldLine: [UInt8] = []
        // The current snapshot, made for the first slow viewer.
        var shown: TableSnapshot?
        for index in viewers.indices {
            if viewers[index].lag != nil { continue }
            let told = !facts.isEmpty && viewers[index].wantsFacts
            if told, toldLine.isEmpty { toldLine = makeLine(from: line, with: facts) }
            // A call for each, so that no line is retained.
            if told ? viewers[index].sender.offer(toldLine) : viewers[index].sender.offer(line) { continue }
            // Sent although the viewer is slow: later diffs are collapsed relative to this revision, which needs no older
            // snapshot.
            viewers[index].sender.send(told ? toldLine : line)
            let table = shown ?? self.shown
            shown = table
            self.viewers[index].lag = Viewer.Lag(table, revision: revision)
        }
    }

    private func makeLine(from line: [UInt8], with facts: [PublicFact]) -> [UInt8] {
        tools.pointee.lines.write {
            $0 += line
            ServerMessage.add(facts.count > WireLimits.facts ? .missed : .facts(facts), to: &$0)
        }
    }

    // MARK: Viewers

    var snapshotLine: [UInt8] {
        ServerMessage.snapshot(table: name, epoch: epoch, revision: revision, shown, chat: chatSequence).encoded()
    }

    /// The shortest way from a client's revision to the current one: nothing, diffs, one diff or a snapshot.
    /// - Parameter wantsFacts: whether diffs say that facts were missed.
    func catchUp(from client: KnownTable, wantsFacts: Bool) -> [UInt8] {
        let snapshot = snapshotLine
        guard client.epoch == epoch, let known = client.revision, known <= revision else { return snapshot }
        guard known < revision else { return [] }
        let news = wantsFacts ? TableNews.missed : .none
        guard let lines = history.lines(since: known, news), let old = history.table(at: known) else { return snapshot }
        return [lines, diffLine(from: old, at: known, news), snapshot].min { $0.count < $1.count } ?? snapshot
    }

    private func diffLine(from old: TableSnapshot, at known: Int, _ news: TableNews) -> [UInt8] {
        let shown = shown
        return ServerMessage.diff(from: known, to: revision, check: shown.check, old.difference(to: shown), news: news)
            .encoded()
    }

    /// Adds a session to the viewers. Ends the lag of one that is a viewer already.
    func addViewer(_ session: Session) {
        if let index = index(of: session) {
            viewers[index].lag = nil
        } else {
            viewers.append(Viewer(session))
            factsChanged(for: session)
        }
    }

    /// Starts or stops making public facts: they are made while a viewer wants them.
    func factsChanged(for session: Session? = nil) {
        if let session, let index = index(of: session) { viewers[index].wantsFacts = session.wantsFacts }
        let isWanted = viewers.contains(where: \.wantsFacts)
        if isWanted != (teller != nil) { teller = isWanted ? FactTeller(engine) : nil }
    }

    /// Sends a message to all viewers that keep up.
    func broadcast(_ message: ServerMessage, except left: Session? = nil) {
        let line = message.encoded()
        for viewer in viewers where viewer.lag == nil && !viewer.session.sender.isCongested && viewer.session !== left {
            viewer.session.sender.send(line)
        }
    }

    /// Adds a chat line and sends it to all viewers.
    func say(_ text: ChatText, _ reaction: Reaction?, by name: String, _ origin: ChatOrigin, at now: Int64) {
        chatSequence += 1
        let line = ChatLine(sequence: chatSequence, name: name, text: text.text, time: now, reaction: reaction?.rawValue)
        if chat.count == WireLimits.chatLines { chat.removeFirst() }
        chat.append((line, origin))
        broadcast(.chat(line))
    }

    /// The kept chat lines after a sequence number.
    func chat(since sequence: Int) -> [ChatLine] { chat.map(\.line).filter { $0.sequence > sequence } }

    /// Whether a request repeats one of the kept lines on another connection.
    func hasSaid(_ text: ChatText, _ origin: ChatOrigin) -> Bool {
        chat.contains { said in
            said.origin.player == origin.player && said.origin.id != nil && said.origin.id == origin.id
                && said.origin.connection != origin.connection && said.line.text == text.text
        }
    }

    func removeViewer(_ session: Session) {
        viewers.removeAll { $0.session === session }
        if teller != nil { factsChanged() }
    }

    /// Sends the collapsed diff, or a snapshot if that is shorter, to a viewer that has caught up.
    func resume(_ session: Session) {
        guard let index = index(of: session), let lag = viewers[index].lag else { return }
        viewers[index].lag = nil
        guard lag.revision < revision else { return }
        metrics.collapses.add()
        let diff = diffLine(from: lag.table, at: lag.revision, session.wantsFacts ? .missed : .none)
        let snapshot = snapshotLine
        session.sender.send(diff.count <= snapshot.count ? diff : snapshot)
    }

    private func index(of session: Session) -> Int? { viewers.firstIndex { $0.session === session } }

    var summary: TableSummary {
        let shown = shown
        let taken = shown.seats.compactMap(shown.player)
        let players = taken.map(\.name)
        return TableSummary(
            name: name, seats: engine.rules.seats, freeSeats: engine.isClosing ? 0 : engine.rules.seats - players.count,
            // The players of a table with a pass phrase are private.
            players: pass == nil ? players : [], bots: taken.count(where: \.isBot),
            watchers: viewers.count { $0.session.account?.table !== self }, rules: engine.rules, isLocked: pass != nil,
            isClosing: engine.isClosing, owner: owner?.name)
    }
}

/// Scratch buffers shared by a loop's tables: facts, differences and lines reuse memory that stays in the processor's caches.
///
/// Valid until the next operation of any table. Behind a pointer, which avoids exclusive access checks on each use.
final class TableScratch {
    struct Tools {
        /// Facts of the last operation.
        var facts = FactList()
        /// The last published change of a table.
        var change = RowChange()
        var check = TableCheck()
        var lines = LineRing()
    }

    let tools: UnsafeMutablePointer<Tools>

    init() {
        tools = .allocate(capacity: 1)
        tools.initialize(to: Tools())
    }

    deinit {
        tools.deinitialize(count: 1)
        tools.deallocate()
    }
}

/// Buffers for lines that connections share until the end of the tick, reused in turn. A line whose buffer is still referenced
/// gets new memory.
struct LineRing {
    private static let count = 64

    private var lines: [[UInt8]] = Array(repeating: [], count: count)
    private var next = 0

    /// Writes a line into the next buffer.
    mutating func write(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
        next = (next + 1) % Self.count
        lines[next].removeAll(keepingCapacity: true)
        body(&lines[next])
        return lines[next]
    }
}

/// The last diffs of a table, as sent, for clients that missed some: two spans of diffs, each with the table at its start. When the later
/// span is full, it replaces the earlier one. So memory is bounded, and once both buffers have grown a diff allocates nothing.
struct DiffHistory {
    private struct Span {
        /// The table before the first diff, at `revision`.
        var base: TableRows
        var revision: Int
        /// The diffs, one line each.
        var lines: [UInt8] = []
        /// Number of diffs. Their ends are searched when needed, which is rare: recording them would add to every diff's cost.
        var count = 0

        /// Each diff, with its newline.
        var diffs: [ArraySlice<UInt8>] {
            var (diffs, start): ([ArraySlice<UInt8>], Int) = ([], 0)
            while let end = lines[start...].firstIndex(of: UInt8(ascii: "\n")) {
                diffs.append(lines[start...end])
                start = end + 1
            }
            return diffs
        }
    }

    static let maximumDiffs = 32
    /// Bytes that end a span. With one more line of about 2 KiB at most, a span stays within 8 KiB.
    static let enoughBytes = 6144

    private var earlier: Span?
    private var later: Span

    init(_ table: TableRows, revision: Int) { later = Span(base: table, revision: revision) }

    /// The revision before the first kept diff.
    var firstRevision: Int { earlier?.revision ?? later.revision }

    /// Adds the line that leads to the next revision, with the table that it shows.
    mutating func append(_ line: [UInt8], to shown: borrowing TableRows) {
        later.lines += line
        later.count += 1
        guard later.count == Self.maximumDiffs || later.lines.count > Self.enoughBytes else { return }
        let revision = later.revision + later.count
        var memory = earlier.take() ?? Span(base: TableRows(seats: shown.seats), revision: revision)
        memory.base.become(shown)
        memory.revision = revision
        memory.lines.removeAll(keepingCapacity: true)
        memory.count = 0
        earlier = later
        later = memory
    }

    /// The diffs since a revision, each with `news`; nil if some are gone.
    func lines(since revision: Int, _ news: TableNews) -> [UInt8]? {
        guard revision >= firstRevision, revision <= later.revision + later.count else { return nil }
        return [earlier, later].compactMap(\.self).reduce(into: []) { result, span in
            for diff in span.diffs.dropFirst(max(0, revision - span.revision)) {
                result += diff
                ServerMessage.add(news, to: &result)
            }
        }
    }

    /// The table at a revision, reconstructed from the start of a span; nil if no longer kept.
    func table(at revision: Int) -> TableSnapshot? {
        guard let span = [later, earlier].compactMap(\.self).first(where: { $0.revision <= revision }) else { return nil }
        guard revision - span.revision <= span.count else { return nil }
        var table = span.base.snapshot
        for diff in span.diffs.prefix(revision - span.revision) {
            let message = diff.dropLast().withUnsafeBufferPointer { try? ServerMessage(line: $0) }
            guard case .diff(_, _, _, let difference, _) = message, let next = try? table.applying(difference) else {
                preconditionFailure("what we have sent can be read and applied")
            }
            table = next
        }
        return table
    }
}

/// The latest players who knew a table's pass phrase, bounded. All others share the limit ``guesses``; admitted players, even after the
/// phrase has changed, have only the limits of their addresses, and so have the first wrong guesses of an hour.
struct AdmittedPlayers {
    /// The limit on wrong pass phrases at a table, from all addresses together.
    static let guesses = RateLimit.perSecond(1, burst: 10)
    private static let capacity = 1024

    private var players = OrderedQueue<PlayerID>()

    func contains(_ player: PlayerID) -> Bool { players.contains(player) }

    mutating func insert(_ player: PlayerID) {
        if contains(player) { players.remove(player) }
        if players.count >= Self.capacity, let first = players.first { players.remove(first) }
        players.append(player)
    }
}
