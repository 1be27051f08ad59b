import ClientCore
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
            bind([.character("q"), .character("y"), .control("c")], .perform(.leave))
            otherwise = .show(.table)
            hint("q y Ctrl-C", "leave", .move)
            hint("any other key", "stay", .move)
        } else if view.panel == .settings {
            bindSettings(view)
        } else if view.panel != .table {
            bindPanel(view)
        } else {
            bindTable(view)
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

    /// Pasted text goes to an input that is open, and nowhere else.
    private func paste(_ text: String) -> Intent {
        if isTalking { return .paste(text) }
        let word = text.drop(while: \.isWhitespace)
        guard isBetting, let end = word.lastIndex(where: { !$0.isWhitespace }), let amount = Int(word[...end]) else {
            return .refusePaste
        }
        return (0...WireLimits.chips).contains(amount) ? .amount(amount) : .refusePaste
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

    private mutating func bindTable(_ view: ViewState) {
        if view.canAsk { bindGame(view) }
        bind(.leave, view.isInPlay ? .askToQuit : nil, .general)
        if view.canAsk { bind(.say(""), .talk, .general) }
        // Also without an answer of the server: the letters of a command are no keys.
        bind([.character("/")], .complete("/"))
        bind([.pageUp], .show(.log))
        bind(.rules)
        bind(.settings())
        bind(.help, nil, .general)
        guard view.canAsk else { return }
        if view.client.lobby.count > 1 { bind(.tables(), nil, .general) }
        bind(.history)
        bind(.coach)
    }

    private mutating func bindPanel(_ view: ViewState) {
        otherwise = .show(.table)
        for (key, lines) in [(Key.up, -1), (.down, 1), (.pageUp, -10), (.pageDown, 10)] { bind([key], .scroll(lines)) }
        hint("up down PgUp PgDn", "scroll")
        if view.panel == .log, view.log.below == 0 { bind([.pageDown, .down, .end], .show(.table)) }
        // One key for the player's past: hands first, then the balance.
        if view.canAsk, view.panel == .history {
            bind(.history, .perform(.statement), .other, PlayerCommand.statement.word.label)
        } else if view.canAsk, view.panel == .statement {
            bind(.history, nil, .other)
        }
        hint("any other key", "back to the table")
    }

    private mutating func bindSettings(_ view: ViewState) {
        otherwise = .show(.table)
        bind([.up], .choose(-1))
        bind([.down], .choose(1))
        hint("up down", "choose")
        let field = view.settingsField
        bind([.left], .change(field, -1))
        bind([.right, .enter], .change(field, 1))
        hint("left right Enter", "change", short: "set")
        hint("any other key", "back to the table")
    }

    private mutating func bindTalk(_ draft: String, _ view: ViewState) {
        isTalking = true
        bind([.backspace, .delete], .rub)
        bind([.escape], .hush)
        if draft.hasPrefix("/") { return bindSlash(draft, view) }
        let isFit = (try? ChatText(draft)) != nil
        bind([.enter], isFit ? .perform(.say(draft)) : .hush)
        hint("Enter", isFit ? "say it" : "say nothing")
        hint("Esc", "say nothing")
    }

    /// A line with a slash is never sent as chat, even if mistyped.
    private mutating func bindSlash(_ draft: String, _ view: ViewState) {
        if let line = CommandWord.completion(of: draft, players: view.otherPlayers) {
            bind([.tab], .complete(line))
            hint("Tab", SafeText(line.hasSuffix(" ") ? String(line.dropLast()) : line))
        }
        do throws(PlayerCommand.Misunderstanding) {
            if let command = try PlayerCommand(line: draft.dropFirst(), slash: "/") {
                bind([.enter], .perform(command))
                hint("Enter", command.effect)
            } else {
                bind([.enter], .hush)
                explain(draft, view)
            }
        } catch {
            bind([.enter], .refuse(error.text))
            explain(draft, view)
        }
        hint("Esc", "cancel")
    }

    private mutating func explain(_ draft: String, _ view: ViewState) {
        for word in CommandWord.matches(draft) {
            let isOwners = word.isOffered && word.need == .table && !view.isOwner
            hint(word.usage("/"), isOwners ? "\(word.label) (if it is your table)" : word.label, short: "")
        }
    }

    private mutating func bindGame(_ view: ViewState) {
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
        case .broke: if view.givesRebuys { bind(.sit(), nil, .move, "sit down with a new stake", short: "new stake") }
        case .watching: bind(.sit(), nil, .move)
        case .sittingOut, .waiting, .closed: break
        }
        switch view.presence {
        case .here:
            bind(.sitOut)
            // Also while the bets are made again at once: there is no other time to stop it.
            if view.betsAgain { bind(.rebet, nil, .general, "stop repeating", short: "stop") }
        case .sittingOut: bind(.sitIn, nil, .move)
        case .away, .leaving, nil: break
        }
    }

    private mutating func bindBetting(_ view: ViewState, _ bet: Int?) {
        isBetting = true
        let amount = view.betAmount
        if amount < view.rules.minimumBet, bet == nil || amount > 0 {
            bind([.enter, .character("b")], .refuse("The least bet here is \(view.rules.minimumBet)."))
        } else {
            bind(.bet(amount))
            bind([.enter], .perform(.bet(amount)))
            hint("Enter", bet == nil ? "bet \(amount)" : amount == 0 ? "take the bet back" : "bet \(amount) instead", .move)
        }
        for digit in 0...9 { bind([.character(Unicode.Scalar(UInt8(48 + digit)))], .type(digit)) }
        bind([.backspace, .delete], .erase)
        hint("0-9", "amount", .move)
        bind([.character("+"), .character("="), .up], .step(1))
        bind([.character("-"), .down], .step(-1))
        hint("+ -", "by \(view.rules.betStep)", .move)
        let most = view.client.mostBet
        if most > view.rules.minimumBet, most != amount { bind(.bet(nil), .amount(most), .move, "max \(most)", short: "max") }
        if !view.betsAgain { bind(.rebet, nil, view.lastBet == nil ? nil : .general, short: "always") }
    }

    // MARK: Refusing

    /// Why a key has no effect, and what is possible. nil for a key that needs no answer: a space ends a motion, and a key behind a decision
    /// is a second stroke.
    private func refusal(of key: Key) -> SafeText? {
        guard let view = refusing, view.decidedAt == nil, !view.isMoving else { return nil }
        switch key {
        case .enter: return "Nothing to confirm. " + possible(view)
        case .character(" "): return nil
        case .character(let scalar):
            let name = SafeText(String(scalar))
            let isAmount = "0123456789+=-".unicodeScalars.contains(scalar)
            guard let word = CommandWord.all.first(where: { $0.key == (isAmount ? "b" : scalar) }) else {
                return "'\(name)' is no key here: ? shows the keys."
            }
            if view.canAsk, case .betting = view.situation, scalar == "m" {
                return "\(view.betAmount) is the most that you can bet."
            }
            if view.canAsk, scalar == "l" { return "There is no other table." }
            return "\(name), \(word.label), is not possible now. " + possible(view)
        default: return nil
        }
    }

    /// The keys that work now, or the event that is waited for.
    private func possible(_ view: ViewState) -> SafeText {
        guard view.canAsk else {
            return view.client.silentSince == nil ? "There is no connection." : "The server does not answer."
        }
        let moves = hints.filter { $0.use == .move }
        if !moves.isEmpty { return "Possible: \(moves.map { "\($0.key) \($0.meaning)" as SafeText }.joined())." }
        switch view.situation {
        case .closed: return "The table is closed."
        case .broke: return "You are out of chips, and the house gives no new ones."
        case .sittingOut, .watching, .asked, .betting: return ""
        case .waiting: break
        }
        if let active = view.snapshot?.activeHand, let player = view.snapshot?.player(active.seat), player.name != view.me {
            return "It is \(SafeText.player(player.name))'s turn."
        }
        return switch view.snapshot?.round?.phase {
        case .settled?: "The next round begins soon."
        case .surrender?, .insurance?: "The others decide."
        case .playing?: "The dealer plays."
        case .waiting?, .betting?, .closed?, nil: "You play from the next round on."
        }
    }
}

extension ViewState {
    /// Names of the others at the table, in the order of their seats.
    fileprivate var otherPlayers: [String] {
        let names = snapshot?.seats.compactMap { snapshot?.player($0)?.name } ?? []
        return names.enumerated().filter { $1 != me && names.firstIndex(of: $1) == $0 }.map(\.element)
    }

    /// Whether the table is the player's own.
    fileprivate var isOwner: Bool { client.lobby.contains { $0.name == client.table && $0.owner == me } }
}

/// The meaning of a key in the current state: a command, or a change of what the screen shows.
enum Intent: Equatable, Sendable {
    case perform(PlayerCommand)
    /// Appends a digit to the bet.
    case type(Int)
    /// Sets the bet.
    case amount(Int)
    case erase
    /// Changes the bet by a number of steps.
    case step(Int)
    /// Selects another row of the settings.
    case choose(Int)
    /// Changes a setting by a number of steps.
    case change(ClientSettings.Field, Int)
    /// Asks before a hand in play is left.
    case askToQuit
    case show(ViewState.Panel)
    /// Scrolls a panel by a number of lines.
    case scroll(Int)
    /// Starts a chat line.
    case talk
    /// Begins or completes a chat line with this text.
    case complete(String)
    /// Says why a key has no effect.
    case refuse(SafeText)
    /// Appends a character to the chat line.
    case write(Unicode.Scalar)
    /// Appends pasted text to the chat line.
    case paste(String)
    /// Says that a paste is no key.
    case refusePaste
    /// Deletes the last character of the chat line.
    case rub
    /// Discards the chat line.
    case hush
    /// Redraws the whole screen.
    case redraw
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
    /// An unknown sequence: a function key, a report, invalid UTF-8.
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
