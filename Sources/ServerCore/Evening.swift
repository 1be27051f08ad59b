import TableEngine
import Wire

/// Every player's results since the start of the server.
struct Evening: Sendable, Equatable {
    /// Players counted at most, some 150 bytes each; later ones are not counted.
    static let capacity = 10_000

    private(set) var results: [PlayerID: Standing] = [:]

    /// - Parameters:
    ///   - net: of one seat.
    ///   - isFirstSeat: whether no other seat of the player was counted for this round.
    mutating func note(_ player: PlayerID, name: @autoclosure () -> String, isBot: Bool, net: Int, isFirstSeat: Bool) {
        if results[player] == nil {
            guard results.count < Self.capacity else { return }
            results[player] = Standing(name: name(), isBot: isBot)
        }
        results[player]?.add(rounds: isFirstSeat ? 1 : 0, net: net, biggestWin: net)
    }

    /// An account is deleted.
    mutating func forget(_ player: PlayerID) { results[player] = nil }

    /// The best first.
    var ranking: [Standing] { results.values.sorted { $0.precedes($1) } }

    /// The first of them, and a player's own place. Sorts no 10,000.
    func standings(of player: PlayerID?) -> Standings {
        var standings = Standings()
        standings.own = player.flatMap { results[$0] }
        for result in results.values { standings.rank(result) }
        standings.place = standings.own.map { own in
            1 + results.values.count { $0.isBot == own.isBot && $0.precedes(own) }
        }
        return standings
    }
}
