import Rules

/// The storage of a `Table`, which gives it value semantics.
///
/// A class over plain memory: a struct of this size would be copied on reads.
final class TableState {
    let rules: HouseRules
    let pace: Pace
    // Plain memory: a stored `core` checks exclusivity at each access, 43 % more instructions per round (bjbench engine, one seat).
    private let coreMemory: UnsafeMutablePointer<TableCore>
    /// `rules.seats` slots.
    let players: UnsafeMutablePointer<Player>
    /// `rules.seats` seats.
    let seats: UnsafeMutablePointer<Seat>
    /// `handsPerSeat` for each seat.
    let hands: UnsafeMutablePointer<Hand>
    /// nil: shoes are supplied. Outside the core, whose copies and comparisons are on the hot path.
    var ceremonies: Ceremonies?
    /// The spent time of players who got up: else sitting down again would fill the bank. Newest last.
    var debts: [Debt] = []

    static let handsPerSeat = 4

    var core: TableCore {
        _read { yield coreMemory.pointee }
        _modify { yield &coreMemory.pointee }
    }

    init(rules: HouseRules, pace: Pace) {
        self.rules = rules
        self.pace = pace
        coreMemory = .allocate(capacity: 1)
        coreMemory.initialize(to: TableCore(shoe: Shoe(rules)))
        players = .allocate(capacity: rules.seats)
        players.initialize(repeating: Player(), count: rules.seats)
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

    func hash(into hasher: inout Hasher) {
        hasher.combine(core)
        for i in 0..<rules.seats {
            hasher.combine(players[i])
            hasher.combine(seats[i])
        }
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
        // An absent player keeps nobody from betting.
        for seat in core.taken where isMember(seat) && players[seats[seat].player].isPresent { return true }
        return false
    }

    var someNewcomerHasBet: Bool {
        for seat in core.bets where !isMember(seat) { return true }
        return false
    }

    private func isMember(_ seat: Int) -> Bool { core.shoe.number > 0 && seats[seat].shoe == core.shoe.number }

    /// Whether the next round begins with a shuffle, whatever the bets.
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

    /// The need of a full table of seven seats. Bets are counted only when fewer cards are left.
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
        var saved = Table.Saved(rules: rules, pace: pace)
        saved.stage = core.stage
        saved.actingSeat = Int(core.actingSeat)
        saved.actingHand = Int(core.actingHand)
        saved.due = core.due.orNil
        saved.round = core.round
        saved.turn = core.turn
        saved.houseNet = core.houseNet
        saved.broughtIn = core.broughtIn
        saved.takenOut = core.takenOut
        saved.isClosing = core.isClosing
        saved.closing = core.closing
        saved.turnActions = core.turnActions
        saved.freeUntil = core.freeUntil.orNil
        saved.debts = debts.map { debt in
            var saved = Table.SavedDebt()
            (saved.player, saved.spent) = (debt.player, debt.spent)
            return saved
        }
        saved.idle = Int(core.idle.bits)
        saved.naturals = core.naturals
        saved.liveHands = core.liveHands
        saved.dealer = core.dealer.ids.map { Int($0.rawValue) }
        saved.holeIsHidden = core.dealer.holeIsHidden
        saved.shoe = core.shoe.saved
        saved.nextSource = core.nextSource
        saved.ceremonies = savedCeremonies
        saved.players = core.present.map { savedPlayer($0) }
        saved.seats = (0..<rules.seats).map { savedSeat($0) }.filter { seat in
            var blank = Table.SavedSeat()
            blank.seat = seat.seat
            return seat != blank
        }
        return saved
    }

    private func savedPlayer(_ slot: Int) -> Table.SavedPlayer {
        let player = players[slot]
        var saved = Table.SavedPlayer()
        saved.slot = slot
        saved.id = player.id
        saved.name = player.profile.name
        saved.isBot = player.profile.isBot
        saved.contributes = player.profile.contributes
        saved.chips = player.chips
        switch player.presence {
        case .connected: break
        case .cut(let until): saved.grace = until
        case .away: saved.isAway = true
        }
        saved.isSittingOut = player.isSittingOut
        saved.isLeaving = player.isLeaving
        saved.isReleased = player.isReleased
        saved.missedRounds = player.missedRounds
        saved.timeOuts = player.timeOuts
        saved.seatUntil = player.seatUntil.orNil
        saved.spent = player.spent
        saved.since = player.since.milliseconds > 0 ? player.since : nil
        return saved
    }

    private func savedSeat(_ index: Int) -> Table.SavedSeat {
        var saved = Table.SavedSeat()
        (saved.seat, saved.state, saved.handCount) = (index, seats[index], 0)
        saved.hands = (0..<seats[index].handCount).map { savedHand(hand(index, $0).pointee) }
        return saved
    }

    private func savedHand(_ hand: Hand) -> Table.SavedHand {
        var saved = Table.SavedHand()
        saved.cards = hand.ids.map { Int($0.rawValue) }
        saved.stake = hand.stake
        saved.origin = hand.origin
        saved.isDoubled = hand.isDoubled
        saved.state = Table.SavedHand.State(rawValue: hand.state.rawValue) ?? .open
        saved.end = hand.end
        if hand.state == .settled { (saved.outcome, saved.paid) = (hand.settlement.outcome, hand.settlement.paid) }
        return saved
    }

    // MARK: Restoring

    // Restoring checks everything on which the table relies, as ``misfit(of:)`` does for facts: a corrupt file must not trap.

    private static let mostChips = 1 << 60
    private static let counts = 0...1 << 53

    /// - Precondition: an empty table.
    func restore(_ saved: Table.Saved) throws(SavedMisfit) {
        try require(saved.stage != .dealing && saved.stage != .dealer, "phase")
        try core.shoe.restore(saved.shoe)
        try restoreCore(saved)
        for player in saved.players { try restore(player) }
        try require(Set(saved.seats.map(\.seat)).count == saved.seats.count, "seats")
        for seat in saved.seats { try restore(seat) }
        try restoreCeremonies(saved.ceremonies)
        for slot in core.present { try require(!players[slot].seats.isEmpty, "players") }
        try restoreDealer(saved)
        try checkRound()
    }

    func require(_ holds: Bool, _ field: StaticString) throws(SavedMisfit) {
        if !holds { throw SavedMisfit("\(field)") }
    }

    func moment(_ saved: Moment?) throws(SavedMisfit) -> Moment {
        guard let saved else { return .never }
        try require((0...1 << 60).contains(saved.milliseconds), "times")
        return saved
    }

    private func restoreCore(_ saved: Table.Saved) throws(SavedMisfit) {
        core.stage = saved.stage
        try require((0..<8).contains(saved.actingSeat) && (0..<Self.handsPerSeat).contains(saved.actingHand), "turn")
        core.actingSeat = UInt8(saved.actingSeat)
        core.actingHand = UInt8(saved.actingHand)
        core.due = try moment(saved.due)
        try require(Self.counts.contains(saved.round) && Self.counts.contains(saved.turn), "counters")
        core.round = saved.round
        core.turn = saved.turn
        core.houseNet = saved.houseNet
        core.broughtIn = saved.broughtIn
        core.takenOut = saved.takenOut
        core.isClosing = saved.isClosing
        core.closing = saved.closing
        core.turnActions = saved.turnActions
        core.freeUntil = try moment(saved.freeUntil)
        let spent = 1...max(1, pace.bankMilliseconds)
        try require(saved.debts.count <= Debt.most && saved.debts.allSatisfy { spent.contains($0.spent) }, "banks")
        debts = saved.debts.map { Debt(player: $0.player, spent: $0.spent) }
        try require((0..<1 << rules.seats).contains(saved.idle), "players")
        core.idle = SeatMask(bits: UInt8(truncatingIfNeeded: saved.idle))
        try require((0...28).contains(saved.naturals) && (0...28).contains(saved.liveHands), "hands")
        core.naturals = saved.naturals
        core.liveHands = saved.liveHands
        core.nextSource = saved.nextSource
    }

    private func restore(_ saved: Table.SavedPlayer) throws(SavedMisfit) {
        try require((0..<rules.seats).contains(saved.slot) && !core.present.contains(saved.slot), "players")
        try require(slot(of: saved.id) == nil, "players")
        try require((0...Self.mostChips).contains(saved.chips), "chips")
        try require(Self.counts.contains(saved.missedRounds) && Self.counts.contains(saved.timeOuts), "counters")
        var player = Player()
        player.id = saved.id
        player.profile = PlayerProfile(
            name: saved.name, isBot: saved.isBot, contributes: saved.contributes)
        player.chips = saved.chips
        if saved.isAway { player.presence = .away }
        if let grace = saved.grace { player.presence = .cut(until: try moment(grace)) }
        player.isSittingOut = saved.isSittingOut
        player.isLeaving = saved.isLeaving
        player.isReleased = saved.isReleased
        player.missedRounds = saved.missedRounds
        player.timeOuts = saved.timeOuts
        player.seatUntil = try moment(saved.seatUntil)
        try require((0...pace.bankMilliseconds).contains(saved.spent), "banks")
        player.spent = saved.spent
        if let since = saved.since { player.since = try moment(since) }
        if saved.spent > 0 { core.spenders.insert(saved.slot) }
        players[saved.slot] = player
        core.present.insert(saved.slot)
        if saved.timeOuts > 0 { core.late.insert(saved.slot) }
        // Sets the masks that follow from the player's state.
        change(saved.id) { _ in }
    }

    private func restore(_ saved: Table.SavedSeat) throws(SavedMisfit) {
        try require((0..<rules.seats).contains(saved.seat), "seats")
        let isTaken = saved.player >= 0
        let isPresent = saved.player < rules.seats && core.present.contains(saved.player)
        try require(!isTaken || isPresent, "seats")
        for chips in [saved.bet, saved.original, saved.insurance] {
            try require((0...HouseRules.betRange.upperBound).contains(chips), "chips")
        }
        try require((0...Self.mostChips).contains(saved.insurancePaid), "chips")
        try require((isTaken || saved.bet == 0) && Self.counts.contains(saved.shoe), "seats")
        try require(saved.hands.count <= Self.handsPerSeat, "hands")
        seats[saved.seat] = saved.state
        seats[saved.seat].player = max(-1, saved.player)
        seats[saved.seat].handCount = saved.hands.count
        if isTaken {
            core.taken.insert(saved.seat)
            players[saved.player].seats.insert(saved.seat)
        }
        if saved.bet > 0 { core.bets.insert(saved.seat) }
        if saved.insurance > 0, !saved.insuranceIsSettled { core.insured.insert(saved.seat) }
        if !saved.hands.isEmpty { core.playing.insert(saved.seat) }
        for (index, hand) in saved.hands.enumerated() { try restore(hand, at: self.hand(saved.seat, index)) }
    }

    private func restore(_ saved: Table.SavedHand, at hand: UnsafeMutablePointer<Hand>) throws(SavedMisfit) {
        // A hand is doubled once, for its bet at most.
        try require((0...2 * HouseRules.betRange.upperBound).contains(saved.stake), "chips")
        try require((0...Self.mostChips).contains(saved.paid), "chips")
        hand.pointee.start(stake: saved.stake, origin: saved.origin)
        for (index, id) in try cards(saved.cards).enumerated() {
            let card = core.shoe[id]
            if index == 1 { hand.pointee.addSecond(id, card) } else { hand.pointee.add(id, card) }
            if index == 1, rules.splitBy == .rank, hand.pointee.pairPoints == 10,
                core.shoe[hand.pointee.cards[0]].rank != card.rank
            {
                hand.pointee.pairPoints = 0
            }
            if index > 1 { hand.pointee.pairPoints = 0 }
        }
        hand.pointee.isDoubled = saved.isDoubled
        hand.pointee.state = Hand.State(rawValue: saved.state.rawValue) ?? .open
        hand.pointee.end = saved.end
        hand.pointee.settlement = Settlement(saved.outcome, paid: saved.paid)
    }

    /// 1 to 21 cards that have been drawn.
    private func cards(_ saved: [Int]) throws(SavedMisfit) -> [CardID] {
        try require((1...21).contains(saved.count), "cards")
        for id in saved { try require((0..<core.shoe.drawn).contains(id), "cards") }
        return saved.map { CardID(rawValue: UInt16($0)) }
    }

    private func restoreDealer(_ saved: Table.Saved) throws(SavedMisfit) {
        core.dealer = Dealer()
        try require(!saved.holeIsHidden || saved.dealer.count == 2, "cards")
        core.dealer.holeIsHidden = saved.holeIsHidden
        guard !saved.dealer.isEmpty else { return }
        for id in try cards(saved.dealer) {
            if core.dealer.value.count == 0 { core.dealer.upCard = core.shoe[id].rank }
            core.dealer.add(id, core.shoe[id])
        }
    }

    /// A round in play has a dealer, players at its seats, and a turn that can be taken.
    private func checkRound() throws(SavedMisfit) {
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

extension Shoe {
    fileprivate var saved: Table.SavedShoe {
        var saved = Table.SavedShoe()
        saved.number = number
        saved.source = source
        saved.order = order
        saved.position = drawn
        saved.segment = segment
        saved.roundStart = roundStart
        saved.discardsStart = discardsStart
        return saved
    }
}

extension Moment {
    var orNil: Moment? { self == .never ? nil : self }
}

extension Shoe {
    fileprivate mutating func restore(_ saved: Table.SavedShoe) throws(SavedMisfit) {
        guard saved.number > 0, let source = saved.source else {
            guard saved == Table.SavedShoe() else { throw SavedMisfit("shoe") }
            return
        }
        let isSane =
            (saved.segment == 0 ? saved.order.count == size : (size...1 << 16).contains(saved.order.count))
            && (0...1 << 16).contains(saved.segment) && saved.number <= 1 << 53
            && (0...saved.order.count).contains(saved.position) && (0...saved.position).contains(saved.roundStart)
            && (0...saved.roundStart).contains(saved.discardsStart)
        guard isSane else { throw SavedMisfit("shoe") }
        set(
            number: saved.number, source: source, position: saved.position, segment: saved.segment,
            roundStart: saved.roundStart, discardsStart: saved.discardsStart)
        // Keeps the capacity for a reshuffle.
        order.append(contentsOf: saved.order)
    }
}
