import Fairness
import Rules
import TableModel

/// Effects of facts about a round. Seats are counted from 0.
extension TableState {
    func applyShuffled(_ number: Int, _ source: ShoeSource) {
        core.seen = SeenCards()
        core.shoe.shuffle(source, number: number)
        core.nextSource = nil
        if core.hasCeremonies { followShuffle() }
    }

    func applyRoundStarted(_ number: Int) {
        enter(.dealing)
        core.round = number
        core.dealer.clear()
        core.shoe.startRound()
        for seat in core.playing.subtracting(core.bets) { seats[seat].handCount = 0 }
        core.playing = core.bets
        core.bets = SeatMask()
        core.naturals = 0
        core.insured = SeatMask()
        var started = 0
        for seat in core.playing {
            startHand(seat)
            started &+= 1
        }
        core.liveHands = started
        // Skips the count when every seated player plays.
        if core.playing != core.taken || !core.idle.isEmpty { countMissedRounds() }
        if !core.spenders.isEmpty || !debts.isEmpty { refillBanks() }
    }

    private func countMissedRounds() {
        core.idle = SeatMask()
        for slot in core.present {
            guard players[slot].seats.isDisjoint(with: core.playing) else {
                (players[slot].missedRounds, players[slot].seatUntil) = (0, .never)
                continue
            }
            core.idle.insert(slot)
            if players[slot].isPresent, couldBet(slot) { players[slot].missedRounds += 1 }
        }
    }

    /// Whether a player without a bet could have bet. A player who waits for the shuffle could not.
    private func couldBet(_ slot: Int) -> Bool {
        if rules.midShoeEntry || core.shoe.drawn <= rules.burn { return true }
        for seat in players[slot].seats where seats[seat].shoe == core.shoe.number { return true }
        return false
    }

    private func startHand(_ index: Int) {
        let seat = seats + index
        let bet = seat.pointee.bet
        seat.pointee.bet = 0
        seat.pointee.shoe = core.shoe.number
        seat.pointee.owner = players[seat.pointee.player].id
        seat.pointee.original = bet
        seat.pointee.handCount = 1
        seat.pointee.question = .notAsked
        seat.pointee.insurance = 0
        seat.pointee.insurancePaid = 0
        seat.pointee.insuranceIsSettled = false
        hand(index, 0).pointee.start(stake: bet, origin: .dealt)
    }

    /// Counts a card that lies face up from this fact on.
    @inline(always)
    private func see(_ card: Card) { if rules.assist { core.seen.add(card) } }

    func applyDealt(_ id: CardID, _ card: Card, to hand: UnsafeMutablePointer<Hand>) {
        core.shoe.draw()
        see(card)
        switch hand.pointee.value.count {
        case 0: hand.pointee.addFirst(id, card)
        case 1:
            hand.pointee.addSecond(id, card)
            // Equal points differ in rank only among tens.
            if rules.splitBy == .rank, hand.pointee.pairPoints == 10, core.shoe[hand.pointee.cards[0]].rank != card.rank {
                hand.pointee.pairPoints = 0
            }
            if hand.pointee.isNatural {
                core.naturals &+= 1
                endLive(hand, .blackjack)
            }
        default: addLater(id, card, to: hand)
        }
    }

    private func addLater(_ id: CardID, _ card: Card, to hand: UnsafeMutablePointer<Hand>) {
        hand.pointee.add(id, card)
        hand.pointee.pairPoints = 0
        if hand.pointee.value.isBust {
            endLive(hand, .bust)
        } else if Int(hand.pointee.value.count) == rules.charlie {
            endLive(hand, .charlie)
        } else if hand.pointee.isDoubled {
            hand.pointee.state = .ended
        }
    }

    /// Ends a hand that the dealer's total cannot affect.
    private func endLive(_ hand: UnsafeMutablePointer<Hand>, _ end: HandEnd) {
        hand.pointee.state = .ended
        hand.pointee.end = end
        core.liveHands &-= 1
    }

    func applyDealtToDealer(_ id: CardID, _ card: Card) {
        core.shoe.draw()
        see(card)
        switch core.dealer.value.count {
        case 0: core.dealer.upCard = card.rank
        // Without a hole card, the second card starts the dealer's turn.
        case 1: enter(.dealer)
        default: break
        }
        core.dealer.add(id, card)
    }

    func applyHoleDealt(_ id: CardID) {
        let card = core.shoe.next
        core.shoe.draw()
        core.dealer.add(id, card)
        core.dealer.holeIsHidden = true
    }

    func applyHoleRevealed() {
        see(core.shoe[core.dealer.cards[1]])
        core.dealer.holeIsHidden = false
        enter(.dealer)
    }

    func applyTurn(_ seat: Int, _ hand: Int, _ legal: ActionSet, _ closes: Timestamp) {
        enter(.playing, until: closes)
        core.actingSeat = UInt8(truncatingIfNeeded: seat)
        core.actingHand = UInt8(truncatingIfNeeded: hand)
        core.turnActions = legal
        core.turn &+= 1
        core.freeUntil = closes.adding(milliseconds: Pace.freeMilliseconds - decisionMilliseconds(seats[seat].player))
    }

    func applyQuestion(_ question: Stage, until closes: Timestamp) {
        enter(question, until: closes)
        core.turn += 1
        startFreeTime(closes, ofSeconds: rules.insuranceSeconds)
        for seat in core.playing { seats[seat].question = canBeAsked(seat) ? .open : .notAsked }
    }

    func applyDeclined(_ seat: Int, timedOut: Bool) {
        seats[seat].question = .answered
        if timedOut { applyTimeOut(seat) } else { applyDecision(seat) }
    }

    func applyInsured(_ seat: Int, _ amount: Int) {
        seats[seat].question = .answered
        applyDecision(seat)
        seats[seat].insurance = amount
        core.insured.insert(seat)
        players[seats[seat].player].chips -= amount
    }

    func applyEvenMoney(_ seat: Int) {
        seats[seat].question = .answered
        applyDecision(seat)
        hands[TableState.handIndex(seat, 0)].end = .evenMoney
    }

    func applyInsuranceSettled(_ seat: Int, _ stake: Int, _ paid: Int) {
        seats[seat].insuranceIsSettled = true
        core.insured.remove(seat)
        seats[seat].insurancePaid = paid
        players[seats[seat].player].chips += paid
        core.houseNet &+= stake - paid
    }

    func applyStood(_ seat: Int, _ hand: Int, _ reason: StandReason) {
        hands[TableState.handIndex(seat, hand)].state = .ended
        switch reason {
        case .chosen: applyDecision(seat)
        case .timedOut: applyTimeOut(seat)
        case .automatic, .absent: break
        }
    }

    func applySurrendered(_ seat: Int) {
        seats[seat].question = .answered
        applyDecision(seat)
        endLive(hand(seat, 0), .surrendered)
    }

    func applyDoubled(_ seat: Int, _ hand: UnsafeMutablePointer<Hand>, _ added: Int) {
        applyDecision(seat)
        players[seats[seat].player].chips -= added
        hand.pointee.stake += added
        hand.pointee.isDoubled = true
    }

    func applySplit(_ seat: Int, _ hand: Int, _ newHand: Int) {
        let (old, new) = (TableState.handIndex(seat, hand), TableState.handIndex(seat, newHand))
        let (keptID, movedID) = (hands[old].cards[0], hands[old].cards[1])
        let (kept, moved) = (core.shoe[keptID], core.shoe[movedID])
        let origin: HandSituation.Origin = kept.rank.isAce ? .splitAces : .split
        applyDecision(seat)
        players[seats[seat].player].chips -= seats[seat].original
        seats[seat].handCount = newHand + 1
        core.liveHands += 1
        hands[old].start(stake: hands[old].stake, origin: origin)
        hands[old].add(keptID, kept)
        hands[new].start(stake: seats[seat].original, origin: origin)
        hands[new].add(movedID, moved)
    }

    func applySettled(_ seat: Int, _ hand: UnsafeMutablePointer<Hand>, _ settlement: Settlement, _ stake: Int) {
        hand.pointee.state = .settled
        hand.pointee.settlement = settlement
        players[seats[seat].player].chips += settlement.paid
        core.houseNet &+= stake - settlement.paid
    }

    func applyRoundEnded(_ until: Timestamp) {
        if pace.settledMilliseconds > 0 { enter(.settled, until: until) } else { startWaiting(at: until) }
    }

    /// Starts the idle timer: players who do not bet until it ends sit out.
    func startWaiting(at time: Timestamp) { enter(.waiting, until: time.adding(milliseconds: pace.sitOutMilliseconds)) }

    func applyCleared() {
        startWaiting(at: core.due)
        takeRoundOff()
    }

    func takeRoundOff() {
        for seat in core.playing { seats[seat].handCount = 0 }
        core.playing = SeatMask()
        core.dealer.clear()
    }

    // MARK: Apply

    func enter(_ stage: Stage, until due: Timestamp = .never) {
        self.core.stage = stage
        self.core.due = due
    }

    /// Applies a fact. Only facts change a table: a command is checked and becomes facts, and each is applied here, exactly as when a
    /// journal is replayed. A replayed fact has passed `validationError(of:)`, so nothing here can fail.
    ///
    /// Facts count seats from 1, as players and journals do; a table's arrays count from 0. This function converts: no function that it
    /// calls sees a seat from 1.
    func apply(_ fact: Fact) {
        switch fact {
        case .sat(let id, let profile, let seat, let chips): applySat(id, profile, seat - 1, chips)
        case .left(let id, _): applyLeft(id)
        case .leaving(let id): change(id) { $0.isLeaving = true }
        case .satOut(let id, let until): applySatOut(id, until)
        case .satIn(let id): change(id) { ($0.isSittingOut, $0.missedRounds, $0.timeOuts) = (false, 0, 0) }
        case .disconnected(let id, let grace): change(id) { $0.presence = .cut(until: grace) }
        case .away(let id): change(id) { $0.presence = .away }
        case .reconnected(let id): change(id) { ($0.presence, $0.isReleased) = (.connected, false) }
        case .released(let id): change(id) { $0.isReleased = true }
        case .idling(let until): core.due = until
        case .charged(let id, let milliseconds, let from): applyCharged(id, milliseconds, from)
        case .shoeSupplied(let source): applySupplied(source)
        case .shuffled(let number, let source): applyShuffled(number, source)
        case .burned: core.shoe.draw()
        case .reshuffled: applyReshuffled()
        case .bettingOpened(let closes): applyBettingOpened(closes)
        case .betPlaced(let seat, let amount): applyBet(seat - 1, amount)
        case .bettingAbandoned: startWaiting(at: core.due)
        case .roundStarted(let round): applyRoundStarted(round)
        case .dealt(let id, let card, let seat, let number): applyDealt(id, card, to: hand(seat - 1, number))
        case .dealtToDealer(let id, let card): applyDealtToDealer(id, card)
        case .holeDealt(let id): applyHoleDealt(id)
        case .earlySurrenderOffered(let closes): applyQuestion(.earlySurrender, until: closes)
        case .insuranceOffered(let closes): applyQuestion(.insurance, until: closes)
        case .insured(let seat, let amount): applyInsured(seat - 1, amount)
        case .evenMoneyTaken(let seat): applyEvenMoney(seat - 1)
        case .declined(let seat, let timedOut): applyDeclined(seat - 1, timedOut: timedOut)
        case .peeked: break
        case .insuranceSettled(let seat, let stake, let paid): applyInsuranceSettled(seat - 1, stake, paid)
        case .turnStarted(let seat, let hand, let legal, let closes): applyTurn(seat - 1, hand, legal, closes)
        case .hit(let seat, _): applyDecision(seat - 1)
        case .stood(let seat, let hand, let reason): applyStood(seat - 1, hand, reason)
        case .doubled(let seat, let hand, let added): applyDoubled(seat - 1, self.hand(seat - 1, hand), added)
        case .split(let seat, let hand, let newHand): applySplit(seat - 1, hand, newHand)
        case .surrendered(let seat): applySurrendered(seat - 1)
        case .holeRevealed: applyHoleRevealed()
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            applySettled(seat - 1, self.hand(seat - 1, hand), Settlement(outcome, paid: paid), stake)
        case .roundEnded(let until): applyRoundEnded(until)
        case .cleared: applyCleared()
        case .closing(let notice): (core.isClosing, core.closing) = (true, notice)
        case .closed: applyClosed()
        case .postponed(let milliseconds): applyPostponed(milliseconds)
        case .declared(let id, let contributes): change(id) { $0.profile.contributes = contributes }
        case .ceremoniesBegan(let table): applyCeremoniesBegan(table)
        case .ceremonyOpened(let shoe, let secret):
            changeCeremonies { $0.next = Attempt(shoe: shoe, secret: secret, of: $0) }
        case .contributed(let id, let name, let commitment):
            applyContributed(Attempt.Contribution(player: id, name: name, commitment: commitment))
        case .listDue(let until): core.ceremonyDue = until ?? .never
        case .listClosed(let until): applyListClosed(until)
        case .revealed(let id, let contribution): applyRevealed(id, contribution)
        case .attemptVoided(let timedOut): applyVoided(timedOut)
        case .secretRevealed: applySecretRevealed()
        }
    }

    // MARK: Apply players

    // Effects of facts about players and bets.

    func applySat(_ id: PlayerID, _ profile: PlayerProfile, _ seat: Int, _ chips: Int) {
        let slot = slot(of: id) ?? firstFreeSlot
        if !core.present.contains(slot) {
            players[slot] = SeatedPlayer()
            players[slot].id = id
            core.present.insert(slot)
            takeDebt(slot)
        }
        players[slot].profile = profile
        players[slot].chips += chips
        // Rounds missed for lack of chips do not count towards sitting out.
        if chips > 0 { players[slot].missedRounds = 0 }
        if players[slot].isLeaving { change(id) { $0.isLeaving = false } }
        if seats[seat].player != slot {
            players[slot].seats.insert(seat)
            seats[seat].player = slot
            core.taken.insert(seat)
            seats[seat].shoe = 0
        }
        core.broughtIn &+= chips
        // More chips may make more actions legal.
        if core.stage == .playing, seats[core.acting.seat].player == slot {
            core.turnActions = legalActions(core.acting.seat, core.acting.hand)
        }
    }

    func applyLeft(_ id: PlayerID) {
        guard let slot = slot(of: id) else { preconditionFailure("a fact about leaving names a seated player") }
        core.takenOut &+= players[slot].chips
        keepDebt(slot)
        for seat in players[slot].seats {
            seats[seat].player = -1
            core.taken.remove(seat)
        }
        players[slot] = SeatedPlayer()
        core.present.remove(slot)
        core.idle.remove(slot)
        core.leaving.remove(slot)
        core.late.remove(slot)
        core.clocked.remove(slot)
        core.spenders.remove(slot)
        if core.hasCeremonies { forgetCommitment(of: id) }
    }

    func change(_ id: PlayerID, _ body: (inout SeatedPlayer) -> Void) {
        guard let slot = slot(of: id) else { preconditionFailure("a fact names a seated player") }
        body(&players[slot])
        let isCut = if case .cut = players[slot].presence { true } else { false }
        if isCut || players[slot].isSittingOut { core.clocked.insert(slot) } else { core.clocked.remove(slot) }
        if players[slot].timeOuts == 0 { core.late.remove(slot) }
        if players[slot].isLeaving || players[slot].isReleased { core.leaving.insert(slot) } else { core.leaving.remove(slot) }
    }

    func applySatOut(_ id: PlayerID, _ until: Timestamp) {
        change(id) { ($0.isSittingOut, $0.seatUntil, $0.timeOuts) = (true, until, 0) }
        guard let slot = slot(of: id) else { return }
        // The next round checks idle players and stops the seat timer of those who play.
        core.idle.insert(slot)
        // A player who sits out returns as a newcomer. Otherwise a seat with an occasional hand would keep newcomers out indefinitely.
        for seat in players[slot].seats { seats[seat].shoe = 0 }
    }

    /// Resets the count of time-outs in a row.
    func applyDecision(_ seat: Int) {
        if !core.late.isEmpty { forgetTimeOuts(seat) }
    }

    private func forgetTimeOuts(_ seat: Int) {
        players[seats[seat].player].timeOuts = 0
        core.late.remove(seats[seat].player)
    }

    /// Counts a time-out.
    func applyTimeOut(_ seat: Int) {
        let slot = seats[seat].player
        // A disconnected player is not blamed for time-outs.
        guard players[slot].isConnected else { return }
        players[slot].timeOuts += 1
        core.late.insert(slot)
    }

    func applyBet(_ seat: Int, _ amount: Int) {
        players[seats[seat].player].chips -= amount - seats[seat].bet
        seats[seat].bet = amount
        if amount > 0 { core.bets.insert(seat) } else { core.bets.remove(seat) }
    }

    private var firstFreeSlot: Int {
        guard let slot = (0..<rules.seats).first(where: { !core.present.contains($0) }) else {
            preconditionFailure("a seated player has a slot, and there are as many slots as seats")
        }
        return slot
    }

    // MARK: Apply ceremony

    // Effects of facts about ceremonies.

    private func applyCeremoniesBegan(_ table: String) {
        core.hasCeremonies = true
        ceremonies = Ceremonies(table: table, rules: rules)
        // A key that no ceremony has made is never used.
        core.nextSource = nil
    }

    private func applyContributed(_ contribution: Attempt.Contribution) {
        changeCeremonies { ceremonies in
            if let index = ceremonies.next?.index(of: contribution.player) {
                ceremonies.next?.contributions[index] = contribution
            } else {
                ceremonies.next?.contributions.append(contribution)
            }
        }
    }

    private func applyRevealed(_ player: PlayerID, _ contribution: ShoeSecret) {
        changeCeremonies { ceremonies in
            guard let index = ceremonies.next?.index(of: player) else { return }
            ceremonies.next?.contributions[index].reveal = contribution
        }
    }

    private func changeCeremonies(_ body: (inout Ceremonies) -> Void) {
        guard ceremonies != nil else { preconditionFailure("a fact of a ceremony is of a table that has them") }
        body(&ceremonies!)
    }

    /// Orders the list by seats.
    private func applyListClosed(_ until: Timestamp) {
        core.ceremonyDue = until
        changeCeremonies { ceremonies in
            guard var next = ceremonies.next else { return }
            next.contributions.sort { firstSeat(of: $0.player) < firstSeat(of: $1.player) }
            next.stage = .revealing(list: next.contributors.listDigest(server: next.commitment))
            ceremonies.next = next
        }
    }

    private func firstSeat(of player: PlayerID) -> Int {
        slot(of: player).map { players[$0].seats.bits.trailingZeroBitCount } ?? rules.seats
    }

    private func applyVoided(_ timedOut: Bool) {
        core.ceremonyDue = .never
        changeCeremonies { ceremonies in
            for contribution in ceremonies.next?.contributions ?? [] where contribution.reveal == nil {
                // Leaving costs the seat, but a cancelled leave would cost nothing. So it ends the player's part in this shoe.
                let isLeaving = slot(of: contribution.player).map { players[$0].isLeaving } == true
                guard timedOut || isLeaving else { continue }
                ceremonies.excluded.append(contribution.player)
                if timedOut, !ceremonies.withheld.contains(contribution.name) { ceremonies.withheld.append(contribution.name) }
            }
            ceremonies.voidAttempts += 1
            ceremonies.next = nil
        }
    }

    private func applySecretRevealed() {
        changeCeremonies { ceremonies in
            guard let proof = ceremonies.proofOfPlayed else { return }
            ceremonies.played?.isRevealed = true
            if ceremonies.proofs.count == Ceremonies.proofs { ceremonies.proofs.removeFirst() }
            ceremonies.proofs.append(proof)
        }
    }

    func applyClosed() {
        enter(.closed)
        core.ceremonyDue = .never
    }

    /// Removes the commitment of a player who leaves before the list closes.
    func forgetCommitment(of player: PlayerID) {
        guard ceremonies?.next?.isOpen == true else { return }
        changeCeremonies { $0.next?.contributions.removeAll { $0.player == player } }
    }

    func applySupplied(_ source: ShoeSource) {
        core.nextSource = source
        guard core.hasCeremonies, case .keyed(let key) = source, let list = ceremonies?.next?.list else { return }
        core.ceremonyDue = .never
        let first = rules.continuousShuffle ? key.round(0) : key
        core.nextSource = .keyed(first)
        let order = core.shoe.prepare(first)
        changeCeremonies { $0.next?.stage = .mixed(list: list, key: key, order: order) }
    }

    /// Notes the ceremony of a new shoe in play: that of the coming shoe, or with continuous shuffling the next of a ceremony's 32.
    func followShuffle() {
        changeCeremonies { ceremonies in
            if let made = ceremonies.next.flatMap(PlayedShoe.init) {
                ceremonies.played = made
                ceremonies.next = nil
                ceremonies.voidAttempts = 0
                (ceremonies.withheld, ceremonies.excluded) = ([], [])
            } else if case .keyed(let key)? = core.shoe.source {
                ceremonies.played?.order = core.shoe.orderDigest(key, from: 0)
                ceremonies.played?.segment = nil
            }
        }
        guard rules.continuousShuffle, let played = ceremonies?.played else { return }
        let round = core.shoe.number - played.attempt.shoe + 1
        if round < Ceremonies.shoesOfContinuousShuffle { core.nextSource = .keyed(played.key.round(round)) }
    }

    func applyReshuffled() {
        let discards = core.shoe.reshuffleDiscards
        let first = core.shoe.order.count
        seeAgain(besides: discards)
        core.shoe.reshuffle()
        guard core.hasCeremonies, case .keyed(let key)? = core.shoe.source, let played = ceremonies?.played else { return }
        let number = core.shoe.segment
        let order = core.shoe.orderDigest(key.segment(number), from: first)
        let round = rules.continuousShuffle ? core.shoe.number - played.attempt.shoe : 0
        changeCeremonies {
            $0.played?.order = order
            $0.played?.segment = FairShoe.Segment(number: number, first: first, count: core.shoe.order.count - first)
            $0.played?.segments.append(ShoeProof.Segment(number: number, first: first, discards: discards, round: round))
        }
    }

    /// Of a full shoe, what this round has shown is not among reshuffled discards. Beside a fresh set of packs nothing is missing.
    private func seeAgain(besides discards: Range<Int>) {
        core.seen = SeenCards()
        guard !discards.isEmpty else { return }
        let hole = core.dealer.holeIsHidden ? Int(core.dealer.cards[1].rawValue) : nil
        for index in core.shoe.roundStart..<core.shoe.drawn where index != hole { see(core.shoe.order[index]) }
    }

    // MARK: Validation

    // Checks of facts from a journal: after them, applying a fact cannot trap, now or later.

    /// Timestamps up to 2^60 milliseconds: sums with paces and postponements, 2^53 each, cannot overflow.
    private static let latest: Int64 = 1 << 60
    /// Chips of a player: sums with the largest payouts cannot overflow.
    private static let mostChips = 1 << 60

    func validationError(of fact: Fact) -> FactValidationError? {
        switch fact {
        case .sat(let id, _, let seat, let chips):
            if core.stage == .closed { return .phase }
            let known = slot(of: id)
            guard isSeat(seat) else { return .seat }
            if seats[seat - 1].player != known ?? -1 {
                guard seats[seat - 1].player < 0 else { return .seat }
                if let known, players[known].seats.count >= rules.seatsPerPlayer { return .seat }
            }
            return (0...Self.mostChips).contains(chips) && (known.map { players[$0].chips } ?? 0) <= Self.mostChips - chips
                ? nil : .chips
        case .left(let id, let chips):
            guard let slot = slot(of: id) else { return .player }
            if isInRound, !players[slot].seats.isDisjoint(with: core.playing) { return .phase }
            return chips == players[slot].chips && players[slot].seats.isDisjoint(with: core.bets) ? nil : .chips
        case .satOut(let id, let time), .disconnected(let id, let time):
            if slot(of: id) == nil { return .player }
            return isSane(time) ? nil : .time
        case .leaving(let id), .satIn(let id), .away(let id), .reconnected(let id), .released(let id):
            return slot(of: id) == nil ? .player : nil
        case .idling(let until):
            switch core.stage {
            case .waiting, .betting, .earlySurrender, .insurance: break
            default: return .phase
            }
            return isSane(until) ? nil : .time
        case .charged(let id, let milliseconds, let from):
            if slot(of: id) == nil { return .player }
            return isSane(from) && (0...1 << 53).contains(milliseconds) ? nil : .time
        case .shoeSupplied(let source): return core.stage == .closed ? .phase : validationError(ofSupplied: source)
        case .shuffled(let number, let source):
            if isInRound || core.stage == .closed { return .phase }
            return number == core.shoe.number &+ 1 && source == core.nextSource ? nil : .shoe
        case .burned(let id):
            if isInRound || core.stage == .closed { return .phase }
            return isNext(id, nil) ? nil : .card
        case .reshuffled(let cards):
            guard isInRound, core.shoe.isExhausted, core.shoe.source != nil else { return .phase }
            // An id has 16 bits.
            return cards == core.shoe.reshuffleCount && core.shoe.order.count + cards <= 1 << 16 ? nil : .shoe
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
        case .dealt(let id, let card, let seat, let hand):
            guard isInRound else { return .phase }
            guard let hand = handInPlay(seat, hand), hand.pointee.state == .open, hand.pointee.value.count < 21 else {
                return .hand
            }
            return isNext(id, card) ? nil : .card
        case .dealtToDealer(let id, let card):
            guard isInRound else { return .phase }
            if core.dealer.value.count >= 21 || core.dealer.holeIsHidden { return .hand }
            return isNext(id, card) ? nil : .card
        case .holeDealt(let id):
            guard isInRound else { return .phase }
            if core.dealer.value.count != 1 { return .hand }
            return isNext(id, nil) ? nil : .card
        case .holeRevealed(let id, let card):
            guard isInRound, core.dealer.holeIsHidden else { return .phase }
            return id == core.dealer.cards[1] && card == core.shoe[id] ? nil : .card
        case .peeked: return isInRound ? nil : .phase
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
        case .declared(let id, _): return core.stage == .closed ? .phase : slot(of: id) == nil ? .player : nil
        case .ceremoniesBegan: return core.stage != .closed && ceremonies == nil ? nil : ceremonyError
        case .secretRevealed(let shoe):
            if isInRound { return .phase }
            guard core.stage != .closed, let played = ceremonies?.played else { return ceremonyError }
            return !played.isRevealed && played.attempt.shoe == shoe ? nil : .ceremony
        case .ceremonyOpened(let shoe, _):
            guard core.stage != .closed, let ceremonies else { return ceremonyError }
            return ceremonies.next == nil && shoe == comingShoe ? nil : .ceremony
        case .contributed(let id, _, _):
            guard let attempt else { return ceremonyError }
            if slot(of: id) == nil { return .player }
            return attempt.isOpen && ceremonies?.excluded.contains(id) == false ? nil : .ceremony
        case .listDue(let until):
            guard let attempt, attempt.isOpen else { return ceremonyError }
            return until.map(isSane) ?? true ? nil : .time
        case .listClosed(let until):
            guard let attempt, attempt.isOpen else { return ceremonyError }
            return isSane(until) ? nil : .time
        case .revealed(let id, let contribution):
            guard let attempt, let ceremonies, case .revealing = attempt.stage, let index = attempt.index(of: id),
                attempt.contributions[index].reveal == nil,
                attempt.isCommitted(contribution, by: index, at: ceremonies.table)
            else { return ceremonyError }
            return nil
        case .attemptVoided:
            guard let attempt, case .revealing = attempt.stage, ceremonies?.isLastAttempt == false else { return ceremonyError }
            return nil
        }
    }

    func isSane(_ time: Timestamp) -> Bool { (0...Self.latest).contains(time.milliseconds) }

    private func isSeat(_ seat: Int) -> Bool { (1...rules.seats).contains(seat) }

    private func plays(_ seat: Int) -> Bool { isSeat(seat) && isInRound && core.playing.contains(seat - 1) }

    /// A hand of this round, its seat from 1.
    private func handInPlay(_ seat: Int, _ hand: Int) -> UnsafeMutablePointer<Hand>? {
        guard plays(seat), (0..<seats[seat - 1].handCount).contains(hand) else { return nil }
        return self.hand(seat - 1, hand)
    }

    private func canBePostponed(_ time: Timestamp) -> Bool { time == .never || isSane(time) }

    private func canBePostponed(_ player: SeatedPlayer) -> Bool {
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

    private func isAsked(_ seat: Int) -> Bool { plays(seat) && seats[seat - 1].question == .open }

    private func canBePaid(_ paid: Int, to seat: Int) -> Bool {
        (0...Self.mostChips).contains(paid) && players[seats[seat - 1].player].chips <= Self.mostChips - paid
    }

    private func acts(_ seat: Int, _ hand: Int) -> Bool {
        core.stage == .playing && core.acting == (seat - 1, hand)
    }

    // MARK: Validation ceremony

    // Checks of a ceremony's facts from a journal.

    /// The attempt of the ceremony at an open table.
    private var attempt: Attempt? { core.stage == .closed ? nil : ceremonies?.next }

    /// Of a fact that is no step of the table's ceremony.
    private var ceremonyError: FactValidationError { core.stage == .closed ? .phase : .ceremony }

    /// Whether a key is what the ceremony gives. A table without ceremonies takes any source, one at a time.
    func validationError(ofSupplied source: ShoeSource) -> FactValidationError? {
        guard core.nextSource == nil else { return .shoe }
        guard let ceremonies else { return nil }
        guard let next = ceremonies.next, case .revealing = next.stage, case .keyed(let key) = source, key == next.key else {
            return .ceremony
        }
        return nil
    }
}
