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

/// One sentence per event, one command per line, and nothing drawn twice: a terminal's driver edits the line that is typed. Input that is no
/// terminal is a pipe: each line waits until it is legal, for a bounded time, and for the answer to the one before.
final class PlainFace: Face {
    unowned let session: TableSession
    private let look: Look
    let wording = Wording(suits: .words)
    private let input: StandardInput
    private lazy var output = session.makeOutput { [weak self] in self?.written($0) }
    private var framer = LineFramer(limit: WireLimits.requestBytes, reportsBlankLines: true)
    /// Asked at the start: a terminal that was closed is none.
    private let writesToTerminal: Bool
    /// Whether nobody types: commands wait until they are legal.
    let isPiped: Bool
    private var subscriptions: [AnyCancellable] = []
    /// The next line is the pass phrase of this table.
    private var askedPass: TableMove.Destination?
    /// Whether the list of tables is printed as soon as it is there.
    var awaitsList = false
    /// Commands that were refused, by the server or here.
    var refusals = 0
    /// Why the input ended; nil at its end.
    fileprivate var inputFailure: StandardInput.Failure?
    private var owesMore = false
    /// Commands of a pipe that wait: those of one chunk at most.
    private var waiting: [PlayerCommand] = []
    private var progress = Legality.Progress()
    /// The revision that shows the effect of the last request; nil while it has no answer.
    private var awaited: Int?
    private var isProceeding = false
    private lazy var waitTimer = session.loop.makeTimer { [weak self] in self?.giveUp() }
    /// Whether leaving was answered by a question about this hand.
    var hasAskedToLeave = false
    /// Whether the player's rounds are on their way: they follow the reply.
    private var awaitsHistory = false

    init(_ session: TableSession, _ look: Look) {
        (self.session, self.look) = (session, look)
        let terminal = session.terminal
        (writesToTerminal, isPiped) = (isatty(terminal.output) == 1, !terminal.isTyped)
        // The last line may lack its line end.
        input = StandardInput(terminal.input, lastWords: [0x0A])
    }

    private func written(_ failure: Int32) {
        guard failure != 0 else { return proceed() }
        if writesToTerminal { return session.terminalClosed() }
        // 128 + SIGPIPE, as of every program whose reader has gone.
        guard failure != EPIPE else { return session.leave(.init(status: 141)) }
        session.leave(.init(status: 74, reason: "cannot write to standard output: \(Self.words(failure))"))
    }

    fileprivate static func words(_ number: Int32) -> SafeText { SafeText(String(cString: strerror(number))) }

    func open() {
        input.bytes.receive(on: session.queue).sink { [weak self] completion in
            if case .failure(let failure) = completion { self?.inputFailure = failure }
            self?.inputEnded()
        } receiveValue: { [weak self] in
            self?.read($0)
        }.store(in: &subscriptions)
        subscriptions.append(session.onSignal(SIGCONT) { [weak self] in self?.continued() })
        input.start()
    }

    /// The shell has set modes of its own: a phrase stays hidden.
    private func continued() {
        if askedPass != nil { session.terminal.setEcho(false) }
        session.continued()
    }

    func close() {
        subscriptions = []
        // A pipe's reader may be busy; a stopped terminal is not waited for.
        output.finish(within: isatty(session.terminal.output) == 1 ? 2000 : 10_000)
        if askedPass != nil { session.terminal.setEcho(true) }
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
            let now = session.loop.now + update.state.clockOffset
            for sentence in narrator.sentences(for: change, now: now) { say(sentence) }
        }
        if !session.state.isInPlay { hasAskedToLeave = false }
        if old.hasStake, !session.state.hasStake { progress.hasHandEnded = true }
        switch update.event {
        // The next connection may skip the revision.
        case .link: if awaited != nil { awaited = 0 }
        case .history: pastArrived()
        case .reply(_, .lobby(_, _, let tables)): if awaitsList { list(tables) }
        default: break
        }
        proceed()
    }

    func say(_ sentence: Sentence) {
        if sentence.kind == .alarm, session.terminal.isInteractive { output.send(Sentence.bell) }
        print(sentence.text)
    }

    func print(_ text: SafeText) {
        let line = look.isUnicode ? text : text.inASCII
        // A terminal would break words.
        let lines = writesToTerminal ? line.paragraph(columns: session.terminal.size.columns) : [line]
        output.send(lines.map { $0.text + "\n" }.joined())
    }

    func askForName(_ name: SafeText, _ update: ClientUpdate) -> Bool { false }

    // MARK: Input

    private func read(_ bytes: [UInt8]) {
        var lines: [String] = []
        _ = bytes.withUnsafeBytes { bytes in
            framer.append(bytes) {
                lines.append(String(decoding: $0, as: UTF8.self))
                return true
            }
        }
        for line in lines { typed(line) }
        if isPiped, framer.isOverLimit {
            refuse("A line has at most \(WireLimits.requestBytes) bytes: reading stops.")
            return inputEnded()
        }
        owesMore = true
        proceed()
    }

    /// Carries out commands that wait, in order, as far as they can be, and reads more. Pauses a pipe whose output nobody reads.
    private func proceed() {
        guard !isProceeding else { return }
        isProceeding = true
        defer { isProceeding = false }
        while let command = waiting.first {
            if let awaited, session.state.revision >= awaited { answered() }
            (progress.isInLobby, progress.isMoving) = (session.isInLobby, session.isMoving)
            let legality = command.legality(in: session.state, progress)
            guard legality != .later else { break }
            waiting.removeFirst()
            waitTimer.disarm()
            if case .needless(let reason) = legality { print(reason) } else { carryOut(command) }
        }
        if !waiting.isEmpty, waitTimer.deadline == nil { waitTimer.arm(at: session.loop.clock.now + session.options.commandWait) }
        guard owesMore, waiting.isEmpty, !isPiped || output.isIdle else { return }
        owesMore = false
        input.more()
    }

    private func answered() { (progress.isAnswerDue, awaited) = (false, nil) }

    private func giveUp() {
        let (command, seconds) = (waiting.removeFirst(), session.options.commandWait / 1000)
        answered()
        if command == .leave { return session.leave(.init(status: 69, reason: "gave up after \(seconds) seconds")) }
        refuse("\(command.typed): not possible within \(seconds) seconds.")
        proceed()
    }

    private func typed(_ line: String) {
        if let askedPass {
            self.askedPass = nil
            session.terminal.setEcho(true)
            return enter(askedPass, phrase: line)
        }
        do throws(PlayerCommand.Misunderstanding) {
            guard let command = try PlayerCommand(line: line) else { return }
            if isPiped { waiting.append(command) } else { carryOut(command) }
        } catch {
            refuse(error.text)
        }
    }

    func refuse(_ text: SafeText) {
        refusals += 1
        print(text)
    }

    /// Control-D, the end of a file, or a terminal that was closed.
    private func inputEnded() {
        if !isPiped, session.terminal.isClosed { return session.terminalClosed() }
        progress.hasInputEnded = true
        waiting.append(.leave)
        proceed()
    }

    // MARK: Commands

    // Commands without a screen.

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
        case .leave: leave()
        default: send(command)
        }
    }

    private func send(_ command: PlayerCommand) {
        guard session.state.link == .loggedIn else { return refuse("No connection at the moment: try again shortly.") }
        guard let message = command.message(in: session.state) else { return }
        (progress.isAnswerDue, awaited) = (true, nil)
        if command.word.need == .bets { progress.hasHandEnded = false }
        session.send(message) { [weak self] in self?.answered(command, $0) }
    }

    private func answered(_ command: PlayerCommand, _ result: Result<Reply, Refusal>) {
        awaited = 0
        switch result {
        case .success(let reply) where reply.type == "history":
            (awaitsHistory, awaited) = (true, nil)
            // Upper bound for a server whose disk is slow.
            return session.perform(after: 30_000) { [weak self] in self?.pastArrived() }
        case .success(.applied(_, let at?)): awaited = at
        case .success(.sit(_, _, let catchUp, _)): awaited = catchUp.revision
        case .success(.lobby(_, _, let tables)): list(tables)
        case .success: break
        // An answer all the same, and said already.
        case .failure(let refusal) where refusal.code == ErrorCode.accountNeeded.rawValue && command == .history: break
        case .failure(let refusal):
            refusals += 1
            // The server's refusals are events; this one is the client's own.
            if refusal.code == "not_connected" { print(LinkNarrator.refusal(refusal)) }
        }
        proceed()
    }

    private func pastArrived() {
        guard awaitsHistory else { return }
        (awaitsHistory, awaited) = (false, 0)
        proceed()
    }

    private func describe() {
        guard let snapshot = session.state.snapshot, let table = session.state.table else { return }
        let narrator = Narrator(me: session.state.login?.name ?? "", wording: wording)
        let now = session.loop.now + session.state.clockOffset
        for sentence in narrator.description(of: snapshot, table: table, now: now) { print(sentence.text) }
    }

    // MARK: Lobby

    // The list of tables without a screen.

    /// Lines of one list; more are counted.
    private static let longestList = 40

    func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        if let reason { print(reason) }
        let isLoggedIn = session.state.link == .loggedIn
        awaitsList = !isLoggedIn || session.state.lobby.isEmpty
        // A session that named its table has no list so far.
        if !awaitsList { list(session.state.lobby) } else if isLoggedIn { session.send(.lobby(follow: nil)) }
        proceed()
    }

    func leaveLobby() { proceed() }

    func moveRefused() { refusals += 1 }

    func list(_ tables: [TableSummary]) {
        awaitsList = false
        for table in tables.prefix(Self.longestList) { print(wording.summary(table)) }
        if tables.count > Self.longestList { print("\(tables.count - Self.longestList) more tables are not listed.") }
        if tables.isEmpty { print("There are no tables at the moment.") }
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
        askedPass = destination
        session.terminal.setEcho(false)
        print("Pass phrase of \(table) (an empty line gives up):")
    }

    /// Goes to a table with the phrase that was typed.
    private func enter(_ destination: TableMove.Destination, phrase: String) {
        guard !phrase.isEmpty else { return enterLobby(nil, isAsked: true) }
        var destination = destination
        destination.pass = phrase
        session.go(to: destination)
    }
}

// MARK: Leaving

extension PlainFace {
    /// Leaves, or asks before; a pipe of which a part was refused ends with a status of its own.
    func leave() {
        if !isPiped, asksBeforeLeaving() { return }
        if isPiped, let inputFailure {
            let reason: SafeText = "cannot read standard input: \(Self.words(inputFailure.number))"
            return session.leave(.init(status: 74, reason: reason))
        }
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
