import ClientCore
import Dispatch
import EventStreams
import Sockets
import TableModel
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The full-screen front end: keys in, frames out. A thin shell: pure functions make all decisions.
final class ScreenFace: Face {
    unowned let session: TableSession
    private let look: Look
    private let wording = Wording(suits: .symbols)
    let board = TableBoard()
    /// The way of the table to its newest revision.
    private var motion = Motion()
    /// Until the next picture of it.
    private lazy var motionTimer = session.loop.makeTimer { [weak self] in self?.draw() }
    private let terminal: Terminal
    private let input: StandardInput
    private(set) var view = ViewState()
    /// The join form; nil once joined.
    private(set) var dialog: JoinDialog?
    /// The list of tables while it is shown.
    var lobby: LobbyView?
    private var parser = KeyParser()
    /// The frame on the terminal; nil when unknown.
    private var shown: Frame?
    private var size: ScreenSize
    private var subscriptions: [AnyCancellable] = []
    private var handlers: [AnyCancellable] = []
    /// Until a pending sequence ends: see ``KeyParser/timeout``.
    private lazy var silenceTimer = session.loop.makeTimer { [weak self] in self?.wasSilent() }
    private lazy var foregroundTimer = session.loop.makeTimer { [weak self] in _ = self?.takeTerminal() }
    /// Until the seconds of the running clock, or of a silent server, change.
    private lazy var secondsTimer = session.loop.makeTimer { [weak self] in self?.drawSoon() }
    /// Until requests without an answer are marked.
    private lazy var pendingTimer = session.loop.makeTimer { [weak self] in self?.markPending() }
    private var isOpen = false
    /// True when the terminal took the last frame too slowly for the latest state.
    private var isBehind = false
    private lazy var output = session.makeOutput { [weak self] in self?.written($0) }
    /// Coalesces all updates already queued into one frame.
    private lazy var redraw = session.loop.makeTurn { [weak self] in self?.draw() }

    init(_ session: TableSession, _ look: Look) {
        (self.session, self.look) = (session, look)
        terminal = session.terminal
        input = StandardInput(terminal.input)
        size = terminal.size
    }

    func open() {
        guard takeTerminal() else {
            return session.end(.init(status: 69, reason: "standard input or output is not a terminal"))
        }
        handlers = [
            session.onSignal(SIGWINCH) { [weak self] in self?.resized() },
            session.onSignal(SIGTSTP) { [weak self] in self?.suspend() },
            session.onSignal(SIGCONT) { [weak self] in self?.resume() },
        ]
        input.bytes.receive(on: session.queue).sink(
            // A raw terminal has no other end.
            receiveCompletion: { [weak self] _ in self?.session.terminalClosed() },
            receiveValue: { [weak self] in
                self?.typed($0)
                // Later keys are for the program that follows in the terminal.
                if self?.session.lastWord == nil { self?.input.more() }
            }
        ).store(in: &subscriptions)
        if let suggestion = session.nameSuggestion { askForName(suggestion) }
        input.start()
    }

    func askForName(_ name: SafeText, _ update: ClientUpdate) -> Bool {
        askForName(session.options.name.first, isSuggestion: false)
        dialog?.take(update)
        drawSoon()
        return true
    }

    private func askForName(_ suggestion: String, isSuggestion: Bool = true) {
        dialog = JoinDialog(
            session.client, server: session.options.shownServer, name: suggestion, isSuggestion: isSuggestion, on: session.queue
        ) { [weak self] in
            self?.drawSoon()
        }
    }

    func close() {
        isOpen = false
        subscriptions = []
        dialog = nil
        output.finish(within: 500)
        terminal.close()
    }

    func take(_ update: ClientUpdate, from old: ClientState) {
        defer { drawSoon() }
        if let dialog {
            guard update.state.link == .loggedIn else {
                dialog.take(update)
                return view.take(update, [])
            }
            self.dialog = nil
        }
        let narrator = LinkNarrator(wording: wording, muted: session.muted)
        var sentences = narrator.sentences(from: old, to: update).filter(\.isNewsOnScreen)
        // Its panel says so.
        if case .refused(let refusal) = update.event, refusal.isOfPast { sentences = [] }
        if case .table(let change) = update.event {
            var news: [Sentence] = []
            if change.old != nil {
                let narrator = Narrator(me: update.state.login?.name ?? "", wording: wording)
                news = narrator.sentences(for: change, now: nil).filter(\.isNewsOnScreen)
            } else if let rules = change.new.rules {
                news = [Sentence(.table, wording.welcome(rules))]
            }
            // No card shows them: they wait for no motion.
            sentences += news.filter { $0.kind == .closing }
            sentences += show(change, news.filter { $0.kind != .closing }, update.state)
            if session.rings(change) { output.send(Sentence.bell) }
        } else if update.state.snapshot == nil {
            sentences += apply(motion.finish())
            board.show(TableSnapshot(), me: "")
        }
        lobby?.take(update.event, wasStopped: view.isStopped)
        view.take(update, sentences)
        showMoment()
    }

    func say(_ sentence: Sentence) {
        view.say(sentence)
        if sentence.kind == .alarm { output.send(Sentence.bell) }
        drawSoon()
    }

    private func typed(_ bytes: [UInt8]) {
        silenceTimer.disarm()
        for key in parser.feed(bytes) { press(key) }
        if let timeout = parser.timeout { silenceTimer.arm(at: session.loop.clock.now + timeout) }
    }

    private func wasSilent() { for key in parser.flush() { press(key) } }

    private func press(_ key: Key) {
        // A key means what the screen offers: one pressed during a motion ends it, and decides nothing that is not asked yet.
        let offered = KeyMap(view)
        finishMotion()
        if let dialog {
            switch dialog.press(key) {
            case .quit: session.leave()
            case .redraw: shown = nil
            case nil: break
            }
            return draw()
        }
        if lobby != nil {
            pressInLobby(key)
            return draw()
        }
        guard let intent = offered.intent(for: key) else { return }
        switch intent {
        case .perform(let command): if !perform(command) { return draw() }
        case .redraw: shown = nil
        default: break
        }
        view.take(intent)
        draw()
    }

    /// - Returns: false for a command that is refused here.
    private func perform(_ command: PlayerCommand) -> Bool {
        do throws(PlayerCommand.Misunderstanding) {
            if try session.carryOut(command) { return true }
        } catch {
            view.take(.hush)
            view.say(Sentence(.refusal, error.text))
            return false
        }
        switch command {
        case .tables: lobby = list
        case .leave: if !asksBeforeLeaving() { session.leave() }
        default: send(command)
        }
        return true
    }

    private func send(_ command: PlayerCommand) {
        finishMotion()
        guard let message = command.message(in: session.state) else { return }
        let number = view.pending.sent(command)
        // A quick answer is not worth a mark.
        if pendingTimer.deadline == nil { pendingTimer.arm(at: session.loop.clock.now + 300) }
        session.send(message) { [weak self] in self?.answered(number, command, $0) }
    }

    private func answered(_ number: Int, _ command: PlayerCommand, _ result: Result<Reply, Refusal>) {
        view.pending.answered(number)
        if case .failure(let refusal) = result {
            // The server's refusals are events; this one is the client's own.
            let reason = refusal.code == "not_connected" ? LinkNarrator.refusal(refusal) : ""
            if case .say(let text) = command {
                view.keep(unsent: text, because: reason)
            } else if !reason.isEmpty {
                view.say(Sentence(.refusal, reason))
            }
        }
        drawSoon()
    }

    private func markPending() {
        view.pending.becomeLate()
        drawSoon()
    }

    /// Counts the seconds of a silent server, else those of the running clock.
    private func countSeconds() {
        let now = session.loop.clock.now
        if let since = session.state.silentSince {
            let silence = max(0, now - since)
            view.silentSeconds = Int(silence / 1000)
            dialog?.silentSeconds = view.silentSeconds
            return secondsTimer.arm(at: now + 1000 - silence % 1000)
        }
        let left = view.deadline.map { $0 - now - SecondsLeft.slack }
        view.secondsLeft = left.map { SecondsLeft.of($0 + SecondsLeft.slack) }
        if let left, left > 0 { secondsTimer.arm(at: now + (left - 1) % 1000 + 1) } else { secondsTimer.disarm() }
    }

    /// Tells sentences that waited for the end of a motion.
    private func tell(_ sentences: [Sentence]) {
        for sentence in sentences { view.say(sentence) }
    }

    func askToLeave() {
        view.take(.askToQuit)
        drawSoon()
    }

    func drawSoon() { redraw.request() }

    private func draw() {
        guard isOpen else { return }
        showMoment()
        countSeconds()
        // A terminal that takes nothing gets the latest state later, and no queue of frames.
        isBehind = !output.isIdle
        guard !isBehind else { return }
        let frame =
            dialog.map { JoinScreen($0.view, size: size).frame }
            ?? lobby.map { LobbyScreen($0, view, awaited: session.move.awaited, size: size).frame }
            ?? Screen(view, board, size: size).frame
        let drawing = frame.drawing(over: shown, look: look)
        shown = frame
        if !drawing.isEmpty { output.send(drawing) }
    }

    private func written(_ failure: Int32) {
        if failure != 0 { session.terminalClosed() } else if isBehind { draw() }
    }

    private func resized() {
        size = terminal.size
        shown = nil
        draw()
    }

    /// Control-Z: restores the terminal, then stops the process with the default action.
    private func suspend() {
        isOpen = false
        output.finish(within: 500)
        terminal.close()
        session.signals.stop()
    }

    private func resume() {
        session.continued()
        // Also after a stop without Control-Z: the shell has set modes of its own.
        _ = takeTerminal()
    }

    /// Enters raw mode and draws. In the background the terminal is another process's, and the game goes on without it: looks again each half
    /// second, since a shell's `fg` sends no signal to a job that runs.
    /// - Returns: false when it is no terminal.
    private func takeTerminal() -> Bool {
        isOpen = terminal.isForeground
        guard isOpen else {
            foregroundTimer.arm(at: session.loop.clock.now + 500)
            return true
        }
        isOpen = terminal.open()
        (size, shown) = (terminal.size, nil)
        drawSoon()
        return isOpen
    }

    // MARK: Lobby

    // The list of tables on the screen.

    func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        if lobby == nil { lobby = list }
        lobby?.isChosen = isAsked
        if let reason { lobby?.notice = reason }
        drawSoon()
    }

    /// A list that has just been opened.
    var list: LobbyView {
        if case .watch = session.options.wish { LobbyView(prefersWatching: true) } else { LobbyView() }
    }

    // The list says why.
    func moveRefused() {}

    func leaveLobby() {
        lobby = nil
        drawSoon()
    }

    func askForPass(_ destination: TableMove.Destination, isWrong: Bool) {
        if lobby == nil { lobby = list }
        lobby?.ask(for: destination, isWrong: isWrong)
        drawSoon()
    }

    func pressInLobby(_ key: Key) {
        switch lobby?.press(key, view.client) {
        case .go(let destination)?: session.go(to: destination)
        case .back?:
            session.stay()
            leaveLobby()
        case .quit? where view.isInPlay:
            leaveLobby()
            askToLeave()
        case .quit?: session.leave()
        case .redraw?: shown = nil
        case nil: break
        }
    }

    // MARK: Motion

    /// A screen without colours may belong to a reader that reads every change aloud.
    private var isPaced: Bool {
        session.options.settings.motion && look.hasColors && dialog == nil && lobby == nil && view.panel == .table
    }

    /// Shows a changed table, or sets it in motion, behind what moves.
    /// - Parameter news: the change in words.
    /// - Returns: sentences to tell at once.
    private func show(_ change: TableChange, _ news: [Sentence], _ state: ClientState) -> [Sentence] {
        let told = apply(motion.finish())
        guard case .changed(_, let difference) = change.origin else {
            board.show(change.new, me: state.login?.name ?? "")
            return told + news
        }
        guard isPaced else { return told + apply((difference, news)) }
        let now = session.loop.clock.now
        let left = change.new.clock.map { $0.deadline - state.clockOffset - now }
        return told + apply(motion.take(change, news, at: now, left: left))
    }

    private func apply(_ part: (part: TableDifference, sentences: [Sentence])) -> [Sentence] {
        board.apply(part.part)
        return part.sentences
    }

    /// A key or a decision ends all motion: the player has seen enough.
    private func finishMotion() {
        guard motion.isMoving else { return }
        tell(apply(motion.finish()))
        showMoment()
        drawSoon()
    }

    func asksBeforeLeaving() -> Bool {
        finishMotion()
        guard dialog == nil, view.isOnline, view.isInPlay, !view.asksToQuit else { return false }
        leaveLobby()
        askToLeave()
        return true
    }

    /// Has all that is written and drawn be of this moment. No timer is armed while nothing moves.
    private func showMoment() {
        let now = session.loop.clock.now
        tell(apply(motion.advance(to: now)))
        view.client.snapshot = session.state.snapshot.map { _ in board.table }
        view.isMoving = motion.isMoving
        (view.coach, view.isIdled, view.betsAgain) = (session.coach, session.isIdled, session.autoBet.isOn)
        if let next = motion.nextChange { motionTimer.arm(at: next) } else { motionTimer.disarm() }
    }
}

extension Sentence {
    /// True when the screen shows the event without a message.
    var isNewsOnScreen: Bool {
        switch kind {
        case .card, .bet, .prompt, .turn, .attempt, .record: false
        case .play, .dealer, .result, .seat, .table, .closing, .link, .refusal, .chat, .ownChat, .host, .answer, .alarm:
            true
        }
    }
}
