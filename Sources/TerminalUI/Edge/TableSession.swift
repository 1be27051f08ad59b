import ClientCore
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
/// Confined to a loop, which its client shares: an update is handled before the next line is read, and nothing waits for the terminal.
public final class TableSession {
    /// The name to log in with.
    public enum Name: Sendable {
        /// This name; if it is taken, asks for another on a screen, and ends the session elsewhere.
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
        /// Where the accounts of this device are kept; nil to play without one.
        public var accounts: AccountFile?
        /// Without ``accounts``: keeps seat and chips while connections are lost; nil for a guest.
        public var secret: AccountSecret?
        /// A code of the host that makes the account a table's owner.
        public var owner: String?
        /// The line by which others join, of a host: the first words on the screen.
        public var invitation: String?
        /// Shown instead of the address.
        public var title: String?
        /// Whether the player came to watch, under no name of theirs.
        var isNamelessViewer = false
        /// Milliseconds between two pings, and until an unanswered one counts as silence.
        var (pingInterval, answerTime): (Int64, Int64) = (5_000, 2_000)
        /// Milliseconds that a command from a file or pipe may wait until it is legal.
        var commandWait: Int64 = 180_000
        /// Prints sentences instead of drawing a screen, even on a terminal.
        public var isPlain = false
        /// Where evidence of a shoe that is not honest is kept; nil for nowhere.
        public var proofs: ProofFolder?
        /// Determines the contributions to shoes, for practice; nil for the system's randomness.
        public var contributionSeed: UInt64?
        public var settings = ClientSettings()
        /// Environment variables that describe the terminal.
        public var environment: [String: String] = [:]

        public init(host: String, port: Int, name: Name) {
            (self.host, self.port, self.name) = (host, port, name)
        }

        /// The title, or the address.
        var shownServer: SafeText { SafeText(title ?? "\(host):\(port)", columns: 80) }
    }

    /// How a session ended.
    public struct Ending: Sendable {
        /// Exit status: 0 when the player left, 65 when commands from a file or pipe were refused, 69 when the server is unreachable or ended
        /// the session, 74 when no account can be stored or a standard stream fails, 77 when such commands have no right pass phrase.
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

    private let completion: @Sendable (Ending) -> Void
    let look: Look
    let hasScreen: Bool
    var coach = Coach()
    var muted = MuteList()
    var autoBet: AutoBet
    var tally = SessionTally()
    /// Whether the server decided for the player in the last change: the time ran out.
    private var isTimedOut = false
    /// Whether the player sits out because the time ran out.
    private(set) var isIdled = false
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
    /// The pass phrase, and the table that has it; nil: the first table that asks.
    var pass: String?
    var passTable: String?
    private(set) var face: (any Face)?
    private var subscription: AnyCancellable?
    private var handlers: [AnyCancellable] = []
    /// Names tried, and the one that their numbers are appended to.
    var attempts = 1
    var assumedName: String
    /// How the session ends after the server's `goodbye`.
    private(set) var lastWord: Ending?
    /// The fate of the bets that were open when the player left; nil for none.
    private(set) var leftBets: SafeText?
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
        let loop = Loop(label: "bj.client")
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
        (self.options, self.loop, self.terminal, self.signals, self.completion) = (options, loop, terminal, signals, completion)
        assumedName = options.name.first
        if terminal.isTyped { coach.watch() }
        look = Look(environment: options.environment, settings: options.settings)
        hasScreen = !options.isPlain && terminal.isInteractive && Look.canDraw(terminal: options.environment["TERM"])
        autoBet = AutoBet(isOn: options.settings.rebet, control: hasScreen ? "R" : "'rebet'")
        if hasScreen, case .asked(let suggestion) = options.name { nameSuggestion = suggestion } else { nameSuggestion = nil }
        let name = nameSuggestion == nil ? options.name.first : nil
        var settings = GameClient.Options(host: options.host, port: options.port, name: name)
        // The session takes its tables by itself: see `loggedIn`.
        settings.wish = .nothing
        if terminal.isTyped {
            settings.returnsAfterKick = true
            // Only the player gives up.
            settings.retries = .max
        }
        settings.pingInterval = options.pingInterval
        settings.answerTime = options.answerTime
        settings.accounts = options.accounts
        if let secret = options.secret { settings.session.credential = .secret(secret) }
        settings.owner = options.owner
        settings.contributionSeed = options.contributionSeed
        settings.facts = true
        client = GameClient(options: settings, loop: loop)
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
        if hasScreen, let line = options.invitation {
            face.say(Sentence(.answer, "Friends paste: \(SafeText(line, columns: 400))"))
        }
        subscription = client.updates.sink { [weak self] in self?.take($0) }
        client.start()
    }

    /// Replaces a signal's default action by a closure on the loop.
    func onSignal(_ number: Int32, _ action: @escaping () -> Void) -> AnyCancellable {
        let action = LoopConfined(action, on: loop)
        return signals.observe(number, queue) { action.value() }
    }

    /// The terminal's output.
    /// - Parameter written: called on the loop each time when nothing is left to write.
    func makeOutput(_ written: @escaping (_ failure: Int32) -> Void) -> TerminalOutput {
        let (written, terminal) = (LoopConfined(written, on: loop), terminal)
        return TerminalOutput {
            terminal.write($0)
        } idle: { failure in
            written.perform { $0(failure) }
        }
    }

    /// Asks the server for something.
    /// - Parameter completion: called once on the session's loop, as by `GameClient.send`.
    func send(_ message: ClientMessage, completion: ((Result<Reply, Refusal>) -> Void)? = nil) {
        var message = message
        if case .sit(let table, let seat, nil, _) = message { message = .sit(table: table, seat: seat, pass: pass(of: table)) }
        let verdict = coach.verdict(on: message, in: state)
        guard completion != nil || verdict != nil else { return client.send(message) }
        let here = LoopConfined(
            { [weak self] result in
                if case .success = result, let verdict { self?.coach.count(verdict) }
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
        var ending = ending
        // Standard output takes no more.
        if ![74, 141].contains(ending.status) { ending.summaries = summaries }
        face?.close()
        completion(ending)
    }

    private func take(_ update: ClientUpdate) {
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
        if losesCoach { face?.say(Sentence(.answer, "The coach is off: the server gives no chart.")) }
        adviseIfAsked()
        switch update.event {
        case .link: linkChanged(update.state)
        case .refused(let refusal): refused(refusal)
        case .goodbye(GoodbyeCode.loggedOut.rawValue, _): end(lastWord ?? Ending(status: 0))
        case .goodbye(GoodbyeCode.replaced.rawValue, _):
            fail("this account is in use in another window: the player went on there")
        case .goodbye(_, let message): if case .ended = update.state.link { fail("the server ended the session: \(message)") }
        case .shoe(.contradicted(let report, let fault)): keepEvidence(report, fault)
        case .shoe(.evidence(let report, let fault)): keepEvidence(report, fault, isNew: false)
        case .silence, .postponed, .reply, .table, .outOfSync, .isWrong, .lobby, .lobbyOutOfSync, .chat, .notice, .note, .history,
            .chart, .shoe, .leftTable, .skipped:
            break
        }
        follow(update, from: old)
        betAgain()
        isTimedOut = false
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
        fail("\(LinkNarrator.words(failure)). Is a server there? 'bjserver' starts one, 'bjclient practice' plays without.")
    }

    private func linkChanged(_ state: ClientState) {
        guard case .ended(let reason) = state.link else { return }
        guard let fault = state.accountFault else { return fail("\(reason)") }
        end(Ending(status: 74, reason: "\(SafeText(fault, columns: 400)): --guest plays without an account"))
    }

    func fail(_ reason: SafeText) { end(Ending(status: 69, reason: reason)) }

    // MARK: Lobby

    // From the login to a table, between tables, and back to the list of tables.

    /// Whether the player has been shown the list of tables, and is at none.
    var isInLobby: Bool { hasChosen && state.link == .loggedIn && state.snapshot == nil && !isMoving }

    /// Whether the player is between two tables, or waits for the end of the hand.
    var isMoving: Bool { !move.isIdle || arriving != nil }

    /// After every login: follows the list of tables, and takes the first table.
    func loggedIn(_ login: LoginReply) {
        if login.table != nil || state.table != nil { hasChosen = true }
        // A view is not asked for again by the client itself: it was granted, and not shown.
        if let destination = arriving, destination.watches, state.table == nil {
            arriving = nil
            go(to: destination)
        }
        let destination = hasChosen ? nil : firstDestination
        awaitsChoice = !hasChosen && destination == nil && options.wish != .nothing
        if let destination {
            hasChosen = true
            go(to: destination)
        }
        if terminal.isTyped || awaitsChoice { send(.lobby(follow: terminal.isTyped ? true : nil)) }
    }

    /// The table that was named at the start.
    private var firstDestination: TableMove.Destination? {
        switch options.wish {
        case .sit(let table?, let seat):
            .init(table: table, seat: seat, pass: pass(of: table), isFirst: true)
        case .watch(let table?): .init(table: table, watches: true, pass: pass(of: table))
        case .sit(nil, _), .watch(nil), .nothing: nil
        }
    }

    /// Takes the only table, or shows the list of several.
    private func choose(_ tables: [TableSummary]) {
        guard tables.count == 1 else { return face?.enterLobby(nil, isAsked: true) ?? () }
        let (table, seat, watches): (String, Int?, Bool) =
            switch options.wish {
            case .sit(_, let seat): (tables[0].name, seat, false)
            case .watch, .nothing: (tables[0].name, nil, true)
            }
        go(to: .init(table: table, seat: seat, watches: watches, pass: pass(of: table), isFirst: true))
    }

    /// The pass phrase known for a table; nil for none.
    func pass(of table: String?) -> String? { passTable == nil || passTable == table ? pass : nil }

    /// Goes to a table, once the hand in play is over.
    func go(to destination: TableMove.Destination) {
        var destination = destination
        if destination.pass == nil { destination.pass = pass(of: destination.table) }
        let message = move.begin(destination, from: state)
        perform(message)
        if move.isIdle {
            face?.leaveLobby()
            face?.say(Sentence(.answer, "You are at \(SafeText(destination.table, columns: 32)) already."))
        }
        guard let awaited = move.awaited else { return }
        face?.leaveLobby()
        face?.say(Sentence(.answer, Wording.moving(to: awaited, from: state)))
    }

    /// Gives up a move that waits for the end of the hand.
    func stay() {
        if move.awaited != nil { move.cancel() }
    }

    /// Sends the next request of a move.
    func perform(_ message: ClientMessage?) {
        guard let message else { return }
        send(message) { [weak self] result in self?.moved(result) }
    }

    private func moved(_ result: Result<Reply, Refusal>) {
        switch move.answered(result) {
        case nil: break
        case .send(let message)?:
            // After a reconnect the former table is not taken again.
            client.forgetTable()
            perform(message)
        case .arrived(let destination)?:
            if destination.pass != nil { (pass, passTable) = (destination.pass, destination.table) }
            arriving = destination
            if state.snapshot != nil, state.table == destination.table { arrived() }
        case .refused(let destination, let refusal)?:
            refusedMove = refusal.id
            refused(destination, refusal)
        }
    }

    private func refused(_ destination: TableMove.Destination, _ refusal: Refusal) {
        let table = SafeText(destination.table, columns: 32)
        if !destination.isFirst || destination.watches { face?.moveRefused() }
        switch refusal.code {
        case ErrorCode.wrongPass.rawValue:
            if destination.pass == pass { (pass, passTable) = (nil, nil) }
            var open = destination
            open.pass = nil
            face?.askForPass(open, isWrong: destination.pass != nil)
        case ErrorCode.noSuchTable.rawValue where destination.isFirst:
            if terminal.isTyped { return face?.enterLobby("There is no table '\(table)'.", isAsked: false) ?? () }
            // The rest of a pipe waits in vain.
            hasChosen = false
            listTablesAndEnd()
        case _ where refusal.isLocal && destination.isFirst: hasChosen = false
        case _ where destination.isFirst && !destination.watches:
            go(to: .init(table: destination.table, watches: true, pass: destination.pass))
        // Without a screen the refusal is printed already.
        default:
            guard hasScreen || state.snapshot == nil else { return }
            face?.enterLobby(hasScreen ? LinkNarrator.refusal(refusal) : nil, isAsked: true)
        }
    }

    private func listTablesAndEnd() {
        send(.lobby(follow: nil)) { [weak self] result in
            guard case .success(.lobby(_, _, let tables)) = result else { return }
            let names = tables.map { SafeText($0.name, columns: 32) }.joined()
            self?.leave(Ending(status: 69, reason: "no such table; tables: \(names)"))
        }
    }

    private func arrived() {
        arriving = nil
        face?.leaveLobby()
    }

    /// Follows an update of the client: a move that waits, a table that closes, a player who is sent away.
    func follow(_ update: ClientUpdate, from old: ClientState) {
        switch update.event {
        case .reply(_, .login(let login)): loggedIn(login)
        // Not in the request's completion: it may run before the update that has the list.
        case .reply(_, .lobby(_, _, let tables)) where awaitsChoice:
            (awaitsChoice, hasChosen) = (false, true)
            choose(tables)
        case .table(let change):
            if change.table == arriving?.table { arrived() }
            if terminal.isTyped, change.new.phase == .closed, !move.isUnderway { closed(change) }
        case .reply(_, .sit) where options.isNamelessViewer && old.seats.isEmpty:
            face?.say(
                Sentence(.answer, "You play as a guest: seat and chips last as long as the connection. --name plays as you."))
        case .goodbye(GoodbyeCode.kicked.rawValue, let message): if terminal.isTyped { sentAway(message) }
        // The list hides the log, and the server's word has the player's evening.
        case .goodbye(GoodbyeCode.shuttingDown.rawValue, let message):
            guard hasScreen, terminal.isTyped, let last = tally.last else { break }
            face?.enterLobby(Wording(suits: .symbols).stopped(message, last: last.net), isAsked: false)
        case .refused(let refusal): lost(refusal)
        default: break
        }
        perform(move.proceed(from: state))
    }

    private func closed(_ change: TableChange) {
        move.cancel()
        client.forgetTable()
        let wasSeated = change.old.map { !$0.seats(of: state.login?.name ?? "").isEmpty } ?? false
        let keepsChips = wasSeated && options.accounts != nil
        let isLast = tally.last?.table == change.table && tally.last?.number == change.new.round?.number
        // The list hides the table, and with it the last result. Without a screen it is printed already.
        let words = Wording(suits: .symbols).closed(
            change.table, change.new.closing, last: hasScreen && wasSeated && isLast ? tally.last?.net : nil,
            keepsChips: keepsChips)
        face?.enterLobby(words, isAsked: false)
    }

    private func sentAway(_ message: String) {
        move.cancel()
        let kept: SafeText = options.accounts == nil ? "" : " Your chips are kept."
        face?.enterLobby(SafeText(message, columns: 400).stopped + kept, isAsked: false)
    }

    /// The table that was followed is refused after a reconnect: it is gone, or its pass phrase is another.
    private func lost(_ refusal: Refusal) {
        // Its update may come behind the answer to the move, which is dealt with.
        guard refusal.id == nil || refusal.id != refusedMove else { return }
        guard terminal.isTyped, !move.isUnderway, let table = state.table, ["sit", "watch"].contains(refusal.type)
        else { return }
        switch refusal.code {
        case ErrorCode.noSuchTable.rawValue:
            client.forgetTable()
            face?.enterLobby("The table \(SafeText(table, columns: 32)) is gone.", isAsked: false)
        case ErrorCode.wrongPass.rawValue:
            let isSitting = refusal.type == "sit"
            // A viewer stays one when a seat is refused.
            if !isSitting { client.forgetTable() }
            face?.askForPass(.init(table: table, watches: !isSitting), isWrong: false)
        default: break
        }
    }

    // MARK: Name

    // The name to log in with, and what becomes of a name that is refused.

    /// Handles refusals of the login.
    func refused(_ refusal: Refusal) {
        switch (refusal.type, refusal.code) {
        case ("login", _) where isAskingForName: break
        case ("login", "name_taken"),
            ("login", "wrong_secret") where options.accounts == nil:
            fail("the name \(triedName) is taken: \(Self.wayIn)")
        case ("login", "wrong_secret"):
            fail(
                """
                the secret stored here does not open \(triedName): it is another player's account. Choose another name with --name, or \
                bring the account from the device that has it: 'bjclient accounts export'
                """)
        case ("login", _): fail(LinkNarrator.refusal(refusal))
        default: break
        }
    }

    /// The ways to play where a name is taken.
    private static let wayIn: SafeText =
        "choose another with --name; if it is you, bring your account from elsewhere with 'bjclient accounts import'"

    /// True while the join form is shown: it handles refusals itself.
    private var isAskingForName: Bool { nameSuggestion != nil && state.login == nil }

    private var triedName: SafeText { SafeText(state.login?.name ?? options.name.first, columns: 24) }

    /// Retries with a suffix when an assumed name is taken, and as `player` when the host keeps the name for itself.
    func triesOtherName(after refusal: Refusal) -> Bool {
        guard refusal.type == "login", !isAskingForName, options.name.isAssumed else { return false }
        if refusal.code == "invalid_name", assumedName != TableSession.Name.fallback {
            assumedName = TableSession.Name.fallback
            client.logIn(as: assumedName)
            return true
        }
        guard refusal.code == "name_taken" || refusal.code == "wrong_secret" else { return false }
        attempts += 1
        guard attempts <= 9 else { return false }
        // Leaves room for the longest suffix within the limit.
        var base = assumedName
        while base.utf8.count > PlayerName.maximumBytes - 2 || base.count > PlayerName.maximumCharacters - 2 { base.removeLast() }
        client.logIn(as: "\(base)-\(attempts)")
        return true
    }

    /// At a terminal a name that somebody else has is no reason to start again.
    func asksForOtherName(after refusal: Refusal, _ update: ClientUpdate) -> Bool {
        guard refusal.type == "login", refusal.code == "name_taken" || refusal.code == "wrong_secret", !isAskingForName,
            state.login == nil, lastWord == nil, face?.askForName(triedName, update) == true
        else { return false }
        nameSuggestion = options.name.first
        return true
    }

    // MARK: Commands

    // Commands that both front ends carry out alike.

    /// - Returns: false for one that the front end shows or sends by itself.
    func carryOut(_ command: PlayerCommand) throws(PlayerCommand.Misunderstanding) -> Bool {
        switch command {
        case .coach: toggleCoach()
        case .rebet: toggleRebet()
        case .mute(let name): answer(muted.mute(name))
        case .unmute(let name): answer(muted.unmute(name))
        case .status: for line in statusLines { answer(line) }
        case .go(let destination): go(to: destination)
        case .sit(nil) where state.isBroke && state.hello?.givesRebuys == false:
            throw PlayerCommand.Misunderstanding(text: "You are out of chips, and the house gives no new ones.")
        case _ where isInLobby && command.word.need.isOfATable:
            throw PlayerCommand.Misunderstanding(
                text: "You are at no table: 'sit TABLE' or 'watch TABLE' goes to one, 'lobby' lists them.")
        case .act where state.question == nil:
            throw PlayerCommand.Misunderstanding(text: "There is nothing to decide now.")
        default: return false
        }
        return true
    }

    private func answer(_ text: SafeText) { face?.say(Sentence(.answer, text)) }

    /// The connection, the shoe and its proofs, the coach and the bets.
    private var statusLines: [SafeText] {
        var lines = [connection]
        if let shoe = state.snapshot?.shoe, let left = state.snapshot?.cardsLeft {
            lines.append("Shoe \(shoe.number): \(left) of \(shoe.decks * 52) cards left.")
        }
        if let summary = ShuffleNarrator.summary(state.shoes) { lines.append("Shuffles of this session: \(summary).") }
        let coach: SafeText = coach.isOn ? "on" : "off"
        lines.append("The coach is \(coach). Your last bet is \(autoBet.isOn ? "" : "not ")made again in each round.")
        return lines
    }

    private var connection: SafeText {
        let server = options.shownServer
        guard state.link == .loggedIn else { return "Not connected to \(server)." }
        if let since = state.silentSince {
            return "Connected to \(server), which was last heard \(max(0, loop.clock.now - since) / 1000) s ago."
        }
        let name = SafeText(state.login?.name ?? "", columns: 24)
        let lag: SafeText = state.roundTrip.map { $0 < 10 ? "" : ", which answers in \($0) ms" } ?? ""
        return "Connected to \(server) as \(name)\(lag)."
    }

    // MARK: Bets

    // The bet that is made again, and the count of a session's hands.

    func toggleRebet() {
        autoBet.turn(!autoBet.isOn)
        face?.say(Sentence(.answer, autoBet.announcement(at: state.table)))
        betAgain()
    }

    /// Counts what a change of the table settles, and the decisions that the server made.
    func count(_ update: ClientUpdate) {
        isTimedOut = false
        guard case .table(let change) = update.event, let me = update.state.login?.name else { return }
        let timeOuts = change.told(of: me).count { $0 == .timedOut }
        isTimedOut = timeOuts > 0
        coach.countTimeOuts(timeOuts)
        if case .facts(let facts) = change.news, facts.contains(.player(me, .idled)) { isIdled = true }
        if update.state.player?.presence != .sittingOut { isIdled = false }
        tally.take(change, me: me)
        autoBet.take(change, me: me)
    }

    /// Makes the last bet again, where it is wished for.
    func betAgain() {
        switch autoBet.next(in: state, timedOut: isTimedOut) {
        case .send(let message)?: send(message)
        case .stop(let reason)?: face?.say(Sentence(.answer, reason))
        case nil: break
        }
    }

    /// Whether the terminal rings for a change.
    func rings(_ change: TableChange) -> Bool {
        options.settings.bell && terminal.isInteractive && change.beginsTurn(of: state.login?.name ?? "")
    }

    /// The session in sentences.
    var summaries: [SafeText] {
        // A lost connection keeps the seat and its hand: leaving gives them up.
        let isGivenUp = lastWord != nil && !state.isPractice
        let left = !isGivenUp ? nil : Wording(suits: .symbols).leftHands(of: state) ?? leftBets
        let shoes = state.isPractice ? nil : ShuffleNarrator.summary(state.shoes).map { "\($0)." as SafeText }
        // A terminal would break words.
        let columns = isatty(terminal.output) == 1 ? terminal.size.columns : .max
        return [tally.summary, left, shoes, coach.summary].compactMap { $0 }
            .map { look.isUnicode ? $0 : $0.inASCII }.flatMap { $0.paragraph(columns: columns) }
    }
}

extension TableSession.Options {
    /// Without a name, a viewer is a guest: nobody is asked, and no window in which the player's account is in use is ended.
    var forViewers: Self {
        guard case .watch = wish, case .asked = name else { return self }
        var options = self
        options.name = .assumed("guest-\(Int.random(in: 1000...9999))")
        (options.accounts, options.isNamelessViewer) = (nil, true)
        return options
    }
}

extension TableSession.Name {
    /// The name of players who have told none.
    static let fallback = "player"

    /// The first name to try without a form.
    var first: String {
        switch self {
        case .given(let name), .assumed(let name): name
        case .asked(let suggestion): suggestion.isEmpty ? Self.fallback : suggestion
        }
    }

    var isAssumed: Bool { if case .given = self { false } else { true } }
}
