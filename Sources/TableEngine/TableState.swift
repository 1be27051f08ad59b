import Rules
import TableModel

/// The storage of a `Table`, which gives it value semantics.
///
/// A class over plain memory: a struct of this size would be copied on reads.
final class TableState {
    let rules: HouseRules
    let pace: Pace
    // Plain memory: a stored `core` checks exclusivity at each access, 43 % more instructions per round (bjbench engine, one seat).
    private let coreMemory: UnsafeMutablePointer<TableCore>
    /// `rules.seats` slots.
    let players: UnsafeMutablePointer<SeatedPlayer>
    /// `rules.seats` seats.
    let seats: UnsafeMutablePointer<Seat>
    /// `handsPerSeat` for each seat.
    let hands: UnsafeMutablePointer<Hand>
    /// nil: shoes are supplied. Outside the core, whose copies and comparisons are on the hot path.
    var ceremonies: Ceremonies?
    /// The spent time of players who left, so that sitting down again does not refill the bank. Newest last.
    var debts: [Debt] = []

    static let handsPerSeat = 4

    // Addresses, not coroutines: without optimization `_read` yields a copy on the heap, and Swift 6.3 reads properties of that copy after it
    // is freed (HostileRecordTests with the address sanitizer).
    var core: TableCore {
        unsafeAddress { UnsafePointer(coreMemory) }
        unsafeMutableAddress { coreMemory }
    }

    init(rules: HouseRules, pace: Pace) {
        self.rules = rules
        self.pace = pace
        coreMemory = .allocate(capacity: 1)
        coreMemory.initialize(to: TableCore(shoe: Shoe(rules)))
        players = .allocate(capacity: rules.seats)
        players.initialize(repeating: SeatedPlayer(), count: rules.seats)
        seats = .allocate(capacity: rules.seats)
        seats.initialize(repeating: Seat(), count: rules.seats)
        hands = .allocate(capacity: rules.seats * Self.handsPerSeat)
        hands.initialize(repeating: Hand(), count: rules.seats * Self.handsPerSeat)
    }

    /// - Parameter pace: nil for the same.
    init(copying other: TableState, pace: Pace? = nil) {
        rules = other.rules
        self.pace = pace ?? other.pace
        coreMemory = .allocate(capacity: 1)
        coreMemory.initialize(from: other.coreMemory, count: 1)
        players = .allocate(capacity: rules.seats)
        players.initialize(from: other.players, count: rules.seats)
        seats = .allocate(capacity: rules.seats)
        seats.initialize(from: other.seats, count: rules.seats)
        hands = .allocate(capacity: rules.seats * Self.handsPerSeat)
        hands.initialize(from: other.hands, count: rules.seats * Self.handsPerSeat)
        ceremonies = other.ceremonies
        debts = other.debts
    }

    deinit {
        coreMemory.deinitialize(count: 1)
        coreMemory.deallocate()
        players.deinitialize(count: rules.seats)
        players.deallocate()
        seats.deinitialize(count: rules.seats)
        seats.deallocate()
        hands.deinitialize(count: rules.seats * Self.handsPerSeat)
        hands.deallocate()
    }

    /// The index in `hands` of a hand of a seat, from 0.
    static func handIndex(_ seat: Int, _ hand: Int) -> Int { seat &* handsPerSeat &+ hand }

    /// A pointer to a hand of a seat, from 0.
    func hand(_ seat: Int, _ hand: Int) -> UnsafeMutablePointer<Hand> { hands + TableState.handIndex(seat, hand) }

    // MARK: Equality

    func isEqual(to other: TableState) -> Bool {
        guard rules == other.rules, pace == other.pace, core == other.core, ceremonies == other.ceremonies, debts == other.debts
        else { return false }
        for i in 0..<rules.seats where players[i] != other.players[i] || seats[i] != other.seats[i] { return false }
        // Hands beyond a seat's count are left over from earlier rounds.
        for seat in 0..<rules.seats {
            for hand in 0..<seats[seat].handCount where self.hand(seat, hand).pointee != other.hand(seat, hand).pointee {
                return false
            }
        }
        return true
    }

    // MARK: Situation

    // Derived state. Seats are counted from 0.

    // Forced inlining, with the checks of moves: without, a round takes 8.3 % more instructions with one seat, 14.3 % with seven.

    /// The stage with its payload.
    var phase: Phase {
        switch core.stage {
        case .waiting: .waiting
        case .betting: .betting(closes: core.due)
        case .dealing: .dealing
        case .earlySurrender: .earlySurrender(closes: core.due)
        case .insurance: .insurance(closes: core.due)
        case .playing: .playing(seat: core.acting.seat + 1, hand: core.acting.hand, closes: core.due)
        case .dealer: .dealer
        case .settled: .settled(until: core.due)
        case .closed: .closed
        }
    }

    @inline(always)
    func slot(of player: PlayerID) -> Int? {
        for slot in core.present where players[slot].id == player { return slot }
        return nil
    }

    func isBroke(_ player: PlayerID) -> Bool {
        guard let slot = slot(of: player), players[slot].chips < rules.minimumBet else { return false }
        let mine = players[slot].seats
        return mine.isDisjoint(with: core.bets) && (!isInRound || mine.isDisjoint(with: core.playing))
    }

    @inline(always)
    func situation(_ seat: Int, _ hand: Int) -> HandSituation {
        let slot = TableState.handIndex(seat, hand)
        return HandSituation(
            value: hands[slot].value, isPair: hands[slot].pairPoints > 0, origin: hands[slot].origin,
            handsAtSeat: seats[seat].handCount, upCard: core.dealer.upCard, bet: seats[seat].original,
            bankroll: players[seats[seat].player].chips)
    }

    /// The legal actions of an open hand.
    func legalActions(_ seat: Int, _ hand: Int) -> ActionSet { rules.legalActions(for: situation(seat, hand)) }

    /// Whether a seat may bet. Without mid-shoe entry: only if it has played this shoe, if the next round shuffles, or if no seated
    /// player has played this shoe.
    @inline(always)
    func mayEnter(_ seat: Int) -> Bool {
        rules.midShoeEntry || isMember(seat) || shuffleIsDue || !someMemberIsSeated
    }

    private var someMemberIsSeated: Bool {
        // Players who are absent or out of chips do not keep others from betting.
        for seat in core.taken where isMember(seat) {
            let slot = seats[seat].player
            if canBet(slot) || players[slot].isPresent && core.bets.contains(seat) { return true }
        }
        return false
    }

    /// Whether a player is present and has the chips for a bet. Betting does not wait for others.
    @inline(always)
    func canBet(_ slot: Int) -> Bool { players[slot].isPresent && players[slot].chips >= rules.minimumBet }

    var someNewcomerHasBet: Bool {
        for seat in core.bets where !isMember(seat) { return true }
        return false
    }

    private func isMember(_ seat: Int) -> Bool { core.shoe.number > 0 && seats[seat].shoe == core.shoe.number }

    /// Whether the next round begins with a shuffle for any number of bets.
    @inline(always)
    var shuffleIsDue: Bool {
        core.shoe.number == 0 || core.shoe.cutReached || rules.continuousShuffle
            || (core.shoe.remaining < TableState.mostCardsForDeal && core.shoe.remaining < cardsForDeal)
    }

    /// Whether a round with the present bets begins with a shuffle.
    @inline(always)
    var shufflesNext: Bool {
        shuffleIsDue || (!rules.midShoeEntry && someNewcomerHasBet)
    }

    /// ``cardsForDeal`` of seven seats. Bets are counted only when fewer cards are left.
    private static let mostCardsForDeal = 2 * (7 + 1)

    /// Two cards for each bet and for the dealer: the minimum to start a round.
    var cardsForDeal: Int { 2 * (core.bets.count + 1) }

    /// Whether the current question applies to a seat.
    func canBeAsked(_ seat: Int) -> Bool {
        switch core.stage {
        case .earlySurrender: hands[TableState.handIndex(seat, 0)].state == .open
        case .insurance: isInsurable(seat)
        default: false
        }
    }

    /// Whether a seat can insure: it has not surrendered and has the chips.
    func isInsurable(_ seat: Int) -> Bool {
        hands[TableState.handIndex(seat, 0)].state != .settled && insuranceAnswers(seat) != .decline
    }

    /// The legal answers to the current question.
    func answers(_ seat: Int) -> ActionSet {
        switch core.stage {
        case .earlySurrender: [.surrender, .decline]
        case .insurance: insuranceAnswers(seat)
        default: []
        }
    }

    private func insuranceAnswers(_ seat: Int) -> ActionSet {
        var legal: ActionSet = .decline
        let chips = players[seats[seat].player].chips
        if !rules.insuranceAmounts(bet: seats[seat].original, bankroll: chips).isEmpty { legal.insert(.insurance) }
        if rules.evenMoney, hands[TableState.handIndex(seat, 0)].isNatural { legal.insert(.evenMoney) }
        return legal
    }

    /// Whether a seat has chips that a European dealer's blackjack does not take: then even a lost hand waits.
    func hasExtraBets(_ seat: Int) -> Bool {
        seats[seat].handCount > 1 || hands[TableState.handIndex(seat, 0)].stake > seats[seat].original
    }

    @inline(always)
    func finished(_ seat: Int, _ hand: Int) -> FinishedHand {
        let slot = TableState.handIndex(seat, hand)
        return FinishedHand(
            end: hands[slot].end, total: hands[slot].value.total, stake: hands[slot].stake,
            original: hand == 0 ? seats[seat].original : 0)
    }

    // MARK: Saving

    var saved: Table.Saved {
        let taken = (0..<rules.seats).filter { seats[$0] != Seat() }.map { seat in
            Table.SavedSeat(seat: seat, state: seats[seat], hands: (0..<seats[seat].handCount).map { hand(seat, $0).pointee })
        }
        return Table.Saved(
            rules: rules, pace: pace, core: core, ceremonies: savedCeremonies, debts: debts,
            players: core.present.map { Table.SavedPlayer(slot: $0, state: players[$0]) }, seats: taken)
    }

    // MARK: Restoring

    // Restoring checks everything on which the table relies, as ``validationError(of:)`` does for facts: a corrupt file must not trap.

    private static let mostChips = 1 << 60
    private static let counts = 0...1 << 53

    /// - Precondition: an empty table.
    func restore(_ saved: Table.Saved) throws(SavedTableError) {
        try require(saved.core.stage != .dealing && saved.core.stage != .dealer, "phase")
        let empty = core.shoe
        (core, debts) = (saved.core, saved.debts)
        core.shoe = empty
        try core.shoe.restore(saved.core.shoe)
        try require(rules.assist || core.seen == SeenCards(), "seen")
        try checkCore()
        try require(Set(saved.players.map(\.slot)).count == saved.players.count, "players")
        try require(Set(saved.players.map(\.state.id)).count == saved.players.count, "players")
        for player in saved.players { try restore(player) }
        try require(Set(saved.seats.map(\.seat)).count == saved.seats.count, "seats")
        for seat in saved.seats { try restore(seat) }
        try restoreCeremonies(saved.ceremonies)
        for slot in core.present { try require(!players[slot].seats.isEmpty, "players") }
        try restoreDealer()
        try checkRound()
    }

    func require(_ holds: Bool, _ field: StaticString) throws(SavedTableError) {
        if !holds { throw SavedTableError("\(field)") }
    }

    func require(_ time: Timestamp, mayBeNever: Bool = true) throws(SavedTableError) {
        try require((0...1 << 60).contains(time.milliseconds) || mayBeNever && time == .never, "times")
    }

    private func checkCore() throws(SavedTableError) {
        try require(core.acting.seat < 8 && core.acting.hand < Self.handsPerSeat, "turn")
        try require(core.due)
        try require(core.freeUntil)
        try require(Self.counts.contains(core.round) && Self.counts.contains(core.turn), "counters")
        let spent = 1...max(1, pace.bankMilliseconds)
        try require(debts.count <= Debt.most && debts.allSatisfy { spent.contains($0.spent) }, "banks")
        try require(core.idle.bits < 1 << rules.seats, "players")
        try require((0...28).contains(core.naturals) && (0...28).contains(core.liveHands), "hands")
    }

    private func restore(_ saved: Table.SavedPlayer) throws(SavedTableError) {
        let (slot, player) = (saved.slot, saved.state)
        try require((0..<rules.seats).contains(slot), "players")
        try require((0...Self.mostChips).contains(player.chips), "chips")
        try require(Self.counts.contains(player.missedRounds) && Self.counts.contains(player.timeOuts), "counters")
        if case .cut(let until) = player.presence { try require(until, mayBeNever: false) }
        try require(player.seatUntil)
        try require(player.since, mayBeNever: false)
        try require((0...pace.bankMilliseconds).contains(player.spent), "banks")
        if player.spent > 0 { core.spenders.insert(slot) }
        players[slot] = player
        core.present.insert(slot)
        if player.timeOuts > 0 { core.late.insert(slot) }
        // Sets the masks that follow from the player's state.
        change(player.id) { _ in }
    }

    private func restore(_ saved: Table.SavedSeat) throws(SavedTableError) {
        let (index, seat) = (saved.seat, saved.state)
        try require((0..<rules.seats).contains(index), "seats")
        let isTaken = seat.player >= 0
        try require(!isTaken || seat.player < rules.seats && core.present.contains(seat.player), "seats")
        for chips in [seat.bet, seat.original, seat.insurance] {
            try require((0...HouseRules.betRange.upperBound).contains(chips), "chips")
        }
        try require((0...Self.mostChips).contains(seat.insurancePaid), "chips")
        try require((isTaken || seat.bet == 0) && Self.counts.contains(seat.shoe), "seats")
        try require(saved.hands.count <= Self.handsPerSeat, "hands")
        seats[index] = seat
        seats[index].player = max(-1, seat.player)
        seats[index].handCount = saved.hands.count
        if isTaken {
            core.taken.insert(index)
            players[seat.player].seats.insert(index)
        }
        if seat.bet > 0 { core.bets.insert(index) }
        if seat.insurance > 0, !seat.insuranceIsSettled { core.insured.insert(index) }
        if !saved.hands.isEmpty { core.playing.insert(index) }
        for (number, hand) in saved.hands.enumerated() { try restore(hand, at: self.hand(index, number)) }
    }

    private func restore(_ saved: Hand, at hand: UnsafeMutablePointer<Hand>) throws(SavedTableError) {
        // A hand is doubled once, for its bet at most.
        try require((0...2 * HouseRules.betRange.upperBound).contains(saved.stake), "chips")
        try require((0...Self.mostChips).contains(saved.settlement.paid), "chips")
        hand.pointee = saved
        (hand.pointee.value, hand.pointee.pairPoints) = (HandValue(), 0)
        for (index, id) in try drawn(saved.ids).enumerated() {
            let card = core.shoe[id]
            if index == 1 { hand.pointee.addSecond(id, card) } else { hand.pointee.add(id, card) }
            if index == 1, rules.splitBy == .rank, hand.pointee.pairPoints == 10,
                core.shoe[hand.pointee.cards[0]].rank != card.rank
            {
                hand.pointee.pairPoints = 0
            }
            if index > 1 { hand.pointee.pairPoints = 0 }
        }
    }

    /// At least one card, each of which has been drawn.
    private func drawn(_ ids: [CardID]) throws(SavedTableError) -> [CardID] {
        try require(!ids.isEmpty && ids.allSatisfy { $0.rawValue < core.shoe.drawn }, "cards")
        return ids
    }

    private func restoreDealer() throws(SavedTableError) {
        let ids = core.dealer.ids
        try require(!core.dealer.holeIsHidden || ids.count == 2, "cards")
        core.dealer.value = HandValue()
        guard !ids.isEmpty else { return }
        for id in try drawn(ids) {
            if core.dealer.value.count == 0 { core.dealer.upCard = core.shoe[id].rank }
            core.dealer.add(id, core.shoe[id])
        }
    }

    /// A round in play has a dealer, players at its seats, and a turn that can be taken.
    private func checkRound() throws(SavedTableError) {
        guard isInRound else { return }
        try require(core.dealer.value.count > 0 && core.shoe.source != nil, "cards")
        for seat in core.playing { try require(seats[seat].player >= 0, "seats") }
        for seat in core.insured { try require(core.playing.contains(seat), "seats") }
        guard core.stage == .playing else { return }
        let (seat, hand) = core.acting
        try require(core.playing.contains(seat) && hand < seats[seat].handCount, "turn")
        try require(self.hand(seat, hand).pointee.state == .open && canTake(core.turnActions, seat, hand), "turn")
    }

    /// Whether a hand can take each of these actions and pay for it, whatever the rules allow.
    func canTake(_ actions: ActionSet, _ seat: Int, _ hand: Int) -> Bool {
        guard actions.isSubset(of: [.hit, .stand, .double, .split, .surrender]) else { return false }
        let situation = situation(seat, hand)
        if actions.allows(.surrender), hand > 0 { return false }
        if actions.allows(.double), rules.doubleAmounts(for: situation).isEmpty { return false }
        guard actions.allows(.split) else { return true }
        return situation.value.count == 2 && situation.handsAtSeat < Self.handsPerSeat && situation.bankroll >= situation.bet
    }
}
