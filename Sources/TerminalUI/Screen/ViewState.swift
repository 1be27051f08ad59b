import ClientCore
import Rules
import TableModel
import Wire

/// View state of the table screen: the client's state and the effect of keys. A value; each change is a pure function.
struct ViewState: Equatable, Sendable {
    enum Panel: Equatable, Sendable { case table, rules, help, log, history, statement, settings }

    /// Lines of unsent chat kept.
    private static let unsentLimit = 16

    /// The player's possible actions.
    enum Situation: Equatable, Sendable {
        case watching
        /// A seat is asked for a decision.
        case asked(seat: Int, Choice)
        /// Bets are open; `bet` is the current one.
        case betting(seat: Int, bet: Int?)
        /// Bets are open, and the chips do not cover the minimum.
        case broke
        case sittingOut
        /// Others play, or results are shown.
        case waiting
        case closed
    }

    var client = ClientState()
    /// Seconds until ``deadline``, set by a countdown; nil without a running clock.
    var secondsLeft: Int?
    /// Seconds since a silent server was last heard, set by a timer; nil while it answers.
    var silentSeconds: Int?
    private(set) var log = MessageLog()
    /// The player's requests without an answer.
    var pending = PendingRequests()
    var panel = Panel.table
    var asksToQuit = false
    /// Whether the screen shows the table on its way to the newest revision: nothing is asked before its cards lie.
    var isMoving = false
    /// Lines of a panel scrolled off the top; a value past the end shows the last page.
    private(set) var scrolled = 0
    /// The player's last rounds, once they were asked for.
    private(set) var history: HandHistory?
    private(set) var statement: BalanceStatement?
    /// The player's rounds of this session, newest first: shown where the server has none.
    var playedRounds: [PastRound] = []
    /// Why the last question about them was refused.
    private(set) var pastRefusal: SafeText?
    /// Whether it was refused because the player has no account: nothing but this session is kept.
    private(set) var isGuest = false
    /// The table of the bets below.
    private var table: String?
    /// The bet of the last round.
    private(set) var lastBet: Int?
    /// The chat line being typed; nil when there is none.
    private(set) var draft: String?
    /// True when a paste was too long for the chat line.
    private(set) var isDraftCut = false
    /// Lines of chat that were not sent, oldest first: the next chat line starts with the first.
    private(set) var unsent: [String] = []
    /// The bet as edited; nil when unedited.
    private(set) var typed: Int?
    /// Whether the bet was set as a whole, by a key or a paste: the next digit begins another.
    private var isAmountWhole = false
    /// Revision of the table when a decision was sent; nil once the table shows its effect.
    private(set) var decidedAt: Int?
    /// The round finished before the player sat down: its hands at the seat belong to another player.
    private(set) var roundBeforeSitting: Int?
    /// Chips that the player has at no table, or had at the last one; nil while a bet or a hand decides about them.
    private(set) var chips: Int?
    /// The last alarm about the shuffle: stays on the screen.
    private(set) var alarm: SafeText?
    /// News that stays above the messages until a key is pressed: a server that started anew.
    private(set) var news: SafeText?
    var coach = Coach()
    var settings = ClientSettings()
    /// Where the settings are kept; nil for nowhere.
    var settingsPath: SafeText?
    /// Why the last change of a setting is not kept.
    var settingsNotice: SafeText?
    /// The selected row of the settings.
    private(set) var settingsRow = 0
    /// Whether the player sits out because their time ran out.
    var isIdled = false
    /// Whether the last bet is made again in each round.
    var betsAgain = false
    /// Whether the server has said that it stops, and is not back.
    private(set) var isStopped = false
    /// Reconnection attempts since the connection was lost.
    private(set) var attempt = 0

    var snapshot: TableSnapshot? { client.snapshot }
    var rules: HouseRules { client.rules ?? HouseRules() }
    /// Number of the last round begun.
    var round: Int { client.round }
    var me: String { client.login?.name ?? "" }
    var player: Player? { client.seat.flatMap { snapshot?.player($0) } }
    var presence: Player.Presence? { player?.presence }
    /// Whether the house gives new chips to a player who has lost all.
    var givesRebuys: Bool { client.hello?.givesRebuys ?? true }
    var isOnline: Bool { client.link == .loggedIn && snapshot != nil }
    /// True when a request would be answered: keys of the game are offered.
    var canAsk: Bool { isOnline && client.silentSince == nil }
    var messages: [Sentence] { log.sentences }

    /// True while a hand of the player is in play.
    var isInPlay: Bool { client.isInPlay }

    var situation: Situation {
        guard let snapshot, let first = client.seat, let player else { return .watching }
        let phase = snapshot.round?.phase ?? .waiting
        if phase == .closed { return .closed }
        for seat in client.seats {
            if let choice = snapshot.choice(seat) { return decidedAt == nil && !isMoving ? .asked(seat: seat, choice) : .waiting }
        }
        guard phase.takesBets, player.presence == .here else { return player.presence == .sittingOut ? .sittingOut : .waiting }
        let bets = client.seats.map { (seat: $0, bet: client.openBet($0)) }
        if let open = bets.first(where: { $0.bet == nil }), player.chips >= rules.minimumBet {
            return .betting(seat: open.seat, bet: nil)
        }
        if bets.allSatisfy({ $0.bet == nil }) { return .broke }
        return .betting(seat: first, bet: bets.first?.bet)
    }

    /// The amount that Enter bets.
    var betAmount: Int { typed ?? suggestedBet }

    private var suggestedBet: Int {
        let most = min(rules.maximumBet, (player?.chips ?? 0) / rules.betStep * rules.betStep)
        let usual = settings.bet.map { $0 / rules.betStep * rules.betStep }
        return max(rules.minimumBet, min(lastBet ?? usual ?? rules.minimumBet, most))
    }

    /// Whether a click may take a seat.
    var canSit: Bool { canAsk && draft == nil && client.seats.count < rules.seatsPerPlayer }

    /// The setting of the selected row.
    var settingsField: ClientSettings.Field { ClientSettings.Field.allCases[settingsRow] }

    /// End of the running clock, in milliseconds of the local clock; nil without one, and while the server does not answer.
    var deadline: Int64? {
        guard canAsk, let deadline = snapshot?.clock?.deadline else { return nil }
        return deadline - client.clockOffset
    }
}

extension ViewState {
    /// Applies an update of the client.
    /// - Parameter sentences: its description.
    mutating func take(_ update: ClientUpdate, _ sentences: [Sentence]) {
        client = update.state
        if client.table == nil, table != nil { leaveTable() }
        if deadline == nil { secondsLeft = nil }
        if client.silentSince == nil { silentSeconds = nil }
        for sentence in sentences { say(sentence) }
        switch update.event {
        case .table(let change):
            if change.table != table { leaveTable(for: change.table) }
            if let decidedAt, change.revision > decidedAt { self.decidedAt = nil }
            if let bet = change.openBet(of: me) { lastBet = bet }
            if change.new.round != change.old?.round { typed = nil }
            noteSitting(change)
            if let player { chips = client.hasStake ? nil : player.chips }
            if !isInPlay { asksToQuit = false }
        case .link:
            decidedAt = nil
            if case .connecting(let attempt) = client.link { self.attempt = attempt }
        case .refused(let refusal):
            decidedAt = nil
            if ["history", "statement"].contains(refusal.type) {
                pastRefusal = LinkNarrator.refusal(refusal, isPractice: client.isPractice)
                isGuest = refusal.code == ErrorCode.accountNeeded.rawValue
            }
        case .outOfSync, .isWrong: decidedAt = nil
        case .history(let history): self.history = history
        case .statement(let statement): self.statement = statement
        case .reply(_, .login(let login)):
            (attempt, chips, isStopped) = (0, login.table == nil ? login.chips : nil, false)
        case .goodbye(GoodbyeCode.shuttingDown.rawValue, _), .goodbye(GoodbyeCode.restart.rawValue, _): isStopped = true
        case .silence, .postponed: break
        case .reply, .goodbye, .lobby, .lobbyOutOfSync, .chat, .notice, .note, .chart, .pinged, .shoe, .leftTable, .skipped: break
        }
    }

    /// Another table has other limits and revisions, and other players to talk to: a line of chat ends with its table. A reconnect to
    /// the same table keeps it.
    private mutating func leaveTable(for table: String? = nil) {
        self.table = table
        (lastBet, typed, decidedAt, roundBeforeSitting) = (nil, nil, nil, nil)
        (draft, unsent, isDraftCut) = (nil, [], false)
    }

    private mutating func noteSitting(_ change: TableChange) {
        let hasSat = change.new.seats(of: me).contains { change.old?.player($0)?.name != me }
        guard hasSat, change.new.round?.phase.isInPlay == false else { return }
        roundBeforeSitting = change.new.round?.number
    }

    mutating func say(_ sentence: Sentence) {
        guard sentence.kind != .alarm else {
            alarm = sentence.text
            return
        }
        // The log is behind the list.
        if panel == .settings, sentence.kind == .refusal { settingsNotice = sentence.text }
        log.append(sentence)
    }

    /// Says something that the messages behind it must not hide.
    mutating func announce(_ sentence: Sentence) {
        news = sentence.text
        log.append(sentence)
    }

    /// Keeps a chat line that the server did not take.
    mutating func keep(unsent text: String, because reason: SafeText) {
        unsent = (unsent + [text]).suffix(Self.unsentLimit)
        say(Sentence(.refusal, "Not said: \(SafeText(text, columns: 400)). \(reason) 't' brings it back."))
    }

    /// Applies an intent, as far as it concerns the screen.
    mutating func take(_ intent: Intent) {
        if case .refuse = intent {} else { log.forgetAnswer() }
        news = nil
        // A player who presses a key has read what the table shows.
        if panel == .table, intent != .show(.log) { log.markRead() }
        switch intent {
        case .perform(let command): took(command)
        case .talk:
            draft = unsent.isEmpty ? "" : unsent.removeFirst()
            isDraftCut = false
        case .complete(let line): (draft, isDraftCut) = (line, false)
        case .refuse(let reason): log.answer(Sentence(.refusal, reason))
        case .write(let scalar): write(scalar)
        case .paste(let text): paste(text)
        case .refusePaste: say(Sentence(.refusal, "A paste is text, not keys: 't' opens a line to talk."))
        case .rub:
            draft = draft.map { String($0.dropLast()) }
            isDraftCut = false
        case .hush: draft = nil
        case .type(let digit): typed = min((isAmountWhole ? 0 : typed ?? 0) * 10 + digit, rules.maximumBet * 10)
        case .amount(let chips): typed = min(chips, rules.maximumBet * 10)
        case .erase: typed = (typed ?? betAmount) / 10
        case .step(let steps): typed = stepped(steps)
        case .askToQuit: asksToQuit = true
        case .scroll(let lines) where panel == .log: log.scroll(lines)
        case .scroll(let lines): scrolled = max(0, scrolled + lines)
        case .show(let panel): show(panel)
        case .choose(let steps):
            settingsRow = min(max(0, settingsRow + steps), ClientSettings.Field.allCases.count - 1)
        case .change, .redraw: break
        }
        switch intent {
        case .amount, .step: isAmountWhole = true
        case .type, .erase: isAmountWhole = false
        default: break
        }
    }

    private mutating func took(_ command: PlayerCommand) {
        draft = nil
        switch command {
        case .bet: typed = nil
        case .act: decidedAt = client.revision
        case .table: show(.table)
        case .rules: show(.rules)
        case .help: show(.help)
        case .settings(_, nil): show(.settings)
        case .history, .statement:
            (history, statement, pastRefusal) = (nil, nil, nil)
            show(command == .history ? .history : .statement)
        default: break
        }
    }

    private mutating func show(_ panel: Panel) {
        if self.panel == .log { log.markRead() }
        log.scrollToEnd()
        self.panel = panel
        settingsNotice = nil
        scrolled = 0
        asksToQuit = false
    }

    /// Ignores characters that chat does not allow.
    private mutating func write(_ scalar: Unicode.Scalar) {
        guard var text = draft else { return }
        text.unicodeScalars.append(scalar)
        if (try? ChatText(text)) != nil || scalar == " " && text.fitsChat { draft = text }
    }

    /// Line ends become spaces; a text that is too long is cut, and the prompt says so.
    private mutating func paste(_ text: String) {
        guard let start = draft else { return }
        var isSpace = false
        for character in text {
            let isLineEnd = character.isWhitespace
            defer { isSpace = isLineEnd }
            if isLineEnd, isSpace { continue }
            var longer = draft ?? start
            longer.append(isLineEnd ? " " : character)
            guard longer.fitsChat else {
                isDraftCut = true
                return
            }
            if isLineEnd || (try? ChatText(longer)) != nil { draft = longer }
        }
    }

    /// The bet some steps further, clamped to the table's limits.
    private func stepped(_ steps: Int) -> Int {
        let onStep = betAmount / rules.betStep * rules.betStep
        return max(rules.minimumBet, min(onStep + steps * rules.betStep, client.mostBet))
    }
}

extension String {
    /// Characters that a line of chat still has room for.
    var chatRoom: Int { max(0, min(ChatText.maximumCharacters - count, ChatText.maximumBytes - utf8.count)) }

    fileprivate var fitsChat: Bool { count <= ChatText.maximumCharacters && utf8.count <= ChatText.maximumBytes }
}

/// The messages so far and the player's position among them. A value.
struct MessageLog: Equatable, Sendable {
    /// Messages kept.
    static let limit = 500

    /// Newest last.
    private(set) var sentences: [Sentence] = []
    /// Messages newer than the last one shown while scrolled back; 0 at the end.
    private(set) var below = 0
    /// The newest messages that arrived since the player last read.
    private(set) var newCount = 0

    /// Whether the newest message is the answer to a key without an effect.
    private var endsWithAnswer = false

    /// Appends the answer to a key without an effect, in place of the one before: a line typed by mistake fills no log.
    mutating func answer(_ sentence: Sentence) {
        if endsWithAnswer, !sentences.isEmpty { sentences[sentences.count - 1] = sentence } else { append(sentence) }
        endsWithAnswer = true
    }

    /// A key that has an effect ends the answers to those before it.
    mutating func forgetAnswer() { endsWithAnswer = false }

    mutating func append(_ sentence: Sentence) {
        endsWithAnswer = false
        sentences.append(sentence)
        if below > 0 { below += 1 }
        newCount += 1
        if sentences.count > Self.limit { sentences.removeFirst(sentences.count - Self.limit) }
        newCount = min(newCount, sentences.count)
        below = min(below, sentences.count - 1)
    }

    /// Scrolls by a number of messages, towards the newest if positive.
    mutating func scroll(_ messages: Int) { below = min(max(0, below - messages), max(0, sentences.count - 1)) }

    mutating func scrollToEnd() { below = 0 }

    mutating func markRead() { newCount = 0 }

    /// Lines of chat that arrived since the player last read, without those that are on the screen.
    func unreadChat(below shown: Int) -> Int { max(0, sentences.suffix(newCount).count { $0.kind == .chat } - shown) }
}

/// The player's requests without an answer. A value.
struct PendingRequests: Equatable, Sendable {
    private struct Entry: Equatable {
        let number: Int
        /// nil for a line of chat.
        let words: SafeText?
        /// True once the answer takes noticeably long: a quick answer is not worth a redraw.
        var isLate = false
    }

    private var entries: [Entry] = []
    private var lastNumber = 0

    /// - Returns: the number for ``answered(_:)``.
    mutating func sent(_ command: PlayerCommand) -> Int {
        let words: SafeText? =
            switch command {
            case .bet: command.typed
            case .say: nil
            default: command.word.label
            }
        lastNumber += 1
        entries.append(Entry(number: lastNumber, words: words))
        return lastNumber
    }

    mutating func answered(_ number: Int) { entries.removeAll { $0.number == number } }

    /// Marks all requests without an answer as late.
    mutating func becomeLate() { for index in entries.indices { entries[index].isLate = true } }

    /// `pending: bet 25, 2 lines of chat`; nil without a late request.
    var words: SafeText? {
        let late = entries.filter(\.isLate)
        guard !late.isEmpty else { return nil }
        let lines = late.count { $0.words == nil }
        let chat: [SafeText] = lines == 0 ? [] : [lines == 1 ? "1 line of chat" : "\(lines) lines of chat"]
        return "pending: \((late.compactMap(\.words) + chat).joined())"
    }
}

extension ClientState {
    /// True when a table is shown and the server answers.
    var canAsk: Bool { session.link == .loggedIn && snapshot != nil && session.silentSince == nil }

    /// The player in the first of ``seats``.
    var player: Player? { seat.flatMap { snapshot?.player($0) } }

    /// True while a hand of the player is in play; a bet for the next round is not.
    var isInPlay: Bool { !handsInPlay.isEmpty }

    /// The player's hands without a result, in a round that has begun.
    var handsInPlay: [HandIdentifier] {
        guard let snapshot, snapshot.round?.phase.isInPlay == true else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.filter { snapshot.result($0) == nil }
    }

    /// True when the player has chips in a bet or a hand.
    var hasStake: Bool { !stakes.isEmpty }

    /// The player's bets on hands without a result, and on those that are not dealt.
    var stakes: [Int] {
        guard let snapshot else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.compactMap { snapshot.result($0) == nil ? snapshot.bet($0) : nil }
    }

    /// The player's bets for the round that has not begun.
    var openBets: [Int] { snapshot?.round?.phase.takesBets == true ? stakes : [] }

    /// A seat's bet for the next round.
    func openBet(_ seat: Int) -> Int? {
        let hand = HandIdentifier(seat: seat, number: 1)
        return snapshot?.result(hand) == nil ? snapshot?.bet(hand) : nil
    }

    /// Number of the last round begun.
    var round: Int { snapshot?.round?.number ?? 0 }

    /// Number of the question on the table, to the player or to another; nil when nothing is asked. All asked at once share one.
    var question: Int? { snapshot?.seats.lazy.compactMap { snapshot?.choice($0)?.turn }.first }

    /// The highest bet that chips and limits allow; the least one where there is no table or no seat.
    var mostBet: Int {
        let rules = rules ?? HouseRules()
        let chips = (player?.chips ?? 0) + (seat.flatMap(openBet) ?? 0)
        return max(rules.minimumBet, min(rules.maximumBet, chips) / rules.betStep * rules.betStep)
    }

    /// Whether the player's chips do not cover a bet, and none is on the table.
    var isBroke: Bool { (player?.chips ?? .max) < (rules?.minimumBet ?? 0) && !hasStake }
}
