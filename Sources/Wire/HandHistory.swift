import Rules
import TableModel

/// A player's last rounds, for that player alone.
public struct HandHistory: Equatable, Sendable {
    /// The earliest time that was searched, in milliseconds since 1970.
    public var since: Int64
    /// Newest first, at most ``WireLimits/historyRounds``, or as many as were asked for.
    public var rounds: [PastRound]
    /// Whether there may be older rounds.
    public var isCut: Bool
    /// Where the next question goes on; nil unless the server can look further back.
    public var next: Int64?
    /// Whether another message of this answer follows.
    public var isContinued = false

    public init(since: Int64, rounds: [PastRound] = [], isCut: Bool = false, next: Int64? = nil) {
        (self.since, self.rounds, self.isCut, self.next) = (since, rounds, isCut, next)
    }
}

/// A round that is over, as one of its players saw it.
public struct PastRound: Equatable, Sendable {
    public var table: String
    public var round: Int
    /// Its end, in milliseconds since 1970.
    public var time: Int64
    /// Whether the bets were returned instead of settled.
    public var isVoided: Bool
    /// The player's own seats.
    public var seats: [Seat]
    /// The dealer's cards; nil for one that was never shown.
    public var dealer: [Card?]
    /// Of the dealer's cards that were shown.
    public var dealerTotal: Total

    /// Chips won or lost in all; negative: lost.
    public var net: Int { seats.reduce(0) { $0 + $1.net } }

    public init(
        table: String, round: Int, time: Int64, isVoided: Bool = false, seats: [Seat], dealer: [Card?],
        dealerTotal: Total
    ) {
        (self.table, self.round, self.time, self.isVoided, self.seats) = (table, round, time, isVoided, seats)
        (self.dealer, self.dealerTotal) = (dealer, dealerTotal)
    }

    public struct Seat: Equatable, Sendable {
        public var seat: Int
        /// Chips on the first hand before the cards.
        public var bet: Int
        public var hands: [Hand]
        public var insurance: RoundResult.Insurance?

        /// Chips won or lost in all, insurance included.
        public var net: Int { hands.reduce(insurance?.net ?? 0) { $0 + $1.result.net } }

        public init(seat: Int, bet: Int, hands: [Hand], insurance: RoundResult.Insurance? = nil) {
            (self.seat, self.bet, self.hands, self.insurance) = (seat, bet, hands, insurance)
        }
    }

    public struct Hand: Equatable, Sendable {
        public var cards: [Card?]
        public var total: Total
        /// All chips that were on it.
        public var bet: Int
        public var result: HandResult

        public init(cards: [Card?], total: Total, bet: Int, result: HandResult) {
            (self.cards, self.total, self.bet, self.result) = (cards, total, bet, result)
        }
    }
}

extension HandHistory: WireObject {
    static var blank: Self { Self(since: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("since", &since, .time, "the earliest time that was searched")
        try visitor.required("rounds", &rounds, .upTo(WireLimits.historyPage), "your rounds, newest first")
        try visitor.optional("cut", &isCut, absent: false, "whether there may be older ones")
        try visitor.optional("next", &next, .time, "the `before` of a question for older ones")
        try visitor.optional("more", &isContinued, absent: false, "whether another message of this answer follows")
    }
}

extension PastRound {
    /// As JSON.
    public var json: [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { write(to: &$0) }
        return bytes
    }
}

extension PastRound: WireObject {
    static var blank: Self { Self(table: "", round: 0, time: 0, seats: [], dealer: [], dealerTotal: .hard(0)) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("table", &table, .table, "where it was played")
        try visitor.required("round", &round, .counter, "its number at that table")
        try visitor.required("time", &time, .time, "when it ended")
        try visitor.optional("voided", &isVoided, absent: false, "whether the bets were returned instead of settled")
        try visitor.required("seats", &seats, .any, "your seats")
        try visitor.required("dealer", &dealer, .any, "the dealer's cards; `??` for one that was never shown")
        try visitor.required("total", &dealerTotal, "the total of those that were shown")
    }
}

extension PastRound.Seat: WireObject {
    static var blank: Self { Self(seat: 1, bet: 0, hands: []) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("seat", &seat, .seat, "the seat")
        try visitor.required("bet", &bet, .chips, "the bet before the cards")
        try visitor.required("hands", &hands, .any, "its hands, in the order of their numbers")
        try visitor.optional("insurance", &insurance, "where you had insured")
    }
}

extension PastRound.Hand: WireObject {
    static var blank: Self { Self(cards: [], total: .hard(0), bet: 0, result: .blank) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("cards", &cards, .any, "its cards, in the order in which they came")
        try visitor.required("total", &total, "their total")
        try visitor.required("bet", &bet, .chips, "all chips bet on it")
        try visitor.required("outcome", &result.outcome, "how it ended")
        try visitor.required("net", &result.net, .net, "chips won, or lost if negative")
    }
}

/// The result of a round for one seat of a player.
public struct RoundResult: Equatable, Sendable {
    /// One hand; its number is its place in the list, from 1.
    public struct Hand: Equatable, Sendable {
        /// All chips that were on it.
        public var bet: Int
        public var result: HandResult

        public init(bet: Int, result: HandResult) {
            self.bet = bet
            self.result = result
        }
    }

    /// An insurance bet.
    public struct Insurance: Equatable, Sendable {
        public var bet: Int
        /// Chips won, or lost if negative.
        public var net: Int

        public init(bet: Int, net: Int) {
            self.bet = bet
            self.net = net
        }
    }

    public var round: Int
    public var seat: Int
    public var hands: [Hand]
    public var insurance: Insurance?
    /// Chips of the player at the end of the round.
    public var chips: Int

    public init(round: Int, seat: Int, hands: [Hand], insurance: Insurance? = nil, chips: Int) {
        (self.round, self.seat, self.hands, self.insurance, self.chips) = (round, seat, hands, insurance, chips)
    }
}

/// Fields of the replies to `watch` and `sit`, for a client that comes back.
public struct CatchUp: Equatable, Sendable {
    /// Tells the table from another one of its name: revisions of two epochs cannot be compared.
    public var epoch: String
    /// The lines that follow lead to it.
    public var revision: Int
    /// The player's settled rounds, oldest first.
    public var results: [RoundResult]
    /// Lines of chat, oldest first.
    public var chat: [ChatLine]

    public init(epoch: String, revision: Int, results: [RoundResult] = [], chat: [ChatLine] = []) {
        (self.epoch, self.revision, self.results, self.chat) = (epoch, revision, results, chat)
    }
}

extension CatchUp {
    static var blank: Self { Self(epoch: "", revision: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("epoch", &epoch, .epoch, "distinguishes the table from another one of the same name")
        try visitor.required(
            "rev", &revision, .revision, "the revision after the next lines: there are none if it is yours")
        try visitor.optional(
            "results", &results, .upTo(WireLimits.results), absent: [],
            "your rounds that were settled since then, oldest first")
        try visitor.optional("chat", &chat, .upTo(WireLimits.chatLines), absent: [], "chat since then, oldest first")
    }
}

extension RoundResult: WireObject {
    static var blank: Self { Self(round: 0, seat: 1, hands: [], chips: 0) }
    static var definition: Definition.Name? { .result }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("round", &round, .counter, "the round")
        try visitor.required("seat", &seat, .seat, "your seat")
        try visitor.required("hands", &hands, .any, "its hands, in the order of their numbers")
        try visitor.optional("insurance", &insurance, "where you had insured")
        try visitor.required("chips", &chips, .bankroll, "your chips when the round was over")
    }
}

extension RoundResult.Hand: WireObject {
    static var blank: Self { Self(bet: 0, result: .blank) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("bet", &bet, .chips, "all chips bet on it")
        try visitor.required("outcome", &result.outcome, "how it ended")
        try visitor.required("net", &result.net, .net, "chips won, or lost if negative")
    }
}

extension RoundResult.Insurance: WireObject {
    static var blank: Self { Self(bet: 0, net: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("bet", &bet, .chips, "the insurance bet")
        try visitor.required("net", &net, .net, "chips won, or lost if negative")
    }
}
