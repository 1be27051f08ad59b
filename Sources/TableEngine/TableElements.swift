import Rules

/// A player at the table, in one of as many slots as there are seats. The slot is free while `seats` is empty.
struct Player: Hashable, Sendable {
    var id = PlayerID(0)
    var profile = PlayerProfile(name: "")
    /// Chips in front of the player, without open bets.
    var chips = 0
    var seats = SeatMask()
    var presence = Presence.connected
    var isSittingOut = false
    var isLeaving = false
    /// Whether the player leaves at the end of the round unless they reconnect before.
    var isReleased = false
    /// Rounds in a row in which others played and this player, present and able to bet, did not.
    var missedRounds = 0
    /// Time-outs in a row while the player was connected.
    var timeOuts = 0
    /// When a player who sits out loses the seats. Keeps running after they sit in, until they are dealt a hand.
    var seatUntil = Moment.never
    /// Milliseconds missing in the bank.
    var spent = 0
    /// The end of what was charged last, or when the player came back: nothing before it is charged.
    var since = Moment(milliseconds: 0)

    var isConnected: Bool { presence == .connected }
    /// Whether the table waits for the player's bets.
    var isPresent: Bool { presence != .away }
}

enum Presence: Hashable, Sendable {
    case connected
    /// Disconnected, and counted as present until the grace period ends.
    case cut(until: Moment)
    case away
}

/// A seat: its player, the bet for the next round, and the state of this round.
struct Seat: Hashable, Sendable {
    enum Question: UInt8, Sendable { case notAsked, open, answered }

    /// The player's slot; -1: the seat is free.
    var player = -1
    /// Chips bet for the next round.
    var bet = 0
    /// The last shoe in which the seat was dealt a hand.
    var shoe = 0

    // This round, or the last one.
    var owner = PlayerID(0)
    /// The bet at the start of the round.
    var original = 0
    var handCount = 0
    var question = Question.notAsked
    var insurance = 0
    var insurancePaid = 0
    var insuranceIsSettled = false
}

/// A hand of a seat.
struct Hand: Sendable {
    enum State: UInt8, Sendable { case open, ended, settled }

    var value = HandValue()
    /// Points of one card while the hand is a pair of two cards by the rules; otherwise 0.
    var pairPoints: UInt8 = 0
    var origin = HandSituation.Origin.dealt
    var isDoubled = false
    var state = State.open
    /// Why the hand takes no more cards; valid once it is not open.
    var end = HandEnd.stood
    var stake = 0
    /// The hand's settlement; valid once it is settled.
    var settlement = Settlement(.push, paid: 0)
    // Last, so that the fields that every decision reads share a cache line.
    var cards = CardStack()

    mutating func start(stake: Int, origin: HandSituation.Origin) {
        value = HandValue()
        pairPoints = 0
        self.stake = stake
        self.origin = origin
        isDoubled = false
        state = .open
        end = .stood
    }

    mutating func add(_ id: CardID, _ card: Card) {
        cards[Int(value.count)] = id
        value = value.adding(increment: CardIncrements[card])
    }

    mutating func addFirst(_ id: CardID, _ card: Card) {
        cards[0] = id
        value = HandValue().adding(increment: CardIncrements[card])
    }

    /// Adds the second card; equal points make a pair.
    mutating func addSecond(_ id: CardID, _ card: Card) {
        let increment = CardIncrements[card]
        let points = UInt8(truncatingIfNeeded: increment)
        pairPoints = value.hard == points ? points : 0
        cards[1] = id
        value = value.adding(increment: increment)
    }

    var isNatural: Bool { origin == .dealt && value.isTwoCard21 }

    var ids: [CardID] { cards.prefix(Int(value.count)) }
}

extension Hand: Hashable {
    static func == (a: Hand, b: Hand) -> Bool {
        a.ids == b.ids && a.stake == b.stake && a.origin == b.origin && a.isDoubled == b.isDoubled && a.state == b.state
            && a.end == b.end && (a.state != .settled || a.settlement == b.settlement)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ids)
        hasher.combine(stake)
        hasher.combine(state)
        hasher.combine(end)
    }
}

/// The dealer's hand; `value` counts the hole card even while it is hidden.
struct Dealer: Sendable {
    var cards = CardStack()
    var value = HandValue()
    var upCard = Rank.ace
    var holeIsHidden = false

    mutating func clear() {
        value = HandValue()
        holeIsHidden = false
    }

    mutating func add(_ id: CardID, _ card: Card) {
        cards[Int(value.count)] = id
        value = value.adding(increment: CardIncrements[card])
    }

    var ids: [CardID] { cards.prefix(Int(value.count)) }
}

extension Dealer: Hashable {
    static func == (a: Dealer, b: Dealer) -> Bool {
        a.ids == b.ids && a.value == b.value && a.holeIsHidden == b.holeIsHidden
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ids)
        hasher.combine(holeIsHidden)
    }
}
