import ClientCore
import Rules
import TableModel
import Wire

/// View state of the table screen: the client's state and the effect of keys. A value; each change is a pure function.
struct ViewState: Equatable, Sendable {
    enum Panel: Equatable, Sendable { case table, rules, help, log, history }

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
    /// Seconds until ``deadline``, set by a timer; nil without a running clock.
    var secondsLeft: Int?
    /// Seconds since a silent server was last heard, set by a timer; nil while it answers.
    var silentSeconds: Int?
    private(set) var log = MessageLog()
    /// The player's requests without an answer.
    var pending = PendingRequests()
    var panel = Panel.table
    var asksToQuit = false
    /// Whether the table shown is on its way to the newest revision: a key decides nothing.
    var isMoving = false
    /// Lines of a panel scrolled off the top; a value past the end shows the last page.
    private(set) var scrolled = 0
    /// The player's last rounds in lines; nil until the server has answered.
    private(set) var past: [SafeText]?
    /// The table of the bets below.
    private var table: String?
    /// The bet of the last round.
    private(set) var lastBet: Int?
    /// The chat line being typed; nil when there is none.
    private var line: TextField?
    var draft: String? { line?.text }
    /// Lines of chat that were not sent, oldest first: the next chat line starts with the first.
    private(set) var unsent: [String] = []
    /// The bet as edited; nil when unedited.
    private(set) var typed: Int?
    /// Whether the bet was set as a whole, by a key or a paste: the next digit begins another.
    private(set) var isAmountWhole = false
    /// Revision of the table when a decision was sent; nil once the table shows its effect.
    private(set) var decidedAt: Int?
    /// Chips that the player has at no table, or had at the last one; nil while a bet or a hand decides about them.
    private(set) var chips: Int?
    /// The last alarm about the shuffle: stays on the screen.
    private(set) var alarm: SafeText?
    var coach = Coach()
    /// Whether the player sits out because their time ran out.
    var isIdled = false
    /// Whether the last bet is made again in each round.
    var betsAgain = false
    /// Whether the server has said that it stops, and is not back.
    private(set) var isStopped = false

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
        if isMoving { return .waiting }
        for seat in client.seats {
            if let choice = snapshot.choice(seat) { return decidedAt == nil ? .asked(seat: seat, choice) : .waiting }
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
        return max(rules.minimumBet, min(lastBet ?? rules.minimumBet, most))
    }

    /// Why a bet of so many chips is not possible; nil for one that is.
    func misfit(_ amount: Int) -> SafeText? {
        let (least, step) = (rules.minimumBet, rules.betStep)
        if amount < least { return "The least bet here is \(least)." }
        if amount > client.mostBet { return "\(client.mostBet) is the most that you can bet." }
        let below = amount / step * step
        return below == amount ? nil : "Bets go in steps of \(step): \(max(least, below)) or \(below + step)."
    }

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
        if client.silentSince == nil { silentSeconds = nil }
        if deadline == nil { secondsLeft = nil }
        for sentence in sentences { say(sentence) }
        switch update.event {
        case .table(let change):
            if change.table != table { leaveTable(for: change.table) }
            if let decidedAt, change.revision > decidedAt { self.decidedAt = nil }
            if let bet = change.openBet(of: me) { lastBet = bet }
            if change.new.round != change.old?.round { typed = nil }
            if let player { chips = client.hasStake ? nil : player.chips }
            if !isInPlay { asksToQuit = false }
        case .link: decidedAt = nil
        case .refused(let refusal):
            decidedAt = nil
            if refusal.isOfPast { past = [LinkNarrator.refusal(refusal, isPractice: client.isPractice)] }
        case .outOfSync, .isWrong: decidedAt = nil
        case .reply(_, .standings(let standings)): past = Wording(suits: .symbols).lines(of: standings)
        case .history(let history): past = Wording(suits: .symbols).lines(of: history)
        case .reply(_, .login(let login)):
            (chips, isStopped) = (login.table == nil ? login.chips : nil, false)
        case .goodbye(GoodbyeCode.shuttingDown.rawValue, _), .goodbye(GoodbyeCode.restart.rawValue, _): isStopped = true
        case .silence, .postponed: break
        case .reply, .goodbye, .lobby, .lobbyOutOfSync, .chat, .notice, .note, .chart, .shoe, .leftTable,
            .skipped:
            break
        }
    }

    /// Another table has other limits and revisions, and other players to talk to: a line of chat ends with its table. A reconnect to
    /// the same table keeps it.
    private mutating func leaveTable(for table: String? = nil) {
        self.table = table
        (lastBet, typed, decidedAt) = (nil, nil, nil)
        (line, unsent) = (nil, [])
    }

    mutating func say(_ sentence: Sentence) {
        guard sentence.kind != .alarm else {
            alarm = sentence.text
            return
        }
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
        // A player who presses a key has read what the table shows.
        if panel == .table, intent != .show(.log) { log.markRead() }
        switch intent {
        case .perform(let command): took(command)
        case .talk: open(unsent.isEmpty ? "" : unsent.removeFirst())
        case .complete(let line): open(line)
        case .refuse(let reason):
            log.answer(Sentence(.refusal, reason))
            // The next word would be appended to one that is none.
            if let draft, draft.hasPrefix("/"), CommandWord.matches(draft, ofOwner: true).isEmpty { open("/") }
            // Nor the next digit to an amount that is no bet.
            if misfit(betAmount) != nil { isAmountWhole = true }
        // Typed again after a word that is none.
        case .edit(.character("/")) where draft == "/": break
        case .edit(let key):
            if line?.press(key) == .full { log.answer(Sentence(.refusal, "Nothing is added: the line would be too long.")) }
        case .hush: line = nil
        case .amount(let chips, let isWhole): (typed, isAmountWhole) = (min(chips, rules.maximumBet * 10), isWhole)
        case .askToQuit: asksToQuit = true
        case .scroll(let lines) where panel == .log: log.scroll(lines)
        case .scroll(let lines): scrolled = max(0, scrolled + lines)
        case .show(let panel): show(panel)
        case .redraw: break
        }
    }

    private mutating func took(_ command: PlayerCommand) {
        line = nil
        switch command {
        case .bet: typed = nil
        case .act: decidedAt = client.revision
        case .table: show(.table)
        case .rules: show(.rules)
        case .help: show(.help)
        case .history, .standings:
            past = nil
            show(.history)
        default: break
        }
    }

    private mutating func show(_ panel: Panel) {
        if self.panel == .log { log.markRead() }
        log.scrollToEnd()
        self.panel = panel
        scrolled = 0
        asksToQuit = false
    }

    private mutating func open(_ text: String) {
        line = TextField(text: text, limit: ChatText.maximumBytes, characterLimit: ChatText.maximumCharacters)
    }

    /// The bet some steps further, clamped to the table's limits.
    func stepped(_ steps: Int) -> Int {
        let onStep = betAmount / rules.betStep * rules.betStep
        return max(rules.minimumBet, min(onStep + steps * rules.betStep, client.mostBet))
    }
}

extension String {
    /// Characters that a line of chat still has room for.
    var chatRoom: Int { max(0, min(ChatText.maximumCharacters - count, ChatText.maximumBytes - utf8.count)) }
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
    /// By their numbers, in words.
    private var requests: [Int: SafeText] = [:]
    private var lastNumber = 0
    /// Requests up to this number take noticeably long: a quick answer is not worth a redraw.
    private var lastLate = 0

    /// - Returns: the number for ``answered(_:)``.
    mutating func sent(_ command: PlayerCommand) -> Int {
        lastNumber += 1
        requests[lastNumber] = if case .bet = command { command.typed } else { command.word.label }
        return lastNumber
    }

    mutating func answered(_ number: Int) { requests[number] = nil }

    /// Marks all requests without an answer as late.
    mutating func becomeLate() { lastLate = lastNumber }

    /// `pending: bet 25, talk`; nil without a late request.
    var words: SafeText? {
        let late = requests.filter { $0.key <= lastLate }.sorted { $0.key < $1.key }.map(\.value)
        return late.isEmpty ? nil : "pending: \(late.joined())"
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

    /// A free seat for a player who has one already and may have more; nil for others.
    var furtherSeat: Int? {
        guard !isBroke, !seats.isEmpty, seats.count < rules?.seatsPerPlayer ?? 1 else { return nil }
        return snapshot?.seats.first { snapshot?.player($0) == nil }
    }

    /// Whether the player's chips do not cover a bet, and none is on the table.
    var isBroke: Bool { (player?.chips ?? .max) < (rules?.minimumBet ?? 0) && !hasStake }
}
