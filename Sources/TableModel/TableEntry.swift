import Rules

/// The identifier of a visible item. It says nothing about the content, which is a ``TableEntry``.
public enum TableItem: Hashable, Sendable {
    /// The round's number.
    case round
    /// The phase of the round.
    case phase
    /// The current deadline; absent without one.
    case clock
    /// The shoe's constant figures.
    case shoe
    /// The number of cards left in the shoe.
    case cardsLeft
    /// The cards seen since the shuffle; absent without the house rule `assist`.
    case seen
    /// How the order of the shoe in play was made; absent before the first shoe, and where shoes have no ceremony.
    case fairShoe
    /// The ceremony of the coming shoe; absent where shoes have none.
    case nextShoe
    /// The closing notice; absent while the table stays open.
    case closing
    /// The owner's pause; absent while clocks run.
    case pause
    /// The owner's match; absent without one.
    case match
    /// The house rules.
    case rules
    /// The dealer's total.
    case dealerTotal
    /// The player of a seat, 1…7.
    case player(Int)
    /// The question to the player of a seat, 1…7; absent without one.
    case choice(Int)
    /// The insurance bet of a seat, 1…7.
    case insurance(Int)
    /// The result of the insurance of a seat, 1…7.
    case insuranceResult(Int)
    /// The bet on a hand.
    case bet(HandIdentifier)
    /// The total of a hand.
    case total(HandIdentifier)
    /// The result of a hand.
    case result(HandIdentifier)
    /// A card, by its index in the shoe, which says nothing about its face. Stable when the card is turned and when a split moves
    /// it.
    case card(Int)
    /// An item of a kind unknown to this version.
    case other(OtherName)

    /// Where it lies; nil for a card, which says so in its content.
    var section: TableSection? {
        switch self {
        case .round, .phase, .clock, .shoe, .cardsLeft, .seen, .fairShoe, .nextShoe, .closing, .pause, .match, .rules, .other:
            .table
        case .dealerTotal: .dealer
        case .player(let seat), .choice(let seat), .insurance(let seat), .insuranceResult(let seat): .seat(seat)
        case .bet(let hand), .total(let hand), .result(let hand): .hand(hand)
        case .card: nil
        }
    }
}

/// A visible item with its content. The case determines the content type, so a mismatch cannot be expressed.
public enum TableEntry: Equatable, Sendable {
    /// The round's number, from 1; 0 before the first.
    case round(Int)
    case phase(RoundPhase)
    case clock(Clock)
    case shoe(ShoeStatus)
    case cardsLeft(Int)
    case seen(SeenCards)
    /// Rare and large: boxed, so that other entries stay small.
    indirect case fairShoe(FairShoe)
    /// Rare and large: boxed, so that other entries stay small.
    indirect case nextShoe(NextShoe)
    /// Rare and large: boxed, so that other entries stay small.
    indirect case closing(ClosingNotice)
    /// Rare and large: boxed, so that other entries stay small.
    indirect case pause(TablePause)
    /// Rare and large: boxed, so that other entries stay small.
    indirect case match(TableMatch)
    /// Constant and large: boxed, so that other entries stay small.
    indirect case rules(TableRules)
    case dealerTotal(Total)
    case player(Int, Player)
    case choice(Int, Choice)
    /// Chips.
    case insurance(Int, Int)
    /// Chips won, or lost if negative.
    case insuranceResult(Int, Int)
    /// Chips.
    case bet(HandIdentifier, Int)
    case total(HandIdentifier, Total)
    case result(HandIdentifier, HandResult)
    /// The number, the dealer's section or a hand's, and the face; nil: the card is face down.
    case card(Int, TableSection, Card?)
    /// An item of a kind unknown to this version: compact JSON, kept for the check value.
    case other(OtherName, String)

    /// The identifier of this item.
    public var item: TableItem {
        switch self {
        case .round: .round
        case .phase: .phase
        case .clock: .clock
        case .shoe: .shoe
        case .cardsLeft: .cardsLeft
        case .seen: .seen
        case .fairShoe: .fairShoe
        case .nextShoe: .nextShoe
        case .closing: .closing
        case .pause: .pause
        case .match: .match
        case .rules: .rules
        case .dealerTotal: .dealerTotal
        case .player(let seat, _): .player(seat)
        case .choice(let seat, _): .choice(seat)
        case .insurance(let seat, _): .insurance(seat)
        case .insuranceResult(let seat, _): .insuranceResult(seat)
        case .bet(let hand, _): .bet(hand)
        case .total(let hand, _): .total(hand)
        case .result(let hand, _): .result(hand)
        case .card(let id, _, _): .card(id)
        case .other(let name, _): .other(name)
        }
    }

    /// Where it lies: a card says so, and of any other the name tells it.
    public var section: TableSection {
        if case .card(_, let section, _) = self { section } else { item.section ?? .table }
    }

    /// The order of entries within a section. Cards sort by id, which is the order dealt, between a total and a result.
    var rank: Int {
        switch self {
        case .round, .player, .bet: 0
        case .phase, .choice, .dealerTotal, .total: 1
        case .clock, .insurance: 2
        case .shoe, .insuranceResult: 3
        case .cardsLeft: 4
        case .seen: 5
        case .fairShoe: 6
        case .nextShoe: 7
        case .closing: 8
        case .pause: 9
        case .match: 10
        case .rules: 11
        case .card(let id, _, _): 2 + id
        // Unknown entries lie behind the rules, by name.
        case .result, .other: .max
        }
    }

    /// Whether it lies before another of its section.
    func precedes(_ other: TableEntry) -> Bool {
        if case .other(let name, _) = self, case .other(let next, _) = other { return name < next }
        return rank < other.rank
    }

    /// Whether it stays when the table is cleared.
    var outlivesRound: Bool {
        switch self {
        case .round, .phase, .shoe, .cardsLeft, .seen, .fairShoe, .nextShoe, .closing, .pause, .match, .rules, .player,
            .other:
            true
        case .clock, .dealerTotal, .choice, .insurance, .insuranceResult, .bet, .total, .result, .card: false
        }
    }
}

/// The phase of a round.
public enum RoundPhase: String, CaseIterable, Sendable {
    /// Nobody has bet; no clock runs.
    case waiting
    /// Bets are open until the deadline, or until every player has bet.
    case betting
    /// Each hand may surrender before the dealer looks for blackjack.
    case surrender
    /// Insurance is offered.
    case insurance
    /// Hands are played, one at a time.
    case playing
    /// Results are visible.
    case settled
    /// The table is closed for good.
    case closed
}

/// The number and phase of a round: two items in one.
public struct RoundStatus: Equatable, Sendable {
    /// Counted from 1; 0 before the first round.
    public var number: Int
    public var phase: RoundPhase

    public init(number: Int, phase: RoundPhase) {
        self.number = number
        self.phase = phase
    }

    /// Whether a round whose bets, cards or results lie on the table is over at a later status. In `betting` that is the next one; without
    /// a pause after a round, its cards lie on in `waiting`.
    func isOver(at next: RoundStatus) -> Bool {
        let own = phase == .betting ? number + 1 : number
        return next.number > own || next.number == own && next.phase == .betting
    }
}

public struct Clock: Equatable, Sendable {
    /// The deadline, in milliseconds since 1970 on the server's clock.
    public var deadline: Int64

    public init(deadline: Int64) { self.deadline = deadline }
}

public struct ShoeStatus: Equatable, Sendable {
    /// Counted from 1; 0 before the first shuffle.
    public var number: Int
    public var decks: Int
    /// The number of cards behind the cut card. With fewer left, the shoe is shuffled before the next round.
    public var behindCutCard: Int

    public init(number: Int, decks: Int, behindCutCard: Int) {
        self.number = number
        self.decks = decks
        self.behindCutCard = behindCutCard
    }
}

/// The cards of each rank that have lain face up since the shuffle. Burned cards and hole cards never shown do not count.
public struct SeenCards: Sendable {
    /// By rank, the ace first. A byte each, so that an entry stays small and a change allocates nothing.
    public private(set) var counts = InlineArray<13, UInt8>(repeating: 0)

    public init() {}

    /// - Parameter counts: of 13 ranks.
    public init(_ counts: some Collection<UInt8>) {
        precondition(counts.count == 13, "there are 13 ranks")
        for (index, count) in counts.enumerated() { self.counts[index] = count }
    }

    public subscript(rank: Rank) -> Int { Int(counts[Int(rank.rawValue)]) }

    /// Counts a card. A rank stops at 255, which only corrupt records reach.
    public mutating func add(_ card: Card) {
        let index = Int(card.rank.rawValue)
        if counts[index] < .max { counts[index] += 1 }
    }
}

extension SeenCards: Equatable {
    public static func == (one: Self, other: Self) -> Bool {
        one.counts.indices.allSatisfy { one.counts[$0] == other.counts[$0] }
    }
}

/// The player in a seat.
public struct Player: Equatable, Sendable {
    public enum Presence: String, CaseIterable, Sendable {
        /// Plays.
        case here
        /// Keeps the seat without being dealt in.
        case sittingOut
        /// Disconnected; the seat is held for a limited time.
        case away
        /// Leaves after the hand.
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

/// The points of a hand.
public enum Total: Equatable, Sendable {
    /// No ace counts eleven. Above 21 the hand is bust.
    case hard(Int)
    /// One ace counts eleven.
    case soft(Int)
    /// An ace and a ten-valued card as the first two cards of a hand that was not split.
    case blackjack

    package init(_ value: HandValue, mayBeBlackjack: Bool) {
        if mayBeBlackjack && value.isTwoCard21 {
            self = .blackjack
        } else {
            self = value.isSoft ? .soft(value.total) : .hard(value.total)
        }
    }

    /// 0 or more; 21 for a blackjack.
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
}

/// A question to a player: the legal actions with their costs.
public struct Choice: Equatable, Sendable {
    public struct Option: Equatable, Sendable {
        public var action: Action
        /// Chips taken from the bankroll. For insurance, the maximum.
        public var cost: Int

        public init(action: Action, cost: Int) {
            self.action = action
            self.cost = cost
        }
    }

    /// The number of the hand asked, 1…4.
    public var hand: Int
    /// The number of the decision, unique at the table. A question to several seats has one number.
    public var turn: Int
    public var options: [Option]

    public init(hand: Int, turn: Int, options: [Option]) {
        self.hand = hand
        self.turn = turn
        self.options = options
    }

    /// Whether an action is legal.
    public func allows(_ action: Action) -> Bool { options.contains { $0.action == action } }
}

/// The result of a hand.
public struct HandResult: Equatable, Sendable {
    public var outcome: Outcome
    /// Chips won (positive) or lost (negative), without the stake.
    public var net: Int

    public init(outcome: Outcome, net: Int) {
        self.outcome = outcome
        self.net = net
    }
}

/// The house rules as shown by a table: rules that differ from the default, and the digest of all rules.
public struct TableRules: Equatable, Sendable {
    /// A rule of a newer server, unknown to this version.
    public struct Other: Equatable, Sendable {
        public var key: String
        /// Compact JSON.
        public var value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    public var rules: HouseRules
    /// The SHA-256 of ``HouseRules/canonicalText``, in hexadecimal digits.
    public var digest: String
    /// Sorted by key.
    public var others: [Other]

    public init(_ rules: HouseRules, digest: String, others: [Other] = []) {
        self.rules = rules
        self.digest = digest
        self.others = others
    }
}

/// The reason and deadline of a table that closes, visible to everybody from the decision on.
public struct ClosingNotice: Hashable, Sendable {
    public enum Cause: String, CaseIterable, Sendable {
        /// The host removes this table.
        case table
        /// The server stops.
        case server
    }

    public var cause: Cause
    /// When a round still in play is aborted and its bets are returned: milliseconds since 1970 on the server's clock; nil: never.
    public var deadline: Int64?
    /// Free text of the host; empty for none.
    public var reason: String

    public init(_ cause: Cause = .table, deadline: Int64? = nil, reason: String = "") {
        self.cause = cause
        self.deadline = deadline
        self.reason = reason
    }
}

/// A pause of the table's owner: no clock of the table runs, and what is asked may be answered.
public struct TablePause: Hashable, Sendable {
    /// The owner's name.
    public var by: String
    /// The owner's words; empty for none.
    public var reason: String
    /// When it ends at the latest: milliseconds since 1970 on the server's clock.
    public var until: Int64

    public init(by: String, reason: String = "", until: Int64) { (self.by, self.reason, self.until) = (by, reason, until) }
}

/// A match of the table's owner: a ranking of people by the chips that they win from one round on.
public struct TableMatch: Hashable, Sendable {
    /// One of the best.
    public struct Lead: Hashable, Sendable {
        public var name: String
        /// Chips won in all; negative: lost.
        public var net: Int

        public init(name: String, net: Int) { (self.name, self.net) = (name, net) }
    }

    /// People listed at most.
    public static let leads = 3

    /// Rounds that have counted; the match is over with the last of ``rounds``.
    public var round: Int
    public var rounds: Int
    /// The best first; equal ones share a place.
    public var leads: [Lead]

    public init(round: Int, rounds: Int, leads: [Lead]) { (self.round, self.rounds, self.leads) = (round, rounds, leads) }
}
