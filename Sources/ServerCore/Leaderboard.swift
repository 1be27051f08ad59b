import TableEngine
import Wire

/// Every player's results since the tables were opened, over crashes and restarts.
struct Leaderboard: Sendable, Equatable {
    /// The maximum number of players, some 150 bytes each; later players are not counted.
    static let capacity = 10_000

    private(set) var results: [PlayerID: LeaderboardEntry] = [:]

    /// - Parameters:
    ///   - net: chips won with one seat.
    ///   - isFirstSeat: whether no other seat of the player was counted for this round.
    mutating func note(_ player: PlayerID, name: @autoclosure () -> String, isBot: Bool, net: Int, isFirstSeat: Bool) {
        if results[player] == nil {
            guard results.count < Self.capacity else { return }
            results[player] = LeaderboardEntry(name: name(), isBot: isBot)
        }
        results[player]?.add(rounds: isFirstSeat ? 1 : 0, net: net, biggestWin: net)
    }

    /// Adds the results from before a crash or a restart.
    mutating func add(_ earlier: Leaderboard) {
        for (player, result) in earlier.results {
            guard results[player] != nil || results.count < Self.capacity else { continue }
            results[player, default: LeaderboardEntry(name: result.name, isBot: result.isBot)].add(
                rounds: result.rounds, net: result.net, biggestWin: result.biggestWin)
        }
    }

    /// Removes a deleted account.
    mutating func forget(_ player: PlayerID) { results[player] = nil }

    /// The best first.
    var ranking: [LeaderboardEntry] { results.values.sorted { $0.precedes($1) } }

    /// Returns each player's standings. Sorts once for all players.
    var final: (PlayerID?) -> Standings {
        var (standings, places) = (Standings(), [PlayerID: Int]())
        var counts = (people: 0, bots: 0)
        for (player, result) in results.sorted(by: { $0.value.precedes($1.value) }) {
            standings.rank(result)
            if result.isBot { counts.bots += 1 } else { counts.people += 1 }
            places[player] = result.isBot ? counts.bots : counts.people
        }
        return { [results] player in
            var own = standings
            (own.own, own.place) = (player.flatMap { results[$0] }, player.flatMap { places[$0] })
            return own
        }
    }

    /// The best results, and a player's own place. Does not sort all results.
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
