import ClientCore
import TableModel
import Wire

/// The chips of the player as last seen, to say what a server that starts without its data has lost. A value.
struct ChipMemory: Equatable, Sendable {
    private var house: String?
    /// Without those on the table; nil where unknown.
    private var chips: Int?
    /// Chips in bets and hands.
    private var stake = 0
    private var isInPlay = false
    /// The losses by a server that started anew, until the player is back at a table: its first messages would hide it.
    private var news: SafeText?

    /// All chips of the player; nil while a hand decides about them, and where unknown.
    var settled: Int? { isInPlay ? nil : chips.map { $0 + stake } }

    /// Applies an update of the client.
    /// - Returns: what has become of the chips, where the server has lost its players.
    mutating func take(_ update: ClientUpdate) -> SafeText? {
        let state = update.state
        switch update.event {
        case .reply(_, .login(let login)):
            if house != nil, house != state.hello?.house { news = restart(login.chips) }
            house = state.hello?.house
            if login.table == nil { (chips, stake, isInPlay) = (login.chips, 0, false) }
            return state.table == nil ? takeNews() : nil
        case .table:
            note(state)
            return state.player == nil ? nil : takeNews()
        case .leftTable, .reply(_, .applied("leave", _)): note(state)
        case .refused(let refusal) where refusal.type == "sit" || refusal.type == "watch": return takeNews()
        default: break
        }
        return nil
    }

    private mutating func takeNews() -> SafeText? {
        defer { news = nil }
        return news
    }

    private mutating func note(_ state: ClientState) {
        if let player = state.player {
            (chips, stake, isInPlay) = (player.chips, state.stakes.reduce(0, +), state.isInPlay)
        } else if isInPlay {
            // The hand is played without the player.
            (chips, stake, isInPlay) = (nil, 0, false)
        } else {
            (chips, stake) = (settled, 0)
        }
    }

    private func restart(_ now: Int) -> SafeText {
        let had = chips.map { $0 + stake }
        let before: SafeText = had == nil ? "" : had == now ? ", as before" : " again, and had \(had ?? 0)"
        let bet: SafeText = stake == 0 ? "" : isInPlay ? "; your hand is lost, bet \(stake)" : "; your bet of \(stake) is lost"
        return "The server started anew: you have \(now) chips\(before)\(bet)."
    }
}
