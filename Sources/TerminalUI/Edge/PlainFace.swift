import ClientCore
import ClientSession
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

/// One sentence per event, one command per line. On a terminal the input line is edited here and drawn again below each event; input that is
/// no terminal is a script: see ``CommandQueue``.
final class PlainFace: Face {
    private enum Input {
        case editor(KeyParser, LineEditor)
        /// A terminal's lines, as its driver cuts them.
        case lines(LineFramer)
        case script(LineFramer)
    }

    unowned let session: TableSession
    private let look: Look
    let wording = Wording(suits: .letters)
    private let input: StandardInput
    private(set) lazy var output = makeOutput()
    private var mode: Input
    /// Asked at the start: a terminal that was closed is none.
    private let writesToTerminal: Bool
    private let wasTyped: Bool
    private var subscriptions: [AnyCancellable] = []
    var muted = MuteList()
    /// Lines that arrived before the first snapshot.
    private var waitingLines: [String] = []
    private var isAskingForName = false
    /// The player's account at another address, which the name typed again uses here.
    private var offer: AccountConsent?
    /// The next line is the pass phrase of this table.
    private(set) var askedPass: TableMove.Destination?
    /// Whether the list of tables is printed as soon as it is there.
    var awaitsList = false
    /// Commands of a script that were refused, by the server or here.
    var refusals = 0
    private var owesMore = false
    private(set) lazy var queue = CommandQueue(session) { [weak self] in self?.carryOut($0) }
    /// The script of a file; nil without one, and once it is over.
    var script: ScriptRun?
    var isScriptBusy = false
    /// Whether leaving was answered by a question about this hand.
    var hasAskedToLeave = false
    /// Until the current line of the script has waited long enough.
    private(set) lazy var scriptTimer = session.loop.makeTimer { [weak self] in self?.runScript() }
    /// Until a lone escape is the escape key.
    private lazy var escapeTimer = session.loop.makeTimer { [weak self] in self?.press { $0.flush() } }
    /// A question about the past whose answer is on its way: it follows the reply.
    var awaitedPast: PlainCommand?
    /// The part of the list of tables that was asked for; nil for all of it.
    var query: TableQuery?

    init(_ session: TableSession, _ look: Look) {
        self.session = session
        self.look = look
        let terminal = session.terminal
        (writesToTerminal, wasTyped) = (isatty(terminal.output) == 1, terminal.isTyped)
        // The last line may lack its line end.
        input = StandardInput(terminal.input, lastWords: [0x0A])
        let framer = LineFramer(limit: WireLimits.requestBytes)
        script = session.options.script.map { ScriptRun($0) }
        if script != nil {
            mode = .script(framer)
            return
        }
        let canEdit = session.canDraw && !session.options.isJSON
        mode = canEdit ? .editor(KeyParser(), LineEditor()) : isatty(terminal.input) == 1 ? .lines(framer) : .script(framer)
    }

    private func makeOutput() -> TerminalOutput {
        let written = LoopConfined({ [weak self] in self?.written(hasFailed: $0) } as (Bool) -> Void, on: session.loop)
        let terminal = session.terminal
        return TerminalOutput {
            terminal.write($0)
        } idle: { hasFailed in
            written.perform { $0(hasFailed) }
        }
    }

    private func written(hasFailed: Bool) {
        // 128 + SIGPIPE, as of every program whose reader has gone.
        guard hasFailed else { return readMore() }
        if writesToTerminal { session.terminalClosed() } else { session.leave(.init(status: 141)) }
    }

    var isScript: Bool { if case .script = mode { true } else { false } }
    private var isEditing: Bool { if case .editor = mode { true } else { false } }

    func open() {
        if session.options.isJSON { output.send(StateReport.hello) }
        if isEditing, session.terminal.open(.line) {
            drawInput()
            subscriptions += [
                session.onSignal(SIGTSTP) { [weak self] in self?.suspend() },
                session.onSignal(SIGCONT) { [weak self] in self?.resume() },
            ]
        }
        guard script == nil else {
            queue.changed = { [weak self] in self?.runScript() }
            return runScript()
        }
        input.bytes.receive(on: session.queue).sink { [weak self] _ in
            self?.inputEnded()
        } receiveValue: { [weak self] in
            self?.read($0)
        }.store(in: &subscriptions)
        input.start()
    }

    func close() {
        subscriptions = []
        if session.options.isJSON, let ending = session.ending { output.send(StateReport.end(ending)) }
        // A pipe's reader may be busy; a stopped terminal is not waited for.
        output.finish(within: isatty(session.terminal.output) == 1 ? 2000 : 10_000)
        if askedPass != nil { hideInput(false) }
        session.terminal.close()
    }

    private func suspend() {
        output.finish(within: 500)
        session.terminal.close()
        session.signals.stop()
    }

    private func resume() {
        session.continued()
        guard session.terminal.open(.line) else { return }
        drawInput()
    }

    // MARK: Output

    func take(_ update: ClientUpdate, from old: ClientState) {
        for sentence in LinkNarrator(wording: wording, muted: muted).sentences(
            from: old, to: update)
        { say(sentence) }
        if case .table(let change) = update.event {
            let narrator = Narrator(
                me: update.state.login?.name ?? "", wording: wording, givesRebuys: update.state.hello?.givesRebuys ?? true,
                timeOuts: session.timeOuts.map(\.seat), isSatOut: session.turns.isSatOut)
            if session.rings(change) { output.send(Sentence.bell) }
            let now = session.client.loop.now + update.state.clockOffset
            for sentence in narrator.sentences(for: change, now: now) { say(sentence) }
        }
        report(update)
        if !session.state.isInPlay { hasAskedToLeave = false }
        switch update.event {
        case .history, .statement: pastArrived()
        case .reply(_, .lobby(_, _, let tables)): if awaitsList { list(tables) }
        default: break
        }
        goOn()
    }

    /// Carries out lines and commands that waited, in order, as far as they can be.
    func goOn() {
        // None of them is the phrase that was asked for.
        let lines = askedPass == nil ? waitingLines : []
        if askedPass == nil { waitingLines = [] }
        for line in lines { typed(line) }
        queue.stateChanged()
        runScript()
        readMore()
    }

    func say(_ sentence: Sentence) {
        if sentence.kind == .alarm, session.terminal.isInteractive { output.send(Sentence.bell) }
        print(sentence.text, as: sentence.kind)
    }

    /// Prints a line; an input line moves below it.
    func print(_ text: SafeText, as kind: Sentence.Kind = .answer) {
        script?.hear(Sentence(kind, text))
        if session.options.isJSON { return output.send(StateReport.event(Sentence(kind, text))) }
        let line = look.isUnicode ? text : text.inASCII
        guard isEditing else { return output.send(line.text + "\n") }
        // A terminal would break words.
        let lines = line.paragraph(columns: session.terminal.size.columns).map { $0.text + "\n" }.joined()
        output.send("\r\u{1B}[K" + lines + inputLine)
    }

    private var inputLine: String {
        guard case .editor(_, let editor) = mode else { return "" }
        let shown = editor.shown(columns: session.terminal.size.columns)
        return (look.isUnicode ? shown : shown.inASCII).text
    }

    private func drawInput() { output.send("\r\u{1B}[K" + inputLine) }

    func settingsChanged() {}

    func askForName(_ name: SafeText, _ update: ClientUpdate) -> Bool {
        guard !isScript else { return false }
        isAskingForName = true
        guard let other = session.accountElsewhere else {
            print("The name \(name) is taken: type another one.")
            print("If it is you, 'bjclient accounts import' brings your account from elsewhere.")
            return true
        }
        offer = other
        print("You are \(name) at \(SafeText(other.server, columns: 80)), and this server says that it is the same house.")
        print("Type \(JoinView.consentWord) if you trust it: it gets the secret of that account. Or type another name.")
        return true
    }

    // MARK: Input

    private func read(_ bytes: [UInt8]) {
        switch mode {
        case .editor:
            escapeTimer.disarm()
            press { $0.feed(bytes) }
            if case .editor(let parser, _) = mode, parser.isWaiting { escapeTimer.arm(at: session.loop.clock.now + 50) }
        case .lines(var framer):
            let lines = Self.lines(of: bytes, &framer)
            mode = .lines(framer)
            for line in lines { typed(line) }
        case .script(var framer):
            let lines = Self.lines(of: bytes, &framer)
            mode = .script(framer)
            for line in lines { typed(line) }
            if framer.isOverLimit {
                refuse("A line has at most \(WireLimits.requestBytes) bytes: reading stops.")
                return inputEnded()
            }
        }
        owesMore = true
        readMore()
    }

    /// Pauses a script that is longer than the queue, or whose output nobody reads.
    private func readMore() {
        guard owesMore, !queue.isFull, !isScript || output.isIdle else { return }
        owesMore = false
        input.more()
    }

    private static func lines(of bytes: [UInt8], _ framer: inout LineFramer) -> [String] {
        var lines: [String] = []
        _ = bytes.withUnsafeBytes { bytes in
            framer.append(bytes) {
                lines.append(String(decoding: $0, as: UTF8.self))
                return true
            }
        }
        return lines
    }

    private func press(_ read: (inout KeyParser) -> [Key]) {
        guard case .editor(var parser, var editor) = mode else { return }
        let keys = read(&parser)
        mode = .editor(parser, editor)
        for key in keys {
            // A line before may have made this one secret.
            if case .editor(_, let current) = mode { editor = current }
            let effect = editor.press(key)
            // The line that was typed stays above its answer.
            if case .submit(let line) = effect, !line.isEmpty { output.send("\n") }
            mode = .editor(parser, editor)
            drawInput()
            switch effect {
            case .submit(let line): typed(line)
            case .endOfInput: inputEnded()
            case .full: print("Nothing is added: a line has at most \(LineEditor.longest) bytes.")
            case nil: break
            }
        }
    }

    private func typed(_ line: String) {
        if isAskingForName { return logIn(as: line) }
        if let askedPass { return goTo(askedPass, phrase: line) }
        do throws(PlainCommand.Misunderstanding) {
            guard let command = try PlainCommand(line: line) else { return }
            if isScript { return queue.append(command) }
            // Typed before the connection is up.
            if !command.isLocal, !waitingLines.isEmpty || mustWait(command) {
                if waitingLines.count < CommandQueue.limit { waitingLines.append(line) } else { print("Too many commands wait.") }
                return
            }
            carryOut(command)
        } catch {
            refuse(error.text)
        }
    }

    private func logIn(as line: String) {
        let name = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !name.isEmpty else { return }
        if name == "quit" || name == "leave" { return session.leave() }
        do throws(ProtocolError) {
            let name = try PlayerName(name)
            // Neither Enter nor the name alone, which is typed without reading.
            let consent = name.text.lowercased() == JoinView.consentWord ? offer : nil
            if let offer, consent == nil, (try? PlayerName(offer.name))?.key == name.key {
                return print(
                    "Type \(JoinView.consentWord) to send the secret of \(SafeText(name.text, columns: 24)), or another name.")
            }
            session.client.logIn(as: consent?.name ?? name.text, consent: consent)
            offer = nil
            isAskingForName = false
        } catch {
            print("\(error.message)")
        }
    }

    /// The next line is a pass phrase.
    func askForPhrase(of destination: TableMove.Destination) {
        askedPass = destination
        hideInput(true)
    }

    private func goTo(_ destination: TableMove.Destination, phrase: String) {
        askedPass = nil
        hideInput(false)
        enter(destination, phrase: phrase)
    }

    private func hideInput(_ isHidden: Bool) {
        guard case .editor(let parser, var editor) = mode else { return session.terminal.setEcho(!isHidden) }
        editor.isSecret = isHidden
        mode = .editor(parser, editor)
    }

    func refuse(_ text: SafeText) {
        refusals += 1
        print(text, as: .refusal)
        scriptRefused(text)
    }

    /// Control-D, the end of a file, or a terminal that was closed.
    private func inputEnded() {
        if wasTyped, session.terminal.isClosed { session.terminalClosed() } else { queue.end() }
    }
}
