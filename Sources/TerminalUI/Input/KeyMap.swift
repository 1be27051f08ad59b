import Rules
import TableModel
import Wire

/// The key bindings of a state. Keyboard and hint line share this list: every key offered works.
struct KeyMap: Equatable, Sendable {
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
    }

    var hints: [Hint] = []
    private var intents: [Key: Intent] = [:]
    /// The intent of all other keys.
    private var otherwise: Intent?
    /// True while characters go to the chat line instead of the bindings.
    private var isTalking = false
    /// True while digits go to the bet.
    private var isBetting = false
    /// The state that explains a key without an effect; nil where such keys get no answer.
    private var refusing: ViewState?

    /// The bindings of a state.
    init(_ view: ViewState) {
        intents[.control("l")] = .redraw
        if let draft = view.draft {
            bindTalk(draft, view)
        } else if view.asksToQuit {
            bind("qy", .quit, hint: "q y Ctrl-C", "leave", .move)
            bind([.control("c")], .quit)
            otherwise = .show(.table)
            hints.append(Hint(key: "any other key", meaning: "stay", use: .move))
        } else if view.panel == .settings {
            bindSettings(view)
        } else if view.panel != .table {
            otherwise = .show(.table)
            bind([.up], .scroll(-1))
            bind([.down], .scroll(1))
            bind([.pageUp], .scroll(-10))
            bind([.pageDown], .scroll(10))
            hints.append(Hint(key: "up down PgUp PgDn", meaning: "scroll"))
            if view.panel == .log, view.log.below == 0 { bind([.pageDown, .down, .end], .show(.table)) }
            if view.canAsk { bindPast(view) }
            hints.append(Hint(key: "any other key", meaning: "back to the table"))
        } else {
            if view.canAsk { bindGame(view) }
            bind("q", view.isInPlay ? .askToQuit : .quit, hint: "q", "quit", .general)
            if view.canAsk { bind("t", .talk, hint: "t", "talk", .general) }
            // Also without an answer of the server: the letters of a command are no keys.
            bind("/", .complete("/"), hint: nil, "command")
            bind([.pageUp], .show(.log))
            bind("v", .show(.rules), hint: nil, "rules")
            bind("c", .show(.settings), hint: nil, "settings")
            bind("?", .show(.help), hint: "?", "help", .general)
            if view.canAsk, view.client.lobby.count > 1 { bind("l", .lobby, hint: "l", "tables", .general) }
            if view.canAsk { bindPast(view) }
            if view.canAsk { bind("a", .coach, hint: nil, "coach") }
            refusing = view
        }
    }

    /// The intent of a key; nil when unbound.
    func intent(for key: Key) -> Intent? {
        switch key {
        case .paste(let text): paste(text)
        case .character(let scalar) where isTalking: .write(scalar)
        default: intents[key] ?? otherwise ?? refusal(of: key).map(Intent.refuse)
        }
    }

    private func refusal(of key: Key) -> SafeText? {
        refusing.flatMap { Self.refusal(of: key, $0, moves: hints.filter { $0.use == .move }) }
    }

    /// Pasted text goes to an input that is open, and nowhere else.
    private func paste(_ text: String) -> Intent {
        if isTalking { return .paste(text) }
        let word = text.drop(while: \.isWhitespace)
        guard isBetting, let end = word.lastIndex(where: { !$0.isWhitespace }), let amount = Int(word[...end]) else {
            return .refusePaste
        }
        return (0...WireLimits.chips).contains(amount) ? .amount(amount) : .refusePaste
    }

    /// One key for the player's past: hands first, then the balance.
    private mutating func bindPast(_ view: ViewState) {
        switch view.panel {
        case .table:
            bind("y", .ask(.history, .history), hint: nil, "your hands")
        case .statement: bind("y", .ask(.history, .history), hint: "y", "your hands")
        case .history: bind("y", .ask(.statement, .statement), hint: "y", "balance")
        case .rules, .help, .log, .settings: break
        }
    }

    private mutating func bindSettings(_ view: ViewState) {
        otherwise = .show(.table)
        bind([.up], .choose(-1))
        bind([.down], .choose(1))
        hints.append(Hint(key: "up down", meaning: "choose"))
        let field = view.settingsField
        if field != .name {
            bind([.left], .change(field, -1))
            bind([.right, .enter], .change(field, 1))
            hints.append(Hint(key: "left right Enter", meaning: "change", short: "set"))
        } else {
            hints.append(Hint(key: "--name", meaning: "at the start sets it"))
        }
        hints.append(Hint(key: "any other key", meaning: "back to the table"))
    }

    private mutating func bindTalk(_ draft: String, _ view: ViewState) {
        isTalking = true
        bind([.backspace, .delete], .rub)
        bind([.escape], .hush)
        if draft.hasPrefix("/") { return bindSlash(draft, view) }
        let isFit = (try? ChatText(draft)) != nil
        bind([.enter], isFit ? .send(.chat(text: draft)) : .hush)
        hints.append(Hint(key: "Enter", meaning: isFit ? "say it" : "say nothing"))
        hints.append(Hint(key: "Esc", meaning: "say nothing"))
    }

    private mutating func bindGame(_ view: ViewState) {
        switch view.situation {
        case .asked(let seat, let choice): bindChoice(view, seat, choice)
        case .betting(let seat, let bet): bindBetting(view, seat, bet)
        case .broke:
            if view.givesRebuys { bind("s", .newStake, hint: "s", "sit down with a new stake", .move, short: "new stake") }
        case .watching: bind("s", .send(.sit(table: view.client.table, seat: nil)), hint: "s", "take a seat", .move)
        case .sittingOut, .waiting, .closed: break
        }
        switch view.presence {
        case .here:
            bind("o", .send(.sitOut), hint: nil, "sit out")
            // Also while the bets are made again at once: there is no other time to stop it.
            if view.betsAgain { bind("R", .rebet, hint: "R", "stop repeating", .general, short: "stop") }
        case .sittingOut: bind("o", .send(.sitIn), hint: "o", "play again", .move)
        case .away, .leaving, nil: break
        }
    }

    private mutating func bindChoice(_ view: ViewState, _ seat: Int, _ choice: Choice) {
        for option in choice.options {
            let message = ClientMessage.act(option.action, seat: seat, hand: choice.hand, amount: nil, turn: choice.turn)
            bind(
                option.action.key, .decide(message), hint: "\(option.action.key)", option.action.meaning(cost: option.cost),
                .move,
                short: option.action.shortMeaning(cost: option.cost))
        }
    }

    private mutating func bindBetting(_ view: ViewState, _ seat: Int, _ bet: Int?) {
        isBetting = true
        let amount = view.betAmount
        if amount < view.rules.minimumBet, bet == nil || amount > 0 {
            bind([.enter, .character("b")], .refuse("The least bet here is \(view.rules.minimumBet)."))
        } else {
            let meaning: SafeText = bet == nil ? "bet \(amount)" : amount == 0 ? "take the bet back" : "bet \(amount) instead"
            bind([.enter, .character("b")], .send(.bet(amount: amount, seat: seat, round: view.round)))
            hints.append(Hint(key: "Enter", meaning: meaning, use: .move))
        }
        for digit in 0...9 { bind([.character(Unicode.Scalar(UInt8(48 + digit)))], .type(digit)) }
        bind([.backspace, .delete], .erase)
        hints.append(Hint(key: "0-9", meaning: "amount", use: .move))
        bind([.character("+"), .character("="), .up], .step(1))
        bind([.character("-"), .down], .step(-1))
        hints.append(Hint(key: "+ -", meaning: "by \(view.rules.betStep)", use: .move))
        let most = view.mostBet
        if most > view.rules.minimumBet, most != amount {
            bind("m", .amount(most), hint: "m", "max \(most)", .move, short: "max")
        }
        if !view.betsAgain {
            bind("R", .rebet, hint: view.lastBet != nil ? "R" : nil, "repeat always", .general, short: "always")
        }
    }

    mutating func bind(_ keys: [Key], _ intent: Intent) {
        for key in keys { intents[key] = intent }
    }

    /// - Parameter hint: the key's label; nil when another hint covers it.
    private mutating func bind(
        _ characters: String, _ intent: Intent, hint: SafeText?, _ meaning: SafeText, _ use: Use = .other, short: SafeText? = nil
    ) {
        bind(characters.unicodeScalars.map(Key.character), intent)
        if let hint { hints.append(Hint(key: hint, meaning: meaning, short: short, use: use)) }
    }

    // MARK: Refusing

    // The answer to keys that have no effect: why, and what is possible.

    /// nil for a key that needs no answer: a space ends a motion, and a key behind a decision is a second stroke.
    static func refusal(of key: Key, _ view: ViewState, moves: [Hint]) -> SafeText? {
        guard view.panel == .table, view.decidedAt == nil, !view.isMoving else { return nil }
        switch key {
        case .enter: return "Nothing to confirm. " + view.possible(moves)
        case .backspace, .up, .down: return nil
        case .character(" "): return nil
        case .character(let scalar):
            let name = SafeText(String(scalar))
            guard let thing = view.thing(of: scalar) else { return "'\(name)' is no key here: ? shows the keys." }
            if let reason = view.reason(against: scalar) { return reason }
            return "\(name), \(thing), is not possible now. " + view.possible(moves)
        default: return nil
        }
    }

    // MARK: Slash

    // The chat line while it is a command: a line with a slash is never sent as chat, even if mistyped.

    mutating func bindSlash(_ draft: String, _ view: ViewState) {
        if let line = SlashCommand.completion(of: draft, names: view.otherPlayers) {
            bind([.tab], .complete(line))
            hints.append(Hint(key: "Tab", meaning: SafeText(line.hasSuffix(" ") ? String(line.dropLast()) : line)))
        }
        let words = draft.dropFirst()
        if let request = MuteList.Request(words: words) {
            bind([.enter], .mute(request))
            let verb: SafeText = if case .mute = request { "mute" } else { "unmute" }
            hints.append(Hint(key: "Enter", meaning: "\(verb) \(SafeText(request.name, columns: 24))"))
        } else if let command = OwnerCommand(words: words) {
            bind([.enter], .command(command.message))
            let meaning: SafeText =
                switch command {
                case .kick(let name): "send \(SafeText(name, columns: 24)) away"
                case .again(let name): "let \(SafeText(name, columns: 24)) come back"
                case .pass(nil): "open the table to all"
                case .pass: "set the pass phrase"
                }
            hints.append(Hint(key: "Enter", meaning: meaning))
        } else {
            bind([.enter], .refuse(SlashCommand.misunderstanding(of: draft)))
            for command in SlashCommand.matches(draft) {
                let place: SafeText = command.isOwners && !view.isOwner ? " (if it is your table)" : ""
                hints.append(Hint(key: command.usage, meaning: command.meaning + place, short: ""))
            }
        }
        hints.append(Hint(key: "Esc", meaning: "cancel"))
    }
}

extension Action {
    /// The key for this action.
    var key: String {
        switch self {
        case .hit: "h"
        case .stand: "s"
        case .double: "d"
        case .split: "p"
        case .surrender: "u"
        case .insurance: "i"
        case .decline: "n"
        case .evenMoney: "e"
        }
    }

    /// The meaning on a narrow screen.
    func shortMeaning(cost: Int) -> SafeText {
        switch self {
        case .double: "double \(cost)"
        case .split: "split \(cost)"
        case .insurance: "insure \(cost)"
        case .hit, .stand, .surrender, .decline, .evenMoney: meaning(cost: cost)
        }
    }

    /// - Parameter cost: chips; nil to leave them out.
    func meaning(cost: Int?) -> SafeText {
        let price: SafeText = cost.map { " for \($0)" } ?? ""
        return switch self {
        case .hit: "hit"
        case .stand: "stand"
        case .double: "double\(price)"
        case .split: "split\(price)"
        case .surrender: "surrender"
        case .insurance: "insurance\(price)"
        case .decline: "no"
        case .evenMoney: "even money"
        }
    }
}

extension ViewState {
    /// The meaning that a key has at times; nil for a key that never has one.
    fileprivate func thing(of key: Unicode.Scalar) -> SafeText? {
        if key == "s", seatIsFree { return "take a seat" }
        if let action = Action.allCases.first(where: { $0.key == String(key) }) { return action.meaning(cost: nil) }
        return switch key {
        case "b", "0"..."9", "+", "=", "-": "bet"
        case "m": "the highest bet"
        case "R": "repeat the bet always"
        case "o": "sit out"
        case "l": "the list of tables"
        case "t": "talk"
        case "y": "your hands"
        case "a": "the coach"
        default: nil
        }
    }

    private var seatIsFree: Bool { if case .watching = situation { true } else { false } }

    /// A reason of the key's own.
    fileprivate func reason(against key: Unicode.Scalar) -> SafeText? {
        guard canAsk else { return nil }
        switch (key, situation) {
        case ("m", .betting): return "\(betAmount) is the most that you can bet."
        case ("l", _): return "There is no other table."
        default: return nil
        }
    }

    /// The keys that work now, or the event that is waited for.
    fileprivate func possible(_ moves: [KeyMap.Hint]) -> SafeText {
        guard canAsk else { return client.silentSince == nil ? "There is no connection." : "The server does not answer." }
        if !moves.isEmpty { return "Possible: \(moves.map { "\($0.key) \($0.meaning)" as SafeText }.joined())." }
        switch situation {
        case .closed: return "The table is closed."
        case .broke: return "You are out of chips, and the house gives no new ones."
        case .sittingOut, .watching, .asked, .betting: return ""
        case .waiting: break
        }
        if let active = snapshot?.activeHand, let player = snapshot?.player(active.seat), player.name != me {
            return "It is \(SafeText(player.name, columns: 24))'s turn."
        }
        switch snapshot?.round?.phase {
        case .settled?: return "The next round begins soon."
        case .surrender?, .insurance?: return "The others decide."
        case .playing?: return "The dealer plays."
        case .waiting?, .betting?, .closed?, nil: return "You play from the next round on."
        }
    }
}

extension ViewState {
    /// Names of the others at the table, in the order of their seats.
    fileprivate var otherPlayers: [String] {
        guard let snapshot else { return [] }
        var names: [String] = []
        for name in snapshot.seats.compactMap({ snapshot.player($0)?.name }) where name != me && !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// Whether the table is the player's own.
    fileprivate var isOwner: Bool { client.lobby.contains { $0.name == client.table && $0.owner == me } }
}

/// A key press.
enum Key: Hashable, Sendable {
    case character(Unicode.Scalar)
    case enter
    case backspace
    case tab
    case escape
    case up, down, left, right
    case home, end, pageUp, pageDown, insert, delete
    /// A letter `a`…`z` with the control key.
    case control(Unicode.Scalar)
    /// A press of the left button on a cell, from 0.
    case click(column: Int, row: Int)
    case wheelUp, wheelDown
    /// Pasted text, never a key: it may have control characters and line ends.
    case paste(String)
    /// The terminal's answer about a private mode: no key.
    case report(mode: Int, state: Int)
    /// An unknown sequence: a function key, another report, invalid UTF-8.
    case unknown
}

extension Key {
    /// The key that a turn of the wheel stands for; nil for none.
    /// - Parameter isAtTable: whether the table is shown: there the wheel opens the log.
    func asKey(isAtTable: Bool) -> Key? {
        switch self {
        case .wheelUp: isAtTable ? .pageUp : .up
        case .wheelDown: isAtTable ? nil : .down
        default: self
        }
    }
}
