import ClientCore
import Rules
import TableModel
import Wire

// Keys and lines: the commands that they mean, and their effect on the screen.
extension PlayerSession {
    mutating func press(_ intent: Intent) {
        if case .over = stage { return end(Ending(status: 0)) }
        if case .refuse = intent {} else { (screen.keyAnswer, screen.showsInvitation, screen.result) = (nil, false, nil) }
        screen.isReacting = false
        // A player who presses a key has read what the table shows.
        if lobby == nil, screen.panel == .table, intent != .show(.log) { screen.log.markRead() }
        if case .perform(let command) = intent {
            // Where the player goes is said at the table.
            if lobby?.prompt == nil { lobby?.notice = nil }
            lobby?.prompt = nil
            screen.line = nil
            guard carryOut(command) else { return }
        }
        take(intent)
    }

    /// Applies an update of the client to what the screen shows.
    mutating func note(_ update: ClientUpdate) {
        switch update.event {
        case .table(let change):
            if let decidedAt, change.revision > decidedAt { self.decidedAt = nil }
            // The clock that another's bet starts takes no amount away that is being typed.
            if change.new.round?.phase.takesBets != true || change.old?.round?.phase.takesBets != true {
                screen.typed = nil
            }
            if change.new.round?.number != change.old?.round?.number { screen.verdict = nil }
            if let player { chips = state.hasStake ? nil : player.chips }
        case .refused(let refusal):
            decidedAt = nil
            if refusal.isOfPast { screen.past = [LinkNarrator.refusal(refusal)] }
        case .link, .outOfSync, .isWrong: decidedAt = nil
        case .reply(_, .standings(let standings)):
            screen.past = standings.span == .match ? card(standings) : wording.lines(of: standings)
        case .history(let history): screen.past = wording.lines(of: history)
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
    mutating func leaveTable() {
        (screen.typed, screen.line, screen.unsent, screen.verdict, screen.result) = (nil, nil, [], nil, nil)
        (decidedAt, asksToQuit) = (nil, false)
        coach.leaveTable()
        counter.leaveTable()
    }

    private mutating func take(_ intent: Intent) {
        switch intent {
        // The screen's own.
        case .perform, .redraw: break
        case .replay(let step): take(step)
        case .join: editName { $0.want() }
        case .edit(let key) where join != nil: editName { [now] in $0.edit(key, at: now) }
        case .edit(let key) where lobby != nil: _ = lobby?.prompt?.draft.press(key)
        case .hush where lobby != nil: lobby?.prompt = nil
        case .hush where countQuestion != nil && screen.line == nil: counter.question = nil
        case .count(let text): counter.question?.text = text
        case .guess(let count): guess(count)
        case .select(let row):
            let tables = lobby?.tables(of: state) ?? []
            lobby?.select(row, in: tables)
        case .back:
            if move.awaited != nil { move = .none }
            lobby = nil
        case .refuse(let reason):
            screen.keyAnswer = reason
            // The next digit would be appended to an amount that is no bet.
            if validationError(ofBet: betAmount) != nil { screen.isAmountWhole = true }
        case .show(let panel): show(panel)
        case .talk: open(screen.unsent.isEmpty ? "" : screen.unsent.removeFirst())
        case .complete(let line): open(line)
        // Typed again after a word that is none.
        case .edit(.character("/")) where screen.draft?.slashLine == "/": break
        case .edit(let key):
            if screen.line?.press(key) == .full { screen.keyAnswer = "The line is full: the rest was dropped." }
        case .hush where screen.line == nil: screen.typed = nil
        case .hush: screen.line = nil
        case .amount(let chips, let isWhole): (screen.typed, screen.isAmountWhole) = (chips, isWhole)
        case .scroll(let lines) where screen.panel == .log: screen.log.scroll(lines)
        case .scroll(let lines): screen.scrolled = max(0, screen.scrolled + lines)
        case .react: screen.isReacting = true
        }
    }

    private mutating func open(_ text: String) {
        show(.table)
        screen.line = TextField(text: text, limit: ChatText.maximumBytes, characterLimit: ChatText.maximumCharacters)
    }

    mutating func show(_ panel: ScreenState.Panel) {
        screen.show(panel)
        asksToQuit = false
    }

    // MARK: Lines

    mutating func read(_ line: String) {
        if options.isCaller, isOnTheWay { return lines.ahead.append(line) }
        if join != nil { return read(name: line) }
        if let asked = lobby?.prompt?.destination {
            lobby = nil
            effects.append(.echo(true))
            guard !line.isEmpty else { return enterLobby(nil, isAsked: true) }
            var destination = asked
            destination.pass = line
            return go(to: destination)
        }
        let answers = ["y": true, "yes": true, "n": false, "no": false]
        let said = answers[line.filter { !$0.isWhitespace }.lowercased()]
        if case .elsewhere(let house, let server)? = taken?.account {
            guard said == true else { return declineAccount() }
            taken = nil
            effects.append(.adopt(assumed.name, house: house, server: server))
            return
        }
        if asksToQuit, let isLeaving = said {
            asksToQuit = isLeaving
            return isLeaving ? leave() : print("You stay at the table.")
        }
        if countQuestion != nil, let count = Int16(line.filter { !$0.isWhitespace }) { return guess(Int(count)) }
        do throws(PlayerCommand.Misunderstanding) {
            // A number alone is a bet, where it cannot be a late answer for the count.
            let isAmount = counter.system == nil && Int(line.filter { !$0.isWhitespace }).map { $0 >= 0 } == true
            guard let command = try PlayerCommand(line: isAmount ? "bet \(line)" : line) else { return }
            // On the way to a table nothing could carry it out yet.
            let isEarly = isOnTheWay && command.message(in: state) != nil
            if controls == .pipe || isEarly { lines.waiting.append(command) } else { carryOut(line: command) }
        } catch {
            refuse(error.text)
        }
    }

    /// Whether the answer to a login or to a first table is awaited.
    var isOnTheWay: Bool { state.snapshot == nil && (stage == .starting || move != .none) }

    mutating func carryOut(line command: PlayerCommand) {
        if command == .leave, controls == .pipe { return leave(endingOfPipe) }
        if command != .leave { asksToQuit = false }
        carryOut(command)
    }

    // MARK: Commands

    /// - Returns: false for a command that is refused here.
    @discardableResult mutating func carryOut(_ command: PlayerCommand) -> Bool {
        if let reason = refusal(of: command) {
            refuse(reason)
            return false
        }
        switch command {
        case .coach where !Coach.isPossible(in: state): answer(Coach.unavailable)
        case .coach:
            coach.toggle()
            if !coach.isOn { screen.verdict = nil }
            effects.append(.remember(coach: coach.isOn))
            answer(coach.announcement)
            if let request = coach.request(in: state) { send(request) }
            sayAdvice()
        case .rebet:
            autoBet.isOn.toggle()
            // A key that was meant for the hand: next to the question.
            let words = autoBet.announcement(at: state.table)
            if controls == .keys, state.isInPlay { screen.keyAnswer = words } else { answer(words) }
            betAgain(isTimedOut: false)
        case .count(let system): count(system)
        case .mute(let name): answer(muted.mute(name))
        case .unmute(let name): answer(muted.unmute(name))
        case .status:
            screen.past = statusLines
            present(.history, statusLines)
            showInvitation()
        case .go(let destination): go(to: destination)
        case .leave: if !asksBeforeLeaving() { leave() }
        case .tables where controls == .keys: lobby = LobbyView()
        case .chart:
            if chart == nil, let table = state.table { send(.chart(table: table)) }
            present(.chart, chartLines)
        case .help:
            present(.help, CommandWord.help(isPractice: isPractice) + ["How the game goes:"] + wording.game(rules, with: players))
        case .rules: present(.rules, state.ruleSentences.map { SafeText($0, columns: 500) })
        case .table: present(.table, tableLines)
        default: request(command)
        }
        return true
    }

    /// Shows a panel; without a screen its text.
    private mutating func present(_ panel: ScreenState.Panel, _ text: [SafeText]) {
        if controls == .keys { show(panel) } else { for line in text { print(line) } }
    }

    mutating func request(_ command: PlayerCommand) {
        guard let message = command.message(in: state) else { return }
        lines.answer = .due
        switch command {
        case .bet: (lines.hasHandEnded, screen.typed) = (false, nil)
        case .act: (decidedAt, decidedWith, screen.verdict) = (state.revision, state.cardCount, nil)
        case .history, .standings:
            screen.past = nil
            show(.history)
        // Changes nothing but what its answer changes.
        default: break
        }
        let decision = coach.decision(message, in: state)
        send(message, for: .command(command, number: pending.sent(command, at: now), decision))
    }

    /// The chart of the table's rules; nil while it is not here.
    var chart: ValueChart? { coach.chart(in: state) }

    private var chartLines: [SafeText] {
        guard let chart else { return ["Waiting for the chart."] }
        let blocks = Wording.blocks(of: chart, marking: chartCell)
        let own = blocks.first { $0.contains { $0.marked != nil } }.map {
            [$0.first, $0.first { $0.marked != nil }].compactMap(\.self)
        }
        return [Wording.legend(of: chart) + "."] + blocks.joined().map(\.text)
            + (own.map { ["Your hand against \(chartCell?.upCard.inWords ?? ""):"] + $0.map(\.text) } ?? [])
    }

    /// The chart's cell of the hand that the player is asked about; nil for none.
    var chartCell: (hand: StrategyChart.Row, upCard: Rank)? {
        guard let seat = state.openQuestion?.seat, let cell = state.snapshot?.cell(seat) else { return nil }
        return cell.hand.map { ($0, cell.upCard) }
    }

    private var tableLines: [SafeText] {
        guard let snapshot = state.snapshot, let table = state.table else { return [] }
        return narrator.description(of: snapshot, table: table, now: now + state.clockOffset).map(\.text)
    }

    /// Asks what a decision is worth, and says what is missing at this server; the advice, too, where no screen shows it.
    mutating func advise(after update: ClientUpdate) {
        if let request = coach.request(in: state) { send(request) }
        askForChart()
        if coach.isOn, !Coach.isPossible(in: state) {
            coach.toggle()
            answer(Coach.unavailable)
        }
        switch update.event {
        case .value: sayAdvice()
        case .chart: if controls != .keys { for line in chartLines { print(line) } }
        case .refused(let refusal) where refusal.type == "chart" && (controls != .keys || screen.panel == .chart):
            answer("The server has no chart.")
            if screen.panel == .chart { show(.table) }
        // Says nothing about the coach.
        default: break
        }
    }

    /// Asks for the chart where it lies beside the table.
    mutating func askForChart() {
        guard screen.hasRoomForChart, canAsk, replay == nil, chart == nil, let table = state.table, table != screen.chartTable
        else { return }
        screen.chartTable = table
        send(.chart(table: table))
    }

    private mutating func sayAdvice() {
        guard controls != .keys, let advice = coach.advice(in: state) else { return }
        answer([advice.words, advice.deviation(isExact: rules.assist)].compactMap(\.self).joined(" "))
    }

    /// The coach's word: where the best play of the question is not the chart's, else the cost of the last decision.
    var coachWords: SafeText? { coach.advice(in: state)?.deviation(isExact: rules.assist) ?? screen.verdict }

    /// Says what a decision has cost, and keeps the hand for practice.
    mutating func tell(_ verdict: Coach.Verdict?) {
        guard let verdict else { return }
        if verdict.cost > 0, let hand = verdict.play.hand { effects.append(.note(hand, upCard: verdict.play.upCard)) }
        let word = coach.word(on: verdict)
        if controls == .keys { screen.verdict = word } else if let word { answer("Coach: \(word)") }
    }

    /// The question for the count; nil while the server does not answer.
    var countQuestion: Counter.Question? { canAsk ? counter.question : nil }

    mutating func askForCount(_ update: ClientUpdate) {
        guard case .table(let change) = update.event, state.seat != nil, counter.take(change.new, at: now) else { return }
        if controls == .lines { print("Running count? Type a number.") }
    }

    private mutating func guess(_ count: Int) {
        guard let words = counter.answer(count, at: now) else { return }
        if controls == .keys { screen.keyAnswer = words } else { print(words) }
        betAgain(isTimedOut: false)
    }

    /// - Parameter system: nil shows the count, which answers a question for it.
    private mutating func count(_ system: String?) {
        if let system {
            counter.choose(CountingSystem(name: system))
            return answer(counter.announcement(wording.control("k", "count")))
        }
        counter.question = nil
        let words = state.snapshot.flatMap(counter.status) ?? "This table does not show the cards seen, which counting needs."
        if controls == .keys { screen.keyAnswer = words } else { print(words) }
    }

    /// Makes the last bet again, if rebet is on.
    mutating func betAgain(isTimedOut: Bool) {
        guard isTimedOut || readUntil <= now && counter.question == nil else { return }
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
        guard invitation != nil else { return nil }
        return "The server has stopped. It is started again; if not: \(wording.control("q", "leave")), then 'bjclient host'."
    }

    /// Whether nobody else can be at the table, nor another table at the server.
    var isPractice: Bool { options.title != nil }

    /// The owner has changed the table's phrase.
    mutating func changed(_ phrase: String?) {
        pass = phrase.map { ($0, state.table) }
        guard invitation != nil else { return }
        invitation = options.invite?(phrase)
        showInvitation()
    }

    /// A log would break it; without a screen it is printed.
    private mutating func showInvitation() {
        guard let invitationLine else { return }
        if controls == .keys { screen.showsInvitation = true } else { answer(invitationLine) }
    }

    /// The connection, the shoe and its proofs, the coach and the bets.
    private var statusLines: [SafeText] {
        var lines = [connection]
        if let shoe = state.snapshot?.shoe, shoe.number > 0, let left = state.snapshot?.cardsLeft {
            lines.append("Shoe \(shoe.number): \(left) of \(shoe.decks * 52) cards left.")
        }
        if let sentence = ShuffleNarrator.sentence(state.shoes) { lines.append(sentence) }
        let coach: SafeText = coach.isOn ? "on" : "off"
        lines.append("The coach is \(coach). Rebet is \(autoBet.isOn ? "on" : "off").")
        if isOwner, let door = options.door { lines.append(SafeText(door, columns: 400)) }
        return lines
    }

    private var connection: SafeText {
        if let outage { return outage }
        let lag: SafeText = state.roundTrip.map { $0 < 10 ? "" : ", replying in \($0) ms" } ?? ""
        return "Connected to \(options.shownServer) as \(SafeText(me, columns: 24))\(lag)."
    }
}
