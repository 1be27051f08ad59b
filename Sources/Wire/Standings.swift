/// A player's result since the tables were opened.
public struct LeaderboardEntry: Equatable, Sendable {
    public private(set) var name: String
    public private(set) var isBot: Bool
    public private(set) var rounds = 0
    /// Chips won in all; negative: lost.
    public private(set) var net = 0
    /// Chips won with one seat in one round at most.
    public private(set) var biggestWin = 0

    public init(name: String, isBot: Bool) { (self.name, self.isBot) = (name, isBot) }

    public mutating func add(rounds: Int, net: Int, biggestWin: Int) {
        self.rounds += rounds
        self.net = min(max(self.net + net, WholeNumber.total.range.lowerBound), WholeNumber.total.range.upperBound)
        self.biggestWin = max(self.biggestWin, biggestWin)
    }

    /// Whether it ranks above another one.
    public func precedes(_ other: Self) -> Bool { (other.net, name) < (net, other.name) }

    /// `42 rounds, +350 chips, biggest win 150`.
    public var text: String {
        let sum = "\(net > 0 ? "+" : net < 0 ? "−" : "")\(net.magnitude) \(net.magnitude == 1 ? "chip" : "chips")"
        return "\(rounds) \(rounds == 1 ? "round" : "rounds"), \(sum)" + (biggestWin > 0 ? ", biggest win \(biggestWin)" : "")
    }
}

/// The leaderboard as the reply `standings` shows it: the best results, best first.
public struct Standings: Equatable, Sendable {
    public private(set) var people: [LeaderboardEntry] = []
    public private(set) var bots: [LeaderboardEntry] = []
    /// The asker's own place among people, or among bots; nil for one who has not played.
    public var place: Int?
    public var own: LeaderboardEntry?

    public init() {}

    /// Inserts a result in order, if it is among the best.
    public mutating func rank(_ result: LeaderboardEntry) {
        func rank(in list: inout [LeaderboardEntry]) {
            list.insert(result, at: list.firstIndex { result.precedes($0) } ?? list.count)
            if list.count > WireLimits.standings { list.removeLast() }
        }
        if result.isBot { rank(in: &bots) } else { rank(in: &people) }
    }
}

extension LeaderboardEntry: WireObject {
    static var blank: Self { Self(name: "", isBot: false) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("name", &name, .shownName, "the player's name")
        try visitor.optional("bot", &isBot, absent: false, "whether this is a bot")
        try visitor.required("rounds", &rounds, .count, "rounds played since the tables opened")
        try visitor.required("net", &net, .total, "chips won in all, or lost if negative")
        try visitor.required("best", &biggestWin, .bankroll, "the most chips won with one seat in one round")
    }
}

extension Standings: WireObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("people", &people, .upTo(WireLimits.standings), "the best people, best first")
        try visitor.required("bots", &bots, .upTo(WireLimits.standings), "the best bots")
        try visitor.optional("place", &place, .count, "your place among people or bots, once you have played")
        try visitor.optional("you", &own, "your own result")
    }
}
