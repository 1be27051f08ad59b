import Rules

/// A player at the table, in one of as many slots as there are seats. The slot is free while `seats` is empty.
package struct SeatedPlayer: Hashable, Sendable {
    package static let blank = SeatedPlayer()

    package var id = PlayerID(0)
    package var profile = PlayerProfile(name: "")
    /// Chips in front of the player, without open bets.
    package var chips = 0
    var seats = SeatMask()
    package var presence = Presence.connected
    package var isSittingOut = false
    package var isLeaving = false
    /// Whether the player leaves at the end of the round unless they reconnect before.
    package var isReleased = false
    /// Rounds in a row in which others played and this player, present and able to bet, did not.
    package var missedRounds = 0
    /// Time-outs in a row while the player was connected.
    package var timeOuts = 0
    /// When a player who sits out loses the seats. Keeps running after they sit in, until they are dealt a hand.
    package var seatUntil = Timestamp.never
    /// Milliseconds spent from the time bank.
    package var spent = 0
    /// The end of the last charge, or when the player came back: no time before it is charged.
    package var since = Timestamp(milliseconds: 0)

    var isConnected: Bool { presence == .connected }
    /// Whether the table waits for the player's bets.
    var isPresent: Bool { presence != .away }
}

package enum Presence: Hashable, Sendable {
    case connected
    /// Disconnected, and counted as present until the grace period ends.
    case cut(until: Timestamp)
    case away
}

/// A seat: its player, the bet for the next round, and the state of this round.
package struct Seat: Hashable, Sendable {
    package enum Question: UInt8, CaseIterable, Sendable { case notAsked, open, answered }

    /// The player's slot; -1: the seat is free.
    package var player = -1
    /// Chips bet for the next round.
    package var bet = 0
    /// The last shoe in which the seat was dealt a hand.
    package var shoe = 0

    // This round, or the last one.
    package var owner = PlayerID(0)
    /// The bet at the start of the round.
    package var original = 0
    package var handCount = 0
    package var question = Question.notAsked
    package var insurance = 0
    package var insurancePaid = 0
    package var insuranceIsSettled = false

    package init() {}
}

package struct Hand: Sendable {
    package enum State: UInt8, CaseIterable, Sendable { case open, ended, settled }

    var value = HandValue()
    /// Points of one card while the hand is a pair of two cards by the rules; otherwise 0.
    var pairPoints: UInt8 = 0
    package var origin = HandSituation.Origin.dealt
    package var isDoubled = false
    package var state = State.open
    /// Why the hand takes no more cards; valid once it is not open.
    package var end = HandEnd.stood
    package var stake = 0
    /// The hand's settlement; valid once it is settled.
    package var settlement = Settlement(.push, paid: 0)
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

    /// The setter leaves the points at 0: restoring adds them.
    package var ids: [CardID] {
        get { cards.prefix(value) }
        set { (cards, value) = CardStack.faceless(newValue) }
    }
}

extension Hand: Equatable {
    package static let blank = Hand()

    package static func == (a: Hand, b: Hand) -> Bool {
        a.ids == b.ids && a.stake == b.stake && a.origin == b.origin && a.isDoubled == b.isDoubled && a.state == b.state
            && a.end == b.end && (a.state != .settled || a.settlement == b.settlement)
    }
}

/// The dealer's hand; `value` counts the hole card even while it is hidden.
package struct Dealer: Sendable {
    var cards = CardStack()
    var value = HandValue()
    var upCard = Rank.ace
    package var holeIsHidden = false

    mutating func clear() {
        value = HandValue()
        holeIsHidden = false
    }

    mutating func add(_ id: CardID, _ card: Card) {
        cards[Int(value.count)] = id
        value = value.adding(increment: CardIncrements[card])
    }

    /// The setter leaves the points at 0: restoring adds them.
    package var ids: [CardID] {
        get { cards.prefix(value) }
        set { (cards, value) = CardStack.faceless(newValue) }
    }
}

extension Dealer: Equatable {
    package static func == (a: Dealer, b: Dealer) -> Bool {
        a.ids == b.ids && a.value == b.value && a.holeIsHidden == b.holeIsHidden
    }
}

/// A player, as the host knows them. 64 bits, so that a host never reuses one.
@frozen
public struct PlayerID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt64
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// - Parameter number: 0 or more.
    @inlinable
    public init(_ number: some BinaryInteger) { rawValue = UInt64(number) }
}

/// The public data of a player.
public struct PlayerProfile: Hashable, Sendable {
    public var name: String
    /// Bots are labelled as such.
    public var isBot: Bool
    /// Whether the player's client takes part in the ceremonies of shoes.
    public var contributes: Bool

    public init(name: String, isBot: Bool = false, contributes: Bool = false) {
        self.name = name
        self.isBot = isBot
        self.contributes = contributes
    }
}

/// A card's index in its shoe, from 0 in drawing order, burned cards included. Independent of the card's face.
@frozen
public struct CardID: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    public var rawValue: UInt16
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable
    init(_ index: Int) { rawValue = UInt16(truncatingIfNeeded: index) }
    @inlinable
    public static func < (a: CardID, b: CardID) -> Bool { a.rawValue < b.rawValue }
}

/// A hand at the table: its seat, 1…7, and its index among the seat's hands, 0…3, in playing order.
@frozen
public struct HandID: Hashable, Sendable, BitwiseCopyable {
    public var seat: Int
    public var hand: Int
    @inlinable
    public init(seat: Int, hand: Int) {
        self.seat = seat
        self.hand = hand
    }
}

/// A set of seats or player slots, 0…7, in one byte. Iteration visits members only.
package struct SeatMask: Hashable, Sendable {
    package var bits: UInt8 = 0

    var isEmpty: Bool { bits == 0 }

    var count: Int { bits.nonzeroBitCount }

    func contains(_ index: Int) -> Bool { bits & (1 &<< UInt8(truncatingIfNeeded: index)) != 0 }

    mutating func insert(_ index: Int) { bits |= 1 &<< UInt8(truncatingIfNeeded: index) }

    mutating func remove(_ index: Int) { bits &= ~(1 &<< UInt8(truncatingIfNeeded: index)) }

    /// The smallest member above `index`, which may be -1.
    func first(after index: Int) -> Int? {
        let later = bits & ~(UInt8(truncatingIfNeeded: 2 &<< index) &- 1)
        return index < 0 ? (bits == 0 ? nil : bits.trailingZeroBitCount) : later == 0 ? nil : later.trailingZeroBitCount
    }

    func isDisjoint(with other: SeatMask) -> Bool { bits & other.bits == 0 }

    func subtracting(_ other: SeatMask) -> SeatMask { SeatMask(bits: bits & ~other.bits) }
}

extension SeatMask: Sequence, IteratorProtocol {
    package mutating func next() -> Int? {
        guard bits != 0 else { return nil }
        defer { bits &= bits &- 1 }
        return bits.trailingZeroBitCount
    }
}

/// The kind of a phase, in one byte, without its payload.
package enum Stage: UInt8, CaseIterable, Sendable {
    case waiting, betting, dealing, earlySurrender, insurance, playing, dealer, settled, closed
}

/// The phase of a table.
@frozen
public enum Phase: Hashable, Sendable {
    /// Nobody has bet.
    case waiting
    case betting(closes: Timestamp)
    /// Cards are dealt. Never observed between commands.
    case dealing
    /// Every seat with a hand is asked at once whether it surrenders before the dealer looks.
    case earlySurrender(closes: Timestamp)
    /// Every seat with a hand is asked at once about insurance, or even money.
    case insurance(closes: Timestamp)
    case playing(seat: Int, hand: Int, closes: Timestamp)
    /// The dealer plays and settles. Never observed between commands.
    case dealer
    /// Results are visible.
    case settled(until: Timestamp)
    /// The table is closed for good.
    case closed
}

/// Milliseconds since the epoch of the host's clock.
///
/// The table reads no clock: every command carries a timestamp, and timestamps never decrease.
@frozen
public struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Later than every timestamp that occurs.
    package static var never: Timestamp { Timestamp(milliseconds: .max) }

    @inlinable
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

    @inlinable
    public func adding(seconds: Int) -> Timestamp { Timestamp(milliseconds: milliseconds + Int64(seconds) * 1000) }

    @inlinable
    public func adding(milliseconds more: Int) -> Timestamp { Timestamp(milliseconds: milliseconds + Int64(more)) }
}

/// The table's own time limits. Limits that players must know are in the house rules.
public struct Pace: Hashable, Sendable {
    /// Milliseconds from the end of a round until the table is cleared; 0: no pause, and the cards stay visible until the first bet of the
    /// next round.
    public var settledMilliseconds: Int
    /// Sits a present player out after this many rounds in a row without a bet.
    public var missedRounds: Int
    /// Sits a present player out after this many time-outs in a row.
    public var timeOuts: Int
    /// Grace period in milliseconds: a disconnected player counts as present until it ends.
    public var graceMilliseconds: Int
    /// Milliseconds until a player who sits out loses the seat, and until a table without a bet sits everybody out.
    public var sitOutMilliseconds: Int
    /// A new player's time bank, and its maximum: milliseconds that a player may take beyond ``freeMilliseconds``.
    public var bankMilliseconds: Int

    /// Milliseconds of each decision and each betting that are not taken from the bank.
    static let freeMilliseconds = 5000
    /// Rounds in a row after which a present player who cannot make the smallest bet loses the seat.
    static let brokeRounds = 10
    /// Milliseconds added to a bank with each round.
    static let refillMilliseconds = 5000

    public init(
        settledMilliseconds: Int = 3000, missedRounds: Int = 3, timeOuts: Int = 2, graceMilliseconds: Int = 2000,
        sitOutMilliseconds: Int = 600_000, bankMilliseconds: Int = 86_400_000
    ) {
        self.settledMilliseconds = settledMilliseconds
        self.missedRounds = missedRounds
        self.timeOuts = timeOuts
        self.graceMilliseconds = graceMilliseconds
        self.sitOutMilliseconds = sitOutMilliseconds
        self.bankMilliseconds = bankMilliseconds
    }
}
