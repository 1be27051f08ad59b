import TableModel
import Wire

/// Who watches, and how each is brought up to date.
extension HostedTable {
    /// The shortest way from what a client has to what is shown: a word of what it is, and its lines.
    struct CatchUp {
        let resumption: Resumption
        let lines: [UInt8]
    }

    var snapshotLine: [UInt8] {
        ServerMessage.snapshot(table: name, epoch: epoch, revision: revision, shown, chat: chatSequence).encoded()
    }

    /// What brings a client up to date that has the table at a revision of some epoch.
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

    /// Counts a session among those who are sent each difference.
    func addViewer(_ session: Session) {
        if let index = index(of: session) {
            viewers[index].behind = nil
        } else {
            viewers.append(Viewer(session))
        }
    }

    /// A session wants to be served otherwise from now on.
    func optionsChanged(of session: Session) {
        guard let index = index(of: session) else { return }
        viewers[index].wantsCheck = session.wantsCheck
        viewers[index].isVerbose = session.isVerbose
    }

    /// Sends something that is no part of the table to all who watch it and read what they are sent.
    func tell(_ message: ServerMessage, except left: Session? = nil) {
        let line = message.encoded()
        for viewer in viewers where viewer.behind == nil && !viewer.session.sender.isCongested && viewer.session !== left {
            viewer.session.sender.send(line)
        }
    }

    /// Says something to all who watch.
    func say(_ text: ChatText, by name: String, at now: Int64) {
        chatSequence += 1
        let line = ChatLine(sequence: chatSequence, name: name, text: text.text, time: now)
        if chat.count == WireLimits.chatLines { chat.removeFirst() }
        chat.append(line)
        tell(.chat(line))
    }

    /// What was said since a line, as far as it is kept.
    func chat(since sequence: Int) -> [ChatLine] { chat.filter { $0.sequence > sequence } }

    func removeViewer(_ session: Session) { viewers.removeAll { $0.session === session } }

    /// A slow viewer has taken everything that waited: what was kept from it is sent in one.
    func resume(_ session: Session, at now: Int64) {
        guard let index = index(of: session), let behind = viewers[index].behind else { return }
        viewers[index].behind = nil
        guard behind.revision < revision, let since = behind.since else { return }
        metrics.collapses.add()
        metrics.broadcastLag.observe(Int(clamping: now - since))
        let diff = diffLine(from: behind.table, at: behind.revision)
        let snapshot = snapshotLine
        session.sender.send(diff.count <= snapshot.count ? diff : snapshot)
    }

    private func index(of session: Session) -> Int? { viewers.firstIndex { $0.session === session } }

    var hasVerboseViewers: Bool { viewers.contains { $0.isVerbose } }

    /// Sends what has happened in sentences to those who asked for them.
    func sendNotes() {
        guard !notes.isEmpty else { return }
        let lines = notes.flatMap { ServerMessage.note($0).encoded() }
        notes.removeAll()
        for viewer in viewers where viewer.isVerbose && viewer.behind == nil {
            viewer.sender.send(lines)
        }
    }

    var summary: TableSummary {
        let shown = shown
        let players = shown.seats.compactMap { shown.player($0)?.name }
        let seated = Set(players).count
        return TableSummary(
            name: name, seats: engine.rules.seats, freeSeats: engine.isClosing ? 0 : engine.rules.seats - players.count,
            // Who plays at a table of friends is for them to know.
            players: pass == nil ? players : [],
            watchers: max(0, viewers.count - seated), rules: engine.rules, isLocked: pass != nil)
    }
}
