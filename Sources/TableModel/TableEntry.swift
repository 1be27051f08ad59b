import Rules

/// A visible thing together with what it shows. The kind of the thing decides what it can show, so a mismatch can't be expressed.
public enum TableEntry: Equatable, Sendable {
    /// The round's number, from 1; 0 before the first.
    case round(Int)
    case phase(RoundPhase)
    case clock(Clock)
    case shoe(ShoeStatus)
    case cardsLeft(Int)
    /// Rare and large.
    indirect case closing(ClosingNotice)
    /// Large and never changing, so kept apart from what every entry takes.
    indirect case rules(TableRules)
    case dealerTotal(Total)
    case player(Int, Player)
    case choice(Int, Choice)
    /// Chips.
    case insurance(Int, Int)
    /// Chips.
    case bet(HandIdentifier, Int)
    case total(HandIdentifier, Total)
    case result(HandIdentifier, HandResult)
    /// A card that lies face down shows nothing.
    case card(Int, Card?)
    /// Of a kind that this version does not know: compact JSON, kept for the check value.
    case other(OtherName, String)

    /// Which thing this is.
    public var item: TableItem {
        switch self {
        case .round: .round
        case .phase: .phase
        case .clock: .clock
        case .shoe: .shoe
        case .cardsLeft: .cardsLeft
        case .closing: .closing
        case .rules: .rules
        case .dealerTotal: .dealerTotal
        case .player(let seat, _): .player(seat)
        case .choice(let seat, _): .choice(seat)
        case .insurance(let seat, _): .insurance(seat)
        case .bet(let hand, _): .bet(hand)
        case .total(let hand, _): .total(hand)
        case .result(let hand, _): .result(hand)
        case .card(let id, _): .card(id)
        case .other(let name, _): .other(name)
        }
    }

    /// Whether it stays when the table is cleared, if it is in the section of the table or of a seat.
    var outlivesRound: Bool {
        switch self {
        case .round, .phase, .shoe, .cardsLeft, .closing, .rules, .player, .other: true
        case .clock, .dealerTotal, .choice, .insurance, .bet, .total, .result, .card: false
        }
    }
}

/// Where a round is.
public enum RoundPhase: String, CaseIterable, Sendable {
    /// Nobody has bet yet; no clock runs.
    case waiting
    /// Bets are taken until the clock runs out or every player has bet.
    case betting
    /// Each hand may be given up before the dealer looks for blackjack.
    case surrender
    /// Insurance is offered.
    case insurance
    /// Hands are played, one after the other.
    case playing
    /// Results lie on the table.
    case settled
    /// No more rounds are played here.
    case closed
}

/// A round and how far it is: the two items together.
public struct RoundStatus: Equatable, Sendable {
    /// Counted from 1; 0 before the first round.
    public var number: Int
    public var phase: RoundPhase

    public init(number: Int, phase: RoundPhase) {
        self.number = number
        self.phase = phase
    }
}

public struct Clock: Equatable, Sendable {
    /// When time is up: milliseconds since 1970 on the server's clock.
    public var deadline: Int64

    public init(deadline: Int64) { self.deadline = deadline }
}

public struct ShoeStatus: Equatable, Sendable {
    /// Counted from 1; 0 before the first shuffle.
    public var number: Int
    public var decks: Int
    /// Cards behind the cut card: when fewer remain, the shoe is shuffled before the next round.
    public var behindCutCard: Int

    public init(number: Int, decks: Int, behindCutCard: Int) {
        self.number = number
        self.decks = decks
        self.behindCutCard = behindCutCard
    }
}

/// The player in a seat.
public struct Player: Equatable, Sendable {
    public enum Presence: String, CaseIterable, Sendable {
        /// Plays.
        case here
        /// Keeps the seat but asked not to be dealt in.
        case sittingOut
        /// The connection was lost; the seat is held for a while.
        case away
        /// Leaves when the hand is over.
        case leaving
    }

    public var name: String
    /// Chips not on the table.
    public var chips: Int
    public var presence: Presence
    public var isBot: Bool

    public init(name: String, chips: Int, presence: Presence = .here, isBot: Bool = false) {
        self.name = name
        self.chips = chips
        self.presence = presence
        self.isBot = isBot
    }
}

/// The points of a hand, as the dealer would call them.
public enum Total: Equatable, Sendable {
    /// No ace counts eleven. Above 21 the hand is bust.
    case hard(Int)
    /// One ace counts eleven.
    case soft(Int)
    /// An ace and a ten-valued card as the first two of a hand that is no split one.
    case blackjack

    /// 0…; 21 for a blackjack.
    public var points: Int {
        switch self {
        case .hard(let points), .soft(let points): points
        case .blackjack: 21
        }
    }

    public var isBust: Bool { points > 21 }

    /// `20`, `soft 17`, `blackjack`, `bust 24`.
    public var text: String {
        switch self {
        case .hard(let points): points > 21 ? "bust \(points)" : String(points)
        case .soft(let points): "soft \(points)"
        case .blackjack: "blackjack"
        }
    }

    /// Reads ``text`` back; nil for anything else.
    public init?(text: some StringProtocol) {
        if text == "blackjack" {
            self = .blackjack
        } else if text.hasPrefix("soft "), let points = Int(text.dropFirst(5)), (11...21).contains(points) {
            self = .soft(points)
        } else if text.hasPrefix("bust "), let points = Int(text.dropFirst(5)), (22...31).contains(points) {
            self = .hard(points)
        } else if let points = Int(text), (0...21).contains(points) {
            self = .hard(points)
        } else {
            return nil
        }
        if self.text != text { return nil }
    }
}

/// A question to a player: the actions that are legal, each with the chips it costs.
public struct Choice: Equatable, Sendable {
    public struct Option: Equatable, Sendable {
        public var action: Action
        /// Chips that leave the player's bankroll. For insurance the most that may be bet.
        public var cost: Int

        public init(action: Action, cost: Int) {
            self.action = action
            self.cost = cost
        }
    }

    /// The number of the hand that is asked about, 1…4.
    public var hand: Int
    /// The number of the decision: each has another one, and a question to several seats has one for all.
    public var turn: Int
    public var options: [Option]

    public init(hand: Int, turn: Int, options: [Option]) {
        self.hand = hand
        self.turn = turn
        self.options = options
    }

    /// Whether an action is among the legal ones.
    public func allows(_ action: Action) -> Bool { options.contains { $0.action == action } }
}

/// How a hand ended.
public struct HandResult: Equatable, Sendable {
    public var outcome: Outcome
    /// Chips won (positive) or lost (negative), the stake not counted.
    public var net: Int

    public init(outcome: Outcome, net: Int) {
        self.outcome = outcome
        self.net = net
    }
}
