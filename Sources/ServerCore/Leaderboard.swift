import TableEngine
import Wire

/// Every player's results since the tables were opened, over crashes and restarts.
struct Leaderboard: Sendable, Equatable {
    /// The maximum number of players, some 150 bytes each; later players are not counted.
    static let capacity = 10_000

    private(set) var results: [PlayerID: LeaderboardEntry] = [:]

    /// Names, or nil for deleted accounts, that have changed since the start: the earlier results come later.
    private var changes: [PlayerID: String?] = [:]

    /// Adds a round.
    /// - Parameters:
    ///   - net: chips won with all seats.
    ///   - best: chips won with the best seat.
    mutating func note(_ player: PlayerID, name: @autoclosure () -> String, isBot: Bool, net: Int, best: Int) {
        if results[player] == nil {
            guard results.count < Self.capacity else { return }
            results[player] = LeaderboardEntry(name: name(), isBot: isBot)
        }
        results[player]?.add(rounds: 1, net: net, biggestWin: best)
    }

    /// Adds the results from before a crash or a restart.
    mutating func add(_ earlier: Leaderboard) {
        for (player, result) in earlier.results {
            guard results[player] != nil || results.count < Self.capacity, let name = changes[player, default: result.name] else {
                continue
            }
            results[player, default: LeaderboardEntry(name: name, isBot: result.isBot)].add(
                rounds: result.rounds, net: result.net, biggestWin: result.biggestWin)
        }
        changes = [:]
    }

    /// Removes a deleted account.
    mutating func forget(_ player: PlayerID) {
        results[player] = nil
        keep(nil, of: player)
    }

    mutating func rename(_ player: PlayerID, to name: String) {
        results[player]?.name = name
        keep(name, of: player)
    }

    private mutating func keep(_ name: String?, of player: PlayerID) {
        if changes.count < Self.capacity { changes[player] = .some(name) }
    }

    /// The best first.
    var ranking: [LeaderboardEntry] { results.values.sorted { $0.precedes($1) } }

    /// Returns each player's standings. Sorts once for all players.
    var final: (PlayerID?) -> Standings {
        var (standings, places) = (Standings(), [PlayerID: Int]())
        let sorted = results.sorted { $0.value.precedes($1.value) }
        for isBot in [false, true] {
            let kind = sorted.filter { $0.value.isBot == isBot }
            for result in kind.prefix(WireLimits.standings) { standings.rank(result.value) }
            for (result, place) in zip(kind, kind.map(\.value).places) { places[result.key] = place }
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
            1 + results.values.count { $0.isBot == own.isBot && $0.net > own.net }
        }
        return standings
    }
}
