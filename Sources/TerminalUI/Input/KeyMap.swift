import ClientCore
import Rules
import TableModel
import Wire

/// The key bindings of a state. Keyboard and hint line share this list: every key offered works.
struct KeyMap: Sendable {
    /// A key and its label on the hint line.
    struct Hint: Equatable, Sendable {
        var key: SafeText
        var meaning: SafeText
        /// The meaning where columns are short; nil for the same.
        var short: SafeText?
        var use = Use.other
    }

    /// Priority of a hint on a narrow screen.
    enum Use: Sendable {
        /// A bet or a decision: always on the screen.
        case move
        /// A key that the help lists: its meaning may be left out.
        case general
        case other
        /// Where there is room.
        case extra
    }

    var hints: [Hint] = []
    private var intents: [Key: Intent] = [:]
    /// The intent of all other keys.
    private var otherwise: Intent?
    /// True while characters go to a text field instead of the bindings.
    private var isTyping = false
    /// True while digits go to the bet.
    private var isBetting = false
    /// The state that explains a key without an effect; nil where such keys get no answer.
    private var refusing: PlayerSession?

    /// The bindings of a state.
    init(_ view: PlayerSession) {
        intents[.control("l")] = .redraw
        intents[.control("c")] = .perform(.leave)
        if let join = view.join {
            bindName(join)
        } else if let lobby = view.lobby {
            bindLobby(lobby, view)
        } else if let draft = view.draft {
            bindTalk(draft, view)
        } else if case .over = view.stage {
            otherwise = .perform(.leave)
            bindScrolling()
            hint("any other key", "leave")
        } else if view.asksToQuit {
            bind([.character("y")], .perform(.leave))
            bindLine(view)
            otherwise = .show(.table)
            hint("y", "leave", .move)
            hint("n", "stay", .move)
        } else if view.panel != .table {
            bindPanel(view)
        } else if let replay = view.replay {
            bindReplay(isPaused: replay.isPaused)
        } else if let question = view.countQuestion {
            bindCount(question, view)
        } else {
            bindTable(view)
        }
        if view.lobby != nil || view.panel == .table { refusing = view }
    }

    /// The intent of a key; nil when unbound.
    func intent(for key: Key) -> Intent? {
        switch key {
        case .character, .paste, .backspace, .delete, .control("u"), .control("w"): isTyping ? .edit(key) : bound(key)
        default: bound(key)
        }
    }

    private func bound(_ key: Key) -> Intent? {
        switch key {
        case .paste(let text): paste(text)
        default: intents[key] ?? otherwise ?? refusal(of: key).map(Intent.refuse)
        }
    }

    /// Pasted text goes to an input that is open, and nowhere else.
    private func paste(_ text: String) -> Intent {
        let word = text.drop(while: \.isWhitespace)
        guard isBetting, let end = word.lastIndex(where: { !$0.isWhitespace }), let amount = Int(word[...end]),
            (0...WireLimits.chips).contains(amount)
        else {
            return .refuse(
                refusing?.lobby == nil ? "Pasted text is ignored: 't' opens the chat line." : "Pasted text is ignored.")
        }
        return .amount(amount)
    }

    // MARK: Binding

    private mutating func bind(_ keys: [Key], _ intent: Intent) {
        for key in keys { intents[key] = intent }
    }

    private mutating func hint(_ key: SafeText, _ meaning: SafeText, _ use: Use = .other, short: SafeText? = nil) {
        hints.append(Hint(key: key, meaning: meaning, short: short, use: use))
    }

    /// Binds a command to its key.
    /// - Parameters:
    ///   - use: nil for a key that the help alone lists.
    ///   - meaning: nil for the command's label.
    private mutating func bind(
        _ command: PlayerCommand, _ intent: Intent? = nil, _ use: Use? = nil, _ meaning: SafeText? = nil, short: SafeText? = nil
    ) {
        guard let key = command.word.key else { return }
        bind([.character(key)], intent ?? .perform(command))
        if let use { hint(SafeText(String(key)), meaning ?? command.word.label, use, short: short) }
    }

    /// Begins a line, also over a panel, a question, and without an answer of the server: its letters are no keys.
    private mutating func bindLine(_ view: PlayerSession, _ use: Use? = nil) {
        guard view.replay == nil else { return }
        if view.canAsk { bind(.say(""), .talk, use) }
        bind([.character("/")], .complete("/"))
    }

    private mutating func bindTable(_ view: PlayerSession) {
        if view.canAsk { bindGame(view) }
        bind(.leave, nil, .general)
        bindLine(view, .general)
        bind([.pageUp], .show(.log))
        bind(.help, nil, .general)
        bind([.f1], .perform(.help))
        if view.canAsk, view.state.lobby.count > 1 { bind(.tables, nil, .general) }
        if view.canAsk { bind(.coach, nil, .extra) }
        if view.rules.assist { bind(.count(nil), nil, .extra) }
        bind(.rules, nil, .extra)
        guard view.canAsk else { return }
        if view.player?.presence == .here { bind(.sitOut, nil, .extra) }
        for command in [PlayerCommand.chart, .history, .standings()] { bind(command, nil, .extra) }
        bind([.character("r")], .react)
        if view.isReacting { bindReactions() }
    }

    /// Digits, and whatever another key does.
    private mutating func bindReactions() {
        hints = []
        for (index, word) in Reaction.allCases.enumerated() {
            bind([.character(Unicode.Scalar(UInt8(49 + index)))], .perform(.react(word)))
            hint("\(index + 1)", SafeText(word.rawValue), .move)
        }
        bind([.escape], .show(.table))
        hint("Esc", "cancel", .move)
    }

    private mutating func bindReplay(isPaused: Bool) {
        for (key, step) in [
            (Key.character(" "), Replay.Step.pause), (.left, .change(-1)), (.right, .change(1)), (.up, .round(-1)),
            (.down, .round(1)),
        ] { bind([key], .replay(step)) }
        hint("Space", isPaused ? "go on" : "pause", .move)
        hint("left right", "a change", .move)
        hint("up down", "a round", .move)
        bind(.leave, nil, .general)
        bind([.pageUp], .show(.log))
        hint("PgUp", "log", .general)
        bind(.rules, nil, .general)
        bind([.character("?"), .f1], .refuse("Space pauses, left and right go by a change, up and down by a round, q quits."))
    }

    private static let countAnswer: SafeText = "Type the running count and Enter, or Esc skips it."

    /// The running count, which the player is asked for.
    private mutating func bindCount(_ question: Counter.Question, _ view: PlayerSession) {
        for key in "+-0123456789".unicodeScalars {
            bind([.character(key)], .count(key < "0" ? String(key) : String((question.text + String(key)).prefix(4))))
        }
        bind([.backspace, .delete], .count(String(question.text.dropLast())))
        bind([.enter], Int(question.text).map(Intent.guess) ?? .refuse(Self.countAnswer))
        bind([.escape], .hush)
        hint("0-9 -", "the count", .move)
        hint("Enter", "answer", .move)
        hint("Esc", "skip", .move)
        bind(.leave, nil, .general)
        bindLine(view, .general)
        bind(.help, nil, .general)
    }

    private mutating func bindName(_ join: JoinView) {
        isTyping = true
        bind([.escape, .control("d")], .perform(.leave))
        if join.canWant {
            bind([.enter], .join)
            hint("Enter", "join")
        } else if join.elsewhere != nil {
            bind([.control("y")], .edit(.control("y")))
            hint("Ctrl-Y", "yes")
        } else if join.nameState == .empty {
            bind([.enter], .join)
        }
        hint("Esc", "quit")
    }

    /// Letters are keys, as at the table; Escape goes one level back.
    private mutating func bindLobby(_ lobby: LobbyView, _ view: PlayerSession) {
        bind([.control("d"), .character("q")], .perform(.leave))
        if let prompt = lobby.prompt { return bindPhrase(prompt) }
        let (client, tables) = (view.state, lobby.tables(of: view.state))
        let row = lobby.selectedRow(in: tables)
        let step = lobby.isChosen ? 1 : 0
        for (key, row) in [
            (Key.up, row - step), (.down, row + step), (.pageUp, row - 10), (.pageDown, row + 10), (.home, 0),
            (.end, tables.count - 1),
        ] { bind([key], .select(row)) }
        let choices = [Key.enter, .character("s"), .character("w")]
        if !client.answers {
            bind(choices, .refuse("No connection: wait for the server."))
        } else if !lobby.isChosen {
            bind(choices, .refuse("Choose a table first with up and down."))
        } else if !tables.isEmpty {
            bindChoices(tables[row], client, watches: view.options.initialPlacement.watches)
        }
        if tables.count > 1 || !lobby.isChosen { hint("up down", "choose", lobby.isChosen ? .general : .move) }
        let isAtTable = client.snapshot != nil
        bind([.escape, .character("l")], isAtTable ? .back : .refuse("You are not at a table yet: q quits."))
        if isAtTable { hint("Esc", "back to the table", .move, short: "back") }
        bind([.character("?"), .f1], .refuse("s sits down, w watches, Esc goes back. At a table, ? shows its keys."))
        hint("?", "help", .general)
        hint("q", "quit", .move)
    }

    /// The keys that go to a table.
    private mutating func bindChoices(_ table: TableSummary, _ client: ClientState, watches: Bool) {
        let isOwn = table.name == client.table && client.snapshot != nil
        let isSeated = isOwn && !client.seats.isEmpty
        let go = { (watches: Bool) in Intent.perform(.go(.init(table: table.name, watches: watches))) }
        let (sitting, watching) = (isSeated ? .back : go(false), isOwn ? Intent.back : go(true))
        let refusal = isSeated ? nil : Wording.noSeat(table)
        let sit = refusal.map { Intent.refuse($0) } ?? sitting
        bind([.character("s")], sit)
        bind([.character("w")], watching)
        bind([.enter], watches ? watching : sit)
        if isSeated { return hint("Enter", "back to it", .move) }
        if watches { hint("Enter or w", isOwn ? "back to it" : "watch", .move) }
        if refusal == nil { hint(watches ? "s" : "Enter or s", "sit", .move) }
        if !watches { hint("w", isOwn ? "back to it" : "watch", .move) }
    }

    private mutating func bindPhrase(_ prompt: LobbyView.Prompt) {
        isTyping = true
        if !prompt.draft.text.isEmpty {
            var destination = prompt.destination
            destination.pass = prompt.draft.text
            bind([.enter], .perform(.go(destination)))
            hint("Enter", "join")
        }
        bind([.escape], .hush)
        hint("Esc", "back to the list")
    }

    private mutating func bindPanel(_ view: PlayerSession) {
        bindLine(view)
        otherwise = .show(.table)
        if view.panel == .help {
            bind([.character("?"), .f1], .show(.game))
            hint("?", "how the game goes", .general)
        }
        bindScrolling()
        if view.panel == .log, view.log.below == 0 { bind([.pageDown, .down, .end], .show(.table)) }
        hint("any other key", "back to the table")
    }

    private mutating func bindScrolling() {
        for (key, lines) in [(Key.up, -1), (.down, 1), (.pageUp, -10), (.pageDown, 10)] { bind([key], .scroll(lines)) }
        hint("up down PgUp PgDn", "scroll")
    }

    private mutating func bindTalk(_ draft: String, _ view: PlayerSession) {
        isTyping = true
        for key in [Key.left, .right, .home, .end] { bind([key], .edit(key)) }
        bind([.escape], .hush)
        if let line = draft.slashLine { return bindSlash(line, view) }
        do throws(ProtocolError) {
            bind([.enter], .perform(.say(try ChatText(draft).text)))
            hint("Enter", "send")
        } catch {
            bind([.enter], draft.isEmpty ? .hush : .refuse(SafeText(error.message)))
        }
        hint("Esc", "cancel")
    }

    /// A line with a slash is never sent as chat, even if mistyped.
    private mutating func bindSlash(_ slashLine: String, _ view: PlayerSession) {
        if let line = CommandWord.completion(
            of: slashLine, ofOwner: view.isOwner, players: view.otherPlayers, bots: view.otherBots)
        {
            bind([.tab], .complete(line))
            hint("Tab", SafeText(line.hasSuffix(" ") ? String(line.dropLast()) : line))
        }
        do throws(PlayerCommand.Misunderstanding) {
            if let command = try PlayerCommand(line: slashLine.dropFirst(), slash: "/") {
                bind([.enter], .perform(command))
                hint("Enter", command.effect)
                return hint("Esc", "cancel")
            }
            bind([.enter], .hush)
        } catch {
            bind([.enter], .refuse(error.text))
        }
        hint("Esc", "cancel")
        let words = CommandWord.matches(slashLine, ofOwner: view.isOwner)
        for word in words {
            hint(
                word.usage("/", isShort: words.count > 1), words.count > 1 || word.label == word.name ? "" : word.label, .extra,
                short: "")
        }
    }

    private mutating func bindGame(_ view: PlayerSession) {
        switch view.situation {
        case .asked(_, let choice):
            for option in choice.options {
                let command = PlayerCommand.act(option.action)
                let label = command.word.label
                let isPaid = [.double, .split, .insurance].contains(option.action)
                bind(
                    command, nil, .move, isPaid ? "\(label) for \(option.cost)" : label,
                    short: isPaid ? "\(label) \(option.cost)" : nil)
            }
        case .betting(_, let bet): bindBetting(view, bet)
        case .broke: if view.givesRebuys { bind(.sit(), nil, .move, "get new chips", short: "new chips") }
        case .watching: bind(.sit(), nil, .move)
        case .sittingOut, .waiting, .closed: break
        }
        switch view.player?.presence {
        case .here:
            // Also while the bets are made again at once: there is no other time to stop it.
            bind(.rebet, nil, view.autoBet.isOn ? .general : nil, "rebet off")
        case .sittingOut: bind(.sitIn, nil, .move)
        case .away, .leaving, nil: break
        }
    }

    private mutating func bindBetting(_ view: PlayerSession, _ bet: Int?) {
        isBetting = true
        let amount = view.betAmount
        if bet == amount {
            // A second stroke of Enter is no change.
        } else if bet == nil || amount > 0, let reason = view.validationError(ofBet: amount) {
            bind([.enter, .character("b")], .refuse(reason))
            hint("Enter", "bet", .move)
        } else {
            bind(.bet(amount))
            bind([.enter], .perform(.bet(amount)))
            hint("Enter", bet == nil ? "bet \(amount)" : amount == 0 ? "take the bet back" : "bet \(amount) instead", .move)
        }
        let typed = view.isAmountWhole ? 0 : view.typed ?? 0
        for digit in 0...9 {
            // One digit more than any bet has; the question says what is wrong with it.
            let next = typed > view.rules.maximumBet * 10 ? typed : typed * 10 + digit
            bind([.character(Unicode.Scalar(UInt8(48 + digit)))], .amount(next, isWhole: false))
        }
        // The last digit of an amount that is being typed; any other goes as a whole.
        let isTyped = view.typed != nil && !view.isAmountWhole
        bind([.backspace], .amount(isTyped ? amount / 10 : 0, isWhole: false))
        bind([.delete], .amount(0, isWhole: false))
        if view.typed == nil {
            hint("0-9", "amount", .move)
        } else {
            bind([.escape], .hush)
            hint("Backspace", "delete", .move, short: "")
            hint("Esc", "clear", .move)
        }
        bind([.character("+"), .character("="), .up, .right], .amount(view.stepped(1)))
        bind([.character("-"), .down, .left], .amount(view.stepped(-1)))
        hint("+ -", "by \(view.rules.betStep)", .move)
        let most = view.state.mostBet
        if most > view.rules.minimumBet, most != amount { bind(.bet(nil), .amount(most), .move, "max \(most)", short: "max") }
        if !view.autoBet.isOn, view.lastBet != nil { bind(.rebet, nil, .move) }
    }

    // MARK: Refusing

    /// Why a key has no effect, and what is possible. nil for a key that needs no answer: a space ends a motion, and a key just behind a
    /// decision is a second stroke.
    private func refusal(of key: Key) -> SafeText? {
        guard let view = refusing, !isTyping else { return nil }
        if view.lobby != nil {
            guard case .character(let scalar) = key else { return nil }
            return "'\(SafeText(String(scalar)))' does nothing here: ? shows the keys."
        }
        if view.decidedAt != nil { return view.pending.words.map { "The server has not answered yet (\($0))." } }
        switch key {
        case .enter where view.waitsForPause: return Wording.nextRoundWaits
        case .enter, .character(" "): return nil
        case .character("b") where isBetting: return nil
        case .character where view.countQuestion != nil: return Self.countAnswer
        case .character(let scalar):
            let name = SafeText(String(scalar))
            let isAmount = "0123456789+=-".unicodeScalars.contains(scalar)
            guard let word = CommandWord.all.first(where: { $0.key == (isAmount ? "b" : scalar) }) else {
                return "'\(name)' does nothing here: ? shows the keys."
            }
            if case .betting = view.situation, scalar == "m" {
                return "You can bet at most \(view.betAmount)."
            }
            if scalar == "k" { return "This table does not show the cards seen, which counting needs." }
            if view.canAsk, scalar == "l" { return "There is no other table." }
            return switch word.name {
            case _ where word.need == .bets && view.waitsForPause: Wording.nextRoundWaits
            case "surrender" where view.rules.surrender == .none, "insurance" where !view.rules.insurance:
                "This table has no \(word.label)."
            case "max": "You can't bet right now."
            case "insurance", "even": "You can't take \(word.label) right now."
            case "no": "There is no question to answer."
            case _ where word.need == .server: "'\(name)' does nothing right now."
            default: "You can't \(word.label) right now."
            }
        default: return nil
        }
    }
}

extension PlayerSession {
    /// Names of the others at the table, in the order of their seats.
    fileprivate var otherPlayers: [String] {
        let names = players
        return names.enumerated().filter { $1 != me && names.firstIndex(of: $1) == $0 }.map { SafeText.player($1).text }
    }

    /// The bots among them.
    fileprivate var otherBots: Set<String> {
        Set(
            state.snapshot.map { table in
                table.seats.compactMap(table.player).filter(\.isBot).map { SafeText.player($0.name).text }
            } ?? [])
    }

    /// Whether the table is the player's own.
    var isOwner: Bool { state.lobby.contains { $0.name == state.table && $0.owner == me } }
}

/// The meaning of a key in the current state: a command, or a change of what the screen shows.
enum Intent: Equatable, Sendable {
    case perform(PlayerCommand)
    /// Sets the bet: as a whole, so that the next digit begins another, or by a digit.
    case amount(Int, isWhole: Bool = true)
    case show(ScreenState.Panel)
    /// Scrolls a panel by a number of lines.
    case scroll(Int)
    /// Edits the count, and answers with it.
    case count(String)
    case guess(Int)
    /// Starts a chat line.
    case talk
    /// Offers the reactions.
    case react
    /// Begins or completes a chat line with this text.
    case complete(String)
    /// Says why a key has no effect.
    case refuse(SafeText)
    /// Edits the name, the phrase or the chat line.
    case edit(Key)
    /// Discards the phrase, the chat line or the amount that is typed.
    case hush
    /// Joins under the name that is typed.
    case join
    /// Selects a row of the list of tables.
    case select(Int)
    /// From the list back to the table.
    case back
    /// Redraws the whole screen.
    case redraw
    case replay(Replay.Step)
}

/// A key press.
enum Key: Hashable, Sendable {
    case character(Unicode.Scalar)
    case enter
    case backspace
    case tab
    case escape
    case up, down, left, right
    /// The first function key.
    case f1
    case home, end, pageUp, pageDown, insert, delete
    /// A letter `a`…`z` with the control key.
    case control(Unicode.Scalar)
    /// Pasted text, never a key: it may have control characters and line ends.
    case paste(String)
}
