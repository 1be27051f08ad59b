import Rules
import TableModel

/// What a round that is over came to for one seat of a player.
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
    /// Chips that the player had when the round was over.
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

/// What comes with the reply to `resume` besides the table.
public struct Missed: Equatable, Sendable {
    /// The player's own rounds that were settled since, oldest first.
    public var results: [RoundResult]
    /// What was said since.
    public var chat: [ChatLine]

    public init(results: [RoundResult] = [], chat: [ChatLine] = []) {
        self.results = results
        self.chat = chat
    }

    public var isEmpty: Bool { results.isEmpty && chat.isEmpty }
}

/// Something that the host has done to somebody at a table.
public struct HostNotice: Equatable, Sendable {
    /// A player was sent home.
    public static let kicked = "kicked"

    /// What was done: ``kicked``, unless the server is newer.
    public var kind: String
    /// The player.
    public var name: String
    /// In the host's words; nil for none.
    public var reason: String?
    /// When, in milliseconds since 1970 on the server's clock.
    public var time: Int64

    public init(_ kind: String, name: String, reason: String? = nil, time: Int64) {
        self.kind = kind
        self.name = name
        self.reason = reason
        self.time = time
    }
}
