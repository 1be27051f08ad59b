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
    let wording = Wording(suits: .words)
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
    /// Whether leaving was answered by a question about this hand.
    var hasAskedToLeave = false
    /// Until a lone escape is the escape key.
    private lazy var escapeTimer = session.loop.makeTimer { [weak self] in self?.press { $0.flush() } }
    /// A question about the past whose answer is on its way: it follows the reply.
    var awaitedPast: PlainCommand?
    /// Words that the tables of the next list have, in lower case.
    private var searched: [String] = []

    init(_ session: TableSession, _ look: Look) {
        self.session = session
        self.look = look
        let terminal = session.terminal
        (writesToTerminal, wasTyped) = (isatty(terminal.output) == 1, terminal.isTyped)
        // The last line may lack its line end.
        input = StandardInput(terminal.input, lastWords: [0x0A])
        let framer = LineFramer(limit: WireLimits.requestBytes)
        mode =
            session.canDraw
            ? .editor(KeyParser(), LineEditor()) : isatty(terminal.input) == 1 ? .lines(framer) : .script(framer)
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
        for sentence in LinkNarrator(wording: wording, muted: muted).sentences(
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
        print(text)
    }

    /// Control-D, the end of a file, or a terminal that was closed.
    private func inputEnded() {
        if wasTyped, session.terminal.isClosed { session.terminalClosed() } else { queue.end() }
    }

    // MARK: Commands

    // Commands without a screen.

    func carryOut(_ outcome: CommandQueue.Outcome) {
        switch outcome {
        case .carryOut(let command): carryOut(command)
        case .skip(let reason): print(reason)
        case .giveUp(.leave, let seconds): session.leave(.init(status: 69, reason: "gave up after \(seconds) seconds"))
        case .giveUp(let command, let seconds): refuse("\(command.name): not possible within \(seconds) seconds.")
        }
    }

    func carryOut(_ command: PlainCommand) {
        if command != .leave { hasAskedToLeave = false }
        switch command {
        case .help: for line in PlainCommand.explanations { print(line) }
        case .rules:
            for sentence in session.state.ruleSentences { print(SafeText(sentence, columns: 500)) }
        case .table: describe()
        case .status: for line in statusLines { print(line) }
        case .settings(let field, let words): settle(field, words)
        case .coach: session.toggleCoach()
        case .rebet: session.toggleRebet()
        case .leave: leave()
        case .mute(let request):
            switch muted.apply(request) {
            case .success(let text): print(text)
            case .failure(let misunderstanding): refuse(misunderstanding.text)
            }
        case .sit(nil) where isBroke && session.state.hello?.givesRebuys == false:
            refuse("You are out of chips, and the house gives no new ones.")
        case .sit(nil) where isBroke: session.takeNewStake()
        case .go(let destination): session.go(to: destination)
        case _ where session.isInLobby && command.needsTable:
            refuse("You are at no table: 'sit TABLE' or 'watch TABLE' goes to one, 'lobby' lists them.")
        case .act where session.state.question == nil: refuse("There is nothing to decide now.")
        default: send(command)
        }
    }

    private func send(_ command: PlainCommand) {
        guard session.state.link == .loggedIn else { return refuse("No connection at the moment: try again shortly.") }
        guard let message = command.message(in: session.state) else { return }
        queue.sent(command)
        if case .find(let words) = command { searched = words }
        session.send(message) { [weak self] in self?.answered(command, $0) }
    }

    private func answered(_ command: PlainCommand, _ result: Result<Reply, Refusal>) {
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

    private var isBroke: Bool {
        guard let snapshot = session.state.snapshot, let seat = session.state.seat, let rules = session.state.rules else {
            return false
        }
        return (snapshot.player(seat)?.chips ?? 0) < rules.minimumBet && !session.state.hasStake
    }

    // MARK: Lobby

    // The list of tables without a screen.

    /// Lines of one list; more are counted.
    private static let longestList = 40

    /// Whether a typed command has to wait: for the login, for a table, or for an answer during a move.
    func mustWait(_ command: PlainCommand) -> Bool {
        if session.move.isUnderway || session.arriving != nil || session.isRestaking { return true }
        if session.isInLobby || session.state.snapshot != nil { return false }
        return command.needsTable || session.state.link != .loggedIn
    }

    func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        if let reason { print(reason) }
        let isLoggedIn = session.state.link == .loggedIn
        awaitsList = !isLoggedIn || session.state.lobby.isEmpty
        // A script that named its table has no list so far.
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
        guard !isScript else {
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

    // Settings and the state of the session, in words.

    /// Lists the settings, shows one, or changes it.
    func settle(_ field: ClientSettings.Field?, _ words: String?) {
        guard let field else {
            print(session.keptSettings.map { "Settings, kept in \(SafeText($0, columns: 400)):" } ?? "Settings of this session:")
            for field in ClientSettings.Field.allCases { print("  \(line(of: field)): \(SafeText(field.meaning)).") }
            return
        }
        guard let words else { return print("\(line(of: field)): \(SafeText(field.meaning)).") }
        if words == "default" { session.resetSetting(field) } else { session.change(field, to: words) }
        let place: SafeText = session.keptSettings == nil ? ", until you leave" : ""
        print("\(line(of: field))\(place).")
    }

    /// `suits 4`.
    private func line(of field: ClientSettings.Field) -> SafeText {
        "\(SafeText(field.rawValue)) \(SafeText(session.settings.words(of: field) ?? "none", columns: 40))"
    }

    /// The connection, the shoe and its proofs, the coach and the bets.
    var statusLines: [SafeText] {
        let state = session.state
        var lines = [link(state)]
        if let shoe = state.snapshot?.shoe, let left = state.snapshot?.cardsLeft {
            lines.append("Shoe \(shoe.number): \(left) of \(shoe.decks * 52) cards left.\(part(state.shoes.standing))")
        }
        if let shoes = ShuffleNarrator.summary(state.shoes) { lines.append("Shuffles of this session: \(shoes).") }
        let coach: SafeText = session.coach.isOn ? "on" : "off"
        lines.append("The coach is \(coach). Your last bet is \(session.autoBet.isOn ? "" : "not ")made again in each round.")
        return lines
    }

    private func link(_ state: ClientState) -> SafeText {
        let options = session.options
        let server = options.title.map { SafeText($0) } ?? "\(SafeText("\(options.host):\(options.port)", columns: 80))"
        guard state.link == .loggedIn else { return "Not connected to \(server)." }
        if let since = state.silentSince {
            let seconds = max(0, session.client.loop.clock.now - since) / 1000
            return "Connected to \(server), which was last heard \(seconds) s ago."
        }
        let name = SafeText(state.login?.name ?? "", columns: 24)
        return "Connected to \(server) as \(name)\(state.roundTrip.map { ", \($0) ms away" } ?? "")."
    }

    private func part(_ standing: ShoeTally.Standing) -> SafeText {
        switch standing {
        case .none: ""
        case .included: " It was shuffled with your contribution."
        case .notIncluded: " It was shuffled without a contribution of yours."
        }
    }
}

extension PlainCommand {
    fileprivate var isAboutThePast: Bool { self == .history || self == .statement }
}

// MARK: Leaving

extension PlainFace {
    /// Leaves, or asks before; a script of which a part was refused ends with a status of its own.
    func leave() {
        if !isScript, asksBeforeLeaving() { return }
        guard isScript, refusals > 0 else { return session.leave() }
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
