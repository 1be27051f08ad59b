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

/// One sentence per event, one command per line. On a terminal the input line is edited here and drawn again below each event; input that is
/// no terminal is a pipe: see ``CommandQueue``.
final class PlainFace: Face {
    private enum Input {
        case editor(KeyParser, LineEditor)
        /// Of a terminal's driver, or of a pipe.
        case lines(LineFramer)
    }

    unowned let session: TableSession
    private let look: Look
    let wording = Wording(suits: .words)
    private let input: StandardInput
    private lazy var output = session.makeOutput { [weak self] in self?.written(hasFailed: $0) }
    private var mode: Input
    /// Asked at the start: a terminal that was closed is none.
    private let writesToTerminal: Bool
    /// Whether nobody types: commands wait until they are legal.
    let isPiped: Bool
    private var subscriptions: [AnyCancellable] = []
    /// Lines that arrived before the first snapshot.
    private var waitingLines: [String] = []
    private var isAskingForName = false
    /// The player's account at another address, which the name typed again uses here.
    private var offer: AccountConsent?
    /// The next line is the pass phrase of this table.
    private(set) var askedPass: TableMove.Destination?
    /// Whether the list of tables is printed as soon as it is there.
    var awaitsList = false
    /// Commands that were refused, by the server or here.
    var refusals = 0
    private var owesMore = false
    private(set) lazy var queue = CommandQueue(session) { [weak self] in self?.carryOut($0) }
    /// Whether leaving was answered by a question about this hand.
    var hasAskedToLeave = false
    /// Until a lone escape is the escape key.
    private lazy var escapeTimer = session.loop.makeTimer { [weak self] in self?.press { $0.flush() } }
    /// A question about the past whose answer is on its way: it follows the reply.
    var awaitedPast: PlayerCommand?
    /// Words that the tables of the next list have, in lower case.
    private var searched: [String] = []

    init(_ session: TableSession, _ look: Look) {
        self.session = session
        self.look = look
        let terminal = session.terminal
        (writesToTerminal, isPiped) = (isatty(terminal.output) == 1, !terminal.isTyped)
        // The last line may lack its line end.
        input = StandardInput(terminal.input, lastWords: [0x0A])
        let framer = LineFramer(limit: WireLimits.requestBytes)
        mode = session.canDraw ? .editor(KeyParser(), LineEditor()) : .lines(framer)
    }

    private func written(hasFailed: Bool) {
        // 128 + SIGPIPE, as of every program whose reader has gone.
        guard hasFailed else { return readMore() }
        if writesToTerminal { session.terminalClosed() } else { session.leave(.init(status: 141)) }
    }

    private var isEditing: Bool { if case .editor = mode { true } else { false } }

    func open() {
        if isEditing, session.terminal.open(.line) {
            drawInput()
            subscriptions += [
                session.onSignal(SIGTSTP) { [weak self] in self?.suspend() },
                session.onSignal(SIGCONT) { [weak self] in self?.resume() },
            ]
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
        for sentence in LinkNarrator(wording: wording, muted: session.muted).sentences(
            from: old, to: update)
        { say(sentence) }
        if case .table(let change) = update.event {
            let narrator = Narrator(
                me: update.state.login?.name ?? "", wording: wording, givesRebuys: update.state.hello?.givesRebuys ?? true)
            if session.rings(change) { output.send(Sentence.bell) }
            let now = session.client.loop.now + update.state.clockOffset
            for sentence in narrator.sentences(for: change, now: now) { say(sentence) }
        }
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
        readMore()
    }

    func say(_ sentence: Sentence) {
        if sentence.kind == .alarm, session.terminal.isInteractive { output.send(Sentence.bell) }
        print(sentence.text)
    }

    /// Prints a line; an input line moves below it.
    func print(_ text: SafeText) {
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
        guard !isPiped else { return false }
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
            if isPiped, framer.isOverLimit {
                refuse("A line has at most \(WireLimits.requestBytes) bytes: reading stops.")
                return inputEnded()
            }
        }
        owesMore = true
        readMore()
    }

    /// Pauses a pipe that has more than the queue takes, or whose output nobody reads.
    private func readMore() {
        guard owesMore, !queue.isFull, !isPiped || output.isIdle else { return }
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
        do throws(PlayerCommand.Misunderstanding) {
            guard let command = try PlayerCommand(line: line) else { return }
            if isPiped { return queue.append(command) }
            // Typed before the connection is up.
            if command.word.need != .nothing, command != .leave, !waitingLines.isEmpty || mustWait(command) {
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
        print(text)
    }

    /// Control-D, the end of a file, or a terminal that was closed.
    private func inputEnded() {
        if !isPiped, session.terminal.isClosed { session.terminalClosed() } else { queue.end() }
    }

    // MARK: Commands

    // Commands without a screen.

    func carryOut(_ outcome: CommandQueue.Outcome) {
        switch outcome {
        case .carryOut(let command): carryOut(command)
        case .skip(let reason): print(reason)
        case .giveUp(.leave, let seconds): session.leave(.init(status: 69, reason: "gave up after \(seconds) seconds"))
        case .giveUp(let command, let seconds): refuse("\(command.typed): not possible within \(seconds) seconds.")
        }
    }

    func carryOut(_ command: PlayerCommand) {
        if command != .leave { hasAskedToLeave = false }
        do throws(PlayerCommand.Misunderstanding) {
            if try session.carryOut(command) { return }
        } catch {
            return refuse(error.text)
        }
        switch command {
        case .help: for line in CommandWord.help(hasKeys: false) { print(line) }
        case .rules:
            for sentence in session.state.ruleSentences { print(SafeText(sentence, columns: 500)) }
        case .table: describe()
        case .settings(let field, _): list(field)
        case .leave: leave()
        default: send(command)
        }
    }

    private func send(_ command: PlayerCommand) {
        guard session.state.link == .loggedIn else { return refuse("No connection at the moment: try again shortly.") }
        guard let message = command.message(in: session.state) else { return }
        queue.sent(command)
        if case .tables(let words) = command { searched = words }
        session.send(message) { [weak self] in self?.answered(command, $0) }
    }

    private func answered(_ command: PlayerCommand, _ result: Result<Reply, Refusal>) {
        var revision: Int?
        switch result {
        case .success(let reply) where ["history", "statement"].contains(reply.type):
            awaitedPast = command
            // Upper bound for a server whose disk is slow.
            return session.perform(after: 30_000) { [weak self] in self?.pastArrived() }
        case .success(.applied(_, let at)), .success(.sit(_, _, let at, _)): revision = at.number
        case .success(.lobby(_, _, let tables)): list(tables)
        case .success: break
        // The session's own rounds are the answer.
        case .failure(let refusal) where refusal.code == ErrorCode.accountNeeded.rawValue && command.isAboutThePast:
            let lines =
                command == .history ? wording.lines(ofSession: session.tally.rounds) : [wording.balance(of: session.state)]
            for line in lines { print(line) }
        case .failure(let refusal):
            refusals += 1
            // The server's refusals are events; this one is the client's own.
            if refusal.code == "not_connected" { print(LinkNarrator.refusal(refusal)) }
            if command == .history { for line in wording.lines(ofSession: session.tally.rounds) { print(line) } }
        }
        queue.answered(command, revision)
    }

    /// The rounds or the balance arrived.
    func pastArrived() {
        guard let command = awaitedPast else { return }
        awaitedPast = nil
        queue.answered(command, nil)
    }

    private func describe() {
        guard let snapshot = session.state.snapshot, let table = session.state.table else { return }
        let narrator = Narrator(me: session.state.login?.name ?? "", wording: wording)
        let now = session.client.loop.now + session.state.clockOffset
        for sentence in narrator.description(of: snapshot, table: table, now: now) { print(sentence.text) }
    }

    // MARK: Lobby

    // The list of tables without a screen.

    /// Lines of one list; more are counted.
    private static let longestList = 40

    /// Whether a typed command has to wait: for the login, for a table, or for an answer during a move.
    func mustWait(_ command: PlayerCommand) -> Bool {
        if session.move.isUnderway || session.arriving != nil || session.isRestaking { return true }
        if session.isInLobby || session.state.snapshot != nil { return false }
        return command.word.need.isOfATable || session.state.link != .loggedIn
    }

    func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        if let reason { print(reason) }
        let isLoggedIn = session.state.link == .loggedIn
        awaitsList = !isLoggedIn || session.state.lobby.isEmpty
        // A session that named its table has no list so far.
        if !awaitsList { list(session.state.lobby) } else if isLoggedIn { session.send(.lobby(follow: nil)) }
        goOn()
    }

    func leaveLobby() { goOn() }

    func moveRefused() { refusals += 1 }

    func list(_ tables: [TableSummary]) {
        awaitsList = false
        let isPart = !searched.isEmpty
        let tables = tables.filter { $0.matches(searched) }
        searched = []
        for table in tables.prefix(Self.longestList) { print(wording.summary(table)) }
        if tables.count > Self.longestList { print("\(tables.count - Self.longestList) more tables are not listed.") }
        if tables.isEmpty { print(isPart ? "No table has these words." : "There are no tables at the moment.") }
        if session.state.snapshot == nil, !tables.isEmpty { print("'sit TABLE' takes a seat, 'watch TABLE' watches.") }
    }

    func askForPass(_ destination: TableMove.Destination, isWrong: Bool) {
        let table = SafeText(destination.table, columns: 32)
        guard !isPiped else {
            let reason: SafeText =
                isWrong
                ? "the pass phrase of the table \(table) is wrong"
                : "the table \(table) has a pass phrase: give it with --pass, with BJ_PASS or after the table's name"
            return session.leave(.init(status: 77, reason: reason))
        }
        if isWrong { print("That is not the pass phrase of \(table).") }
        askForPhrase(of: destination)
        print("Pass phrase of \(table) (an empty line gives up):")
    }

    /// Goes to a table with the phrase that was typed.
    func enter(_ destination: TableMove.Destination, phrase: String) {
        guard !phrase.isEmpty else { return enterLobby(nil, isAsked: true) }
        var destination = destination
        destination.pass = phrase
        session.go(to: destination)
    }

    // MARK: Settings

    /// Lists the settings, or shows one.
    private func list(_ field: ClientSettings.Field?) {
        let line = { [session] (field: ClientSettings.Field) -> SafeText in
            "\(session.settings.line(of: field)): \(SafeText(field.meaning))."
        }
        if let field { return print(line(field)) }
        print(session.keptSettings.map { "Settings, kept in \(SafeText($0, columns: 400)):" } ?? "Settings of this session:")
        for field in ClientSettings.Field.allCases { print("  \(line(field))") }
    }
}

extension PlayerCommand {
    fileprivate var isAboutThePast: Bool { self == .history || self == .statement }
}

// MARK: Leaving

extension PlainFace {
    /// Leaves, or asks before; a pipe of which a part was refused ends with a status of its own.
    func leave() {
        if !isPiped, asksBeforeLeaving() { return }
        guard isPiped, refusals > 0 else { return session.leave() }
        session.leave(.init(status: 65, reason: refusals == 1 ? "a command was refused" : "\(refusals) commands were refused"))
    }

    func asksBeforeLeaving() -> Bool {
        guard session.terminal.isTyped, session.state.link == .loggedIn, session.state.isInPlay, !hasAskedToLeave else {
            return false
        }
        hasAskedToLeave = true
        print("Your hand is in play and would stand: once more 'leave' or Ctrl-C leaves.")
        return true
    }
}
