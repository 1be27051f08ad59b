import ClientCore
import Dispatch
import EventStreams
import TableModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The full-screen front end: keys in, frames out. A thin shell: pure functions make all decisions.
final class ScreenFace: Face {
    private unowned let session: TableSession
    private let look: Look
    private let wording = Wording(suits: .symbols)
    private let board: TableBoard
    private let terminal: Terminal
    private let input: StandardInput
    private(set) var view = ViewState()
    /// The join form; nil once joined.
    private var dialog: JoinDialog?
    /// Deadlines of the running clock, input of the countdown on the screen.
    private let deadlines = PassthroughSubject<Int64?, Never>()
    private var parser = KeyParser()
    /// The frame on the terminal; nil when unknown.
    private var shown: Frame?
    private var size: ScreenSize
    private var subscriptions: [AnyCancellable] = []
    private var handlers: [AnyCancellable] = []
    /// Until a lone escape is the escape key.
    private lazy var escapeTimer = session.loop.makeTimer { [weak self] in self?.escaped() }
    private var isOpen = false
    /// Coalesces all updates already queued into one frame.
    private lazy var redraw = session.loop.makeTurn { [weak self] in self?.draw() }

    init(_ session: TableSession, _ look: Look) {
        self.session = session
        self.look = look
        board = TableBoard(wording: wording)
        terminal = session.terminal
        input = StandardInput(terminal.input)
        size = terminal.size
    }

    func open() {
        guard terminal.open() else { return session.end(.init(status: 69, reason: "standard input or output is not a terminal")) }
        isOpen = true
        handlers = [
            session.onSignal(SIGWINCH) { [weak self] in self?.resized() },
            session.onSignal(SIGTSTP) { [weak self] in self?.suspend() },
            session.onSignal(SIGCONT) { [weak self] in self?.resume() },
        ]
        input.bytes.receive(on: session.queue).sink(
            receiveCompletion: { [weak self] _ in self?.session.leave() },
            receiveValue: { [weak self] in self?.typed($0) }
        ).store(in: &subscriptions)
        let clock = session.client.loop.clock
        deadlines.secondsLeft(on: session.queue) { clock.now + SecondsLeft.slack }.sink { [weak self] seconds in
            self?.view.secondsLeft = seconds
            self?.drawSoon()
        }.store(in: &subscriptions)
        if let suggestion = session.nameSuggestion { askForName(suggestion) }
        input.start()
    }

    private func askForName(_ suggestion: String) {
        let server: SafeText = "\(session.options.host):\(session.options.port)"
        dialog = JoinDialog(session.client, server: server, name: suggestion, on: session.queue) { [weak self] in
            self?.drawSoon()
        }
    }

    func close() {
        isOpen = false
        subscriptions = []
        dialog = nil
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
        var sentences = LinkNarrator(wording: wording, muted: view.muted).sentences(from: old, to: update).filter(
            \.isNewsOnScreen)
        if case .table(let change) = update.event {
            let me = update.state.login?.name ?? ""
            board.show(change, me: me)
            if case .changed = change.origin {
                sentences += Narrator(me: me, wording: wording).sentences(for: change, now: nil).filter(\.isNewsOnScreen)
            }
        } else if update.state.snapshot == nil, old.snapshot != nil {
            board.clear()
        }
        view.take(update, sentences)
        view.coach = session.coach
        deadlines.send(view.deadline)
    }

    func say(_ sentence: Sentence) {
        view.say(sentence)
        if sentence.kind == .alarm { terminal.write(Sentence.bell) }
        drawSoon()
    }

    private func typed(_ bytes: [UInt8]) {
        escapeTimer.disarm()
        for key in parser.feed(bytes) { press(key) }
        // A terminal sends a sequence at once: an escape followed by 50 ms of silence is the escape key.
        if parser.isWaiting { escapeTimer.arm(at: session.loop.clock.now + 50) }
    }

    private func escaped() {
        for key in parser.flush() { press(key) }
    }

    private func press(_ key: Key) {
        if let dialog {
            switch dialog.press(key) {
            case .quit: session.leave()
            case .redraw: shown = nil
            case nil: break
            }
            return draw()
        }
        guard let intent = KeyMap(view).intent(for: key) else { return }
        switch intent {
        case .send(let message), .decide(let message), .ask(let message, _), .command(let message): session.send(message)
        case .newStake: session.takeNewStake()
        case .coach: session.toggleCoach()
        case .quit: session.leave()
        case .redraw: shown = nil
        case .type, .erase, .step, .askToQuit, .show, .scroll, .talk, .write, .rub, .hush, .mute: break
        }
        view.take(intent)
        view.coach = session.coach
        draw()
    }

    private func drawSoon() { redraw.request() }

    private func draw() {
        guard isOpen else { return }
        let frame = dialog.map { JoinScreen($0.view, size: size).frame } ?? Screen(view, board, size: size).frame
        let drawing = frame.drawing(over: shown, look: look)
        shown = frame
        if !drawing.isEmpty, !terminal.write(drawing) { session.leave() }
    }

    private func resized() {
        size = terminal.size
        shown = nil
        draw()
    }

    /// Control-Z: restores the terminal, then stops the process with the default action.
    private func suspend() {
        isOpen = false
        terminal.close()
        session.signals.stop()
    }

    private func resume() {
        guard !isOpen, terminal.open() else { return }
        isOpen = true
        resized()
    }
}

extension Sentence {
    /// True when the screen shows the event without a message.
    var isNewsOnScreen: Bool {
        switch kind {
        case .card, .bet, .prompt, .turn, .attempt, .record: false
        case .play, .dealer, .result, .seat, .table, .link, .refusal, .chat, .answer, .shuffle, .alarm: true
        }
    }
}
