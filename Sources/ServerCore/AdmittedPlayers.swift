import Operations
import TableEngine

/// The players to whom a table's pass phrase was known last, bounded. Strangers who guess it together have ``guesses``; these players do
/// not wait for them, also after the phrase has changed, and have the limits of their addresses alone.
struct AdmittedPlayers {
    /// Wrong pass phrases at one table, from everywhere.
    static let guesses = RateLimit.perSecond(1, burst: 10)
    private static let capacity = 1024

    private var players = OrderedQueue<PlayerID>()

    func contains(_ player: PlayerID) -> Bool { players.contains(player) }

    mutating func insert(_ player: PlayerID) {
        if contains(player) { players.remove(player) }
        if players.count >= Self.capacity, let first = players.first { players.remove(first) }
        players.append(player)
    }
}
