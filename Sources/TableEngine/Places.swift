import Rules

/// A player at the table, in one of as many places as there are seats; absent while `seats` is empty.
struct Player: Hashable, Sendable {
    var id = PlayerID(0)
    var profile = PlayerProfile(name: "")
    /// What the player has in front of him: all his open bets are taken off.
    var chips = 0
    var seats = SeatMask()
    var presence = Presence.connected
    var isSittingOut = false
    var isLeaving = false
    /// Whether the player goes with the end of the round unless they are back by then.
    var isReleased = false
    /// Rounds in a row that others played and this player, who was there and could have, did not.
    var missedRounds = 0
    /// Decisions in a row that the clock made while the player was there.
    var timeOuts = 0
    /// When a player who sits out loses the seats. Runs on while they sit in again, until they are dealt a hand.
    var seatUntil = Moment.never

    var isConnected: Bool { presence == .connected }
    /// Whether the table waits for the player's bets.
    var isPresent: Bool { presence != .away }
}

enum Presence: Hashable, Sendable {
    case connected
    /// The connection was lost; the player counts as present until then.
    case cut(until: Moment)
    case away
}

/// A seat: whose it is, what is bet for the next round, and what it plays in this one.
struct Seat: Hashable, Sendable {
    enum Question: UInt8, Sendable { case notAsked, open, answered }

    /// The player's place; -1: the seat is free.
    var player = -1
    /// Chips for the next round.
    var bet = 0
    /// The last shoe in which the seat had a hand.
    var shoe = 0

    // This round, or the last one.
    var owner = PlayerID(0)
    /// The bet the round began with.
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
    /// What one card counts while the hand is two cards that the rules call a pair; else 0.
    var pairPoints: UInt8 = 0
    var origin = HandSituation.Origin.dealt
    var isDoubled = false
    var state = State.open
    /// Why the hand takes no more cards; of use once it is not open.
    var end = HandEnd.stood
    var stake = 0
    /// What became of the hand; of use once it is settled.
    var settlement = Settlement(.push, paid: 0)
    // Last, so that what every decision looks at lies together.
    var cards = CardStack()

    @inline(always)
    mutating func start(stake: Int, origin: HandSituation.Origin) {
        value = HandValue()
        pairPoints = 0
        self.stake = stake
        self.origin = origin
        isDoubled = false
        state = .open
        end = .stood
    }

    @inline(always)
    mutating func add(_ id: CardID, _ card: Card) {
        cards[Int(value.count)] = id
        value = value.adding(increment: CardIncrements[card])
    }

    @inline(always)
    mutating func addFirst(_ id: CardID, _ card: Card) {
        cards[0] = id
        value = HandValue().adding(increment: CardIncrements[card])
    }

    /// Adds the second card, and takes two of equal points for a pair.
    @inline(always)
    mutating func addSecond(_ id: CardID, _ card: Card) {
        let increment = CardIncrements[card]
        let points = UInt8(truncatingIfNeeded: increment)
        pairPoints = value.hard == points ? points : 0
        cards[1] = id
        value = value.adding(increment: increment)
    }

    @inline(always)
    var isNatural: Bool { origin == .dealt && value.isTwoCard21 }

    var ids: [CardID] { cards.prefix(Int(value.count)) }
}

extension Hand: Hashable {
    static func == (a: Hand, b: Hand) -> Bool {
        a.ids == b.ids && a.stake == b.stake && a.origin == b.origin && a.isDoubled == b.isDoubled && a.state == b.state
            && a.end == b.end && a.settlement == b.settlement
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ids)
        hasher.combine(stake)
        hasher.combine(state)
        hasher.combine(end)
    }
}

/// The dealer's hand; `value` counts the hole card, seen or not.
struct Dealer: Sendable {
    var cards = CardStack()
    var value = HandValue()
    var upCard = Rank.ace
    var holeIsHidden = false

    @inline(always)
    mutating func clear() {
        value = HandValue()
        holeIsHidden = false
    }

    @inline(always)
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
