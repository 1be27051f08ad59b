import ClientCore
import Rules
import TableModel

/// Prompt, key hints and status line.
extension Screen {
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
        let words: SafeText =
            switch snapshot.round?.phase {
            case .insurance: isNarrow ? " The dealer has A. You: \(total)." : " The dealer shows an ace. You have \(total)."
            case .surrender: isNarrow ? " Give up half? You: \(total)." : " Give up half the bet? You have \(total)."
            default:
                snapshot.hands(ofSeat: seat).count > 1 ? " Your turn, hand \(choice.hand): \(total)." : " Your turn: \(total)."
            }
        return timed(words, [.bold, .yellow])
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
