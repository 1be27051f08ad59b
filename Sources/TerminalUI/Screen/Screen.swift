import ClientCore
import Rules
import TableModel

/// Draws the table: a pure function of the view state and its cells.
struct Screen {
    /// The smallest terminal supported.
    static let least = ScreenSize(columns: 40, rows: 12)

    let view: ViewState
    let board: TableBoard
    let size: ScreenSize
    let wording = Wording(suits: .symbols)

    init(_ view: ViewState, _ board: TableBoard, size: ScreenSize) {
        self.view = view
        self.board = board
        self.size = size
    }

    /// True when seats fit in columns.
    var hasColumns: Bool { size.columns >= 60 && size.rows >= 18 }
    /// True when sentences need their shorter form.
    var isNarrow: Bool { size.columns < 60 }

    var frame: Frame {
        guard size.columns >= Self.least.columns, size.rows >= Self.least.rows else { return tooSmall }
        let footer = footer
        let height = size.rows - 1 - footer.count
        var body = body(height: height)
        while body.count < height { body.append(StyledText()) }
        return Frame(size: size, lines: [header] + body.prefix(height) + footer)
    }

    private var tooSmall: Frame {
        let words: SafeText = """
            This terminal has \(size.columns) x \(size.rows) characters; the table needs \(Self.least.columns) x \(Self.least.rows). \
            Make it larger, or leave with q.
            """
        return Frame(size: size, lines: words.wrapped(to: max(1, size.columns)).prefix(size.rows).map { StyledText($0) })
    }

    private var header: StyledText {
        var left = StyledText(isNarrow ? "" : " Blackjack", [.bold, .inverse])
        if isNarrow, view.client.shoes.failed > 0, let shuffle { left.append(shuffle) }
        if let phase = board.cell(.phase) {
            left.append(left.columns == 0 ? " " : " · ", .inverse)
            left.append(SafeText(phase.note.text), .inverse)
        }
        if view.snapshot?.closing != nil { left.append(" · closing", [.bold, .inverse]) }
        if !isNarrow, let shuffle { left.append(shuffle) }
        var right = StyledText()
        if let player = view.player {
            // Chips that move are those of the player's line.
            let chips = view.client.seat.flatMap { board.cell(.player($0)) }?.note.text ?? "\(player.chips)"
            right.append(" \(SafeText(player.name, columns: isNarrow ? 10 : 24)), \(SafeText(chips)) chips ", .inverse)
        } else if view.isOnline {
            right.append(" watching ", .inverse)
        }
        var line = left.fitted(to: size.columns - right.columns, filler: .inverse)
        line.append(right)
        return line
    }

    /// The knowledge of the shuffle; nil before the first shoe, and where nothing can be verified.
    private var shuffle: StyledText? {
        let shoes = view.client.shoes
        if shoes.failed > 0 { return StyledText(" · NOT HONEST", [.bold, .inverse, .red]) }
        var words: [SafeText] = []
        if shoes.verified > 0 {
            let others: SafeText =
                shoes.withoutPlayer > 0 && !view.client.isPractice ? " (\(shoes.withoutPlayer) shuffled without you)" : ""
            words.append("\(shoes.verified) \(shoes.verified == 1 ? "shoe" : "shoes") verified\(others)")
        }
        if shoes.unproven > 0 { words.append("\(shoes.unproven) without proof") }
        // In practice the player is the host.
        if shoes.standing == .notIncluded, view.player != nil, !view.client.isPractice {
            words.append("this shoe shuffled without you")
        }
        return words.isEmpty ? nil : StyledText(" · \(words.joined())", .inverse)
    }

    /// An alarm stays, above the messages; news until a key is pressed.
    var alarm: [StyledText] {
        let alarm = view.alarm.map { $0.wrapped(to: size.columns - 2).map { StyledText(" \($0)", [.bold, .red]) } } ?? []
        let news = view.news.map { $0.wrapped(to: size.columns - 2).map { StyledText(" \($0)", [.bold, .yellow]) } } ?? []
        return alarm + news
    }

    private func body(height: Int) -> [StyledText] {
        switch view.panel {
        case .rules: panel(view.client.ruleSentences.map { SafeText($0) }, height)
        case .help: panel(Self.help, height)
        case .log: log(height)
        case .settings: settings(height)
        case .history where view.isGuest: panel(wording.lines(ofSession: view.playedRounds), height)
        case .history: panel(past(view.history.map(wording.lines)) + playedRounds, height)
        case .statement where view.isGuest: panel([wording.balance(of: view.client)], height)
        case .statement: panel(past(view.statement.map(wording.lines)), height)
        case .table where view.snapshot == nil:
            Array((alarm + messages(height - alarm.count, divider: false)).prefix(height))
        case .table: table(height)
        }
    }

    /// Dealer, seats, own hands; messages fill the rest.
    private func table(_ height: Int) -> [StyledText] {
        guard hasColumns else { return compact(height) }
        if let lines = spread(height) { return withShoe(lines) }
        let boxes = (dealer: dealer(.small), own: own(.small))
        let isBoxed = size.rows >= 22 && isWhole(boxes.dealer + boxes.own)
        return rows(height, isBoxed ? boxes.dealer : [dealerLine], isBoxed ? boxes.own : []).map(withShoe) ?? compact(height)
    }

    /// One line per seat or hand; nil when the player's own cards would be cut.
    private func rows(_ height: Int, _ dealer: [StyledText], _ own: [StyledText]) -> [StyledText]? {
        var lines = dealer
        let least = max(2, alarm.count)
        let spare = height - lines.count - own.count - least - board.seats.count
        let divider = spare > 1 ? 1 : 0
        let heading = spare > 0 ? [columnHeads] : []
        let room = height - lines.count - own.count - heading.count - divider - least
        guard let seats = seats(atMost: room, areOwnCut: !own.isEmpty) else { return nil }
        lines += heading + seats
        lines += own + alarm.prefix(max(0, height - lines.count - own.count))
        return lines + messages(height - lines.count, divider: divider > 0)
    }

    private func panel(_ texts: [SafeText], _ height: Int) -> [StyledText] {
        let lines = texts.flatMap { text -> [StyledText] in
            let indent = text.text.prefix { $0 == " " }.count
            return text.wrapped(to: size.columns - 4 - indent).map { StyledText(.spaces(2 + indent) + $0) }
        }
        return Array(lines.dropFirst(min(view.scrolled, max(0, lines.count - height))).prefix(height))
    }

    /// Lines of a panel about the player's past.
    private func past(_ lines: [SafeText]?) -> [SafeText] { lines ?? [view.pastRefusal ?? "Asking the server ..."] }

    /// The rounds of this session, where the server has none for the player.
    private var playedRounds: [SafeText] {
        view.pastRefusal == nil || view.playedRounds.isEmpty ? [] : wording.lines(ofSession: view.playedRounds)
    }

    private static let help: [SafeText] = [
        "The line above the last shows the keys available.", "",
        "Bets: digits type an amount, + and - change it, m sets the most, Enter or b bets; 0 takes it back.",
        "R repeats your last bet in each round until your time runs out.",
        "Your turn: h hit, s stand, d double, p split, u surrender.",
        "The dealer shows an ace: i insurance, e even money, n no.",
        "o sits out and plays again; s takes a seat when you watch; v shows the rules; q leaves.",
        "a turns the coach on or off: it names the action of basic strategy.",
        "t talks to the table; /mute NAME hides a player's chat, /unmute shows it.",
        "l lists the tables: s sits down, w watches, / finds one, Esc goes back.",
        "Page up shows the log of the table and the chat, page down goes on in it.",
        "y shows your last hands, and again your balance; at a table of your own, /kick NAME sends a player away, /pass PHRASE locks it, /pass none opens it.",
        "c shows the settings: colours, suits, the bell and more.",
        "Clicks count on keys, free seats and the list of tables; the wheel scrolls.",
        "Ctrl-L redraws the screen. Ctrl-C leaves; with a hand in play it asks first, and a second Ctrl-C leaves.",
    ]

    // MARK: Footer

    // Prompt, key hints and status line.

    var footer: [StyledText] {
        let lines = [prompt.cut(to: size.columns)] + StyledText.lines(of: KeyMap(view).hints, columns: size.columns)
        // On a low screen the row is worth more to the table, as long as every request is answered.
        return size.rows < 15 && view.pending.words == nil ? lines : lines + [status]
    }

    private var prompt: StyledText {
        if let draft = view.draft { return talk(draft) }
        if view.asksToQuit {
            let words: SafeText = isNarrow ? "It would stand." : "Your hand is in play and would stand."
            return timed(" \(words) Leave anyway?", [.bold, .yellow])
        }
        switch view.client.link {
        case .lost, .connecting: return StyledText(" \(connection) ...", .yellow)
        case .ended(let reason):
            return StyledText((" The connection ended: \(reason)" as SafeText).stopped, .yellow)
        case .connected, .loggedIn: break
        }
        if let seconds = view.silentSeconds {
            let words: SafeText = isNarrow ? "No answer" : "The server does not answer"
            return StyledText(" \(words): last heard \(seconds) s ago.", [.bold, .yellow])
        }
        guard let snapshot = view.snapshot else { return StyledText() }
        switch view.situation {
        case .asked(let seat, let choice): return question(snapshot, seat, choice)
        case .betting(_, let bet): return betting(bet)
        case .broke where view.givesRebuys: return StyledText(" You are out of chips.", .yellow)
        case .broke:
            return StyledText(
                isNarrow ? " No chips, and the house gives none." : " You are out of chips, and the house gives no new ones.",
                .yellow)
        case .watching:
            guard let notice = snapshot.closing else { return StyledText(" You are watching.", .dim) }
            // The log is short on a small screen.
            let words: SafeText = isNarrow ? "Closes" : "You are watching. The table closes after the round"
            let reason = SafeText(notice.reason, columns: 400)
            return StyledText(reason.isEmpty ? " \(isNarrow ? "The table closes" : words)." : " \(words): \(reason)", .yellow)
        case .sittingOut where view.isSatOut:
            return StyledText(isNarrow ? " Time ran out: you sit out." : " Your time ran out, so you sit out.", .yellow)
        case .sittingOut: return StyledText(" You are sitting out.", .dim)
        case .closed: return StyledText(" The table is closed.", .dim)
        case .waiting: return waiting(snapshot)
        }
    }

    /// Words with the time left; a narrow screen cuts the words, never the time.
    private func timed(_ words: StyledText, _ style: Style = .plain) -> StyledText {
        let time = countdown(size.columns - words.columns, style)
        var text = words.cut(to: size.columns - time.columns)
        text.append(time)
        return text
    }

    private func timed(_ words: SafeText, _ style: Style) -> StyledText { timed(StyledText(words, style), style) }

    /// The chat line: its end where it is longer than the row.
    private func talk(_ draft: String) -> StyledText {
        let room = roomLeft(draft)
        let width = size.columns - room.columns
        var tail = Substring(draft)
        while SafeText(String(tail), columns: 1000).columns > max(8, width - 8) { tail = tail.dropFirst() }
        var text = StyledText(" Say: ", .bold)
        text.append(SafeText(String(tail), columns: 1000))
        text.append(" ", .inverse)
        text = text.fitted(to: width)
        text.append(room)
        return text
    }

    /// Characters up to the limit of a chat line; a command has none.
    private func roomLeft(_ draft: String) -> StyledText {
        guard !draft.hasPrefix("/") else { return StyledText() }
        let left = draft.chatRoom
        if view.isDraftCut { return StyledText(" paste cut, \(left) left ", .yellow) }
        return StyledText(" \(left) left ", left < 20 ? .yellow : .dim)
    }

    private func question(_ snapshot: TableSnapshot, _ seat: Int, _ choice: Choice) -> StyledText {
        let hand = HandIdentifier(seat: seat, number: choice.hand)
        let total = snapshot.total(hand)?.safeText ?? ""
        let best = view.coach.advice(in: view.client)?.bestAction.typed
        if isNarrow, let best { return timed(" You: \(total). Best: \(best).", [.bold, .yellow]) }
        let words: SafeText =
            switch snapshot.round?.phase {
            case .insurance: isNarrow ? " The dealer has A. You: \(total)." : " The dealer shows an ace. You have \(total)."
            case .surrender: isNarrow ? " Give up half? You: \(total)." : " Give up half the bet? You have \(total)."
            default:
                snapshot.hands(ofSeat: seat).count > 1 ? " Your turn, hand \(choice.hand): \(total)." : " Your turn: \(total)."
            }
        return timed(best.map { "\(words) Basic strategy: \($0)." } ?? words, [.bold, .yellow])
    }

    private func betting(_ bet: Int?) -> StyledText {
        guard bet == nil || view.typed != nil else {
            let words: SafeText = isNarrow ? "Others bet." : "Waiting for the others."
            return timed(" You bet \(bet ?? 0). \(words)", .dim)
        }
        var text = StyledText(" Your bet: ", .bold)
        text.append(" \(view.betAmount) ", [.inverse, .bold])
        text.append(isNarrow ? " \(view.rules.minimumBet)-\(view.rules.maximumBet)" : "  \(wording.limits(view.rules)).")
        return timed(text)
    }

    private func waiting(_ snapshot: TableSnapshot) -> StyledText {
        if snapshot.round?.phase == .settled {
            let words: SafeText = snapshot.closing == nil ? "The next round begins soon." : "This was the last round here."
            return timed(" \(words)", .dim)
        }
        if let active = snapshot.activeHand, let player = snapshot.player(active.seat), player.name != view.me {
            return timed(" It is \(SafeText(player.name, columns: isNarrow ? 18 : 24))'s turn.", .plain)
        }
        // A decision that the server has not answered.
        return view.pending.words.map { StyledText(" \($0) ...", .dim) } ?? StyledText()
    }

    private var connection: SafeText { view.connection }

    private var status: StyledText {
        var parts = [connection]
        if let words = view.pending.words { parts.append(words) }
        if let table = view.client.table { parts.append("\(SafeText(table, columns: 32))") }
        if let round = board.cell(.round) { parts.append(SafeText(round.text.text)) }
        if !hasColumns, let shoe = board.cell(.shoe), let left = board.cell(.cardsLeft) {
            parts.append("\(SafeText(shoe.text.text)): \(SafeText(left.text.text))")
        }
        if board.cell(.rules) != nil { parts += wording.ruleWords(view.rules) }
        // A narrow terminal drops the last parts first.
        while parts.count > 1, parts.joined(" · ").columns > size.columns - 2 { parts.removeLast() }
        return StyledText(" \(parts.joined(" · "))", .inverse).fitted(to: size.columns, filler: .inverse)
    }

    // MARK: Log

    // Messages: the newest below the table, all of them in the log.

    /// The newest messages, newest last, aligned to the top; chat that has scrolled off unread is counted.
    func messages(_ height: Int, divider: Bool) -> [StyledText] {
        guard height > 1 else { return height == 1 ? [newest] : [] }
        var (shown, lines): (Int, [StyledText]) = (0, [])
        for sentence in view.messages.reversed() {
            let longer = messageLines(sentence) + lines
            if longer.count <= height - 1 { shown += 1 }
            // The end of a message without its beginning tells nothing.
            if longer.count > height - (divider ? 1 : 0), !lines.isEmpty { break }
            lines = longer
            if lines.count >= height { break }
        }
        let unread = view.log.unreadChat(below: shown)
        guard divider || unread > 0 else { return Array(lines.suffix(max(0, height))) }
        return [mark(unread)] + lines.suffix(max(0, height - 1))
    }

    /// The newest message in one line, after the number of unread ones above it.
    private var newest: StyledText {
        let unread = view.log.unreadChat(below: 1)
        var line = unread > 0 ? StyledText(" \(unread) unread:", [.bold, .yellow]) : StyledText()
        guard let sentence = view.messages.last else { return line }
        line.append(" ")
        line.append(sentence.text, style(sentence))
        return line.cut(to: size.columns)
    }

    /// `─── 3 unread: PgUp ───`.
    private func mark(_ unread: Int) -> StyledText {
        guard unread > 0 else { return StyledText(.filled(with: "─", size.columns), .dim) }
        var line = StyledText(.filled(with: "─", 3), .dim)
        line.append(" \(unread) unread: PgUp ", [.bold, .yellow])
        line.append(.filled(with: "─", size.columns - line.columns), .dim)
        return line
    }

    func messageLines(_ sentence: Sentence) -> [StyledText] {
        let style = style(sentence)
        // Further lines are indented: a long line of chat must not look like a message of its own.
        return sentence.text.wrapped(to: size.columns - 4).enumerated().map { index, line in
            var text = StyledText(index == 0 ? " " : "   ")
            text.append(line, style)
            return text
        }
    }

    private func style(_ sentence: Sentence) -> Style {
        switch sentence.kind {
        case .prompt, .refusal: .yellow
        case .closing, .host: [.bold, .yellow]
        case .shuffle: .green
        case .result: .bold
        case .link, .seat, .table: .dim
        default: .plain
        }
    }

    /// All messages kept, as far as the player has scrolled, with a mark above those that are new.
    func log(_ height: Int) -> [StyledText] {
        let log = view.log
        let all = log.sentences
        var lines: [StyledText] = []
        // The lines of older messages are needed only where the first page is not full.
        for (index, sentence) in all.enumerated().reversed() where index < all.count - log.below {
            lines = messageLines(sentence) + lines
            if index == all.count - log.newCount, index > 0 { lines = [newMark] + lines }
            if lines.count >= height { break }
        }
        if lines.count < height, log.below > 0 {
            lines = all.prefix(height).flatMap(messageLines)
            return Array(lines.prefix(height))
        }
        return Array(lines.suffix(max(0, height)))
    }

    private var newMark: StyledText {
        var line = StyledText(.filled(with: "─", 3), .dim)
        line.append(" new ", [.bold, .yellow])
        line.append(.filled(with: "─", size.columns - line.columns), .dim)
        return line
    }

    // MARK: Settings

    // The settings as a list.

    func settings(_ height: Int) -> [StyledText] {
        let path: SafeText = view.settingsPath.map { " Settings, kept in \($0)" } ?? " Settings of this session"
        let rows = ClientSettings.Field.allCases.map(settingsLine)
        // The end of the notice is the reason.
        let notice = view.settingsNotice.map { Array($0.wrapped(to: size.columns - 2).suffix(max(1, height / 2))) } ?? [""]
        let room = max(1, height - 1 - notice.count)
        let top = min(max(0, view.settingsRow - room / 2), max(0, rows.count - room))
        let lines = [StyledText(path, .bold)] + notice.map { StyledText(" \($0)", .yellow) } + rows.dropFirst(top)
        return lines.prefix(height).map { $0.cut(to: size.columns) }
    }

    private func settingsLine(_ field: ClientSettings.Field) -> StyledText {
        let isSelected = field == view.settingsField
        let style: Style = isSelected ? [.bold, .inverse] : .plain
        var line = StyledText(isSelected ? " ▶ " : "   ", style)
        line.append(StyledText("\(field.rawValue)", style).fitted(to: 10, filler: style))
        let words: SafeText = view.settings.words(of: field).map { "\($0)" } ?? "none"
        line.append(StyledText(words, style).fitted(to: 16, filler: style))
        if !isNarrow { line.append("\(field.meaning)", isSelected ? style : .dim) }
        return line
    }
}

extension StyledText {
    /// Key hints in at most two lines: in full, else shortened, else with the general keys bare. Moves may take more lines.
    static func lines(of hints: [KeyMap.Hint], columns: Int) -> [StyledText] {
        let full = laid(hints.map(\.full), columns)
        if full.count <= 2 { return full }
        let short = laid(hints.map(\.shortened), columns)
        if short.count <= 2 { return short }
        // Moves come first, so that their lines are the first ones.
        let moves = laid(hints.filter { $0.use == .move }.map(\.shortened), columns).count
        return Array(laid(hints.map(\.bare), columns).prefix(max(2, moves + 1)))
    }

    private static func laid(_ hints: [StyledText], _ columns: Int) -> [StyledText] {
        var lines = [StyledText()]
        for hint in hints {
            if lines[lines.count - 1].columns + hint.columns > columns { lines.append(StyledText()) }
            lines[lines.count - 1].append(hint)
        }
        return lines
    }
}

extension KeyMap.Hint {
    fileprivate var full: StyledText { text(" \(meaning) ") }

    fileprivate var shortened: StyledText { text(" \(short ?? meaning) ") }

    fileprivate var bare: StyledText { use == .general ? text("") : shortened }

    private func text(_ meaning: SafeText) -> StyledText {
        var text = StyledText(" ")
        let presses = presses
        let only = presses.count == 1 ? presses[0].target : nil
        for (index, part) in presses.enumerated() {
            if index > 0 { text.append(" ", [.bold, .inverse]) }
            text.append(part.label, [.bold, .inverse], part.target)
        }
        text.append(meaning, .plain, only)
        return text
    }

    /// The label in parts, each with its key; without one where the label names several.
    private var presses: [(label: SafeText, target: ClickTarget?)] {
        // A key that has no other meaning.
        if key == "any other key" { return [(key, .key(.escape))] }
        let words = key.text.split(separator: " ").map(String.init)
        let keys = words.map(Self.key)
        guard !keys.contains(nil) else { return [(key, nil)] }
        return zip(words, keys).map { (SafeText($0), $1.map(ClickTarget.key)) }
    }

    private static func key(_ word: String) -> Key? {
        switch word {
        case "Enter": .enter
        case "Esc": .escape
        case "Ctrl-C": .control("c")
        case "PgUp": .pageUp
        case "PgDn": .pageDown
        case "Tab": .tab
        case "up": .up
        case "down": .down
        case "left": .left
        case "right": .right
        default: word.unicodeScalars.count == 1 ? word.unicodeScalars.first.map(Key.character) : nil
        }
    }
}

extension ViewState {
    /// The connection in words.
    var connection: SafeText {
        switch client.link {
        case .connecting where client.hello == nil: "connecting"
        case .connecting: "reconnecting, attempt \(attempt)"
        case .connected, .loggedIn:
            if let seconds = silentSeconds {
                "no answer, last heard \(seconds) s ago"
            } else {
                client.roundTrip.map { $0 < 1 ? "connected, < 1 ms" : "connected, \($0) ms" } ?? "connected"
            }
        case .lost: "reconnecting, attempt \(attempt + 1)"
        case .ended: "disconnected"
        }
    }
}
