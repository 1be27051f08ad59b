import Rules

/// Checks of facts from a journal: after them, applying a fact cannot trap, now or later.
extension TableState {
    /// Moments up to 2^60 milliseconds: sums with paces and postponements, 2^53 each, cannot overflow.
    private static let latest: Int64 = 1 << 60
    /// Chips of a player: sums with the largest payouts cannot overflow.
    private static let mostChips = 1 << 60

    func misfit(of fact: Fact) -> FactMisfit? {
        switch fact {
        case .sat, .left, .leaving, .satOut, .satIn, .disconnected, .away, .reconnected, .released, .idling, .charged:
            misfit(ofPlayers: fact)
        case .shoeSupplied, .shuffled, .burned, .reshuffled: misfit(ofShoe: fact)
        case .bettingOpened, .betPlaced, .bettingAbandoned, .roundStarted, .roundEnded, .cleared, .closing, .closed, .postponed:
            misfit(ofPhase: fact)
        case .dealt, .dealtToDealer, .holeDealt, .holeRevealed, .peeked: misfit(ofCard: fact)
        case .earlySurrenderOffered, .insuranceOffered, .insured, .evenMoneyTaken, .declined, .insuranceSettled:
            misfit(ofQuestion: fact)
        case .turnStarted, .hit, .stood, .doubled, .split, .surrendered, .settled: misfit(ofTurn: fact)
        case .declared, .ceremoniesBegan, .ceremonyOpened, .contributed, .listDue, .listClosed, .revealed, .attemptVoided,
            .secretRevealed:
            misfit(ofCeremony: fact)
        }
    }

    func isSane(_ moment: Moment) -> Bool { (0...Self.latest).contains(moment.milliseconds) }

    private func isSeat(_ seat: Int) -> Bool { (1...rules.seats).contains(seat) }

    private func plays(_ seat: Int) -> Bool { isSeat(seat) && isInRound && core.playing.contains(seat - 1) }

    /// A hand of this round, its seat from 1.
    private func handInPlay(_ seat: Int, _ hand: Int) -> UnsafeMutablePointer<Hand>? {
        guard plays(seat), (0..<seats[seat - 1].handCount).contains(hand) else { return nil }
        return self.hand(seat - 1, hand)
    }

    private func misfit(ofPlayers fact: Fact) -> FactMisfit? {
        switch fact {
        case .sat(let id, _, let seat, let chips):
            if core.stage == .closed { return .phase }
            guard isSeat(seat), seats[seat - 1].player < 0 else { return .seat }
            let known = slot(of: id)
            if let known, players[known].seats.count >= rules.seatsPerPlayer { return .seat }
            return (0...Self.mostChips).contains(chips) && (known.map { players[$0].chips } ?? 0) <= Self.mostChips - chips
                ? nil : .chips
        case .left(let id, let chips):
            guard let slot = slot(of: id) else { return .player }
            if isInRound, !players[slot].seats.isDisjoint(with: core.playing) { return .phase }
            return chips == players[slot].chips && players[slot].seats.isDisjoint(with: core.bets) ? nil : .chips
        case .satOut(let id, let moment), .disconnected(let id, let moment):
            if slot(of: id) == nil { return .player }
            return isSane(moment) ? nil : .time
        case .leaving(let id), .satIn(let id), .away(let id), .reconnected(let id), .released(let id):
            return slot(of: id) == nil ? .player : nil
        case .idling(let until):
            switch core.stage {
            case .waiting: break
            case .betting, .earlySurrender, .insurance: if pace.bankMilliseconds == nil { return .phase }
            default: return .phase
            }
            return isSane(until) ? nil : .time
        case .charged(let id, let milliseconds, let from):
            if slot(of: id) == nil { return .player }
            if pace.bankMilliseconds == nil { return .phase }
            return isSane(from) && (0...1 << 53).contains(milliseconds) ? nil : .time
        default: return nil
        }
    }

    private func misfit(ofShoe fact: Fact) -> FactMisfit? {
        if core.stage == .closed { return .phase }
        switch fact {
        case .shoeSupplied(let source): return misfit(ofSupplied: source)
        case .shuffled(let number, let source):
            if isInRound { return .phase }
            return number == core.shoe.number &+ 1 && source == core.nextSource ? nil : .shoe
        case .burned(let id):
            if isInRound { return .phase }
            return isNext(id, nil) ? nil : .card
        case .reshuffled(let cards):
            guard isInRound, core.shoe.isExhausted, core.shoe.source != nil else { return .phase }
            // An id has 16 bits.
            return cards == core.shoe.reshuffleCount && core.shoe.order.count + cards <= 1 << 16 ? nil : .shoe
        default: return nil
        }
    }

    private func misfit(ofPhase fact: Fact) -> FactMisfit? {
        switch fact {
        case .bettingOpened(let closes):
            if core.stage != .waiting { return .phase }
            return isSane(closes) ? nil : .time
        case .betPlaced(let seat, let amount):
            guard core.stage == .waiting || core.stage == .betting else { return .phase }
            guard isSeat(seat), seats[seat - 1].player >= 0 else { return .seat }
            // A settlement multiplies the bet.
            return (0...HouseRules.betRange.upperBound).contains(amount)
                && amount - seats[seat - 1].bet <= players[seats[seat - 1].player].chips ? nil : .chips
        case .bettingAbandoned: return core.stage == .betting && core.bets.isEmpty && isSane(core.due) ? nil : .phase
        case .roundStarted(let round):
            guard core.stage == .betting, !core.bets.isEmpty, core.shoe.number > 0 else { return .phase }
            // No card is dealt of a shoe whose secret is revealed.
            if ceremonies?.played?.isRevealed == true { return .shoe }
            return round == core.round &+ 1 ? nil : .round
        case .roundEnded(let until):
            guard isInRound, core.insured.isEmpty, isEverythingSettled else { return .phase }
            return isSane(until) ? nil : .time
        case .cleared: return core.stage == .settled && isSane(core.due) ? nil : .phase
        case .closing: return core.stage == .closed ? .phase : nil
        case .closed: return core.isClosing && !isInRound && core.present.isEmpty ? nil : .phase
        case .postponed(let milliseconds):
            if core.stage == .closed { return .phase }
            // Less than 0 where the clock was set back between two starts.
            guard (-1 << 53...1 << 53).contains(milliseconds) else { return .time }
            // Below the limit, one more postponement cannot overflow.
            return core.present.allSatisfy { canBePostponed(players[$0]) } && canBePostponed(core.due)
                && canBePostponed(core.ceremonyDue) && canBePostponed(core.freeUntil) ? nil : .time
        default: return nil
        }
    }

    private func canBePostponed(_ moment: Moment) -> Bool { moment == .never || isSane(moment) }

    private func canBePostponed(_ player: Player) -> Bool {
        if case .cut(let until) = player.presence, !isSane(until) { return false }
        return canBePostponed(player.seatUntil) && isSane(player.since)
    }

    private var isEverythingSettled: Bool {
        for seat in core.playing {
            for hand in 0..<seats[seat].handCount where self.hand(seat, hand).pointee.state != .settled { return false }
        }
        return true
    }
}

extension TableState {
    /// Whether the shoe's next card has this id and face; nil: any face.
    private func isNext(_ id: CardID, _ card: Card?) -> Bool {
        guard !core.shoe.isExhausted, Int(id.rawValue) == core.shoe.drawn else { return false }
        return card.map { $0 == core.shoe.next } ?? true
    }

    private func misfit(ofCard fact: Fact) -> FactMisfit? {
        guard isInRound else { return .phase }
        switch fact {
        case .dealt(let id, let card, let seat, let hand):
            guard let hand = handInPlay(seat, hand), hand.pointee.state == .open, hand.pointee.value.count < 21 else {
                return .hand
            }
            return isNext(id, card) ? nil : .card
        case .dealtToDealer(let id, let card):
            if core.dealer.value.count >= 21 || core.dealer.holeIsHidden { return .hand }
            return isNext(id, card) ? nil : .card
        case .holeDealt(let id):
            if core.dealer.value.count != 1 { return .hand }
            return isNext(id, nil) ? nil : .card
        case .holeRevealed(let id, let card):
            guard core.dealer.holeIsHidden else { return .phase }
            return id == core.dealer.cards[1] && card == core.shoe[id] ? nil : .card
        default: return nil
        }
    }

    private func misfit(ofQuestion fact: Fact) -> FactMisfit? {
        switch fact {
        case .earlySurrenderOffered(let closes), .insuranceOffered(let closes):
            guard core.stage == .dealing || core.stage == .earlySurrender, core.dealer.value.count > 0 else { return .phase }
            return isSane(closes) ? nil : .time
        case .insured(let seat, let amount):
            guard core.stage == .insurance, isAsked(seat) else { return .seat }
            return amount > 0 && amount <= players[seats[seat - 1].player].chips ? nil : .chips
        case .evenMoneyTaken(let seat): return core.stage == .insurance && isAsked(seat) ? nil : .seat
        case .declined(let seat, _):
            return (core.stage == .insurance || core.stage == .earlySurrender) && isAsked(seat) ? nil : .seat
        case .insuranceSettled(let seat, let stake, let paid):
            guard plays(seat), core.insured.contains(seat - 1) else { return .seat }
            return stake == seats[seat - 1].insurance && canBePaid(paid, to: seat) ? nil : .chips
        default: return nil
        }
    }

    private func isAsked(_ seat: Int) -> Bool { plays(seat) && seats[seat - 1].question == .open }

    private func canBePaid(_ paid: Int, to seat: Int) -> Bool {
        (0...Self.mostChips).contains(paid) && players[seats[seat - 1].player].chips <= Self.mostChips - paid
    }

    private func acts(_ seat: Int, _ hand: Int) -> Bool {
        core.stage == .playing && core.acting == (seat - 1, hand)
    }

    private func misfit(ofTurn fact: Fact) -> FactMisfit? {
        switch fact {
        case .turnStarted(let seat, let number, let legal, let closes):
            guard core.stage != .dealer, core.dealer.value.count > 0 else { return .phase }
            guard let hand = handInPlay(seat, number), hand.pointee.state == .open else { return .hand }
            // The actions are listed with their costs.
            guard canTake(legal, seat - 1, number) else { return .chips }
            return isSane(closes) ? nil : .time
        case .hit(let seat, let number): return acts(seat, number) ? nil : .hand
        case .stood(let seat, let number, _):
            guard let hand = handInPlay(seat, number), hand.pointee.state == .open else { return .hand }
            return nil
        case .doubled(let seat, let number, let added):
            guard acts(seat, number), let hand = handInPlay(seat, number) else { return .hand }
            return added > 0 && added <= players[seats[seat - 1].player].chips && added <= hand.pointee.stake ? nil : .chips
        case .split(let seat, let number, let newHand):
            guard acts(seat, number), let hand = handInPlay(seat, number), hand.pointee.value.count == 2,
                newHand == seats[seat - 1].handCount, newHand < Self.handsPerSeat
            else { return .hand }
            return seats[seat - 1].original <= players[seats[seat - 1].player].chips ? nil : .chips
        case .surrendered(let seat):
            let isHere = acts(seat, 0) || core.stage == .earlySurrender && isAsked(seat)
            guard isHere, let hand = handInPlay(seat, 0), hand.pointee.state == .open else { return .hand }
            return nil
        case .settled(let seat, let number, _, let stake, let paid):
            guard let hand = handInPlay(seat, number), hand.pointee.state != .settled else { return .hand }
            return stake == hand.pointee.stake && canBePaid(paid, to: seat) ? nil : .chips
        default: return nil
        }
    }
}
