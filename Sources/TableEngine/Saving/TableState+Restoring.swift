import Rules

/// Restoring checks everything on which the table relies, as ``misfit(of:)`` does for facts: a corrupt file must not trap.
extension TableState {
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
        let bank = pace.bankMilliseconds ?? 0
        try require(saved.debts.count <= Debt.most && saved.debts.allSatisfy { (1...max(1, bank)).contains($0.spent) }, "banks")
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
        try require((0...(pace.bankMilliseconds ?? 0)).contains(saved.spent), "banks")
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
        let isTaken = saved.slot >= 0
        let isPresent = saved.slot < rules.seats && core.present.contains(saved.slot)
        try require(!isTaken || isPresent, "seats")
        for chips in [saved.bet, saved.original, saved.insurance] {
            try require((0...HouseRules.betRange.upperBound).contains(chips), "chips")
        }
        try require((0...Self.mostChips).contains(saved.insurancePaid), "chips")
        try require((isTaken || saved.bet == 0) && Self.counts.contains(saved.shoe), "seats")
        try require(saved.hands.count <= Self.handsPerSeat, "hands")
        let seat = seats + saved.seat
        seat.pointee.player = isTaken ? saved.slot : -1
        if isTaken {
            core.taken.insert(saved.seat)
            players[saved.slot].seats.insert(saved.seat)
        }
        seat.pointee.bet = saved.bet
        if saved.bet > 0 { core.bets.insert(saved.seat) }
        seat.pointee.shoe = saved.shoe
        seat.pointee.owner = saved.owner
        seat.pointee.original = saved.original
        seat.pointee.question = Seat.Question(rawValue: saved.question.rawValue) ?? .notAsked
        seat.pointee.insurance = saved.insurance
        seat.pointee.insurancePaid = saved.insurancePaid
        seat.pointee.insuranceIsSettled = saved.insuranceIsSettled
        if saved.insurance > 0, !saved.insuranceIsSettled { core.insured.insert(saved.seat) }
        seat.pointee.handCount = saved.hands.count
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
