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
        "r repeats the last bet, R repeats it in each round until your time runs out.",
        "Your turn: h hit, s stand, d double, p split, u surrender.",
        "The dealer shows an ace: i insurance, e even money, n no.",
        "o sits out and plays again; s takes a seat when you watch; v shows the rules; q leaves.",
        "a turns the coach on or off: it marks the best action, the others show their cost in bets.",
        "t talks to the table; /mute NAME hides a player's chat, /unmute shows it.",
        "l lists the tables: s sits down, w watches, / finds one, Esc goes back.",
        "Page up shows the log of the table and the chat, page down goes on in it.",
        "y shows your last hands, and again your balance; at a table of your own, /kick NAME sends a player away, /pass PHRASE locks it, /pass none opens it.",
        "c shows the settings: colours, suits, the bell and more; Ctrl-T the next theme.",
        "Clicks count on keys, free seats and the list of tables; the wheel scrolls.",
        "Ctrl-L redraws the screen. Ctrl-C leaves; with a hand in play it asks first, and a second Ctrl-C leaves.",
    ]
}
