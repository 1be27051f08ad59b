import ClientCore
import ClientSession
import Dispatch
import EventStreams
import Fairness
import Sockets
import TableModel
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One player at one table, from the connection to the screen and back.
///
/// Confined to a loop of its own. The client's loop posts updates to it and never waits.
public final class TableSession {
    /// The name to log in with.
    public enum Name: Sendable {
        /// This name; if it is taken, asks for another at a terminal, and ends the session elsewhere.
        case given(String)
        /// This name, with a numeric suffix if it is taken.
        case assumed(String)
        /// Asks at the screen, starting with this suggestion (may be empty). Without a screen: as `assumed`, or `player` if
        /// empty.
        case asked(suggestion: String)
    }

    public struct Options: Sendable {
        public var host: String
        public var port: Int
        public var name: Name
        public var wish = SessionOptions.Wish.sit(table: nil, seat: nil)
        /// The pass phrase of the table, where it has one.
        public var pass: String?
        /// Where the accounts of this device are kept; nil to play as a guest.
        public var accounts: AccountFile?
        /// A code of the host, for a new account of a closed house.
        public var invite: String?
        /// Shown instead of the address.
        public var title: String?
        /// Whether the player came to watch, under no name of theirs.
        var isNamelessViewer = false
        /// Milliseconds between two pings, and until an unanswered one counts as silence.
        var (pingInterval, answerTime): (Int64, Int64) = (5_000, 2_000)
        /// Milliseconds without a key after which keys are meant for a list of tables that came by itself.
        var listPause: Int64 = 500
        /// Milliseconds that a command of a script may wait until it is legal.
        var commandWait: Int64 = 180_000
        /// Prints sentences instead of drawing a screen, even on a terminal.
        public var isPlain = false
        /// Prints events and the table as lines of JSON instead of sentences; implies no screen.
        public var isJSON = false
        /// Commands and expectations in place of typed commands; implies no screen.
        public var script: Script? { didSet { if script != nil { commandWait = .max / 2 } } }
        /// The script's file, for messages.
        public var scriptName = "script"
        /// Where evidence of a shoe that is not honest is kept; nil for nowhere.
        public var proofs: ProofFolder?
        /// Determines the contributions to shoes, for practice; nil for the system's randomness.
        public var contributionSeed: UInt64?
        public var settings = ClientSettings()
        /// Where changed settings are kept; nil for nowhere.
        public var settingsFile: SettingsFile?
        /// Environment variables that describe the terminal.
        public var environment: [String: String] = [:]

        public init(host: String, port: Int, name: Name) {
            self.host = host
            self.port = port
            self.name = name
        }
    }

    /// How a session ended.
    public struct Ending: Sendable {
        /// Exit status: 0 when the player left, 65 when commands of a script were refused, 69 when the server is unreachable or ended the
        /// session, 74 when no account can be stored, 75 when an expectation of a script is not met in time, 77 when a script has no right pass phrase.
        public var status: Int32
        /// The reason, for standard error.
        public var reason: SafeText?
        /// The session in sentences, for standard output.
        public var summaries: [SafeText] = []
    }

    let loop: Loop
    /// The loop's queue, for streams.
    var queue: DispatchQueue { loop.queue }
    let client: GameClient
    let options: Options
    let terminal: Terminal
    let signals: ProcessSignals
    /// Initial text of the join form; nil when no form is shown.
    var nameSuggestion: String?
    /// The client's state as of the last update shown.
    private(set) var state = ClientState()

    /// Updates of the client that may wait for this queue.
    private static let waitingUpdates = 256
    private let completion: @Sendable (Ending) -> Void
    let look: Look
    /// Whether lines can be edited, and a screen be drawn.
    let canDraw: Bool
    let hasScreen: Bool
    var coach = Coach()
    var settings: ClientSettings
    var autoBet: AutoBet
    var turns = OwnTurns()
    var tally = SessionTally()
    /// The player's decisions that the server made in the last change.
    var timeOuts: [OwnTurns.TimeOut] = []
    /// The change of tables that is under way.
    var move = TableMove()
    /// Whether the session has had its first table, or shows the list of tables instead.
    var hasChosen = false
    /// Whether the first list of tables decides where the player goes.
    var awaitsChoice = false
    /// The last request of a move that was refused.
    var refusedMove: RequestID?
    /// The table whose seat or view was granted, until it is shown.
    var arriving: TableMove.Destination?
    /// Why the last setting was not kept; nil where it was.
    var settingsFault: SafeText?
    /// Whether the seat is given up for a new stake.
    var isRestaking = false
    /// The pass phrase, and the table that has it; nil: the first table that asks.
    var pass: String?
    var passTable: String?
    private(set) var face: (any Face)?
    private var subscription: AnyCancellable?
    private var handlers: [AnyCancellable] = []
    /// Names tried.
    var attempts = 1
    /// How the session has ended; nil before.
    private(set) var ending: Ending?
    /// How the session ends after the server's `goodbye`.
    private(set) var lastWord: Ending?
    /// The fate of the bets that were open when the player left; nil for none.
    private(set) var leftBets: SafeText?
    /// The player's chips, for a server that starts anew.
    private var chips = ChipMemory()
    private var hasEnded = false

    /// Starts a session on a loop of its own, at the process's terminal.
    /// - Parameter completion: called once, after the session has ended and the terminal is restored.
    public static func start(
        _ options: Options, completion: @escaping @Sendable (Ending) -> Void
    ) -> LoopConfined<TableSession> {
        start(options, terminal: .standard, signals: .standard, completion: completion)
    }

    static func start(
        _ options: Options, terminal: Terminal, signals: ProcessSignals, completion: @escaping @Sendable (Ending) -> Void
    ) -> LoopConfined<TableSession> {
        let loop = Loop(label: "bj.ui")
        let session = TableSession(options, loop, terminal: terminal, signals: signals, completion: completion)
        let handle = LoopConfined(sending: session, on: loop)
        handle.perform { $0.start() }
        return handle
    }

    private init(
        _ wishes: Options, _ loop: Loop, terminal: Terminal, signals: ProcessSignals,
        completion: @escaping @Sendable (Ending) -> Void
    ) {
        let options = wishes.forViewers
        self.options = options
        self.loop = loop
        self.terminal = terminal
        self.signals = signals
        self.completion = completion
        settings = options.settings
        if settings.coach { coach.toggle() }
        if options.script == nil, terminal.isTyped { coach.watch() }
        look = Look(environment: options.environment, settings: options.settings)
        canDraw = terminal.isInteractive && Look.canDraw(terminal: options.environment["TERM"])
        hasScreen = canDraw && !options.isPlain && !options.isJSON && options.script == nil
        autoBet = AutoBet(isOn: options.settings.rebet, control: hasScreen ? "R" : "'rebet'")
        if hasScreen, case .asked(let suggestion) = options.name { nameSuggestion = suggestion } else { nameSuggestion = nil }
        let name = nameSuggestion == nil ? options.name.first : nil
        var settings = GameClient.Options(host: options.host, port: options.port, name: name)
        // The session takes its tables by itself: see `loggedIn`.
        settings.wish = .nothing
        if options.script == nil, terminal.isTyped {
            settings.returnsAfterKick = true
            // Only the player gives up.
            settings.retries = .max
        }
        settings.pingInterval = options.pingInterval
        settings.answerTime = options.answerTime
        settings.accounts = options.accounts
        settings.invite = options.invite
        settings.contributionSeed = options.contributionSeed
        settings.waitingUpdates = Self.waitingUpdates
        client = GameClient(options: settings, loop: Loop(label: "bj.client"))
        pass = options.pass
        switch options.wish {
        case .sit(let table, _), .watch(let table): passTable = table
        case .nothing: break
        }
    }

    private func start() {
        let face: any Face = hasScreen ? ScreenFace(self, look) : PlainFace(self, look)
        self.face = face
        handlers = [
            onSignal(SIGTERM) { [weak self] in self?.leave() },
            onSignal(SIGINT) { [weak self] in
                if self?.face?.asksBeforeLeaving() != true { self?.leave() }
            },
        ]
        // The player may come back from another terminal: the seat is kept, as after a lost connection.
        handlers.append(onSignal(SIGHUP) { [weak self] in self?.terminalClosed() })
        face.open()
        subscription = client.updates.receive(on: queue).sink { [weak self] in self?.take($0) }
        client.start()
    }

    /// Replaces a signal's default action by a closure on the loop.
    func onSignal(_ number: Int32, _ action: @escaping () -> Void) -> AnyCancellable {
        let action = LoopConfined(action, on: loop)
        return signals.observe(number, queue) { action.value() }
    }

    /// Asks the server for something.
    /// - Parameter completion: called once on the session's loop, as by `GameClient.send`.
    func send(_ message: ClientMessage, completion: ((Result<Reply, Refusal>) -> Void)? = nil) {
        var message = message
        if case .sit(let table, let seat, nil) = message { message = .sit(table: table, seat: seat, pass: pass(of: table)) }
        let decision = coach.decision(message, in: state)
        turns.sent(message)
        guard completion != nil || decision != nil else { return client.send(message) }
        let here = LoopConfined(
            { [weak self] result in
                switch result {
                case .success: if let decision { self?.coach.count(decision) }
                case .failure: self?.turns.refused(message)
                }
                completion?(result)
            } as (Result<Reply, Refusal>) -> Void, on: loop)
        client.send(message) { result in here.perform { $0(result) } }
    }

    /// Performs work after a time in milliseconds.
    func perform(after delay: Int64, _ work: @escaping () -> Void) {
        loop.makeTimer(work).arm(at: loop.clock.now + delay)
    }

    /// The process was stopped, and goes on: the server's time may differ from what was computed before.
    func continued() { client.send(.ping) }

    /// Logs out, which frees the name, and ends after the server's `goodbye`.
    func leave(_ ending: Ending = Ending(status: 0)) {
        guard lastWord == nil else { return }
        lastWord = ending
        // The server's answer takes them off the table.
        leftBets = Wording.leftBets(of: state)
        guard state.link == .loggedIn else { return end(ending) }
        send(.logout) { [weak self] result in
            if case .failure = result { self?.end(ending) }
        }
        // Deadline for a server that does not answer.
        perform(after: 1000) { [weak self] in self?.end(ending) }
    }

    /// The terminal is gone, and nobody has left: no logout, so that the server keeps the seat as after a lost connection.
    func terminalClosed() { end(Ending(status: 0)) }

    func end(_ ending: Ending) {
        guard !hasEnded else { return }
        hasEnded = true
        subscription = nil
        client.stop()
        if let accounts = options.accounts, let name = state.login?.name, let house = state.hello?.house {
            let server = AccountFile.address(host: options.host, port: options.port)
            try? accounts.note(chips: chips.settled, of: name, house: house, server: server)
        }
        var ending = ending
        ending.summaries = summaries
        self.ending = ending
        face?.close()
        // A line of JSON has it already.
        if options.isJSON { ending.summaries = [] }
        completion(ending)
    }

    private func take(_ update: ClientUpdate) {
        client.handled()
        guard !hasEnded else { return }
        let old = state
        state = update.state
        // No first connection: the session ends instead of retrying.
        if case .lost(let failure) = state.link, state.hello == nil { return unreachable(failure) }
        // No need to reconnect only to log out.
        if let lastWord, case .link = update.event { return end(lastWord) }
        if case .refused(let refusal) = update.event, triesOtherName(after: refusal) || asksForOtherName(after: refusal, update) {
            return
        }
        let losesCoach = coach.take(update)
        count(update)
        face?.take(update, from: old)
        if losesCoach { settingsFollow() }
        if losesCoach { face?.say(Sentence(.answer, "The coach is off: the server gives no chart.")) }
        adviseIfAsked()
        if let news = chips.take(update) { face?.say(Sentence(.closing, news)) }
        switch update.event {
        case .link: linkChanged(update.state)
        case .refused(let refusal): refused(refusal)
        case .goodbye(GoodbyeCode.loggedOut.rawValue, _): end(lastWord ?? Ending(status: 0))
        case .goodbye(GoodbyeCode.replaced.rawValue, _):
            fail("this account is in use in another window: the player went on there")
        case .goodbye(_, let message): if case .ended = update.state.link { fail("the server ended the session: \(message)") }
        case .shoe(.failed(let report, let fault)): keepEvidence(report, fault)
        case .shoe(.evidence(let report, let fault)): keepEvidence(report, fault, isNew: false)
        case .silence, .postponed, .reply, .table, .outOfSync, .isWrong, .lobby, .lobbyOutOfSync, .chat, .notice, .note, .history,
            .statement, .chart, .pinged, .shoe, .leftTable, .skipped:
            break
        }
        follow(update, from: old)
        betAgain()
        timeOuts = []
    }

    /// Says what is wrong with a shoe, and keeps the evidence in a file.
    private func keepEvidence(_ report: ShoeReport, _ fault: ShoeFault, isNew: Bool = true) {
        var place: SafeText = ""
        if let proofs = options.proofs {
            do throws(ProofFolder.Failure) {
                place = " The evidence is in \(SafeText(try proofs.store(report, fault), columns: 400))."
            } catch {
                place = " No evidence is kept: \(SafeText(error.description, columns: 400))."
            }
        }
        if isNew { face?.say(Sentence(.alarm, ShuffleNarrator.alarm(report, fault) + place)) }
    }

    private func unreachable(_ failure: LinkFailure) {
        fail("\(failure.description). Is a server there? 'bjserver' starts one, 'bjclient practice' plays without.")
    }

    private func linkChanged(_ state: ClientState) {
        guard case .ended(let reason) = state.link else { return }
        guard let fault = state.accountFault else { return fail("\(reason)") }
        end(Ending(status: 74, reason: "\(SafeText(fault, columns: 400)): --guest plays without an account"))
    }

    func fail(_ reason: SafeText) { end(Ending(status: 69, reason: reason)) }
}
