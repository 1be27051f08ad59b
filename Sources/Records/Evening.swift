import TableEngine
import TableModel
import Wire

/// The decisions of a table's owner about the evening. One rule for a running table and for replayed records.
public struct Evening: Equatable, Sendable {
    /// No clock of the table runs. The engine knows no pause: before each command, and at its end, all deadlines are postponed by what has passed.
    public struct Pause: Equatable, Sendable {
        /// Milliseconds after which it ends by itself.
        public static let longest: Int64 = 3_600_000
        /// Milliseconds that it lasts once the owner's connection has ended.
        public static let withoutOwner: Int64 = 120_000

        /// The time up to which deadlines have been postponed, in milliseconds since 1970.
        public internal(set) var since: Int64
        public let until: Int64
        /// Empty for none.
        public let reason: String

        public init(since: Int64, until: Int64, reason: String) {
            (self.since, self.until, self.reason) = (since, until, reason)
        }
    }

    public var pause: Pause?
    /// The match that is on, or the last one; nil before the first.
    public var match: Match?

    public init() {}

    /// The owner's wish: a match from the next round on, another length of the one that is on or, with 0, its end.
    /// - Returns: the match that is over by it.
    package mutating func play(_ rounds: Int, after round: Int) -> Match? {
        guard var running else {
            if rounds > 0 { match = Match(rounds: rounds, from: round) }
            return nil
        }
        running.rounds = max(rounds, running.played)
        match = running.rounds > 0 ? running : nil
        return running.isOver ? match : nil
    }

    /// nil unless one is on.
    package var running: Match? { match?.isOver == false ? match : nil }

    /// Follows the facts of a command: they begin with what has passed, and a table that closes waits for nobody.
    public mutating func follow(_ facts: [Fact], at time: Int64) {
        guard pause != nil else { return }
        pause?.since = time
        if facts.contains(where: { if case .closing = $0 { true } else { false } }) { pause = nil }
    }

    /// The clock was set back.
    mutating func move(by milliseconds: Int64) {
        pause = pause.map {
            Pause(since: max(0, $0.since + milliseconds), until: max(0, $0.until + milliseconds), reason: $0.reason)
        }
    }
}

// MARK: - Match

extension Evening {
    /// A ranking of people, by their names, by the chips that they win over a number of rounds. A late-comer starts at 0, and a player who leaves stays listed.
    public struct Match: Equatable, Sendable {
        public struct Score: Equatable, Sendable {
            public fileprivate(set) var player: PlayerID
            public fileprivate(set) var entry: LeaderboardEntry
        }

        /// Scores kept; the last in the ranking makes room, unless it is in the round that has ended.
        static let capacity = 64

        public internal(set) var rounds = 0
        /// The last round that had begun before; later ones count.
        public private(set) var from = 0
        /// Rounds that have counted: not those that were voided.
        public private(set) var played = 0
        /// The best first.
        public private(set) var scores: [Score] = []

        package init(rounds: Int, from: Int) { (self.rounds, self.from) = (rounds, from) }

        public var isOver: Bool { played >= rounds }

        /// As the table shows it.
        package var shown: TableMatch {
            let leads = scores.prefix(TableMatch.leads).map { TableMatch.Lead(name: $0.entry.name, net: $0.entry.net) }
            return TableMatch(round: played, rounds: rounds, leads: leads)
        }

        /// The ranking, with a player's own place.
        package func standings(of player: PlayerID?) -> Standings {
            var standings = Standings(over: .match)
            standings.rounds = played
            for (score, place) in zip(scores, scores.map(\.entry).places) {
                standings.rank(score.entry)
                if score.player == player { (standings.own, standings.place) = (score.entry, place) }
            }
            return standings
        }

        /// Adds rounds that have ended, in order; a void one has no results.
        /// - Parameter name: a person's; nil for a bot.
        /// - Returns: whether the match is over by them.
        package mutating func count(_ results: [PlayerRound], name: (PlayerID) -> String?) -> Bool {
            var rest = results[...]
            while let round = rest.first?.round, !isOver {
                let ended = rest.prefix { $0.round == round }
                rest = rest.dropFirst(ended.count)
                guard round > from else { continue }
                played += 1
                for result in ended { if let name = name(result.player) { add(result, name) } }
                scores.sort { $0.entry.precedes($1.entry) }
                let isRemovable = { (score: Score) in !ended.contains { $0.player == score.player } }
                while scores.count > Self.capacity, let last = scores.lastIndex(where: isRemovable) { scores.remove(at: last) }
            }
            return isOver
        }

        private mutating func add(_ result: PlayerRound, _ name: String) {
            // A guest who comes back has another account, and an account that was elsewhere perhaps another name.
            let known = scores.firstIndex { $0.player == result.player } ?? scores.firstIndex { $0.entry.name == name }
            let index = known ?? scores.count
            if known == nil { scores.append(.blank) }
            (scores[index].player, scores[index].entry.name) = (result.player, name)
            scores[index].entry.add(rounds: 1, net: result.net, biggestWin: result.bestSeat)
        }

        /// An account has another name.
        package mutating func rename(_ player: PlayerID, to name: String) {
            for index in scores.indices where scores[index].player == player { scores[index].entry.name = name }
        }
    }
}

extension Evening.Match: FieldObject {
    static var blank: Self { Self(rounds: 0, from: 0) }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        rounds = try visitor.count("rounds", rounds)
        from = try visitor.count("round", from)
        try visitor.number("played", &played)
        try visitor.list("scores", &scores)
    }
}

extension Evening.Match.Score: FieldObject {
    static var blank: Self { Self(player: PlayerID(0), entry: LeaderboardEntry(name: "", isBot: false)) }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        player = try visitor.player(player)
        var result = LeaderboardEntry(name: try visitor.required("name", entry.name), isBot: false)
        result.add(
            rounds: try visitor.count("rounds", entry.rounds), net: try visitor.required("net", entry.net),
            biggestWin: try visitor.count("best", entry.biggestWin))
        entry = result
    }
}
