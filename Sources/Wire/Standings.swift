/// Counters of the rounds of an account, since careers are counted. All amounts in chips.
///
/// 60 bytes, since a server holds one for each account.
public struct Career: Equatable, Sendable {
    public private(set) var staked: Int64 = 0
    /// Negative: lost.
    public private(set) var net: Int64 = 0
    /// Won in the best round, and the minute of its end in milliseconds since 1970; 0 before the first won one.
    public private(set) var best: Int64 = 0
    public private(set) var bestTime: Int64 = 0
    public private(set) var rounds: UInt32 = 0
    public private(set) var hands: UInt32 = 0
    /// Rounds won.
    public private(set) var won: UInt32 = 0
    /// Rounds neither won nor lost.
    public private(set) var pushed: UInt32 = 0
    public private(set) var blackjacks: UInt32 = 0
    /// Rounds won in a row at most. A push keeps a run, a loss ends it.
    public private(set) var longestRun: UInt16 = 0
    public private(set) var run: UInt16 = 0
    /// Matches with a round of the account, and those won.
    public private(set) var matches: UInt16 = 0
    public private(set) var matchesWon: UInt16 = 0

    public init() {}

    /// Adds a round. Sums stay within what JSON keeps exactly.
    package mutating func count(hands: Int, blackjacks: Int, staked: Int, net: Int, at time: Int64) {
        func add(_ number: Int, to sum: inout UInt32) { sum = UInt32(clamping: Int(sum) + min(number, 1 << 20)) }
        add(1, to: &rounds)
        add(hands, to: &self.hands)
        add(blackjacks, to: &self.blackjacks)
        self.staked = min(self.staked + Int64(min(max(0, staked), 1 << 53)), 1 << 53)
        self.net = Self.sum(self.net, net)
        if net > 0 {
            add(1, to: &won)
            run = UInt16(clamping: Int(run) + 1)
            longestRun = max(longestRun, run)
        } else if net == 0 {
            add(1, to: &pushed)
        } else {
            run = 0
        }
        if net > best { (best, bestTime) = (Int64(min(net, 1 << 53)), time / 60_000 * 60_000) }
    }

    /// Adds a match that is over.
    package mutating func count(matchWon isWon: Bool) {
        (matches, matchesWon) = (UInt16(clamping: Int(matches) + 1), UInt16(clamping: Int(matchesWon) + (isWon ? 1 : 0)))
    }

    /// Adds rounds of which only chips are known.
    fileprivate mutating func add(rounds: Int, net: Int, best: Int) {
        self.rounds = UInt32(clamping: Int(self.rounds) + rounds)
        self.net = Self.sum(self.net, net)
        self.best = max(self.best, Int64(best))
    }

    private static func sum(_ net: Int64, _ more: Int) -> Int64 {
        func clamped(_ sum: Int) -> Int { min(max(sum, WholeNumber.total.range.lowerBound), WholeNumber.total.range.upperBound) }
        return Int64(clamped(Int(net) + clamped(more)))
    }

    /// The clock was set back.
    package mutating func setBack(to time: Int64) { bestTime = min(bestTime, time / 60_000 * 60_000) }

    /// All counters.
    package var numbers: [Int] {
        get {
            [Int(rounds), Int(hands), Int(won), Int(pushed), Int(blackjacks), Int(staked), Int(net), Int(best)]
                + [Int(bestTime), Int(longestRun), Int(run), Int(matches), Int(matchesWon)]
        }
        set {
            let (all, counts) = (newValue, newValue.map { UInt32(clamping: $0) })
            let small = newValue.map { UInt16(clamping: $0) }
            (rounds, hands, won, pushed, blackjacks) = (counts[0], counts[1], counts[2], counts[3], counts[4])
            (staked, net, best, bestTime) = (Int64(all[5]), Int64(all[6]), Int64(all[7]), Int64(all[8]))
            (longestRun, run, matches, matchesWon) = (small[9], small[10], small[11], small[12])
        }
    }
}

/// The time over which players are ranked.
public enum StandingsSpan: String, CaseIterable, Sendable {
    /// Since the tables opened.
    case evening
    /// Since careers are counted.
    case career
    /// In the match of one's table, or the last one there.
    case match
}

/// A player's result over the evening, a match or the career. But of a career, only rounds, net and best are known.
public struct LeaderboardEntry: Equatable, Sendable {
    public package(set) var name: String
    public private(set) var isBot: Bool
    public private(set) var career: Career

    public init(name: String, isBot: Bool, career: Career = Career()) {
        (self.name, self.isBot, self.career) = (name, isBot, career)
    }

    public var rounds: Int { Int(career.rounds) }
    /// Chips won in all; negative: lost.
    public var net: Int { Int(career.net) }
    /// Chips won in one round at most; over an evening, with one seat.
    public var biggestWin: Int { Int(career.best) }

    public mutating func add(rounds: Int, net: Int, biggestWin: Int) { career.add(rounds: rounds, net: net, best: biggestWin) }

    /// The order of a list. Equal results share a place.
    public func precedes(_ other: Self) -> Bool { (other.net, name) < (net, other.name) }

    /// `42 rounds, +350 chips, biggest win 150`.
    public var text: String {
        func count(_ number: some BinaryInteger, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        let sum = "\(net > 0 ? "+" : net < 0 ? "−" : "")\(count(net.magnitude, "chip"))"
        let whole =
            career.hands == 0
            ? "" : ", \(count(career.won, "round")) won, \(career.pushed) pushed, \(count(career.blackjacks, "blackjack"))"
        return "\(count(rounds, "round")), \(sum)\(whole)" + (biggestWin > 0 ? ", biggest win \(biggestWin)" : "")
            + (career.longestRun > 1 ? ", \(career.longestRun) won in a row" : "")
            + (career.matches > 0 ? ", matches won: \(career.matchesWon) of \(career.matches)" : "")
    }
}

/// The leaderboard as the reply `standings` shows it: the best results, best first.
public struct Standings: Equatable, Sendable {
    public var span = StandingsSpan.evening
    public private(set) var people: [LeaderboardEntry] = []
    public private(set) var bots: [LeaderboardEntry] = []
    /// The asker's own place among people, or among bots; nil for one who has not played.
    public var place: Int?
    public var own: LeaderboardEntry?
    /// Whether other servers of the house rank their own players.
    public var isPartial = false
    /// Of a match: those that have counted.
    public var rounds: Int?

    public init(over span: StandingsSpan = .evening) { self.span = span }

    /// Inserts a result in order, if it is among the best.
    public mutating func rank(_ result: LeaderboardEntry) {
        func rank(in list: inout [LeaderboardEntry]) {
            list.insert(result, at: list.firstIndex { result.precedes($0) } ?? list.count)
            if list.count > WireLimits.standings { list.removeLast() }
        }
        if result.isBot { rank(in: &bots) } else { rank(in: &people) }
    }
}

extension [LeaderboardEntry] {
    /// The places of an ordered list, from 1: equal results share one.
    public var places: [Int] {
        var places: [Int] = []
        for (index, entry) in enumerated() {
            places.append(index > 0 && self[index - 1].net == entry.net ? places[index - 1] : index + 1)
        }
        return places
    }
}

extension StandingsSpan: WireWord {}

extension LeaderboardEntry: WireObject {
    static var blank: Self { Self(name: "", isBot: false) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("name", &name, .shownName, "the player's name")
        try visitor.optional("bot", &isBot, absent: false, "whether this is a bot")
        var numbers = career.numbers
        try visitor.required("rounds", &numbers[0], .count, "rounds played since the tables opened, or in the career")
        try visitor.required("net", &numbers[6], .total, "chips won in all, or lost if negative")
        try visitor.required(
            "best", &numbers[7], .bankroll, "the most chips won with one seat in one round; of a career, in one round")
        let texts: [(StaticString, Int, String)] = [
            ("hands", 1, "of a career, as all that follow: hands settled"), ("won", 2, "rounds won"),
            ("pushed", 3, "rounds neither won nor lost"), ("blackjacks", 4, "blackjacks paid"),
            ("staked", 5, "the sum of all stakes"), ("run", 10, "rounds won in a row; a push keeps the run"),
            ("longest", 9, "the longest run"), ("matches", 11, "matches with a round of the player"),
            ("matchesWon", 12, "and those won"),
        ]
        for (key, index, text) in texts { try visitor.optional(key, &numbers[index], .count, absent: 0, text) }
        try visitor.optional("bestAt", &numbers[8], .time, absent: 0, "when the best round ended, to the minute")
        career.numbers = numbers
    }
}

extension Standings: WireObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("over", &span, absent: .evening, "as asked; default `evening`")
        try visitor.required("people", &people, .upTo(WireLimits.standings), "the best people, best first")
        try visitor.required("bots", &bots, .upTo(WireLimits.standings), "the best bots")
        try visitor.optional(
            "place", &place, .count, "your place among people or bots, once you have played; equal results share one")
        try visitor.optional("you", &own, "your own result")
        try visitor.optional("partial", &isPartial, absent: false, "whether other servers of the house rank their own players")
        try visitor.optional("rounds", &rounds, .count, "of a match: rounds that have counted")
    }
}
