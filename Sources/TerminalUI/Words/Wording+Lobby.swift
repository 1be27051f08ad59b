import ClientCore
import Rules
import TableModel

/// Words about the list of tables.
extension Wording {
    /// Whether a table can be joined, in one word.
    static func state(of table: TableSummary) -> SafeText {
        if table.isClosing { return "closing" }
        if table.freeSeats == 0 { return "full" }
        return table.isLocked ? "locked" : "open"
    }

    /// The names of the players, or their number.
    func players(of table: TableSummary) -> SafeText {
        if !table.players.isEmpty { return table.players.prefix(7).map { SafeText($0, columns: 24) }.joined() }
        // The server does not list the players of a table with a pass phrase.
        let count = table.seats - table.freeSeats
        guard table.isLocked, count > 0, !table.isClosing else { return "nobody" }
        return count == 1 ? "1 player" : "\(count) players"
    }

    /// The text in which a filter is looked for, in lower case: names and rules. The state is left out: a table may be named like one.
    static func searchText(of table: TableSummary) -> String {
        let words = Wording(suits: .letters)
        let parts: [SafeText] = [
            SafeText(table.name, columns: 64), table.players.map { SafeText($0, columns: 24) }.joined(),
            words.rules(table.rules), "\(table.rules.minimumBet) to \(table.rules.maximumBet)",
        ]
        return parts.joined(" ").text.lowercased()
    }

    /// A move that waits: `You move to low when your hand is over.`
    static func moving(to destination: TableMove.Destination, from state: ClientState) -> SafeText {
        let end: SafeText = state.isInPlay ? "your hand is over" : "the round of your bet is over"
        return "You move to \(SafeText(destination.table, columns: 32)) when \(end)."
    }

    /// The end of a table, for its players: `The table main is closed: maintenance. Your chips are kept.`
    /// - Parameter last: chips of the player's last round there; nil for none.
    func closed(_ table: String, _ notice: ClosingNotice?, last: Int? = nil, keepsChips: Bool) -> SafeText {
        let reason = notice.map { SafeText($0.reason, columns: 200) } ?? ""
        let name = SafeText(table, columns: 32)
        let isStopping = notice?.cause == .server
        // Nothing tells whether a server that stops has a data folder: only one that goes on keeps the chips for sure.
        let kept: SafeText = keepsChips && !isStopping ? " Your chips are kept." : ""
        let words: SafeText = isStopping ? "The server stops, and \(name) is closed" : "The table \(name) is closed"
        let result: SafeText = last.map { " Your last round: \(signed($0))." } ?? ""
        return (reason.isEmpty ? words : "\(words): \(reason)").stopped + result + kept
    }
}

extension LobbyView.Order {
    var word: SafeText {
        switch self {
        case .listed: "the host's order"
        case .name: "by name"
        case .freeSeats: "most free seats first"
        case .lowestBet: "lowest bets first"
        case .players: "most players first"
        }
    }
}
