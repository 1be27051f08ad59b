import ClientCore
import Fairness
import Rules
import TableModel
import Wire

/// The player at the terminal as a value: what they are about, what they see, and what each update, key and line leads to. Events in, effects
/// out; a screen draws it, plain mode prints its sentences. No I/O and no clock: `now` is in milliseconds and never goes back.
struct PlayerSession: Sendable {
    typealias Ending = TableSession.Ending

    /// How the player is asked and answers.
    enum Controls: Sendable {
        /// Keys on a screen.
        case keys
        /// Lines typed at a terminal.
        case lines
        /// Lines of a file or pipe: each waits until it is legal, for a bounded time, and for the answer to the one before.
        case pipe
    }

    /// The player's present business.
    enum Stage: Equatable, Sendable {
        case naming(JoinView)
        /// Until the first table is asked for, or the list of tables is shown instead.
        case starting
        /// At a table, at the list, or between the two: see ``TableMove``.
        case playing
        /// The server's `goodbye` is awaited until a time; the fate of the bets that were open is said then.
        case leaving(Ending, bets: SafeText?, until: Int64)
        /// The server has ended the evening: the standings are on the screen, until a key or this time.
        case over(until: Int64)
        case ended
    }

    enum Event: Sendable {
        case update(ClientUpdate)
        /// The meaning of a key on the screen where it was pressed: see ``KeyMap``.
        case intent(Intent)
        case line(String)
        case inputEnded(InputEnd)
        case answered(Request, Result<Reply, Refusal>)
        case availability(of: String, NameAvailability)
        /// A sentence that does not come from the server.
        case said(Sentence)
        /// SIGINT, where no screen makes a key of it.
        case interrupted
        /// SIGTERM, or a stream that fails.
        case leave(Ending)
        /// Ends without a logout: the server keeps the seat, as after a lost connection.
        case closed(Ending)
        /// SIGCONT.
        case continued
        /// ``nextTick`` has come.
        case tick
    }

    enum InputEnd: Equatable, Sendable {
        case end, lineTooLong
        case failed(SafeText)
    }

    enum Effect: Equatable, Sendable {
        /// The answer is an event for this request; nil where nobody waits for it.
        case send(ClientMessage, Request?)
        case logIn(String)
        case forgetTable
        case askAbout(name: String)
        /// Keep evidence, and say so where it is new.
        case store(ShoeReport, ShoeFault, isNew: Bool)
        case print(SafeText)
        /// Show typed characters, or hide them.
        case echo(Bool)
        case ring
        /// Remember for later sessions whether the coach is on.
        case remember(coach: Bool)
        /// Draw the whole screen.
        case redraw
        case end(Ending)
    }

    /// The receiver of an answer.
    enum Request: Equatable, Sendable {
        case command(PlayerCommand, number: Int, Coach.Verdict?)
        case move
        /// The first list of tables, which decides where the player goes.
        case choice
        case logout
    }

    /// Lines without a screen.
    struct Lines: Sendable {
        enum Answer: Equatable, Sendable {
            case none, due
            /// The request is answered; its effect shows at this revision.
            case effect(revision: Int)
            /// The rounds follow the reply, before this time.
            case history(until: Int64)
        }

        /// Commands that wait: those of one chunk at most.
        fileprivate(set) var waiting: [PlayerCommand] = []
        /// When the first of them is given up; nil while none waits.
        fileprivate var givenUpAt: Int64?
        /// Of the last request.
        fileprivate(set) var answer = Answer.none
        /// Whether the player's last hand has ended, until the next bet.
        fileprivate(set) var hasHandEnded = false
        /// Whether the list of tables is printed as soon as it is there.
        fileprivate var awaitsList = false
        /// Commands that were refused, by the server or here.
        fileprivate var refusals = 0
        /// How the input ended, where the table is shown once before leaving; nil before.
        fileprivate(set) var end: InputEnd?
    }

    let options: TableSession.Options
    let controls: Controls
    let wording: Wording
    /// The time of the last event.
    private(set) var now: Int64 = 0
    private(set) var stage = Stage.starting
    /// The client's state as of the last update.
    var state = ClientState()
    private(set) var move = TableMove.none
    /// The list of tables while it is shown; without a screen only its question for a pass phrase.
    var lobby: LobbyView?
    private(set) var lines = Lines()
    var coach = Coach()
    private(set) var muted = MuteList()
    var autoBet: AutoBet
    private(set) var tally = SessionTally()
    /// Whether the player has less time for a decision than the rules say.
    private var isTimeShort = false
    /// Until then a result is read where the table does not pause: no bet is repeated before.
    private var readUntil: Int64 = .min
    /// The name that numbers are appended to, and how many names were tried.
    private var assumed: (name: String, attempts: Int)
    /// The pass phrase, and the table that has it; nil: the first table that asks.
    private var pass: (phrase: String, table: String?)?
    /// Whether the program was stopped, and the server has not answered since: a connection lost meanwhile is no news before it is back.
    private var isWaking = false
    /// The command for a host's friends; nil for other players.
    private var invitation: String?
    private var effects: [Effect] = []

    // MARK: Of the screen

    var log = MessageLog()
    /// Why the last key had no effect, while the situation is the same; nil after one that had.
    private(set) var keyAnswer: SafeText?
    /// The coach's word on the last decision, until the next one or the next deal; nil for a good one.
    private(set) var verdict: SafeText?
    /// Whether the line for friends was asked for by the last command.
    private(set) var showsInvitation = false
    /// The player's requests without an answer.
    var pending = PendingRequests()
    var panel = Panel.table
    /// Whether the player was asked before a hand in play is left.
    private(set) var asksToQuit = false
    /// Lines of a panel scrolled off the top; a value past the end shows the last page.
    private(set) var scrolled = 0
    /// The player's last rounds in lines; nil until the server has answered.
    private(set) var past: [SafeText]?
    /// The chat line being typed; nil when there is none.
    private(set) var line: TextField?
    /// Lines of chat that were not sent, oldest first: the next chat line starts with the first.
    private(set) var unsent: [String] = []
    /// The bet as edited; nil when unedited.
    private(set) var typed: Int?
    /// Whether the bet was set as a whole, by a key or a paste: the next digit begins another.
    private(set) var isAmountWhole = false
    /// Revision of the table when a decision was sent; nil once the table shows its effect. Until then the player is asked nothing.
    var decidedAt: Int?
    /// Cards in the player's hands at that time.
    private var decidedWith = 0
    /// Chips that the player has at no table, or had at the last one; nil while a bet or a hand decides about them.
    private(set) var chips: Int?
    /// The last alarm about the shuffle: stays on the screen.
    private(set) var alarm: SafeText?
    /// Whether the server has said that it stops, and is not back.
    private(set) var isStopped = false

    init(_ options: TableSession.Options, _ controls: Controls) {
        (self.options, self.controls) = (options, controls)
        wording = Wording(suits: controls == .keys ? .symbols : .words, utcOffset: options.utcOffset)
        assumed = (options.name.first, 1)
        (pass, invitation) = (options.pass.map { ($0, options.initialPlacement.table) }, options.invitation)
        autoBet = AutoBet(isOn: options.settings.rebet, control: wording.control("R", "rebet"))
        if controls != .pipe { if options.settings.coach { coach.toggle() } else { coach.watch() } }
        if controls == .keys, case .asked(let suggestion) = options.name {
            stage = .naming(JoinView(server: options.shownServer, name: suggestion, isSuggestion: true))
        }
    }

    // MARK: Events

    mutating func handle(_ event: Event, at now: Int64) -> [Effect] {
        guard stage != .ended else { return [] }
        self.now = now
        let before = (situation, state.answers)
        switch event {
        case .update(let update): take(update)
        case .intent(let intent): press(intent)
        case .line(let line): read(line)
        case .inputEnded(let end):
            if end == .lineTooLong { refuse("A line may have at most \(WireLimits.requestBytes) bytes: stopped reading.") }
            lines.end = end
            lines.waiting.append(.leave)
        case .answered(let request, let result): answered(request, result)
        case .availability(let name, let availability): editName { $0.found(availability, of: name) }
        case .said(let sentence): say(sentence)
        case .interrupted: if !asksBeforeLeaving() { leave() }
        case .leave(let ending): leave(ending)
        case .closed(let ending): end(ending)
        case .continued:
            // The server's time may differ from what was computed before, and the shell has set modes of its own: a phrase stays hidden.
            send(.ping)
            isWaking = true
            if asksForPhrase { effects.append(.echo(false)) }
        case .tick: tick()
        }
        // Its reason is gone.
        if case .intent = event {} else if (situation, state.answers) != before { keyAnswer = nil }
        if controls != .keys { proceed() }
        defer { effects = [] }
        return effects
    }

    /// When the next `tick` is due; nil for never.
    var nextTick: Int64? {
        guard stage != .ended else { return nil }
        var times = [lines.givenUpAt]
        if case .history(let until) = lines.answer { times.append(until) }
        if case .leaving(_, _, let until) = stage { times.append(until) }
        if case .over(let until) = stage { times.append(until) }
        if autoBet.isOn, readUntil > now { times.append(readUntil) }
        if controls == .keys { times += [join?.checkAt, pending.lateAt, nextSecond] }
        return times.compactMap(\.self).min()
    }

    private mutating func tick() {
        if case .leaving(let ending, _, let until) = stage, until <= now { end(ending) }
        if case .over(let until) = stage, until <= now { end(Ending(status: 0)) }
        betAgain(isTimedOut: false)
        if case .history(let until) = lines.answer, until <= now { lines.answer = .none }
        if let time = lines.givenUpAt, time <= now { giveUp() }
        if let name = editName({ [now] in $0.check(at: now) }) ?? nil { effects.append(.askAbout(name: name)) }
        pending.tick(at: now)
    }

    private mutating func take(_ update: ClientUpdate) {
        // The next server at this address begins another evening.
        if case .over = stage { return }
        let old = state
        state = update.state
        if state.table != old.table { leaveTable() }
        // No first connection: the session ends instead of retrying.
        if case .lost(let failure) = state.link, state.hello == nil {
            return fail(
                "\(LinkNarrator.words(failure)). Is a server running? 'bjserver' starts one; 'bjclient practice' needs none.")
        }
        // No need to reconnect only to log out.
        if let leaving, case .link = update.event { return end(leaving) }
        if case .lost = state.link, old.link == .loggedIn { pending.connectionLost() }
        if case .refused(let refusal) = update.event, refusal.type == "login", triesOtherName(after: refusal, update) { return }
        let losesCoach = coach.take(update)
        let isTimedOut = count(update)
        show(update, from: old)
        if losesCoach { answer("The coach is off: the server has no chart.") }
        if losesCoach, panel == .chart { show(.table) }
        advise()
        follow(update, from: old)
        guard stage != .ended else { return }
        ask(move.proceed(from: state))
        betAgain(isTimedOut: isTimedOut)
    }

    /// Counts what a change of the table settles, and the decisions that the server made.
    /// - Returns: whether there were some: the time ran out.
    private mutating func count(_ update: ClientUpdate) -> Bool {
        guard case .table(let change) = update.event, let me = state.login?.name else { return false }
        let timeOuts = change.told(of: me).count { $0 == .timedOut }
        coach.countTimeOuts(timeOuts)
        let last = tally.last
        tally.take(change, me: me)
        if tally.last != last, change.new.round?.phase.takesBets == true { readUntil = now + 3000 }
        autoBet.take(change, me: me)
        return timeOuts > 0
    }

    private mutating func answered(_ request: Request, _ result: Result<Reply, Refusal>) {
        switch (request, result) {
        case (.command(let command, let number, let verdict), _):
            let words = pending.answered(number) ? fate(of: command, result) : nil
            if controls != .keys { answeredLine(command, result) }
            if let words {
                decidedAt = nil
                say(Sentence(.link, words))
            } else if case .failure(let refusal) = result {
                failed(command, refusal)
            }
            guard case .success = result else { break }
            switch (command, result) {
            case (.pass(let phrase), _): changed(phrase)
            case (.kick(let name), .success(.kick(let minutes))):
                let (who, slash): (SafeText, SafeText) = (.player(name), controls == .keys ? "/" : "")
                answer("\(who) can't return for \(minutes) minutes: '\(slash)again \(who)' lets them back.")
            case (.again(let name), _): answer("\(SafeText.player(name)) can return now.")
            default: break
            }
            if let verdict {
                coach.count(verdict)
                let word = coach.word(on: verdict)
                if controls == .keys { self.verdict = word } else if let word { answer("Coach: \(word)") }
            }
        case (.move, _): moved(result)
        case (.choice, .success(.lobby(_, _, let tables))): if stage == .starting { choose(tables) }
        case (.logout, .failure): if let leaving { end(leaving) }
        case (.choice, _), (.logout, _): break
        }
    }

    /// The server's refusals are events, too: what is said here is the client's own.
    private mutating func failed(_ command: PlayerCommand, _ refusal: Refusal) {
        let reason = refusal.isLocal ? LinkNarrator.refusal(refusal) : ""
        if controls == .keys, case .say(let text) = command {
            unsent = (unsent + [text]).suffix(16)
            say(Sentence(.refusal, "Not sent: \(SafeText(text, columns: 400)). \(reason) 't' brings it back."))
        } else if !reason.isEmpty {
            say(Sentence(.refusal, reason))
        }
    }

    /// The fate of a bet or a decision whose answer a lost connection took with it; nil where the server's refusal says it.
    private func fate(of command: PlayerCommand, _ result: Result<Reply, Refusal>) -> SafeText? {
        let isDecision = command.word.need == .question
        guard isDecision || command.word.need == .bets else { return nil }
        let what = if case .bet(let amount?) = command { "bet of \(amount)" as SafeText } else { command.word.name }
        switch result {
        case .success: return "Your \(what) reached the table."
        case .failure(let refusal) where refusal.isLocal: return "Your \(what) did not reach the table: try again."
        // Its moment has passed: by its own effect, or without it.
        case .failure(let refusal) where refusal.code == ErrorCode.stale.rawValue:
            let isDrawing = [.hit, .double, .split].contains { command == .act($0) }
            let isDone = isDrawing ? state.cardCount > decidedWith : isDecision
            return isDone ? "Your \(what) had reached the table." : "Your \(what) came too late."
        case .failure: return nil
        }
    }

    private mutating func send(_ message: ClientMessage, for request: Request? = nil) {
        var message = message
        if case .sit(let table, let seat, nil, _) = message { message = .sit(table: table, seat: seat, pass: phrase(of: table)) }
        effects.append(.send(message, request))
    }

    // MARK: Sentences

    private mutating func show(_ update: ClientUpdate, from old: ClientState) {
        if join != nil {
            guard state.link == .loggedIn else {
                editName { [now] in $0.take(update, at: now) }
                return note(update)
            }
            stage = .starting
        }
        var sentences = LinkNarrator(wording: wording, muted: muted).sentences(from: old, to: update)
        if controls == .keys { sentences.removeAll { !$0.isNewsOnScreen } }
        if case .table(let change) = update.event {
            let isTurn = change.beginsTurn(of: me)
            if isTurn, options.settings.bell { effects.append(.ring) }
            if isTurn, let words = shortTime(change) { sentences.append(Sentence(.answer, words)) }
            sentences += self.sentences(for: change)
        }
        if case .reply = update.event { isWaking = false }
        if case .link = update.event, case .lost = state.link, old.link == .connecting(attempt: 2), let gone = serverGone {
            sentences.append(Sentence(.answer, gone))
        }
        // The server of a practice is none of the player's business, and the standings say more than its goodbye.
        let isQuiet = isWaking || isPractice && leaving != nil || state.standings != nil
        for sentence in sentences where !isQuiet || sentence.kind != .link { say(sentence) }
        if old.hasStake, !state.hasStake { lines.hasHandEnded = true }
        switch (update.event, lines.answer) {
        // The next connection may skip the revision.
        case (.link, .effect), (.history, .history): lines.answer = .none
        case (.reply(_, .lobby(_, _, let tables)), _): if lines.awaitsList { print(tables) }
        default: break
        }
        note(update)
    }

    /// Says that the clock of a decision is shorter than before: the player's bank of time is nearly empty. Once, until it is full again.
    private mutating func shortTime(_ change: TableChange) -> SafeText? {
        let time = now + state.clockOffset
        guard change.old != nil, change.new.round?.phase == .playing, let end = change.new.deadline(at: time) else { return nil }
        let wasShort = isTimeShort
        isTimeShort = end - time < 1000 * Int64(rules.decisionSeconds) - 1500
        guard isTimeShort, !wasShort else { return nil }
        return "You have \(SecondsLeft.of(end - time)) seconds now: your time bank is empty. Each round refills some of it."
    }

    /// A change of the table in words.
    private func sentences(for change: TableChange) -> [Sentence] {
        let narrator = Narrator(me: me, wording: wording, givesRebuys: givesRebuys)
        guard controls == .keys else { return narrator.sentences(for: change, now: now + state.clockOffset) }
        guard change.old != nil else {
            let rules = change.new.rules.map { "\(wording.rules($0)), bets \($0.minimumBet) to \($0.maximumBet)." as SafeText }
            return (rules.map { [Sentence(.table, $0)] } ?? []) + missedEnd(of: change)
        }
        return narrator.sentences(for: change, now: nil).filter(\.isNewsOnScreen)
    }

    /// A round that ended while the player was away, where they come back to their seat: a seat just taken may show another's hand.
    private func missedEnd(of change: TableChange) -> [Sentence] {
        let (table, login) = (change.new, state.login)
        let seats = login?.table == change.table ? (login?.seats ?? []).filter { table.player($0)?.name == login?.name } : []
        let nets = seats.flatMap { table.hands(ofSeat: $0) }.compactMap { table.result($0)?.net }
        guard let round = table.round, !round.phase.isInPlay, round.number != tally.last?.number,
            !nets.isEmpty, let chips = seats.first.flatMap({ table.player($0)?.chips })
        else { return [] }
        let net = (nets + seats.compactMap(table.insuranceNet)).reduce(0, +)
        return [Sentence(.sum, Wording.welcomeBack(round.number, net, chips: chips))]
    }

    mutating func say(_ sentence: Sentence) {
        if sentence.kind == .alarm { effects.append(.ring) }
        guard controls == .keys else { return print(sentence.text) }
        // The list hides the log.
        if sentence.kind == .host { lobby?.notice = sentence.text }
        if sentence.kind == .alarm { alarm = sentence.text } else { log.append(sentence) }
    }

    private mutating func answer(_ text: SafeText) { say(Sentence(.answer, text)) }

    private mutating func print(_ text: SafeText) { effects.append(.print(text)) }

    private mutating func refuse(_ reason: SafeText) {
        if controls == .keys { line = nil } else { lines.refusals += 1 }
        say(Sentence(.refusal, reason))
    }

    // MARK: Name

    /// The form; nil once the player has a name.
    var join: JoinView? { if case .naming(let view) = stage { view } else { nil } }

    @discardableResult private mutating func editName<Result>(_ edit: (inout JoinView) -> Result) -> Result? {
        guard case .naming(var view) = stage else { return nil }
        let result = edit(&view)
        if let name = view.startJoining() { effects.append(.logIn(name)) }
        stage = .naming(view)
        return result
    }

    private var triedName: SafeText { SafeText(state.login?.name ?? options.name.first, columns: 24) }

    /// Retries with a suffix when an assumed name is taken, and as `player` when the host keeps the name for itself; a screen asks for another.
    /// - Returns: whether another name follows.
    private mutating func triesOtherName(after refusal: Refusal, _ update: ClientUpdate) -> Bool {
        guard stage == .starting || stage == .playing else { return false }
        if options.name.isAssumed, refusal.code == "invalid_name", assumed.name != TableSession.Name.fallback {
            assumed.name = TableSession.Name.fallback
            effects.append(.logIn(assumed.name))
            return true
        }
        guard refusal.code == "name_taken" || refusal.code == "wrong_secret" else { return false }
        if options.name.isAssumed, assumed.attempts < 9 {
            assumed.attempts += 1
            // Leaves room for the longest suffix within the limit.
            var base = assumed.name
            while base.utf8.count > PlayerName.maximumBytes - 2 || base.count > PlayerName.maximumCharacters - 2 {
                base.removeLast()
            }
            effects.append(.logIn("\(base)-\(assumed.attempts)"))
            return true
        }
        guard controls == .keys, state.login == nil else { return false }
        stage = .naming(JoinView(server: options.shownServer, name: options.name.first))
        editName { [now] in $0.take(update, at: now) }
        return true
    }

    private func reason(of refusal: Refusal) -> SafeText {
        switch refusal.code {
        case "wrong_secret" where options.client.accounts != nil:
            """
            the secret stored here does not match \(triedName), which is another player's account: choose another name with --name, or \
            copy the account from the device that has it with 'bjclient accounts export'
            """
        case "name_taken", "wrong_secret":
            """
            the name \(triedName) is taken: choose another with --name or, if it is yours, copy the account from your other device \
            with 'bjclient accounts import'
            """
        default: LinkNarrator.refusal(refusal)
        }
    }
}

// MARK: - Tables

extension PlayerSession {
    /// Whether the player has been shown the list of tables, and is at none.
    var isInLobby: Bool { stage == .playing && state.link == .loggedIn && state.snapshot == nil && move == .none }

    private var asksForPhrase: Bool { controls != .keys && lobby?.prompt != nil }

    /// The pass phrase known for a table; nil for none.
    private func phrase(of table: String?) -> String? {
        guard let pass, pass.table == nil || pass.table == table else { return nil }
        return pass.phrase
    }

    /// After every login: follows the list of tables, and takes the first table.
    private mutating func loggedIn(_ login: LoginReply) {
        if stage == .starting, let table = login.table ?? state.table {
            // No command is refused for want of a table that is about to be shown.
            (stage, move) = (.playing, state.snapshot == nil ? .granted(.init(table: table, isFirst: true)) : move)
        }
        // A view is not asked for again by the client itself: it was granted, and not shown.
        if case .granted(let destination) = move, destination.watches, state.table == nil {
            move = .none
            go(to: destination)
        }
        if stage == .starting, let table = options.initialPlacement.table {
            stage = .playing
            go(to: firstDestination(table))
        }
        let isChoice = stage == .starting && options.initialPlacement != .nothing
        if controls != .pipe || isChoice { send(.lobby(follow: controls == .pipe ? nil : true), for: isChoice ? .choice : nil) }
    }

    /// A table that was named at the start, or chosen instead.
    private func firstDestination(_ table: String) -> TableMove.Destination {
        guard case .sit(_, let seat) = options.initialPlacement else {
            return .init(table: table, watches: true, isFirst: options.initialPlacement.table == nil)
        }
        return .init(table: table, seat: seat, isFirst: true)
    }

    /// Takes the only table, or shows the list of several. A script whose table does not exist ends.
    private mutating func choose(_ tables: [TableSummary]) {
        guard options.initialPlacement.table == nil else {
            let names = tables.map { SafeText($0.name, columns: 32) }.joined()
            return leave(Ending(status: 69, reason: "no such table; the tables are \(names)"))
        }
        stage = .playing
        guard tables.count == 1 else { return enterLobby(nil, isAsked: true) }
        go(to: firstDestination(tables[0].name))
    }

    /// Goes to a table, once the hand in play is over.
    private mutating func go(to destination: TableMove.Destination) {
        var destination = destination
        destination.pass = destination.pass ?? phrase(of: destination.table)
        ask(move.begin(destination, from: state))
        say(move)
        guard move == .none else { return }
        leaveLobby()
        answer("You are already at \(SafeText(destination.table, columns: 32)).")
    }

    /// Says that a move waits for the end of a hand.
    private mutating func say(_ move: TableMove) {
        guard let awaited = move.awaited else { return }
        leaveLobby()
        answer(Wording.moving(to: awaited, from: state))
    }

    /// Sends the next request of a move.
    private mutating func ask(_ message: ClientMessage?) { if let message { send(message, for: .move) } }

    private mutating func moved(_ result: Result<Reply, Refusal>) {
        switch (move, result) {
        case (.looking(let destination), .success(.lobby(_, _, let tables))): found(tables, destination)
        // After a reconnect the move goes on, and the table itself says whether it exists.
        case (.looking(let destination), .failure(let refusal)) where refusal.isLocal: move = .waiting(destination)
        case (.leaving(let destination), .success):
            move = .arriving(destination)
            // After a reconnect the former table is not taken again.
            effects.append(.forgetTable)
            ask(destination.message)
        case (.arriving(let destination), .success):
            move = .granted(destination)
            if let phrase = destination.pass { pass = (phrase, destination.table) }
            if state.snapshot != nil { arrived(at: state.table) }
        case (.arriving(var destination), .failure(let refusal)):
            let former = destination.former
            destination.former = []
            move = former.first.map { .arriving($0) } ?? .none
            for seat in former { send(seat.message, for: seat == former.first ? .move : nil) }
            refused(destination, refusal)
        case (.looking(let destination), .failure(let refusal)), (.leaving(let destination), .failure(let refusal)):
            move = .none
            refused(destination, refusal)
        case (.none, _), (.waiting, _), (.granted, _), (.looking, _): break
        }
    }

    /// Goes on with a move to a table of the lobby, if it would have the player: the seat is not given up for less.
    private mutating func found(_ tables: [TableSummary], _ destination: TableMove.Destination) {
        move = .none
        let table = tables.first { $0.name == destination.table }
        if !destination.watches, let words = table.flatMap(Wording.noSeat) {
            lobby?.notice = words
            return refuse(words)
        }
        if let table, table.isLocked, table.owner != me, destination.pass == nil {
            return askForPass(destination, isWrong: false)
        }
        move = .waiting(destination)
        ask(move.proceed(from: state))
        say(move)
    }

    private mutating func arrived(at table: String?) {
        guard case .granted(let destination) = move, destination.table == table else { return }
        move = .none
        // Behind the words about the table: newer lines hide older ones.
        if destination.isFirst, let words = options.greeting { answer(SafeText(words, columns: 400)) }
        if lobby?.prompt == nil { leaveLobby() }
    }

    private mutating func refused(_ destination: TableMove.Destination, _ refusal: Refusal) {
        if !destination.isFirst || destination.watches { lines.refusals += 1 }
        switch refusal.code {
        case ErrorCode.wrongPass.rawValue:
            if destination.pass == pass?.phrase { pass = nil }
            askForPass(destination, isWrong: destination.pass != nil)
        case ErrorCode.noSuchTable.rawValue where destination.isFirst:
            if controls != .pipe {
                return enterLobby("There is no table '\(SafeText(destination.table, columns: 32))'.", isAsked: false)
            }
            // The rest of a pipe waits in vain.
            startAgain()
            send(.lobby(follow: nil), for: .choice)
        case _ where refusal.isLocal && destination.isFirst: startAgain()
        case _ where destination.isFirst && !destination.watches:
            go(to: .init(table: destination.table, watches: true, pass: destination.pass))
        // The refusal is said already; who has a seat, or takes it again, stays at the table.
        default:
            let isSeated = !state.seats.isEmpty || move != .none
            guard controls == .keys ? lobby != nil || !isSeated : state.snapshot == nil && !isSeated else { return }
            enterLobby(controls == .keys ? LinkNarrator.refusal(refusal) : nil, isAsked: true)
        }
    }

    private mutating func startAgain() { if stage == .playing { stage = .starting } }

    /// Follows an update of the client: the end of the session, a table that is shown or closes, a player who is sent away.
    private mutating func follow(_ update: ClientUpdate, from old: ClientState) {
        switch update.event {
        case .link:
            guard case .ended(let reason) = state.link else { return }
            guard let fault = state.accountFault else { return fail("\(reason)") }
            end(Ending(status: 74, reason: "\(SafeText(fault, columns: 400)); --guest plays without an account"))
        case .refused(let refusal) where refusal.type == "login": if join == nil { fail(reason(of: refusal)) }
        case .refused(let refusal): lost(refusal)
        case .goodbye(GoodbyeCode.loggedOut.rawValue, _): end(leaving ?? Ending(status: 0))
        case .goodbye(GoodbyeCode.replaced.rawValue, _):
            fail("you logged in from another window, and the game continues there")
        case .goodbye where state.standings != nil && lines.waiting.isEmpty: showFinalStandings()
        case .goodbye(_, let message) where state.link.isEnded: fail("the server ended the session: \(message)")
        case .goodbye(GoodbyeCode.kicked.rawValue, let message) where controls != .pipe:
            move = .none
            let kept: SafeText = options.client.accounts == nil ? "" : " Your chips are kept."
            enterLobby(SafeText(message, columns: 400).stopped + kept, isAsked: false)
        case .shoe(.contradicted(let report, let fault)): effects.append(.store(report, fault, isNew: true))
        case .shoe(.evidence(let report, let fault)): effects.append(.store(report, fault, isNew: false))
        case .reply(_, .login(let login)): loggedIn(login)
        case .table(let change):
            arrived(at: change.table)
            // Left within this hand, in another session: the seat is wanted again.
            if change.old == nil, case .sit = options.initialPlacement, state.player?.presence == .leaving, !isLeaving {
                send(.sit(table: change.table, seat: nil))
            }
            if controls != .pipe, change.new.phase == .closed, !move.isUnderway { closed(change) }
        case .reply(_, .sit) where options.isNamelessViewer && old.seats.isEmpty:
            answer("You are playing as a guest: seat and chips last as long as the connection. --name gives you an account.")
        default: break
        }
    }

    private mutating func closed(_ change: TableChange) {
        move = .none
        effects.append(.forgetTable)
        let wasSeated = change.old.map { !$0.seats(of: me).isEmpty } ?? false
        let isLast = tally.last?.table == change.table && tally.last?.number == change.new.round?.number
        // The list hides the table, and with it the last result. Without a screen it is printed already.
        let words = wording.closed(
            change.table, change.new.closing, last: controls == .keys && wasSeated && isLast ? tally.last?.net : nil,
            keepsChips: wasSeated && options.client.accounts != nil)
        // No table is left to choose.
        if controls == .lines, change.new.closing?.cause == .server { return print(words) }
        enterLobby(words, isAsked: false)
    }

    /// The table that was followed is refused after a reconnect: it is gone, or its pass phrase is another.
    private mutating func lost(_ refusal: Refusal) {
        guard ["sit", "watch"].contains(refusal.type), !move.isUnderway else { return }
        if case .granted = move { move = .none }
        guard controls != .pipe, let table = state.table else { return }
        switch refusal.code {
        case ErrorCode.noSuchTable.rawValue:
            effects.append(.forgetTable)
            enterLobby("The table \(SafeText(table, columns: 32)) is gone.", isAsked: false)
        case ErrorCode.wrongPass.rawValue:
            let isSitting = refusal.type == "sit"
            // A viewer stays one when a seat is refused.
            if !isSitting { effects.append(.forgetTable) }
            askForPass(.init(table: table, watches: !isSitting), isWrong: false)
        default: break
        }
    }

    // MARK: Lobby

    /// - Parameters:
    ///   - reason: why the player is there; nil where they know.
    ///   - isAsked: whether the player asked for it: else no key that was meant for a table chooses one.
    private mutating func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        guard controls != .keys else {
            lobby = lobby ?? LobbyView()
            lobby?.isChosen = isAsked || state.lobby.count == 1
            if let reason { lobby?.notice = reason }
            return
        }
        if let reason { print(reason) }
        let isLoggedIn = state.link == .loggedIn
        lines.awaitsList = !isLoggedIn || state.lobby.isEmpty
        // A session that named its table has no list so far.
        if !lines.awaitsList { print(state.lobby) } else if isLoggedIn { send(.lobby(follow: nil)) }
    }

    private mutating func leaveLobby() { if controls == .keys { lobby = nil } }

    private mutating func print(_ tables: [TableSummary]) {
        lines.awaitsList = false
        // Lines of one list.
        let limit = 40
        for table in tables.prefix(limit) { print(wording.summary(table)) }
        if tables.count > limit { print("\(tables.count - limit) more tables are not listed.") }
        if tables.isEmpty { print("There are no tables at the moment.") }
        if state.snapshot == nil, !tables.isEmpty { print("'sit TABLE' takes a seat, 'watch TABLE' watches.") }
    }

    /// Asks for the pass phrase of a table, and goes there with it.
    /// - Parameter isWrong: whether the last phrase was wrong.
    private mutating func askForPass(_ destination: TableMove.Destination, isWrong: Bool) {
        let table = SafeText(destination.table, columns: 32)
        guard controls != .pipe else {
            let reason: SafeText =
                isWrong
                ? "the pass phrase of the table \(table) is wrong"
                : "the table \(table) has a pass phrase: use --pass or BJ_PASS, or add it after the table's name"
            return leave(Ending(status: 77, reason: reason))
        }
        var open = destination
        open.pass = nil
        lobby = lobby ?? LobbyView()
        lobby?.ask(for: open, isWrong: isWrong)
        guard controls == .lines else { return }
        if isWrong { print("Wrong pass phrase for \(table).") }
        effects.append(.echo(false))
        print("Pass phrase of \(table) (empty line to cancel):")
    }
}

// MARK: - Commands

extension PlayerSession {
    /// - Returns: false for a command that is refused here.
    @discardableResult private mutating func carryOut(_ command: PlayerCommand) -> Bool {
        if let reason = refusal(of: command) {
            refuse(reason)
            return false
        }
        switch command {
        case .coach:
            coach.toggle()
            if !coach.isOn { verdict = nil }
            effects.append(.remember(coach: coach.isOn))
            answer(coach.announcement)
            advise()
        case .rebet:
            autoBet.turn(!autoBet.isOn)
            // A key that was meant for the hand: next to the question.
            let words = autoBet.announcement(at: state.table)
            if controls == .keys, state.isInPlay { keyAnswer = words } else { answer(words) }
            betAgain(isTimedOut: false)
        case .mute(let name): answer(muted.mute(name))
        case .unmute(let name): answer(muted.unmute(name))
        case .status:
            if controls == .keys {
                show(.history)
                past = statusLines
            } else {
                for line in statusLines { answer(line) }
            }
            showInvitation()
        case .go(let destination): go(to: destination)
        case .leave: if !asksBeforeLeaving() { leave() }
        case .tables where controls == .keys: lobby = LobbyView()
        case .chart:
            coach.wantChart()
            advise()
            if controls == .keys { show(.chart) } else { for line in chartLines ?? ["Waiting for the chart."] { print(line) } }
        case .help where controls == .keys: show(.help)
        case .help: for line in CommandWord.help(isPractice: isPractice) { print(line) }
        case .rules where controls == .keys: show(.rules)
        case .rules: for text in state.ruleSentences { print(SafeText(text, columns: 500)) }
        case .table where controls == .keys: show(.table)
        case .table:
            guard let snapshot = state.snapshot, let table = state.table else { break }
            let narrator = Narrator(me: me, wording: wording)
            for sentence in narrator.description(of: snapshot, table: table, now: now + state.clockOffset) {
                print(sentence.text)
            }
        default: request(command)
        }
        return true
    }

    private mutating func request(_ command: PlayerCommand) {
        guard let message = command.message(in: state) else { return }
        lines.answer = .due
        switch command {
        case .bet: (lines.hasHandEnded, typed) = (false, nil)
        case .act: (decidedAt, decidedWith, verdict) = (state.revision, state.cardCount, nil)
        case .history, .standings:
            past = nil
            show(.history)
        // Changes nothing but what its answer changes.
        default: break
        }
        let verdict = coach.verdict(on: message, in: state)
        send(message, for: .command(command, number: pending.sent(command, at: now), verdict))
    }

    /// The chart of the table's rules; nil while it is not here.
    var chart: ValueChart? { coach.chart(in: state) }

    private var chartLines: [SafeText]? {
        chart.map { [Wording.legend(of: $0) + "."] + Wording.blocks(of: $0).joined() }
    }

    /// Asks for a chart that is missing; says advice where no screen shows it.
    private mutating func advise() {
        if let request = coach.request(in: state) { send(request) }
        guard controls != .keys, let advice = coach.unsaidAdvice(in: state) else { return }
        answer("Basic strategy: \(advice.bestAction.typed).")
    }

    /// Makes the last bet again, if rebet is on.
    private mutating func betAgain(isTimedOut: Bool) {
        guard isTimedOut || readUntil <= now else { return }
        switch autoBet.next(in: state, timedOut: isTimedOut) {
        case .send(let message)?: send(message)
        case .stop(let reason)?: answer(reason)
        case nil: break
        }
    }

    /// The line for the host's friends. Another owner may have changed the phrase.
    var invitationLine: SafeText? { isOwner ? invitation.map { SafeText("Friends paste: \($0)", columns: 400) } : nil }

    /// The host's remedy for a server that is gone; nil for other players.
    var serverGone: SafeText? {
        invitation.map { _ in "The server has stopped: \(wording.control("q", "leave")), then 'bjclient host' restarts it." }
    }

    /// Whether nobody else can be at the table, nor another table at the server.
    var isPractice: Bool { options.title != nil }

    /// The owner has changed the table's phrase.
    private mutating func changed(_ phrase: String?) {
        pass = phrase.map { ($0, state.table) }
        guard invitation != nil else { return }
        invitation = options.invite?(phrase)
        showInvitation()
    }

    /// A log would break it; without a screen it is printed.
    private mutating func showInvitation() {
        guard let invitationLine else { return }
        if controls == .keys { showsInvitation = true } else { answer(invitationLine) }
    }

    /// The connection, the shoe and its proofs, the coach and the bets.
    private var statusLines: [SafeText] {
        var lines = [connection]
        if let shoe = state.snapshot?.shoe, shoe.number > 0, let left = state.snapshot?.cardsLeft {
            lines.append("Shoe \(shoe.number): \(left) of \(shoe.decks * 52) cards left.")
        }
        if let summary = ShuffleNarrator.summary(state.shoes) { lines.append("Shuffles of this session: \(summary).") }
        let coach: SafeText = coach.isOn ? "on" : "off"
        lines.append("The coach is \(coach). Rebet is \(autoBet.isOn ? "on" : "off").")
        return lines
    }

    private var connection: SafeText {
        if let outage { return outage }
        let lag: SafeText = state.roundTrip.map { $0 < 10 ? "" : ", replying in \($0) ms" } ?? ""
        return "Connected to \(options.shownServer) as \(SafeText(me, columns: 24))\(lag)."
    }

    // MARK: Leaving

    /// Whether the session is over for the player.
    var isLeaving: Bool { leaving != nil || stage == .ended }

    /// How the session ends after the server's `goodbye`; nil while the player stays.
    private var leaving: Ending? { if case .leaving(let ending, _, _) = stage { ending } else { nil } }

    /// Asks before a hand in play is left.
    /// - Returns: false where there is nothing to ask, or it was asked.
    private mutating func asksBeforeLeaving() -> Bool {
        guard controls == .keys && serverGone == nil || state.link == .loggedIn && controls != .pipe, state.isInPlay, !asksToQuit
        else {
            return false
        }
        leaveLobby()
        asksToQuit = true
        if controls == .lines { print("Leave? \(handsLeft) (yes/no)") }
        return true
    }

    /// The effect of leaving on the hands in play: `Your hand stands on 19.`
    var handsLeft: SafeText {
        let hands = state.handsInPlay
        if hands.isEmpty { return "Your hand is over." }
        let total = hands.count == 1 ? state.snapshot?.total(hands[0])?.safeText : nil
        return hands.count == 1 ? "Your hand stands\(total.map { " on \($0)" } ?? "")." : "Your hands stand."
    }

    /// Logs out, which frees the name, and ends after the server's `goodbye`.
    private mutating func leave(_ ending: Ending = Ending(status: 0)) {
        guard leaving == nil else { return }
        // Bets and hands stay, as after a lost connection.
        guard state.link == .loggedIn else { return end(ending) }
        // The server's answer takes the bets off the table. The deadline is for a server that does not answer.
        stage = .leaving(ending, bets: Wording.leftBets(of: state), until: now + 1000)
        send(.logout, for: .logout)
    }

    /// Shows the standings; without a screen they are printed at the end.
    private mutating func showFinalStandings() {
        guard controls == .keys, leaving == nil else { return end(leaving ?? Ending(status: 0)) }
        // Longer than the standings take to be read.
        (stage, lobby, line, past) = (.over(until: now + 30_000), nil, nil, finalLines)
        effects.append(.forgetTable)
        show(.history)
    }

    private var finalLines: [SafeText] {
        state.standings.map { ["Final standings:"] + Wording(suits: .symbols).lines(of: $0) } ?? []
    }

    private mutating func fail(_ reason: SafeText) { end(Ending(status: 69, reason: reason)) }

    private mutating func end(_ ending: Ending) {
        guard stage != .ended else { return }
        var ending = ending
        // Standard output takes no more.
        if ![74, 141].contains(ending.status) { ending.summaries = summaries }
        if asksForPhrase { effects.append(.echo(true)) }
        effects.append(.end(ending))
        stage = .ended
    }

    /// The session in sentences. A server inside this process shuffles for nobody else.
    private var summaries: [SafeText] {
        var left: SafeText?
        // A lost connection keeps the seat and its hand: leaving gives them up.
        if case .leaving(_, let bets, _) = stage {
            left = Wording(suits: .symbols).leftHands(of: state) ?? bets
        }
        let shoes = isPractice ? nil : ShuffleNarrator.summary(state.shoes).map { "\($0)." as SafeText }
        return finalLines + [tally.summary, left, shoes, coach.summary].compactMap { $0 }
    }
}

// MARK: - Lines

extension PlayerSession {
    private mutating func read(_ line: String) {
        if let asked = lobby?.prompt?.destination {
            lobby = nil
            effects.append(.echo(true))
            guard !line.isEmpty else { return enterLobby(nil, isAsked: true) }
            var destination = asked
            destination.pass = line
            return go(to: destination)
        }
        let answers = ["y": true, "yes": true, "n": false, "no": false]
        if asksToQuit, let isLeaving = answers[line.filter { !$0.isWhitespace }.lowercased()] {
            asksToQuit = isLeaving
            return isLeaving ? leave() : print("You stay at the table.")
        }
        do throws(PlayerCommand.Misunderstanding) {
            guard let command = try PlayerCommand(line: line) else { return }
            // On the way to a table nothing could carry it out yet.
            let isEarly = state.snapshot == nil && (stage == .starting || move != .none) && command.message(in: state) != nil
            if controls == .pipe || isEarly { lines.waiting.append(command) } else { carryOut(line: command) }
        } catch {
            refuse(error.text)
        }
    }

    /// Carries out commands that wait, in order, as far as they can be.
    private mutating func proceed() {
        while leaving == nil, let command = lines.waiting.first {
            if case .effect(let revision) = lines.answer, state.revision >= revision { lines.answer = .none }
            let legality = legality(of: command)
            guard legality != .later else {
                // Behind the last line nobody decides: the hand stands, as with every player who leaves.
                if command == .leave, controls == .pipe, canAsk, lines.answer == .none,
                    let choice = state.seats.lazy.compactMap({ [state] in state.snapshot?.choice($0) }).first
                {
                    request(.act(choice.allows(.stand) ? .stand : .decline))
                }
                lines.givenUpAt = lines.givenUpAt ?? now + options.commandWait
                return
            }
            lines.waiting.removeFirst()
            lines.givenUpAt = nil
            if case .needless(let reason) = legality { print(reason) } else { carryOut(line: command) }
        }
    }

    private mutating func giveUp() {
        let (command, seconds) = (lines.waiting.removeFirst(), options.commandWait / 1000)
        (lines.answer, lines.givenUpAt) = (.none, nil)
        if command == .leave { return leave(Ending(status: 69, reason: "timed out after \(seconds) seconds")) }
        refuse("\(command.typed): not possible within \(seconds) seconds.")
    }

    private mutating func carryOut(line command: PlayerCommand) {
        if command == .leave, controls == .pipe { return leave(endingOfPipe) }
        if command != .leave { asksToQuit = false }
        carryOut(command)
    }

    /// A pipe of which a part was refused ends with a status of its own.
    private var endingOfPipe: Ending {
        if case .failed(let reason)? = lines.end { return Ending(status: 74, reason: "cannot read standard input: \(reason)") }
        let count = lines.refusals
        guard count > 0 else { return Ending(status: 0) }
        return Ending(status: 65, reason: count == 1 ? "a command was refused" : "\(count) commands were refused")
    }

    private mutating func answeredLine(_ command: PlayerCommand, _ result: Result<Reply, Refusal>) {
        lines.answer = .none
        switch result {
        // Upper bound for a server whose disk is slow.
        case .success(let reply) where reply.type == "history": lines.answer = .history(until: now + 30_000)
        case .success(.applied(_, let at?)): lines.answer = .effect(revision: at)
        case .success(.sit(_, _, let catchUp, _)): lines.answer = .effect(revision: catchUp.revision)
        case .success(.lobby(_, _, let tables)): print(tables)
        case .success: break
        // An answer all the same, and said already.
        case .failure(let refusal) where refusal.code == ErrorCode.accountNeeded.rawValue && command == .history: break
        case .failure: lines.refusals += 1
        }
    }
}

// MARK: - Screen

extension PlayerSession {
    /// The panel over the table; the table itself for none.
    enum Panel: Equatable, Sendable { case table, rules, help, log, history, chart }

    var draft: String? { line?.text }
    var messages: [Sentence] { log.sentences }

    private mutating func press(_ intent: Intent) {
        if case .over = stage { return end(Ending(status: 0)) }
        if case .refuse = intent {} else { (keyAnswer, showsInvitation) = (nil, false) }
        if lobby == nil {
            // A player who presses a key has read what the table shows.
            if panel == .table, intent != .show(.log) { log.markRead() }
        }
        if case .perform(let command) = intent {
            // Where the player goes is said at the table.
            if lobby?.prompt == nil { lobby?.notice = nil }
            lobby?.prompt = nil
            line = nil
            guard carryOut(command) else { return }
        }
        take(intent)
    }

    /// Applies an update of the client to what the screen shows.
    private mutating func note(_ update: ClientUpdate) {
        switch update.event {
        case .table(let change):
            if let decidedAt, change.revision > decidedAt { self.decidedAt = nil }
            // The clock that another's bet starts takes no amount away that is being typed.
            if change.new.round?.phase.takesBets != true || change.old?.round?.phase.takesBets != true { typed = nil }
            if change.new.round?.number != change.old?.round?.number { verdict = nil }
            if let player { chips = state.hasStake ? nil : player.chips }
        case .refused(let refusal):
            decidedAt = nil
            if refusal.isOfPast { past = [LinkNarrator.refusal(refusal)] }
        case .link, .outOfSync, .isWrong: decidedAt = nil
        case .reply(_, .standings(let standings)): past = wording.lines(of: standings)
        case .history(let history): past = wording.lines(of: history)
        case .reply(_, .login(let login)):
            // The news of its stop is out of date, and that there is no connection.
            if isStopped { lobby?.notice = nil }
            (chips, isStopped) = (login.table == nil ? login.chips : nil, false)
        case .goodbye(GoodbyeCode.shuttingDown.rawValue, _), .goodbye(GoodbyeCode.restart.rawValue, _): isStopped = true
        default: break
        }
    }

    /// Another table has other limits and revisions, and other players to talk to: a line of chat ends with its table. A reconnect to
    /// the same table keeps it.
    private mutating func leaveTable() {
        (typed, decidedAt, line, unsent, verdict, asksToQuit) = (nil, nil, nil, [], nil, false)
    }

    /// Applies an intent, as far as it concerns the screen.
    private mutating func take(_ intent: Intent) {
        switch intent {
        case .perform: break
        case .redraw: effects.append(.redraw)
        case .join: editName { $0.want() }
        case .edit(let key) where join != nil: editName { [now] in $0.edit(key, at: now) }
        case .edit(let key) where lobby != nil: _ = lobby?.prompt?.draft.press(key)
        case .hush where lobby != nil: lobby?.prompt = nil
        case .select(let row):
            let tables = lobby?.tables(of: state) ?? []
            lobby?.select(row, in: tables)
        case .back:
            if move.awaited != nil { move = .none }
            lobby = nil
        case .talk: open(unsent.isEmpty ? "" : unsent.removeFirst())
        case .complete(let line): open(line)
        case .refuse(let reason):
            keyAnswer = reason
            // The next word would be appended to one that is none.
            if let line = draft?.slashLine, CommandWord.matches(line, ofOwner: true).isEmpty { open("/") }
            // Nor the next digit to an amount that is no bet.
            if validationError(ofBet: betAmount) != nil { isAmountWhole = true }
        // Typed again after a word that is none.
        case .edit(.character("/")) where draft?.slashLine == "/": break
        case .edit(let key):
            if line?.press(key) == .full { keyAnswer = "The line is full: the rest was dropped." }
        case .hush where line == nil: typed = nil
        case .hush: line = nil
        case .amount(let chips, let isWhole): (typed, isAmountWhole) = (chips, isWhole)
        case .scroll(let lines) where panel == .log: log.scroll(lines)
        case .scroll(let lines): scrolled = max(0, scrolled + lines)
        case .show(let panel): show(panel)
        }
    }

    private mutating func show(_ panel: Panel) {
        if self.panel == .log { log.markRead() }
        log.scrollToEnd()
        (self.panel, scrolled, asksToQuit) = (panel, 0, false)
    }

    private mutating func open(_ text: String) {
        show(.table)
        line = TextField(text: text, limit: ChatText.maximumBytes, characterLimit: ChatText.maximumCharacters)
    }
}
