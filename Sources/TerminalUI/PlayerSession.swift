import ClientCore
import Fairness
import Rules
import TableModel
import Wire

/// The player at the terminal as a value: what they are about, what they see, and what each update, key and line leads to. Events in, effects
/// out; a screen draws it, plain mode prints its sentences. No I/O and no clock: `now` is in milliseconds and never goes back.
///
/// The members of ``screen`` are members of the session too: `session.panel`, `session.log`.
@dynamicMemberLookup
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
        /// SIGINT: Control-C, unless the terminal makes a key of it.
        case interrupted
        /// SIGTERM, or a stream that fails.
        case leave(Ending)
        /// Ends without a logout: the server keeps the seat, as after a lost connection.
        case closed(Ending)
        /// SIGCONT.
        case continued
        case sized(hasRoomForChart: Bool)
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
        /// Use the account of another address here, too: the player has said so.
        case adopt(String, house: String, server: String)
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
        /// Keep a hand that was played wrong.
        case note(StrategyChart.Row, upCard: Rank)
        /// Show a change of a replay.
        case follow(ClientUpdate)
        case end(Ending)
    }

    /// The receiver of an answer.
    enum Request: Equatable, Sendable {
        case command(PlayerCommand, number: Int, Coach.Decision?)
        case move
        /// The first list of tables, which decides where the player goes.
        case choice
        case logout
    }

    let options: TableSession.Options
    let controls: Controls
    let wording: Wording
    /// The time of the last event.
    var now: Int64 = 0
    var stage = Stage.starting
    /// The client's state as of the last update.
    var state = ClientState()
    var move = TableMove.none
    /// The list of tables while it is shown; without a screen only its question for a pass phrase.
    var lobby: LobbyView?
    var lines = Lines()
    var coach = Coach()
    var counter: Counter
    var muted = MuteList()
    var autoBet: AutoBet
    var tally = SessionTally()
    /// The best hand of each player seen so far, since the match began where there is one.
    private var best: [String: HandResult] = [:]
    /// The last table that was shown, for the card.
    private var cardTable = ""
    /// nil at a server.
    var replay: Replay?
    /// Whether the player has less time for a decision than the rules say.
    private var isTimeShort = false
    /// Until then a result is read where the table does not pause: no bet is repeated before.
    var readUntil: Int64 = .min
    /// The name that numbers are appended to, and how many names were tried.
    private(set) var assumed: (name: String, attempts: Int)
    /// Without a screen: the first name, while it is found out or asked whether it is the player's at another address.
    var taken: (login: Refusal, account: NameAvailability?)?
    /// The pass phrase, and the table that has it; nil: the first table that asks.
    var pass: (phrase: String, table: String?)?
    /// Whether the program was stopped, and the server has not answered since: a connection lost meanwhile is no news before it is back.
    private var isWaking = false
    /// The command for a host's friends; nil for other players.
    var invitation: String?
    var effects: [Effect] = []
    var screen = ScreenState()
    /// The player's requests without an answer.
    var pending = PendingRequests()
    /// Whether the player was asked before a hand in play is left.
    var asksToQuit = false
    /// Revision of the table when a decision was sent; nil once the table shows its effect. Until then the player is asked nothing.
    var decidedAt: Int?
    /// Cards in the player's hands at that time.
    var decidedWith = 0
    /// Chips that the player has at no table, or had at the last one; nil while a bet or a hand decides about them.
    var chips: Int?
    /// Whether the server has said that it stops, and is not back.
    var isStopped = false
    /// The last table that was shown, and its owner; nil before the first.
    private(set) var visited: (table: String, owner: String?)?

    init(_ options: TableSession.Options, _ controls: Controls) {
        (self.options, self.controls) = (options, controls)
        wording = Wording(hasKeys: controls == .keys, utcOffset: options.utcOffset)
        assumed = (options.name.first, 1)
        (pass, invitation) = (options.pass.map { ($0, options.initialPlacement.table) }, options.invitation)
        autoBet = AutoBet(isOn: options.settings.rebet, control: wording.control("R", "rebet"))
        counter = Counter(controls == .pipe ? nil : options.settings.count)
        if let replay = options.replay { (self.replay, stage) = (replay, .playing) }
        if controls != .pipe { if options.settings.coach { coach.toggle() } else { coach.watch() } }
        if controls == .keys || options.isCaller, case .asked(let suggestion) = options.name {
            stage = .naming(JoinView(server: options.shownServer, name: suggestion, isSuggestion: true))
        }
    }

    subscript<Member>(dynamicMember member: KeyPath<ScreenState, Member>) -> Member { screen[keyPath: member] }

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
            if !options.isCaller { lines.waiting.append(.leave) }
        case .answered(let request, let result): answered(request, result)
        case .availability(_, let availability) where taken != nil: askToAdopt(availability)
        case .availability(let name, let availability): editName { $0.found(availability, of: name) }
        case .said(let sentence): say(sentence)
        case .interrupted: if controls == .keys { press(.perform(.leave)) } else if !asksBeforeLeaving() { leave() }
        case .leave(let ending): leave(ending)
        case .closed(let ending): end(ending)
        case .continued:
            // The server's time may differ from what was computed before, and the shell has set modes of its own: a phrase stays hidden.
            send(.ping)
            isWaking = true
            if asksForPhrase { effects.append(.echo(false)) }
        case .sized(let hasRoomForChart):
            screen.hasRoomForChart = hasRoomForChart
            askForChart()
        case .tick: tick()
        }
        // Its reason is gone.
        if case .intent = event {
        } else if (situation, state.answers) != before {
            (screen.keyAnswer, screen.isReacting) = (nil, false)
        }
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
        if let due = replay?.due { times.append(due) }
        if controls == .keys { times += [join?.checkAt, pending.lateAt, nextSecond] + screen.reactions.values.map(\.until) }
        return times.compactMap(\.self).min()
    }

    mutating func tick() {
        replayDue()
        if case .leaving(let ending, _, let until) = stage, until <= now { end(ending) }
        if case .over(let until) = stage, until <= now { end(Ending(status: 0)) }
        betAgain(isTimedOut: false)
        if case .history(let until) = lines.answer, until <= now { lines.answer = .none }
        if let time = lines.givenUpAt, time <= now { giveUp() }
        if let name = editName({ [now] in $0.check(at: now) }) ?? nil { effects.append(.askAbout(name: name)) }
        pending.tick(at: now)
        screen.reactions = screen.reactions.filter { $0.value.until > now }
    }

    mutating func take(_ update: ClientUpdate) {
        // The next server at this address begins another evening.
        if case .over = stage { return }
        let old = state
        state = update.state
        if state.table != old.table { leaveTable() }
        if let table = state.table, state.snapshot != nil, let known = state.lobby.first(where: { $0.name == table }) {
            visited = (table, known.owner)
        }
        // No first connection: the session ends instead of retrying.
        if case .lost(let failure) = state.link, state.hello == nil {
            guard !options.isCaller else { return fail("The table is not open: try again later.") }
            let isOwn = ["localhost", "127.0.0.1", "::1"].contains(options.client.host)
            let advice: SafeText =
                isOwn ? "Is a server running? 'bjserver' starts one" : "Ask your host whether the table is open"
            return fail("\(LinkNarrator.words(failure)). \(advice); 'bjclient practice' needs none.")
        }
        // No need to reconnect only to log out.
        if let leaving, case .link = update.event { return end(leaving) }
        // The greeting names the owner of the table.
        if options.isCaller, !lines.isGreeted, state.link == .connected, old.link != .connected {
            send(.lobby(follow: nil), for: .choice)
        }
        if case .lost = state.link, old.link == .loggedIn { pending.connectionLost() }
        if case .refused(let refusal) = update.event, refusal.type == "login", triesOtherName(after: refusal, update) { return }
        let verdict = coach.take(update)
        let isTimedOut = count(update)
        show(update, from: old)
        askForCount(update)
        tell(verdict)
        advise(after: update)
        follow(update, from: old)
        guard stage != .ended else { return }
        ask(move.proceed(from: state))
        betAgain(isTimedOut: isTimedOut)
    }

    /// Counts what a change of the table settles, and the decisions that the server made.
    /// - Returns: whether there were some: the time ran out.
    mutating func count(_ update: ClientUpdate) -> Bool {
        guard case .table(let change) = update.event, let me = state.login?.name else { return false }
        noteBest(change)
        let timeOuts = change.told(of: me).count { $0 == .timedOut }
        coach.countTimeOuts(timeOuts)
        let last = tally.last
        tally.take(change, me: me)
        if change.new.round?.number != change.old?.round?.number { screen.result = nil }
        if let round = tally.last, round != last {
            screen.result = round
            if change.new.round?.phase.takesBets == true { readUntil = now + 3000 }
        }
        autoBet.take(change, me: me)
        return timeOuts > 0
    }

    private mutating func noteBest(_ change: TableChange) {
        cardTable = change.table
        if change.old?.match == nil, change.new.match != nil { best = [:] }
        for hand in change.new.hands {
            guard let name = change.new.player(hand.seat)?.name, let result = change.new.result(hand),
                result.net > best[name]?.net ?? 0, best[name] != nil || best.count < 64
            else { continue }
            best[name] = result
        }
    }

    mutating func answered(_ request: Request, _ result: Result<Reply, Refusal>) {
        switch (request, result) {
        case (.command(let command, let number, let decision), _):
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
            if let decision { tell(coach.judge(decision)) }
        case (.move, _): moved(result)
        case (.choice, .success(.lobby(_, _, let tables))):
            if join != nil { greet(tables) } else if stage == .starting, state.login != nil { choose(tables) }
        case (.logout, .failure): if let leaving { end(leaving) }
        case (.choice, _), (.logout, _): break
        }
    }

    /// The server's refusals are events, too: what is said here is the client's own.
    mutating func failed(_ command: PlayerCommand, _ refusal: Refusal) {
        let reason = refusal.isLocal ? LinkNarrator.refusal(refusal) : ""
        if controls == .keys, case .say(let text) = command {
            screen.unsent = (screen.unsent + [text]).suffix(16)
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

    mutating func send(_ message: ClientMessage, for request: Request? = nil) {
        var message = message
        if case .sit(let table, let seat, nil, _) = message { message = .sit(table: table, seat: seat, pass: phrase(of: table)) }
        effects.append(.send(message, request))
    }

    // MARK: Sentences

    mutating func show(_ update: ClientUpdate, from old: ClientState) {
        if join != nil {
            guard state.link == .loggedIn else {
                editName { [now] in $0.take(update, at: now) }
                return note(update)
            }
            stage = .starting
        }
        var sentences = LinkNarrator(wording: wording, muted: muted).sentences(from: old, to: update)
        if case .reply(_, .standings(let standings)) = update.event, standings.span == .match {
            sentences = card(standings).map { Sentence(.shown, $0) }
        }
        if controls == .keys { sentences.removeAll { !$0.isNewsOnScreen } }
        if case .table(let change) = update.event {
            let isTurn = change.beginsTurn(of: me)
            if isTurn, options.settings.bell { effects.append(.ring) }
            if isTurn, let words = shortTime(change) { sentences.append(Sentence(.answer, words)) }
            sentences += self.sentences(for: change)
            if controls != .keys, let remark = screen.result?.remark, sentences.contains(where: { $0.kind == .sum }) {
                sentences.append(Sentence(.sum, remark))
            }
        }
        if case .chat(let line) = update.event, react(line) { sentences = [] }
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

    /// Shows a reaction at the speaker's seat on a screen, for three seconds.
    /// - Returns: false for what is said instead.
    private mutating func react(_ line: ChatLine) -> Bool {
        guard controls == .keys, line.reaction == line.text, let word = Reaction(rawValue: line.text),
            !muted.contains(line.name), state.snapshot?.seats(of: line.name).isEmpty == false
        else { return false }
        // One that was missed during an outage is over.
        let until = min(now, line.time - state.clockOffset) + 3000
        // A table has no more seats.
        if screen.reactions.count == 7 { screen.reactions = [:] }
        if until > now { screen.reactions[line.name] = .init(word: word, until: until) }
        return true
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

    var narrator: Narrator { Narrator(me: me, wording: wording, givesRebuys: givesRebuys) }

    /// A change of the table in words.
    func sentences(for change: TableChange) -> [Sentence] {
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
        let isChat = sentence.kind == .chat || sentence.kind == .ownChat
        guard controls == .keys else { return isChat ? effects.append(.print(sentence.text)) : print(sentence.text) }
        // The list hides the log.
        if sentence.kind == .host { lobby?.notice = sentence.text }
        if sentence.kind == .alarm { screen.alarm = sentence.text } else { screen.log.append(sentence) }
    }

    mutating func answer(_ text: SafeText) { say(Sentence(.answer, text)) }

    mutating func print(_ text: SafeText) { effects.append(.print(text.aloud)) }

    mutating func refuse(_ reason: SafeText) {
        if controls == .keys { screen.line = nil } else { lines.refusals += 1 }
        say(Sentence(.refusal, reason))
    }

    // MARK: Name

    /// The form; nil once the player has a name.
    var join: JoinView? { if case .naming(let view) = stage { view } else { nil } }

    @discardableResult mutating func editName<Result>(_ edit: (inout JoinView) -> Result) -> Result? {
        guard case .naming(var view) = stage else { return nil }
        let result = edit(&view)
        if let effect = view.startJoining() { effects.append(effect) }
        stage = .naming(view)
        return result
    }

    /// Asks a caller for a name, once.
    private mutating func greet(_ tables: [TableSummary]) {
        guard !lines.isGreeted else { return }
        lines.isGreeted = true
        let owner = tables.count == 1 ? tables[0].owner : nil
        print("Blackjack\(owner.map { " at \(SafeText.player($0))'s table" } ?? "" as SafeText). Your name?")
    }

    /// A caller's name.
    mutating func read(name line: String) {
        do throws(ProtocolError) {
            assumed = (try PlayerName(line.withoutBlanks).text, 1)
            stage = .starting
            effects.append(.logIn(assumed.name))
        } catch {
            print(SafeText(error.message, columns: 200) + " Your name?")
        }
    }

    private mutating func askToAdopt(_ availability: NameAvailability) {
        guard case .elsewhere(_, let server) = availability else { return declineAccount() }
        taken?.account = availability
        print(Wording.asksToAdopt(assumed.name, of: server, at: options.shownServer) + " (yes/no)")
    }

    /// Goes on as if there were no account of that name.
    mutating func declineAccount() {
        guard let refusal = taken?.login else { return }
        if !triesOtherName(after: refusal, nil) { fail(reason(of: refusal)) }
        taken = nil
    }

    private var triedName: SafeText { SafeText(state.login?.name ?? options.name.first, columns: 24) }

    /// Retries with a suffix when an assumed name is taken, and as `player` when the host keeps the name for itself; a screen asks for another.
    /// - Returns: whether another name follows.
    private mutating func triesOtherName(after refusal: Refusal, _ update: ClientUpdate?) -> Bool {
        guard stage == .starting || stage == .playing else { return false }
        // Another 'bjclient host' has asked for a newer code: its player is the owner, and this one joins the table.
        if refusal.code == ErrorCode.wrongOwner.rawValue, invitation != nil, state.login == nil {
            say(Sentence(.refusal, LinkNarrator.refusal(refusal)))
            effects.append(.logIn(assumed.name))
            return true
        }
        if options.isCaller, state.login == nil {
            let isTaken = ["name_taken", "wrong_secret"].contains(refusal.code)
            stage = .naming(JoinView(server: options.shownServer))
            print(
                (isTaken ? "\(SafeText(assumed.name, columns: 24)) is taken." : LinkNarrator.refusal(refusal)) + " Another name?")
            return true
        }
        if options.name.isAssumed, refusal.code == "invalid_name", assumed.name != TableSession.Name.fallback {
            assumed.name = TableSession.Name.fallback
            effects.append(.logIn(assumed.name))
            return true
        }
        guard refusal.code == "name_taken" || refusal.code == "wrong_secret" else { return false }
        if controls == .lines, refusal.code == "name_taken", state.login == nil, assumed.attempts == 1, taken == nil,
            options.client.accounts != nil
        {
            taken = (refusal, nil)
            effects.append(.askAbout(name: assumed.name))
            return true
        }
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
        guard controls == .keys, state.login == nil, let update else { return false }
        stage = .naming(JoinView(server: options.shownServer, name: options.name.first))
        editName { [now] in $0.take(update, at: now) }
        return true
    }

    func reason(of refusal: Refusal) -> SafeText {
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

    // MARK: Leaving

    /// Whether the session is over for the player.
    var isLeaving: Bool { leaving != nil || stage == .ended }

    /// How the session ends after the server's `goodbye`; nil while the player stays.
    var leaving: Ending? { if case .leaving(let ending, _, _) = stage { ending } else { nil } }

    /// Asks before a hand in play is left.
    /// - Returns: false where there is nothing to ask, or it was asked.
    mutating func asksBeforeLeaving() -> Bool {
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
    mutating func leave(_ ending: Ending = Ending(status: 0)) {
        guard leaving == nil else { return }
        // Bets and hands stay, as after a lost connection.
        guard state.link == .loggedIn, replay == nil else { return end(ending) }
        // The server's answer takes the bets off the table. The deadline is for a server that does not answer.
        stage = .leaving(ending, bets: Wording.leftBets(of: state), until: now + 1000)
        send(.logout, for: .logout)
    }

    /// Shows the standings; without a screen they are printed at the end.
    mutating func showFinalStandings() {
        guard controls == .keys, leaving == nil else { return end(leaving ?? Ending(status: 0)) }
        // Longer than the standings take to be read.
        (stage, lobby, screen.line, screen.past) = (.over(until: now + 30_000), nil, nil, finalLines)
        effects.append(.forgetTable)
        show(.history)
    }

    private var finalLines: [SafeText] { state.standings.map(card) ?? [] }

    /// The ranking of a match, or of an evening that is over.
    func card(_ standings: Standings) -> [SafeText] {
        guard !standings.people.isEmpty else { return wording.lines(of: standings) }
        let (shoes, title) = (state.shoes, SafeText(options.title ?? cardTable, columns: 32))
        let ended = shoes.total - shoes.open
        return wording.card(
            standings, of: title, at: now + state.clockOffset, best: best,
            last: isPractice || ended == 0 ? nil : "shuffles verified: \(shoes.verified) of \(ended)")
    }

    mutating func fail(_ reason: SafeText) { end(Ending(status: 69, reason: reason)) }

    mutating func end(_ ending: Ending) {
        guard stage != .ended else { return }
        var ending = ending
        // Standard output takes no more.
        if ![74, 141].contains(ending.status) { ending.summaries = summaries }
        if asksForPhrase { effects.append(.echo(true)) }
        effects.append(.end(ending))
        stage = .ended
    }

    /// The session in sentences. A server inside this process shuffles for nobody else.
    var summaries: [SafeText] {
        var left: SafeText?
        // A lost connection keeps the seat and its hand: leaving gives them up.
        if case .leaving(_, let bets, _) = stage {
            left = Wording(hasKeys: true).leftHands(of: state) ?? bets
        }
        let shoes = isPractice ? nil : ShuffleNarrator.summary(state.shoes).map { "\($0)." as SafeText }
        let career = state.career.map { "Your career: \(SafeText($0.text))." as SafeText }
        return finalLines.map(\.aloud) + [tally.summary, left, shoes, coach.summary, counter.summary, career].compactMap { $0 }
    }
}
