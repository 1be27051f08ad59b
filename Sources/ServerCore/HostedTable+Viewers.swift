import TableModel
import Wire

/// Viewers, and how they are brought up to date.
extension HostedTable {
    /// The lines that bring a client up to date, and their kind.
    struct CatchUp {
        let resumption: Resumption
        let lines: [UInt8]
    }

    var snapshotLine: [UInt8] {
        ServerMessage.snapshot(table: name, epoch: epoch, revision: revision, shown, chat: chatSequence).encoded()
    }

    /// The shortest way from a client's revision to the current one: diffs, one diff or a snapshot.
    func catchUp(epoch: String, revision known: Int) -> CatchUp {
        let snapshot = CatchUp(resumption: .snapshot, lines: snapshotLine)
        guard epoch == self.epoch, known <= revision else { return snapshot }
        guard known < revision else { return CatchUp(resumption: .nothing, lines: []) }
        guard let lines = history.lines(since: known), let old = history.table(at: known) else { return snapshot }
        let collapsed = CatchUp(resumption: .diff, lines: diffLine(from: old, at: known))
        let candidates = [CatchUp(resumption: .diffs, lines: lines), collapsed, snapshot]
        return candidates.min { $0.lines.count < $1.lines.count } ?? snapshot
    }

    private func diffLine(from old: TableSnapshot, at known: Int) -> [UInt8] {
        let shown = shown
        return ServerMessage.diff(from: known, to: revision, check: shown.check, old.difference(to: shown)).encoded()
    }

    /// Adds a session to the viewers; a lagging viewer is up to date then.
    func addViewer(_ session: Session) {
        if let index = index(of: session) {
            viewers[index].lag = nil
        } else {
            viewers.append(Viewer(session))
        }
    }

    /// Applies a session's changed options.
    func optionsChanged(of session: Session) {
        guard let index = index(of: session) else { return }
        viewers[index].wantsCheck = session.wantsCheck
        viewers[index].isVerbose = session.isVerbose
    }

    /// Sends a message to all viewers that keep up.
    func broadcast(_ message: ServerMessage, except left: Session? = nil) {
        let line = message.encoded()
        for viewer in viewers where viewer.lag == nil && !viewer.session.sender.isCongested && viewer.session !== left {
            viewer.session.sender.send(line)
        }
    }

    /// Adds a chat line and sends it to all viewers.
    func say(_ text: ChatText, by name: String, at now: Int64) {
        chatSequence += 1
        let line = ChatLine(sequence: chatSequence, name: name, text: text.text, time: now)
        if chat.count == WireLimits.chatLines { chat.removeFirst() }
        chat.append(line)
        broadcast(.chat(line))
    }

    /// The kept chat lines after a sequence number.
    func chat(since sequence: Int) -> [ChatLine] { chat.filter { $0.sequence > sequence } }

    func removeViewer(_ session: Session) { viewers.removeAll { $0.session === session } }

    /// Sends the collapsed diff, or a snapshot if that is shorter, to a viewer that has caught up.
    func resume(_ session: Session, at now: Int64) {
        guard let index = index(of: session), let lag = viewers[index].lag else { return }
        viewers[index].lag = nil
        guard lag.revision < revision, let since = lag.since else { return }
        metrics.collapses.add()
        metrics.broadcastLag.observe(Int(clamping: now - since))
        let diff = diffLine(from: lag.table, at: lag.revision)
        let snapshot = snapshotLine
        session.sender.send(diff.count <= snapshot.count ? diff : snapshot)
    }

    private func index(of session: Session) -> Int? { viewers.firstIndex { $0.session === session } }

    var hasVerboseViewers: Bool { viewers.contains { $0.isVerbose } }

    /// Sends the collected sentences to viewers that asked for them.
    func sendNotes() {
        guard !notes.isEmpty else { return }
        let lines = notes.flatMap { ServerMessage.note($0).encoded() }
        notes.removeAll()
        for viewer in viewers where viewer.isVerbose && viewer.lag == nil {
            viewer.sender.send(lines)
        }
    }

    var summary: TableSummary {
        let shown = shown
        let players = shown.seats.compactMap { shown.player($0)?.name }
        let seated = Set(players).count
        return TableSummary(
            name: name, seats: engine.rules.seats, freeSeats: engine.isClosing ? 0 : engine.rules.seats - players.count,
            // The players of a table with a pass phrase are private.
            players: pass == nil ? players : [],
            watchers: max(0, viewers.count - seated), rules: engine.rules, isLocked: pass != nil,
            isClosing: engine.isClosing, owner: owner?.name)
    }
}
