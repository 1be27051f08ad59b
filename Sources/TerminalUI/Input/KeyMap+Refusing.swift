import Rules
import TableModel

/// The answer to keys that have no effect: why, and what is possible.
extension KeyMap {
    /// nil for a key that needs no answer: a space ends a motion, and a key behind a decision is a second stroke.
    static func refusal(of key: Key, _ view: ViewState, moves: [Hint]) -> SafeText? {
        guard view.panel == .table, view.decidedAt == nil else { return nil }
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
}

extension ViewState {
    /// The meaning that a key has at times; nil for a key that never has one.
    fileprivate func thing(of key: Unicode.Scalar) -> SafeText? {
        if key == "s", seatIsFree { return "take a seat" }
        if let action = Action.allCases.first(where: { $0.key == String(key) }) { return action.meaning(cost: nil) }
        return switch key {
        case "b", "0"..."9", "+", "=", "-": "bet"
        case "m": "the highest bet"
        case "r": "repeat the bet"
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
        case ("r", .betting(_, nil)): return "There is no bet to repeat yet. Enter bets \(betAmount)."
        case ("r", .betting(_, let bet?)): return "You have bet \(bet) for this round. Enter changes it."
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
