import ClientCore
import Rules
import TableModel

/// Prompt, key hints and status line.
extension Screen {
    var footer: [StyledText] {
        [prompt.cut(to: size.columns)] + StyledText.lines(of: KeyMap(view).hints, columns: size.columns) + [status]
    }

    private var prompt: StyledText {
        if let draft = view.draft { return talk(draft) }
        if view.asksToQuit {
            return StyledText(" Your hand is in play and would stand. Leave anyway?", [.bold, .yellow])
        }
        switch view.client.link {
        case .lost, .connecting: return StyledText(" \(connection) ...", .yellow)
        case .ended(let reason): return StyledText(" The connection ended: \(reason).", .yellow)
        case .connected, .loggedIn: break
        }
        if let seconds = view.silentSeconds {
            return StyledText(" The server does not answer: last heard \(seconds) s ago.", [.bold, .yellow])
        }
        guard let snapshot = view.snapshot else { return StyledText() }
        let time: SafeText = view.secondsLeft.map { "  \($0) s" } ?? ""
        switch view.situation {
        case .asked(let seat, let choice): return question(snapshot, seat, choice, time)
        case .betting(_, let bet): return betting(bet, time)
        case .broke:
            return StyledText(
                view.givesRebuys ? " You are out of chips." : " You are out of chips, and the house gives no new ones.", .yellow)
        case .watching: return StyledText(" You are watching.", .dim)
        case .sittingOut: return StyledText(" You are sitting out.", .dim)
        case .closed: return StyledText(" The table is closed.", .dim)
        case .waiting: return waiting(snapshot, time)
        }
    }

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

    private func question(_ snapshot: TableSnapshot, _ seat: Int, _ choice: Choice, _ time: SafeText) -> StyledText {
        let hand = HandIdentifier(seat: seat, number: choice.hand)
        let total = snapshot.total(hand)?.safeText ?? ""
        let words: SafeText =
            switch snapshot.round?.phase {
            case .insurance: " The dealer shows an ace. You have \(total)."
            case .surrender: " Give up half the bet? You have \(total)."
            default:
                snapshot.hands(ofSeat: seat).count > 1 ? " Your turn, hand \(choice.hand): \(total)." : " Your turn: \(total)."
            }
        return StyledText(words + time, [.bold, .yellow])
    }

    private func betting(_ bet: Int?, _ time: SafeText) -> StyledText {
        guard bet == nil || view.typed != nil else {
            return StyledText(" You bet \(bet ?? 0). Waiting for the others.\(time)", .dim)
        }
        var text = StyledText(" Your bet: ", .bold)
        text.append(" \(view.betAmount) ", [.inverse, .bold])
        text.append("  \(wording.limits(view.rules)).\(time)")
        return text
    }

    private func waiting(_ snapshot: TableSnapshot, _ time: SafeText) -> StyledText {
        if snapshot.round?.phase == .settled {
            let words: SafeText = snapshot.closing == nil ? "The next round begins soon." : "This was the last round here."
            return StyledText(" \(words)\(time)", .dim)
        }
        if let active = snapshot.activeHand, let player = snapshot.player(active.seat), player.name != view.me {
            return StyledText(" It is \(SafeText(player.name, columns: 24))'s turn.\(time)", .dim)
        }
        return StyledText()
    }

    private var connection: SafeText { view.connection }

    private var status: StyledText {
        var parts = [connection]
        if let words = view.pending.words { parts.append(words) }
        if let table = view.client.table { parts.append("\(SafeText(table, columns: 32))") }
        if let round = board.cell(.round) { parts.append(SafeText(round.text.text)) }
        if let shoe = board.cell(.shoe), let left = board.cell(.cardsLeft) {
            parts.append("\(SafeText(shoe.text.text)): \(SafeText(left.text.text))")
        }
        if board.cell(.rules) != nil { parts += wording.ruleWords(view.rules) }
        // A narrow terminal drops the last parts first.
        while parts.count > 1, parts.joined(" · ").columns > size.columns - 2 { parts.removeLast() }
        return StyledText(" \(parts.joined(" · "))", .inverse).fitted(to: size.columns, filler: .inverse)
    }
}

extension StyledText {
    /// Key hints, in at most two lines.
    static func lines(of hints: [KeyMap.Hint], columns: Int) -> [StyledText] {
        var lines = [StyledText()]
        for hint in hints {
            let width = hint.key.columns + hint.meaning.columns + 3
            if lines[lines.count - 1].columns + width > columns {
                guard lines.count < 2 else { break }
                lines.append(StyledText())
            }
            lines[lines.count - 1].append(" ")
            lines[lines.count - 1].append(hint.key, [.bold, .inverse])
            lines[lines.count - 1].append(" \(hint.meaning) ")
        }
        return lines
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
