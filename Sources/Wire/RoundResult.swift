import Rules
import TableModel

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
        self.round = round
        self.seat = seat
        self.hands = hands
        self.insurance = insurance
        self.chips = chips
    }

    /// Chips won or lost in all, insurance included.
    public var net: Int { hands.reduce(insurance?.net ?? 0) { $0 + $1.result.net } }
}

/// Events that a client missed, with the reply to `resume`.
public struct Missed: Equatable, Sendable {
    /// The player's settled rounds, oldest first.
    public var results: [RoundResult]
    /// Lines of chat, oldest first.
    public var chat: [ChatLine]

    public init(results: [RoundResult] = [], chat: [ChatLine] = []) {
        self.results = results
        self.chat = chat
    }

    public var isEmpty: Bool { results.isEmpty && chat.isEmpty }
}

extension Missed {
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional(
            "results", &results, .upTo(WireLimits.results), absent: [],
            "your rounds that were settled since, oldest first")
        try visitor.optional("chat", &chat, .upTo(WireLimits.chatLines), absent: [], "what was said since, oldest first")
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
        try visitor.required("bet", &bet, .chips, "all chips that were on it")
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
