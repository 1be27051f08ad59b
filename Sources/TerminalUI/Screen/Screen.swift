import ClientCore
import Rules
import TableModel

/// Draws the table: a pure function of the player's view state and the table's cells.
struct Screen {
    /// The smallest terminal supported.
    static let least = ScreenSize(columns: 40, rows: 12)
    let view: PlayerSession
    let board: TableBoard
    let size: ScreenSize
    let wording = Wording(hasKeys: true)
    let dealer: HandCells
    /// The seats of the player, and those of others.
    let own, others: [SeatCells]
    private(set) var hints: [KeyMap.Hint]

    init(_ view: PlayerSession, _ board: TableBoard, size: ScreenSize) {
        (self.view, self.board, self.size) = (view, board, size)
        let seats = board.seats
        (dealer, hints) = (board.dealer, KeyMap(view).hints)
        (own, others) = (seats.filter(\.isMine), seats.filter { $0.player.entry != nil && !$0.isMine })
        // Rows without title, question, keys and the panel's frame.
        let room = size.rows - 5 - invitation.count - alarm.count
        if view.panel != .log, hints.contains(where: { $0.meaning == "scroll" }), panel(size.rows).count <= room {
            let meaning = hints[hints.count - 1].meaning
            hints = hints.filter { $0.key == "?" } + [.init(key: "any key", meaning: meaning)]
        }
    }

    /// The player's hands with cards, in order of play.
    var ownHands: [HandCells] { own.flatMap(\.hands) }
    /// The hand that is played.
    var active: HandCells? { (own + others).lazy.flatMap(\.hands).first(where: \.isActive) }

    /// True when sentences need their shorter form.
    var isNarrow: Bool { size.columns < 60 }
    /// Columns with the log and the chat in them, beside the table; without one they are below it.
    var sidebars: Int { size.columns >= 160 ? 2 : size.columns >= 110 ? 1 : 0 }
    /// Columns of each of them.
    private var pane: Int { max(32, min(40, size.columns / 5)) }
    /// Columns of the table.
    var width: Int { size.columns - sidebars * (pane + 1) }
    /// Columns of a panel.
    var panelWidth: Int { isNarrow ? width : min(width - 2, 82) }

    var frame: Frame {
        guard size.columns >= Self.least.columns, size.rows >= Self.least.rows else { return tooSmall }
        return Frame(size: size, lines: [title] + (isNarrow || size.rows < 18 ? narrow : wide ?? narrow))
    }

    /// The felt with the question, the log and the chat, and the keys that are always there; nil where the table does not fit.
    private var wide: [StyledText]? {
        let keys = invitation + [footer]
        let height = size.rows - 2
        guard view.panel == .table || sidebars > 0 else { return panel(over: height - invitation.count) + keys }
        let talk = max(3, height / 6)
        guard sidebars == 0 else { return table(height - invitation.count).map { beside($0) + keys } }
        // A rule and five lines, where the table leaves them.
        return table(height - talk - invitation.count, spares: 6 - talk).map {
            $0 + below(height - $0.count - invitation.count) + keys
        }
    }

    /// In a box in the place of the table, above the question.
    private func panel(over height: Int) -> [StyledText] {
        let question = (alarm + [bar.centred(in: width)]).map { $0.with(.felt) }
        let room = height - question.count
        let margin = StyledText(.spaces((width - panelWidth - 2) / 2), .felt)
        let box = panel(room - 2).framed(panelWidth, .dim).map { margin + $0 }
        return (filled(blank((room - box.count) / 2) + box, room) + question).map { $0.fitted(to: width, filler: .felt) }
    }

    /// A list instead of the table: the player's hands, the dealer, the others; the rest is the log.
    private var narrow: [StyledText] {
        let keys =
            note(size.columns - 2).map { StyledText(" ") + $0 } + [bar.cut(to: size.columns)]
            + StyledText.lines(of: hints.filter { $0.use != .extra || view.draft != nil }, columns: size.columns) + invitation
        let height = size.rows - 1 - keys.count
        var body = filled(view.panel == .table ? list(height) : panel(height), height)
        if view.draft != nil { body[height - 1] = talkLine(size.columns) }
        return body.prefix(height) + keys
    }

    func blank(_ count: Int) -> [StyledText] { Array(repeating: StyledText(), count: max(0, count)) }

    func filled(_ lines: [StyledText], _ height: Int) -> [StyledText] { lines + blank(height - lines.count) }

    private var tooSmall: Frame {
        let words: SafeText = """
            This terminal has \(size.columns) x \(size.rows) characters; the table needs \(Self.least.columns) x \(Self.least.rows). \
            Make it larger, or leave with q.
            """
        return Frame(size: size, lines: words.wrapped(to: max(1, size.columns)).prefix(size.rows).map { StyledText($0) })
    }

    /// Table, round and chips; the phase where the question is short.
    private var title: StyledText {
        let table = StyledText(view.state.table.map { SafeText($0, columns: 32) } ?? "Blackjack")
        // The phase follows the last card of the deal.
        let isDealing = board.phase?.takesBets == true && view.decidedAt != nil
        let parts = isNarrow ? [isDealing ? StyledText("dealing") : board[.phase].text] : [table, board[.round].text]
        var left = StyledText(view.state.shoes.contradicted > 0 ? " NOT HONEST ·" : "", [.bold, .inverse, .red])
        left.append((StyledText(" ") + parts.joined(" · ")).plain(.inverse))
        if isClosing { left.append(" · closing", [.bold, .inverse]) }
        if board[.match].entry != nil { left.append((StyledText(" · ") + board[.match].text).plain(.inverse)) }
        if board[.pause].entry != nil { left.append(" · paused", [.bold, .inverse]) }
        var right = StyledText()
        if let seat = own.first {
            let words = StyledText(" ") + named(seat, isNarrow ? 12 : 26) + StyledText(", \(seat.player.note.text) chips ")
            right = words.plain([.bold, .inverse])
        } else if let replay = view.replay {
            right.append(" \(replay.place) ", .inverse)
        } else if view.state.snapshot != nil, view.state.link == .loggedIn, view.state.standings == nil {
            right.append(" watching ", .inverse)
        }
        return left.fitted(to: size.columns - right.columns, filler: .inverse) + right
    }

    private var isClosing: Bool { board[.closing].entry != nil }

    /// The line that friends paste, until one of them is here or when it is asked for: in one piece, or cut at the edge of a narrow screen.
    private var invitation: [StyledText] {
        guard let words = view.invitationLine, view.state.standings == nil,
            view.showsInvitation || others.allSatisfy({ $0.player.player?.isBot == true })
        else {
            return []
        }
        return words.pieces(of: size.columns).map { StyledText($0.text, .bold) }
    }

    /// The answer to a key without an effect, or the coach's last word, until the next decision.
    private func note(_ width: Int) -> [StyledText] {
        let words = view.keyAnswer ?? (view.panel == .table ? view.coachWords : nil) ?? ""
        return words.wrapped(to: width).map { StyledText($0, view.keyAnswer == nil ? .bold : [.bold, .yellow]) }
    }

    var alarm: [StyledText] {
        view.alarm.map { $0.wrapped(to: width - 2).map { StyledText(" \($0)", [.bold, .red]) } } ?? []
    }

    /// The panel over the table, in at most so many lines.
    func panel(_ height: Int) -> [StyledText] {
        switch view.panel {
        case .rules:
            page(
                view.state.ruleSentences.map { SafeText($0) }
                    + (ShuffleNarrator.sentence(view.state.shoes).map { [$0] } ?? []), height)
        case .help: scrolled(help(height), height)
        case .game: page(wording.game(view.rules, with: view.players), height)
        case .chart: chart(height)
        case .log: log(height)
        case .history: page(view.past ?? ["Asking the server ..."], height)
        case .table: []
        }
    }

    /// The chart of strategy, below its legend: in two columns where there is room, of which neither is much longer.
    private func chart(_ height: Int) -> [StyledText] {
        guard let chart = view.chart else { return page(["Asking the server ..."], height) }
        let blocks = Wording.blocks(of: chart, marking: view.chartCell).map { $0.map(\.styled) }
        let legend = page([Wording.legend(of: chart, hasKeys: true)], .max)
        guard panelWidth >= 76 else { return scrolled(legend + blocks.joined().map { StyledText("  ") + $0 }, height) }
        // Pairs are the longest block.
        return scrolled(legend + Self.columns([Array(blocks.dropLast().joined()), blocks.last ?? []], 36), height)
    }

    /// Lines side by side.
    static func columns(_ sides: [[StyledText]], _ width: Int) -> [StyledText] {
        (0..<(sides.map(\.count).max() ?? 0)).map { row in
            sides.reduce(StyledText()) {
                $0 + StyledText("  ") + ($1.indices.contains(row) ? $1[row] : StyledText()).fitted(to: width)
            }
        }
    }

    private func page(_ texts: [SafeText], _ height: Int) -> [StyledText] {
        let lines = texts.flatMap { text -> [StyledText] in
            // A table keeps its columns.
            if text.columns <= panelWidth - 4 { return [StyledText(.spaces(2) + text)] }
            let indent = text.text.prefix { $0 == " " }.count
            return text.wrapped(to: panelWidth - 4 - indent).map { StyledText(.spaces(2 + indent) + $0) }
        }
        return scrolled(lines, height)
    }

    private func scrolled(_ lines: [StyledText], _ height: Int) -> [StyledText] {
        Array(lines.dropFirst(min(view.scrolled, max(0, lines.count - height))).prefix(height))
    }

    // MARK: Question

    /// The question in words, with the time left.
    var prompt: StyledText {
        if case .over = view.stage { return StyledText(" Thank you for playing.", .bold) }
        if view.asksToQuit {
            // The effect of leaving is unknown while the server does not answer.
            return timed(" Leave? \(view.outage ?? view.handsLeft)\(isNarrow ? "" : " y/n")", [.bold, .yellow])
        }
        if let replay = view.replay { return StyledText(" \(replay.caption)", .bold).cut(to: isNarrow ? width : width - 2) }
        if let outage = view.outage { return StyledText(" \(outage)", [.bold, .yellow]) }
        guard !board.isEmpty else { return StyledText(" Waiting for a table ...", .dim) }
        if let count { return count }
        switch view.situation {
        case .asked(let seat, let choice): return question(seat, choice)
        case .betting(_, let bet): return betting(bet)
        case .broke where view.givesRebuys:
            let chips = view.player?.chips ?? 0
            let rest: SafeText = "\(chips)\(isNarrow ? "" : " chips"); the minimum bet is \(view.rules.minimumBet)"
            return StyledText(chips == 0 ? " You are out of chips." : " You have \(rest).", .yellow)
        case .broke:
            return StyledText(
                isNarrow ? " No chips, and the house gives none." : " You are out of chips, and the house gives no new ones.",
                .yellow)
        case .watching:
            guard isClosing else { return StyledText(" You are watching.\(isNarrow ? "" : freeSeats)", .dim) }
            let (words, reason): (SafeText, _) = (
                isNarrow ? " Closes" : " The table closes after the round", board[.closing].text
            )
            return [StyledText(words, .yellow), reason.plain(.yellow)].joined(": ")
        case .sittingOut: return StyledText(" You are sitting out.", .dim)
        case .closed: return StyledText(" The table is closed.", .dim)
        case .waiting: return waiting
        }
    }

    /// Words with the time left; a narrow screen cuts the words, never the time.
    private func timed(_ words: StyledText, _ style: Style = .plain) -> StyledText {
        // The felt has edges.
        let room = isNarrow ? width : width - 2
        let time = countdown(room - words.columns, style)
        return words.cut(to: room - time.columns) + time
    }

    private func timed(_ words: SafeText, _ style: Style) -> StyledText { timed(StyledText(words, style), style) }

    /// The hand's total and bet are below its cards.
    private func question(_ seat: Int, _ choice: Choice) -> StyledText {
        let hand = ownHands.first { $0.seat == seat && $0.number == choice.hand }
        let (total, bet) = (hand?.total?.total?.safeText ?? "", hand?.bet?.chips ?? 0)
        let best = view.coach.advice(in: view.state)
        let upCard = dealer.cards.first?.card.map { " against \($0.rank.inWords)" as SafeText } ?? ""
        let sum = isNarrow && best != nil ? total : total + upCard
        let insurance = choice.options.first { $0.action == .insurance }?.cost
        let words: SafeText =
            if let insurance {
                " Insurance for \(insurance)?"
            } else if choice.allows(.evenMoney) {
                " Even money: take \(bet) now?"
            } else if board.phase == .surrender {
                " Surrender half of \(bet)? You have \(sum)."
            } else {
                ownHands.count > 1 ? " Hand \(choice.hand): \(sum)." : " \(best == nil ? "Your turn: " : "")\(sum)."
            }
        let advice: SafeText = best.map { isNarrow ? " Best: \($0.best.typed)." : " \($0.words)" } ?? ""
        return timed(words + advice, [.bold, .yellow])
    }

    /// The result of the round where the felt has no room for it, else what is asked; with the time left.
    var bar: StyledText {
        var bet = count ?? StyledText()
        if count == nil, case .betting(_, nil) = view.situation {
            bet = StyledText(" Your bet: ", .bold) + StyledText(" \(view.betAmount) ", [.inverse, .bold])
        }
        let isOut = view.situation == .broke && board.phase?.takesBets == true
        guard view.outage == nil, !view.asksToQuit, !isOut, let result = view.result?.line(width - bet.columns) else {
            return prompt
        }
        if result.columns + bet.columns > width {
            if let count { return count }
            bet = StyledText()
        }
        let rest = isClosing ? prompt : bet + countdown(width - result.columns - bet.columns, .dim)
        // A time cut in the middle says nothing.
        return isClosing || result.columns + rest.columns <= width ? result + rest : result
    }

    /// The question for the count, once all cards lie on the table; nil for none.
    private var count: StyledText? {
        guard let question = view.countQuestion, board.phase?.takesBets == true else { return nil }
        return StyledText(" Running count? ", [.bold, .yellow])
            + StyledText(" \(SafeText(question.text)) ", [.inverse, .bold])
    }

    private func betting(_ bet: Int?) -> StyledText {
        guard bet == nil || view.typed != nil else {
            let late = others.filter { $0.player.player?.presence == .here && view.state.openBet($0.number) == nil }
            return waiting(for: late) ?? timed(" You bet \(bet ?? 0).", .dim)
        }
        let reason = bet == nil || view.betAmount > 0 ? view.validationError(ofBet: view.betAmount) : nil
        let amount =
            StyledText(isNarrow && reason != nil ? " " : " Your bet: ", .bold)
            + StyledText(" \(view.betAmount) ", [.inverse, .bold])
        if let reason { return timed(amount + StyledText(" \(reason)", .yellow)) }
        let limits: SafeText =
            isNarrow ? " \(view.rules.minimumBet)-\(view.rules.maximumBet)" : "  \(wording.limits(view.rules))."
        return timed(amount + StyledText(limits))
    }

    private var waiting: StyledText {
        guard view.decidedAt == nil else { return StyledText() }
        if board[.pause].entry != nil { return (StyledText(" ") + board[.pause].text).plain(.yellow) }
        if board.phase == .settled {
            return timed(isClosing ? " That was the last round here." : " Next round:", .dim)
        }
        guard let seat = active?.seat, let other = others.first(where: { $0.number == seat }) else {
            return waiting(for: others.filter(\.isAsked)) ?? StyledText()
        }
        let name = SafeText(other.player.text.text).cut(to: isNarrow ? 18 : 24)
        if other.player.player?.presence == .away { return timed(" \(name) is away:", .yellow) }
        // Seats with a hand to play from that one on, until the player's own.
        let before = board.seats.drop { $0.number < seat }.filter {
            $0.hands.contains { $0.result == nil && $0.total?.total != .blackjack }
        }
        .prefix { !$0.isMine }.count
        let isToAct = own.contains { $0.number > seat && $0.hands.contains { $0.result == nil && $0.total?.total != .blackjack } }
        let turn: SafeText = !isToAct ? "" : before == 1 ? " You are next." : " You act \(Wording.ordinal(before + 1))."
        return timed(" It is \(name)'s turn.\(turn)", .plain)
    }

    /// ` Waiting for Fay and Gus`; nil where nobody is waited for.
    private func waiting(for seats: [SeatCells]) -> StyledText? {
        let names = seats.map { SafeText($0.player.text.text) }
        let shown = names.prefix(isNarrow ? 1 : names.count > 3 ? 2 : 3)
        let more: [SafeText] = names.count > shown.count ? ["\(names.count - shown.count) more"] : []
        return names.isEmpty ? nil : timed(" Waiting for \((shown + more).listed)", .dim)
    }

    /// ` Free seats: 3, 4, 5.`
    private var freeSeats: SafeText {
        let free = board.seats.filter { $0.player.entry == nil }.map { "\($0.number)" as SafeText }
        return free.isEmpty ? "" : " Free seats: \(free.joined())."
    }

    /// `  ━━━━━━──── 9 s`, without the bar in fewer columns; empty without a running clock.
    /// - Parameter room: columns at most.
    func countdown(_ room: Int, _ style: Style) -> StyledText {
        guard let seconds = view.secondsLeft else { return StyledText() }
        let width = isNarrow ? 5 : 10
        guard let all = secondsAllowed, width + 7 <= room else { return StyledText("  \(seconds) s", style) }
        let color = seconds <= 3 ? style.subtracting(.colors).union(.red) : style
        // Two digits, so that an update changes little.
        let time = StyledText(seconds < 10 ? "  \(seconds) s" : " \(seconds) s", style)
        return StyledText("  ") + Gauge.bar(seconds, of: all, width: width, color) + time
    }

    /// Seconds that the running clock began with; nil where the rules say nothing about it.
    private var secondsAllowed: Int? {
        switch board.phase {
        case .waiting, .betting: view.rules.bettingSeconds
        case .insurance, .surrender: view.rules.insuranceSeconds
        case .playing: view.rules.decisionSeconds
        case .settled, .closed, nil: nil
        }
    }

    /// The keys that are always there, others as far as there is room, and what is late or the gauge of the shoe. One line: the table keeps its
    /// height.
    private var footer: StyledText {
        var end = StyledText()
        if sidebars > 0, let words = view.keyAnswer {
            end.append("\(words) ", [.bold, .yellow])
        } else if let words = view.pending.words {
            end.append("\(words) ", .yellow)
        } else if let lag = view.state.roundTrip, lag >= 200, view.canAsk {
            end.append("answers take \(lag) ms ", .yellow)
        } else if view.draft?.slashLine == nil, case .shoe(let shoe) = board[.shoe].entry, shoe.number > 0,
            case .cardsLeft(let left) = board[.cardsLeft].entry
        {
            end = StyledText("Shoe ", .dim) + Gauge.shoe(shoe, left: left, width: size.columns / 8)
            end.append(left <= shoe.behindCutCard ? " last round " : " \(left) left ", .dim)
        }
        let room = size.columns - end.columns - 2
        var keys = hints.filter { $0.use != .move && $0.use != .extra }
        for hint in hints where hint.use == .extra {
            if (keys + [hint]).reduce(0, { $0 + $1.full.columns }) <= room { keys.append(hint) }
        }
        let line = keys.reduce(StyledText()) { $0 + $1.full }
        if line.columns <= room { return line.fitted(to: size.columns - end.columns) + end }
        return (sidebars > 0 && view.keyAnswer != nil ? end : line).cut(to: size.columns)
    }

    // MARK: Talk

    /// The log and the chat on the sides of the table, or one below the other on one of them.
    private func beside(_ table: [StyledText]) -> [StyledText] {
        guard sidebars == 2 else {
            let top = (hasChat ? chat(pane, max(7, table.count / 3)) : []) + coach
            let side = top + log(pane, table.count - top.count)
            return zip(table, side).map { $0.fitted(to: width + 1) + $1 }
        }
        // Where chat and log leave most of them blank: the rules, and the chart once it is here, or who has how many chips.
        let (isTall, room) = (table.count >= 48, table.count / 3)
        let chart = Self.hasRoomForChart(size) ? view.chart : nil
        let lines = chart.map { Wording.blocks(of: $0, marking: view.chartCell).joined().map(\.styled) }
        let left = section("chart", lines ?? [], 2 * room)
        let rules = view.state.ruleSentences.flatMap { SafeText($0).wrapped(to: pane - 2) }.map { StyledText($0) }
        let right = isTall ? section("chips", ranking, 9) + section("rules", rules, room) : []
        let (chat, log) = (
            (hasChat ? chat(pane, table.count - left.count) : []) + left,
            coach + log(pane, table.count - coach.count - right.count) + right
        )
        let side = filled(chat, table.count)
        return table.indices.map { side[$0].fitted(to: pane + 1) + table[$0].fitted(to: width + 1) + log[$0] }
    }

    /// Nobody hears a player in practice.
    private var hasChat: Bool { !view.isPractice || view.draft != nil || view.messages.contains(where: \.isChat) }

    /// Whether the chart lies beside the table.
    static func hasRoomForChart(_ size: ScreenSize) -> Bool { size.rows >= 50 && size.columns >= 190 }

    /// A rule with a title, and lines as far as there is room.
    private func section(_ title: SafeText, _ lines: [StyledText], _ room: Int) -> [StyledText] {
        lines.isEmpty ? [] : [rule(StyledText(title, .dim), pane)] + lines.prefix(room - 1).map { StyledText(" ") + $0 }
    }

    /// The players by their chips, with those in bets.
    private var ranking: [StyledText] {
        let all = (own + others).map { seat in
            let bets = seat.hands.reduce(0) { $0 + ($1.result == nil ? $1.bet?.chips ?? 0 : 0) }
            return (seat: seat, chips: (seat.player.player?.chips ?? 0) + bets)
        }
        return all.sorted { ($1.chips, $0.seat.number) < ($0.chips, $1.seat.number) }.map { seat, chips in
            named(seat, pane - 12).fitted(to: pane - 11) + StyledText("\(chips)").fitted(to: 9, rightAligned: true)
        }
    }

    /// The coach's last word beside the table.
    private var coach: [StyledText] {
        guard let words = view.coachWords else { return [] }
        return [rule(StyledText("coach", .dim), pane)]
            + words.wrapped(to: pane - 2).map { StyledText(" \($0)", .bold) }
    }

    private func below(_ height: Int) -> [StyledText] {
        let left = hasChat ? size.columns / 2 : size.columns
        var lines = log(left, height)
        if hasChat {
            let chat = chat(size.columns - left - 1, height)
            lines = lines.indices.map { lines[$0].fitted(to: left) + StyledText($0 == 0 ? "┬" : "│", .dim) + chat[$0] }
        }
        let note = note(size.columns - 5)
        guard let first = note.first else { return lines }
        return [rule(first, size.columns)] + note.dropFirst().map { StyledText("    ") + $0 } + lines.dropFirst(note.count)
    }

    private func log(_ width: Int, _ height: Int) -> [StyledText] {
        let lines = lines(of: view.messages.filter { !$0.isChat }, width, height - 1).lines
        return filled([rule(StyledText("log", .dim), width)] + lines, height)
    }

    /// The newest lines of chat, and below them the line that is typed.
    private func chat(_ width: Int, _ height: Int) -> [StyledText] {
        let room = height - (view.draft == nil ? 1 : 2)
        let all = view.messages.filter(\.isChat)
        let (shown, count) = lines(of: all, width, room)
        let unread = view.log.unreadChat(below: all.suffix(count).count { $0.kind == .chat })
        let title = unread > 0 ? StyledText("\(unread) unread: PgUp", [.bold, .yellow]) : StyledText("chat", .dim)
        return filled([rule(title, width)] + shown, room + 1) + (view.draft == nil ? [] : [talkLine(width)])
    }

    /// `─── 3 unread: PgUp ───`.
    private func rule(_ title: StyledText, _ width: Int) -> StyledText {
        let line = StyledText("─── ", .dim) + title + StyledText(" ", .dim)
        return line + StyledText(.filled(with: "─", width - line.columns), .dim)
    }

    /// The chat line as it is typed: its end where it is longer than the row, and the characters up to its limit, if they are few or there is
    /// room; a command has none.
    private func talkLine(_ width: Int) -> StyledText {
        let draft = view.draft ?? ""
        let left = draft.chatRoom
        let isPlenty = width <= pane && left >= 20
        let room = draft.slashLine != nil || isPlenty ? StyledText() : StyledText(" \(left) left", left < 20 ? .yellow : .dim)
        let label: SafeText = draft.slashLine == nil ? " Say: " : " Command: "
        let columns = max(8, width - room.columns - label.columns - 1)
        let after = SafeText(view.line?.after ?? "", columns: columns / 2)
        var text = StyledText(label, .bold) + StyledText(.tail(of: view.line?.before ?? "", columns: columns - after.columns))
        text.append(after.columns == 0 ? " " : SafeText(String(after.text.prefix(1))), .inverse)
        text.append(SafeText(String(after.text.dropFirst())))
        return text.fitted(to: width - room.columns) + room
    }

    /// The newest messages in whole, newest last, and their number; the beginning of one that is longer than all lines.
    private func lines(of messages: [Sentence], _ width: Int, _ height: Int) -> (lines: [StyledText], count: Int) {
        var (lines, count): ([StyledText], Int) = ([], 0)
        for sentence in messages.reversed() {
            let longer = messageLines(sentence, width) + lines
            if longer.count > height, !lines.isEmpty { break }
            (lines, count) = (longer, count + 1)
        }
        guard height > 0, lines.count > height else { return (height > 0 ? lines : [], count) }
        return (lines.prefix(height - 1) + [lines[height - 1].cut(to: width - 2) + StyledText(" …", .dim)], count)
    }

    /// The newest messages of all kinds, where there is one column for them, below the newest line of chat while it is recent or unread.
    func messages(_ height: Int) -> [StyledText] {
        guard height > 1 else { return height == 1 ? view.messages.last.map { [inOneLine($0)] } ?? [] : [] }
        let (all, count) = lines(of: view.messages, size.columns, height)
        guard let chat = view.messages.suffix(max(12, view.log.newCount)).dropLast(count).last(where: \.isChat),
            !view.messages.suffix(count).contains(where: \.isChat)
        else { return all }
        return [inOneLine(chat)] + lines(of: view.messages, size.columns, height - 1).lines
    }

    /// A message in one line, after the number of lines of chat that are unread and not on the screen.
    private func inOneLine(_ sentence: Sentence) -> StyledText {
        let unread = view.log.unreadChat(below: sentence.kind == .chat ? 1 : 0)
        let line = unread > 0 ? StyledText(" \(unread) unread: ", [.bold, .yellow]) : StyledText(" ")
        return (line + StyledText(sentence.text, sentence.style)).cut(to: size.columns)
    }

    private func messageLines(_ sentence: Sentence, _ width: Int) -> [StyledText] {
        let style = sentence.style
        // Further lines are indented: a long line of chat must not look like a message of its own.
        return sentence.text.wrapped(to: width - 3).enumerated().map { index, line in
            guard index == 0, let name = sentence.speaker, line.text.hasPrefix("<\(name.text)") else {
                return StyledText(index == 0 ? " " : "  ") + StyledText(line, style)
            }
            let rest = SafeText(String(line.text.dropFirst(1 + name.text.count)), columns: width)
            return StyledText(" <") + StyledText(name, .name(name.text)) + StyledText(rest, style)
        }
    }

    /// All messages kept, as far as the player has scrolled, with a mark above those that are new.
    private func log(_ height: Int) -> [StyledText] {
        let log = view.log
        let all = log.sentences
        let lines = all.dropLast(log.below).enumerated().flatMap { index, sentence in
            let isFirstNew = index == all.count - log.newCount && index > 0
            return (isFirstNew ? [rule(StyledText("new", .dim), panelWidth)] : []) + messageLines(sentence, panelWidth)
        }
        if lines.count < height, log.below > 0 {
            return Array(all.prefix(height).flatMap { messageLines($0, panelWidth) }.prefix(height))
        }
        return lines.suffix(max(0, height))
    }
}

extension Sentence {
    /// Whether a player or the host says it.
    var isChat: Bool { kind == .chat || kind == .ownChat || kind == .host }

    fileprivate var style: Style {
        switch kind {
        case .prompt, .refusal: .yellow
        case .closing, .host: [.bold, .yellow]
        case .sum: .bold
        case .link, .table: .dim
        default: .plain
        }
    }
}

extension StyledText {
    /// Key hints in two lines: in full, else shortened, also in three, else with the general keys bare. Moves may take more lines.
    static func lines(of hints: [KeyMap.Hint], columns: Int) -> [StyledText] {
        let full = laid(hints.map(\.full), columns)
        if full.count <= 2 { return full }
        let short = laid(hints.map(\.shortened), columns)
        if short.count <= 3 { return short }
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
    var full: StyledText { text(" \(meaning) ") }

    fileprivate var shortened: StyledText { text(" \(short ?? meaning) ") }

    fileprivate var bare: StyledText { use == .general ? text("") : shortened }

    private func text(_ meaning: SafeText) -> StyledText {
        // Words, which could be read as a part of the sentence.
        let isWords = key.text.contains(where: { $0 == " " }) && key.text.first?.isLetter == true && !meaning.isEmpty
        return StyledText(" ") + StyledText(key, [.bold, .inverse]) + StyledText(isWords ? ":" : "") + StyledText(meaning)
    }
}
