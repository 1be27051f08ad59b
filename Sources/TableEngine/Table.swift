import Fairness
import Rules
import TableModel

/// A blackjack table as a value: a state machine from (command, time) to facts or a typed rejection.
///
/// `perform` first runs all time-outs that are due, then checks the command, and emits facts. Only ``apply(_:)`` changes the
/// table, and it has no input besides the fact, so the facts of a table, applied in order to an empty table with the same
/// rules, give the same table: replay after a crash, the audit and the simulator rely on this. A rejected command emits no
/// fact of its own; facts of the time-outs before it stand.
///
/// Time and entropy are arguments, and equal inputs give equal facts. The chips at the table and the house's net win always
/// add up to the chips that were brought and not taken away (``surplus`` is 0). Public properties never show a face-down card.
/// Copies are copy-on-write.
public struct Table: @unchecked Sendable {  // `state` is mutated only after `own()`, which makes this the only reference
    private(set) var state: TableState

    /// An empty table.
    public init(rules: HouseRules, pace: Pace = Pace()) {
        state = TableState(rules: rules, pace: pace)
    }

    init(_ state: TableState) { self.state = state }

    mutating func own() {
        if !isKnownUniquelyReferenced(&state) { state = TableState(copying: state) }
    }

    /// Changes the pace between two commands. Running clocks keep their remaining time; see ``Pace``.
    package mutating func change(to pace: Pace, at now: Timestamp) {
        let former = state.pace
        state = TableState(copying: state, pace: pace)
        state.paceChanged(from: former, now)
    }

    /// Runs due time-outs, then performs a command; ``Command/postpone(by:)`` alone goes before the time-outs.
    ///
    /// - Parameters:
    ///   - now: the arrival time, not earlier than any before. A command at or after a deadline sees the table after the time-out.
    ///   - sink: receives the facts in order, those of time-outs even if the command is refused.
    /// - Throws: a `Rejection`; the command then has no effect.
    @specialized(where Sink == NoFacts)
    @specialized(where Sink == RoundTally)
    @specialized(where Sink == FactList)
    public mutating func perform<Sink: FactSink>(
        _ command: Command, at now: Timestamp, into sink: inout Sink
    ) throws(Rejection) {
        own()
        try state.perform(command, at: now, into: &sink)
    }

    /// Checks a command without performing it.
    ///
    /// - Throws: the `Rejection` that `perform` would throw.
    public func validate(_ command: Command, at now: Timestamp) throws(Rejection) {
        var later = self
        var sink = NoFacts()
        try later.perform(command, at: now, into: &sink)
    }

    /// Runs due time-outs.
    ///
    /// The next deadline counts from `now`, so a late call does not shorten a player's time.
    public mutating func advance<Sink: FactSink>(to now: Timestamp, into sink: inout Sink) {
        guard state.isSomethingDue(at: now) else { return }
        own()
        state.advance(to: now, into: &sink)
    }

    /// - Precondition: facts of this table, in order.
    public mutating func apply(_ fact: Fact) {
        own()
        state.apply(fact)
    }
}

extension Table: Equatable {
    public static func == (a: Table, b: Table) -> Bool { a.state === b.state || a.state.isEqual(to: b.state) }
}

// MARK: - Decisions

/// The input of a decision: the hand asked, its player, and the legal actions.
@frozen
public struct Decision: Sendable {
    public var hand: HandID
    public var player: PlayerID
    public var value: HandValue
    /// Points of one card of the hand, if it is a pair.
    public var pair: Int?
    public var upCard: Rank
    public var legal: ActionSet
}

/// A decision and all that the values of its actions depend on, by what anybody at the table sees.
package struct OpenDecision: Sendable {
    package let rules: HouseRules
    package let turn: Int
    package let asked: Decision
    package let situation: HandSituation
    package let cards: [Rank]
    /// The actions after early surrender is declined; nil where it is not asked.
    package let playing: ActionSet?
    /// With the house rule `assist`.
    package let seen: SeenCards
}

extension Table {
    /// The decision asked in phase `playing`; nil in every other phase.
    public var decision: Decision? {
        guard case .playing(let seat, let hand, _) = state.phase else { return nil }
        return state.decision(seat - 1, hand, legal: state.core.turnActions)
    }

    /// The question open to a seat, from 1; nil when it is not asked or has answered.
    public func question(seat: Int) -> Decision? {
        guard state.core.playing.contains(seat - 1), state.seats[seat - 1].question == .open else { return nil }
        return state.decision(seat - 1, 0, legal: state.answers(seat - 1))
    }

    /// A player's decision, at the seat named or the only one.
    /// - Throws: that it is over, or not the player's.
    package func openDecision(
        _ turn: Int, of player: PlayerID, seat named: Int?
    ) throws(Rejection) -> OpenDecision {
        let seat = try state.own(named, of: state.checkSeated(player)) + 1
        let asked = decision.flatMap { $0.hand.seat == seat ? $0 : nil } ?? question(seat: seat)
        guard let asked, turn == self.turn, !asked.legal.isEmpty else { throw .staleTurn(turn) }
        let situation = state.situation(seat - 1, asked.hand.hand)
        return OpenDecision(
            rules: rules, turn: turn, asked: asked, situation: situation,
            cards: state.hand(seat - 1, asked.hand.hand).pointee.ids.map { state.core.shoe[$0].rank },
            playing: state.core.stage == .earlySurrender ? rules.legalActions(for: situation) : nil, seen: state.core.seen)
    }

    /// The cards that are gone when the next round begins: none where that begins with a shuffle.
    /// - Throws: in a round, and where the table does not help those who count.
    package func seenBeforeRound() throws(Rejection) -> SeenCards {
        guard rules.assist else { throw .noAssist }
        guard !state.isInRound else { throw .roundInPlay }
        return state.shufflesNext ? SeenCards() : state.core.seen
    }

    /// Calls `body` with each legal action of a seat, from 1, and the chips that may be added, 0...0 for none, without allocating. A seat that
    /// is not asked has no action.
    package func forEachLegalAction(seat: Int, _ body: (Action, ClosedRange<Int>) -> Void) {
        if let decision, decision.hand.seat == seat {
            let situation = state.situation(seat - 1, decision.hand.hand)
            for action in decision.legal.inOrder {
                switch action {
                case .double: body(action, closed(state.rules.doubleAmounts(for: situation)))
                case .split: body(action, situation.bet...situation.bet)
                default: body(action, 0...0)
                }
            }
            return
        }
        guard let question = question(seat: seat) else { return }
        let chips = state.players[state.seats[seat - 1].player].chips
        let insurance = state.rules.insuranceAmounts(bet: state.seats[seat - 1].original, bankroll: chips)
        for action in question.legal.inOrder { body(action, action == .insurance ? closed(insurance) : 0...0) }
    }

    /// A range is empty only after damaged records, in which the chips for an open question are gone.
    private func closed(_ range: Range<Int>) -> ClosedRange<Int> {
        range.isEmpty ? 0...0 : range.lowerBound...range.upperBound - 1
    }

    // MARK: View

    public var rules: HouseRules { state.rules }
    public var pace: Pace { state.pace }
    public var phase: Phase { state.phase }
    /// Rounds begun so far.
    public var round: Int { state.core.round }
    /// The number of the last question.
    package var turn: Int { state.core.turn }
    /// The house's net win in chips; negative: lost.
    public var houseNet: Int { state.core.houseNet }
    /// Chips brought to the table so far.
    package var broughtIn: Int { state.core.broughtIn }
    /// Chips taken from the table so far.
    package var takenOut: Int { state.core.takenOut }
    /// Whether this round is the last.
    public var isClosing: Bool { state.core.isClosing }

    /// When the phase ends by itself, as shown to players; nil: only a command ends it. Betting that waits for a shoe ends with its
    /// ceremony at the latest.
    public var deadline: Timestamp? { state.deadline }

    /// When the next timer is due, including those of single players; nil: none runs.
    public var nextEvent: Timestamp? { state.nextEvent }

    /// Whether a table without ceremonies has no source for its next shuffle.
    public var needsShoeSource: Bool { !state.core.hasCeremonies && state.core.nextSource == nil && state.core.stage != .closed }

    public var playerViews: [PlayerView] { state.core.present.map(playerView) }

    package func playerView(_ id: PlayerID) -> PlayerView? { state.slot(of: id).map(playerView) }

    /// The chips of a player, without open bets; nil without a seat.
    public func bankroll(of player: PlayerID) -> Int? { state.slot(of: player).map { state.players[$0].chips } }

    /// Whether a player has less than the smallest bet, and nothing bet or in play.
    package func isBroke(_ player: PlayerID) -> Bool { state.isBroke(player) }

    private func playerView(slot: Int) -> PlayerView {
        let player = state.players[slot]
        return PlayerView(
            id: player.id, profile: player.profile, bankroll: player.chips, seats: player.seats.map { $0 + 1 },
            isConnected: player.isConnected, isAway: !player.isPresent, isSittingOut: player.isSittingOut,
            isLeaving: player.isLeaving,
            missedRounds: player.missedRounds)
    }

    /// The player of a seat, from 1; nil: it is free.
    public func player(seat: Int) -> PlayerID? {
        let slot = state.seats[seat - 1].player
        return slot < 0 ? nil : state.players[slot].id
    }

    /// The number of hands on the table at a seat, from 1; for results see ``settledHand(_:)``.
    public func handCount(seat: Int) -> Int { state.seats[seat - 1].handCount }

    /// The owner of the hands at a seat, from 1; nil without hands.
    public func owner(seat: Int) -> PlayerID? {
        state.seats[seat - 1].handCount > 0 ? state.seats[seat - 1].owner : nil
    }

    /// The owner of each seat with a hand.
    package var owners: some Sequence<PlayerID> { (1...rules.seats).lazy.compactMap { owner(seat: $0) } }

    /// The stake and settlement of a hand; nil until it is settled.
    public func settledHand(_ id: HandID) -> (stake: Int, settlement: Settlement)? {
        let hand = TableState.handIndex(id.seat - 1, id.hand)
        guard state.hands[hand].state == .settled else { return nil }
        return (state.hands[hand].stake, state.hands[hand].settlement)
    }

    /// The insurance bet of a seat, from 1, and the chips returned for it; nil without insurance or until it is settled.
    public func settledInsurance(seat: Int) -> (stake: Int, paid: Int)? {
        let seat = state.seats[seat - 1]
        guard seat.handCount > 0, seat.insurance > 0, seat.insuranceIsSettled else { return nil }
        return (seat.insurance, seat.insurancePaid)
    }

    /// The number of the dealer's cards, the hole card included.
    var dealerCardCount: Int { Int(state.core.dealer.value.count) }

    /// A card of the dealer. The hole card has no face until it is revealed.
    func dealerCard(_ index: Int) -> (id: CardID, card: Card?) {
        let id = state.core.dealer.cards[index]
        return (id, index == 1 && state.core.dealer.holeIsHidden ? nil : state.core.shoe[id])
    }

    /// The value of the dealer's face-up cards.
    public var dealerValue: HandValue {
        state.core.dealer.holeIsHidden ? HandValue().adding(state.core.dealer.upCard) : state.core.dealer.value
    }

    /// Cards drawn from the shoe, burned ones included; for statistics only.
    package var cardsDrawn: Int { state.core.shoe.drawn }

    /// Whether the next round begins with a shuffle; for statistics only.
    package var isShuffleDue: Bool { state.shuffleIsDue }

    /// The sum of the tags, by rank, of the cards drawn from an index of the shoe on; for statistics only.
    package func sum(of tags: [Int], drawnFrom first: Int) -> Int {
        var sum = 0
        for index in first..<cardsDrawn { sum += tags[Int(state.core.shoe.order[index].rank.rawValue)] }
        return sum
    }

    /// Makes the next round begin with a shuffle; for statistics only.
    package mutating func endShoe() {
        own()
        state.core.shoe.end()
    }

    /// Chips on the table: bets for the next round, and unsettled stakes and insurance.
    public var chipsAtStake: Int {
        var sum = 0
        for number in 1...rules.seats {
            let seat = state.seats[number - 1]
            sum += seat.bet
            if seat.handCount > 0, !seat.insuranceIsSettled { sum += seat.insurance }
            for hand in 0..<seat.handCount where state.hands[TableState.handIndex(number - 1, hand)].state != .settled {
                sum += state.hands[TableState.handIndex(number - 1, hand)].stake
            }
        }
        return sum
    }

    // MARK: Ceremony

    /// Whether shoes are made in ceremonies; see ``Command/beginCeremonies(table:)``.
    public var hasCeremonies: Bool { state.core.hasCeremonies }

    /// Whether the table waits for ``Command/supplySecret(_:)``: there is no ceremony of the coming shoe.
    public var needsSecret: Bool {
        state.core.hasCeremonies && state.core.stage != .closed && state.ceremonies?.next == nil
    }

    /// The proof of a shoe whose secret is revealed, one of the last 8; nil for every other. A closed table proves its coming shoe too.
    /// - Parameter shoe: its number, with continuous shuffling that of the first of 32; nil: the last one that was played.
    package func proven(shoe: Int?) -> ProvenShoe? {
        guard let shoe else { return state.ceremonies?.proofs.last }
        return proofsLeft.last { $0.proof.shoe == shoe }
    }

    /// The digest of the coming shoe's list once it is closed.
    package var closedList: Digest? { state.ceremonies?.next?.list }

    /// The proofs of the last shoes whose secret is revealed, oldest first.
    package var proofs: [ProvenShoe] { state.ceremonies?.proofs ?? [] }

    /// ``proofs``, and at a closed table the proof of its coming shoe: players have revealed for it although it will not be played.
    package var proofsLeft: [ProvenShoe] { (proofOfUnplayed.map { [$0] } ?? []) + proofs }

    private var proofOfUnplayed: ProvenShoe? { state.core.stage == .closed ? state.ceremonies?.proofOfNext : nil }

    /// The server's secrets and the ceremonies' keys of the shoe in play and of the coming one.
    package var unrevealed: [[UInt8]] {
        guard let ceremonies = state.ceremonies else { return [] }
        var bytes: [[UInt8]] = []
        if let next = ceremonies.next, proofOfUnplayed == nil { bytes += [next.secret.bytes, next.key?.bytes ?? []] }
        if let played = ceremonies.played, !played.isRevealed { bytes += [played.attempt.secret.bytes, played.key.bytes] }
        return bytes
    }

    /// As shown by the table; nil before the first shoe of a ceremony.
    package var fairShoe: FairShoe? { state.ceremonies?.played?.shown }

    /// As shown by the table.
    package var nextShoe: NextShoe? {
        state.ceremonies?.shownNext(until: state.core.ceremonyDue == .never ? nil : state.core.ceremonyDue)
    }

    // MARK: Saved

    /// The complete state of a table. Derived masks and points are recomputed.
    ///
    /// Taken between commands: no round is being dealt or settled.
    package struct Saved: Equatable, Sendable {
        package var rules: HouseRules
        package var pace: Pace
        package var core: TableCore
        /// nil: shoes are supplied.
        package var ceremonies: SavedCeremonies?
        package var debts: [Debt] = []
        package var players: [SavedPlayer] = []
        /// Seats that differ from an empty table's.
        package var seats: [SavedSeat] = []
    }

    package struct SavedPlayer: Equatable, Sendable {
        package static let blank = Self(slot: 0, state: .blank)
        package var slot: Int
        package var state: SeatedPlayer
    }

    package struct SavedSeat: Equatable, Sendable {
        package static let blank = Self(seat: 0, state: Seat(), hands: [])
        /// From 0.
        package var seat: Int
        /// Its count of hands is that of `hands`.
        package var state: Seat
        package var hands: [Hand]
    }

    /// The state to save, between two commands.
    package var saved: Saved { state.saved }

    /// Restores a table, which behaves exactly as the saved one.
    /// - Throws: the field that no table can have.
    package init(_ saved: Saved) throws(SavedTableError) {
        let state = TableState(rules: saved.rules, pace: saved.pace)
        try state.restore(saved)
        self.init(state)
    }

    // MARK: Inspection

    /// All chips at the table: in front of the players, and at stake.
    public var chipsOnTable: Int { playerViews.reduce(chipsAtStake) { $0 + $1.bankroll } }

    /// Chips at the table and of the house beyond those brought and not taken away: 0, unless corrupt facts were replayed.
    package var surplus: Int {
        var chips = chipsAtStake &+ houseNet &- broughtIn &+ takenOut
        for slot in state.core.present { chips &+= state.players[slot].chips }
        return chips
    }

    /// The seats of a player, from 1, in order.
    public func seats(of player: PlayerID) -> [Int] { playerView(player)?.seats ?? [] }
}

extension Table.Saved {
    /// A table to decode into.
    package static let blank = Self(rules: HouseRules(), pace: Pace(), core: TableCore(shoe: Shoe(HouseRules())))
}

extension ActionSet {
    /// The members in ascending order, without allocating.
    fileprivate var inOrder: some Sequence<Action> {
        SeatMask(bits: rawValue).lazy.compactMap { Action(rawValue: UInt8(truncatingIfNeeded: $0)) }
    }
}

/// The scalar state of a table.
package struct TableCore: Equatable, Sendable {
    package var stage = Stage.waiting
    package var actingSeat: UInt8 = 0
    package var actingHand: UInt8 = 0
    /// The acting hand, its seat from 0; valid while `stage` is `playing`.
    var acting: (seat: Int, hand: Int) { (Int(actingSeat), Int(actingHand)) }
    /// When `stage` ends by itself; in `waiting`, when everybody sits out.
    package var due = Timestamp.never
    /// Rounds begun so far.
    package var round = 0
    /// Decisions asked so far: the number of the current or last one.
    package var turn = 0
    // Chip totals wrap around instead of trapping: conservation holds modulo 2^64.

    /// The house's net win; negative: lost.
    package var houseNet = 0
    /// Chips brought to the table.
    package var broughtIn = 0
    /// Chips taken from the table.
    package var takenOut = 0
    /// Whether this round is the last.
    package var isClosing = false
    /// The reason for closing; nil while the table stays open.
    package var closing: ClosingNotice?
    /// The legal actions of the acting hand; valid while `stage` is `playing`.
    package var turnActions: ActionSet = []
    /// Slots of `players` in use.
    var present = SeatMask()
    /// Seats with a player.
    var taken = SeatMask()
    /// Players that have missed a round or sat out. May include some that have played since.
    package var idle = SeatMask()
    /// Players that are leaving or released.
    var leaving = SeatMask()
    /// Players whose last decision was a time-out.
    var late = SeatMask()
    /// Players with a timer of their own: disconnected, or sitting out.
    var clocked = SeatMask()
    /// Players whose bank is not full.
    var spenders = SeatMask()
    /// The end of the free time of the last betting or decision; `never` before the first.
    package var freeUntil = Timestamp.never
    /// Seats with a bet for the next round.
    var bets = SeatMask()
    /// Seats that play this round, or played the last one.
    var playing = SeatMask()
    /// Blackjacks of players in this round, whatever their outcome.
    package var naturals = 0
    /// Hands of this round that stand against the dealer or may still do so.
    package var liveHands = 0
    /// Seats of this round with unsettled insurance.
    var insured = SeatMask()
    package var dealer = Dealer()
    package var shoe: Shoe
    /// None without the house rule `assist`.
    package var seen = SeenCards()
    /// The source of the next shuffle.
    package var nextSource: ShoeSource?
    /// Whether shoes are made in ceremonies.
    var hasCeremonies = false
    /// When the stage of the ceremony ends by itself.
    var ceremonyDue = Timestamp.never
}

/// A saved value that no table can have.
package struct SavedTableError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the value.
    package let field: String

    init(_ field: String) { self.field = field }

    package var description: String { "invalid \(field) of a table" }
}
