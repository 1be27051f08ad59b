import Rules
import TableModel

/// A checked decision. The seat is counted from 0.
struct Move {
    var seat: Int
    var hand: Int
    /// Chips that the action adds: for double, split and insurance.
    var amount: Int
}

/// Checks of bets and decisions.
extension TableState {
    // Forced inlining, with the situations in TableState: without, a round takes 8.3 % more instructions with one seat, 14.3 % with seven.

    /// The seat, from 0, that a legal bet is for.
    @inline(always)
    func checkBet(_ player: PlayerID, seat named: Int?, amount: Int, round: Int?) throws(Rejection) -> Int {
        let slot = try checkLeave(player)
        let seat = try own(named, of: slot)
        if let round, round != self.core.round { throw .staleRound(round, current: self.core.round) }
        try checkStake(amount, slot, seat)
        return seat
    }

    /// Whether the house accepts a bet of this amount. 0 removes a bet and is always accepted.
    @inline(always)
    private func takes(bet amount: Int) -> Bool {
        amount == 0
            || (amount >= rules.minimumBet && amount <= rules.maximumBet
                && UInt(bitPattern: amount) % UInt(bitPattern: rules.betStep) == 0)
    }

    /// Why the house refuses a bet of this amount.
    @inline(never)
    private func refusal(ofBet amount: Int) -> Rejection {
        if amount < 0 { return .betNegative(amount: amount) }
        if amount < rules.minimumBet { return .betBelowMinimum(amount: amount, minimum: rules.minimumBet) }
        if amount > rules.maximumBet { return .betAboveMaximum(amount: amount, maximum: rules.maximumBet) }
        return .betNotInSteps(amount: amount, step: rules.betStep)
    }

    /// Checks a player's bet on a seat of their own.
    @inline(always)
    func checkStake(_ amount: Int, _ slot: Int, _ seat: Int) throws(Rejection) {
        switch core.stage {
        case .waiting, .betting: break
        default: throw .bettingClosed
        }
        if core.isClosing { throw .tableClosing }
        if players[slot].isSittingOut { throw .sittingOut }
        if !takes(bet: amount) { throw refusal(ofBet: amount) }
        // Keeps an equal bet, even of a player who may not enter now.
        if amount == 0 || amount == seats[seat].bet { return }
        let chips = players[slot].chips
        guard chips <= Self.bettingLimit else { throw .chipsOutOfRange(chips: chips, allowed: 0...Self.bettingLimit) }
        let available = chips + seats[seat].bet
        guard amount <= available else { throw .insufficientChips(needed: amount, available: available) }
        if !mayEnter(seat) { throw .waitForShuffle }
    }

    @inline(always)
    func checkAct(
        _ player: PlayerID, _ action: Action, seat: Int?, hand: Int?, amount: Int?, turn guarded: Int?
    ) throws(Rejection) -> Move {
        switch core.stage {
        case .playing:
            let turn = HandID(seat: core.acting.seat + 1, hand: core.acting.hand)
            if players[seats[core.acting.seat].player].id != player {
                _ = try checkLeave(player)
                try checkTurn(isAsked: guarded)
                throw .notYourTurn(acting: turn)
            }
            try checkTurn(isAsked: guarded)
            if seat == nil { _ = try own(nil, of: seats[core.acting.seat].player) }
            let named = HandID(seat: seat ?? turn.seat, hand: hand ?? turn.hand)
            if named != turn { throw .wrongHand(named: named, acting: turn) }
            return Move(seat: core.acting.seat, hand: core.acting.hand, amount: try checkTurn(action, turn, amount))
        case .insurance, .earlySurrender:
            let slot = try checkLeave(player)
            try checkTurn(isAsked: guarded)
            return try checkAnswer(slot, action, seat: seat, hand: hand, amount: amount)
        default:
            _ = try checkLeave(player)
            // No question is open, so any turn is stale.
            throw .staleTurn(guarded ?? core.turn)
        }
    }

    /// Refuses a decision that names another hand or turn.
    @inline(always)
    private func checkTurn(isAsked guarded: Int?) throws(Rejection) {
        if let guarded, guarded != core.turn { throw .staleTurn(guarded) }
    }

    /// Checks an action of the acting hand.
    /// - Returns: the chips that it adds.
    @inline(always)
    func checkTurn(_ action: Action, _ turn: HandID, _ amount: Int?) throws(Rejection) -> Int {
        guard core.turnActions.allows(action) else { throw refusal(of: action, turn) }
        switch action {
        case .double: return try choose(amount, from: rules.doubleAmounts(for: situation(turn.seat - 1, turn.hand)))
        case .split:
            let bet = seats[turn.seat - 1].original
            return try choose(amount, from: bet..<bet + 1)
        default:
            if amount != nil { throw .amountNotExpected(action) }
            return 0
        }
    }

    /// Why the acting hand may not take an action: too few chips, or the rules.
    private func refusal(of action: Action, _ turn: HandID) -> Rejection {
        let situation = situation(turn.seat - 1, turn.hand)
        let short = situation.bankroll < situation.bet
        if short, action == .split && rules.allowsSplit(situation) || action == .double && rules.allowsDouble(situation) {
            return .insufficientChips(needed: situation.bet, available: situation.bankroll)
        }
        return .notAllowed(action, legal: core.turnActions)
    }

    private func checkAnswer(
        _ slot: Int, _ action: Action, seat named: Int?, hand: Int?, amount: Int?
    ) throws(Rejection) -> Move {
        let index = try own(named, of: slot)
        let seat = index + 1
        if let hand, hand != 0 {
            throw .wrongHand(named: HandID(seat: seat, hand: hand), acting: HandID(seat: seat, hand: 0))
        }
        guard core.playing.contains(index) else { throw .notAsked(seat: seat) }
        switch seats[index].question {
        case .notAsked: throw .notAsked(seat: seat)
        case .answered: throw .alreadyAnswered(seat: seat)
        case .open: break
        }
        let legal = answers(index)
        guard legal.allows(action) else {
            let limit = HouseRules.insuranceLimit(for: seats[index].original)
            if action == .insurance, core.stage == .insurance, limit > players[slot].chips {
                throw .insufficientChips(needed: limit, available: players[slot].chips)
            }
            throw .notAllowed(action, legal: legal)
        }
        if action == .insurance {
            let amounts = rules.insuranceAmounts(bet: seats[index].original, bankroll: players[slot].chips)
            return Move(seat: index, hand: 0, amount: try choose(amount, from: amounts))
        }
        if amount != nil { throw .amountNotExpected(action) }
        return Move(seat: index, hand: 0, amount: 0)
    }

    /// The named amount, by default the largest possible.
    @inline(always)
    private func choose(_ amount: Int?, from amounts: Range<Int>) throws(Rejection) -> Int {
        let largest = amounts.upperBound - 1
        guard let amount else { return largest }
        guard amounts.contains(amount) else {
            throw .amountNotAllowed(amount: amount, allowed: amounts.lowerBound...largest)
        }
        return amount
    }

    /// The seat, from 0, that a player names. A player with several must name one, so that a repeated request cannot apply to another seat.
    @inline(always)
    func own(_ named: Int?, of slot: Int) throws(Rejection) -> Int {
        guard let named else {
            guard players[slot].seats.count == 1 else { throw .noSeatNamed }
            return players[slot].seats.bits.trailingZeroBitCount
        }
        guard (1...rules.seats).contains(named) else { throw .noSuchSeat(seat: named, seats: rules.seats) }
        guard players[slot].seats.contains(named - 1) else { throw .seatNotYours(seat: named) }
        return named - 1
    }

    // MARK: Check seats

    // Checks of commands about seats. Results count seats from 0.

    /// The most chips in one command: sums over a whole table cannot overflow.
    static let chipsLimit = 1_000_000_000_000
    /// The most chips with which a player may bet: after the largest possible win they own at most 2^53, the largest number on the
    /// wire.
    static let bettingLimit = 1 << 53 - 64 * HouseRules.betRange.upperBound

    func checkOpen() throws(Rejection) {
        if core.stage == .closed { throw .tableClosed }
    }

    /// Accepts a player's own seat, which is also the default.
    func checkSit(_ player: PlayerID, seat: Int?, chips: Int) throws(Rejection) -> Int {
        try checkOpen()
        if let seat, !(1...rules.seats).contains(seat) { throw .noSuchSeat(seat: seat, seats: rules.seats) }
        let known = slot(of: player)
        let mine = known.map { players[$0].seats } ?? SeatMask()
        let own = seat.map { mine.contains($0 - 1) ? $0 - 1 : nil } ?? mine.first(after: -1)
        if core.isClosing, own == nil || chips > 0 || known.map({ players[$0].isLeaving }) == true { throw .tableClosing }
        if known != nil, own == nil, mine.count >= rules.seatsPerPlayer { throw .tooManySeats(limit: rules.seatsPerPlayer) }
        // Chips may be added with a further seat, or by a player who is broke.
        let most = known != nil && own != nil && !isBroke(player) ? 0 : TableState.chipsLimit
        let allowed = (known == nil ? rules.minimumBet : 0)...most
        guard allowed.contains(chips) else { throw .chipsOutOfRange(chips: chips, allowed: allowed) }
        if let own { return own }
        if let seat {
            guard seats[seat - 1].player < 0 else { throw .seatTaken(seat: seat) }
            return seat - 1
        }
        guard let free = (0..<rules.seats).first(where: { seats[$0].player < 0 }) else { throw .tableFull(seats: rules.seats) }
        return free
    }

    func checkSeated(_ player: PlayerID) throws(Rejection) -> Int {
        try checkOpen()
        guard let slot = slot(of: player) else { throw .notSeated }
        return slot
    }

    func checkLeave(_ player: PlayerID) throws(Rejection) -> Int {
        let slot = try checkSeated(player)
        if players[slot].isLeaving { throw .alreadyLeaving }
        return slot
    }

    // MARK: Perform

    func perform<Sink: FactSink>(
        _ command: Command, at now: Timestamp, into sink: inout Sink
    ) throws(Rejection) {
        // Runs before the time-outs, which it postpones.
        if case .postpone(let milliseconds) = command { try postpone(milliseconds, &sink) }
        advance(to: now, into: &sink)
        try carryOut(command, now, &sink)
        followCeremony(now, &sink)
    }

    private func carryOut<Sink: FactSink>(_ command: Command, _ now: Timestamp, _ sink: inout Sink) throws(Rejection) {
        switch command {
        case .act(let player, let action, let seat, let hand, let amount, let turn):
            let move = try checkAct(player, action, seat: seat, hand: hand, amount: amount, turn: turn)
            if core.freeUntil < now { charge(seats[move.seat].player, now, &sink) }
            act(action, move, now, &sink)
        case .bet(let player, let seat, let amount, let round):
            let target = try checkBet(player, seat: seat, amount: amount, round: round)
            placeBet(target, amount, now, &sink)
        case .tick, .postpone: break
        case .supplyShoe(let source):
            try checkOpen()
            if core.hasCeremonies { throw .shoeHasCeremony }
            if core.nextSource != nil { throw .shoeAlreadySupplied }
            emit(.shoeSupplied(source), into: &sink)
            closeBetsIfComplete(now, &sink)
        case .sit(let player, let profile, let seat, let chips):
            let seat = try checkSit(player, seat: seat, chips: chips)
            if let slot = slot(of: player) {
                if seats[seat].player == slot, chips == 0, !players[slot].isLeaving { return }
                charge(slot, now, &sink)
            }
            emit(.sat(player: player, profile: profile, seat: seat + 1, chips: chips), into: &sink)
            startTime(of: seats[seat].player, now, &sink)
            restartIdling(for: seats[seat].player, now, &sink)
        case .leave(let player):
            let slot = try checkSeated(player)
            if !players[slot].isLeaving { leave(slot, now, &sink) }
        case .sitOut(let player, true):
            let slot = try checkLeave(player)
            if players[slot].isSittingOut { return }
            sitOut(slot, now, &sink)
            returnBets(of: slot, now, &sink)
            // The seat timer may have expired while the player sat in without playing.
            advance(to: now, into: &sink)
        case .sitOut(let player, false):
            let slot = try checkLeave(player)
            guard players[slot].isSittingOut else { return }
            charge(slot, now, &sink)
            emit(.satIn(player: player), into: &sink)
            startTime(of: slot, now, &sink)
            restartIdling(for: slot, now, &sink)
        case .disconnected(let player):
            let slot = try checkSeated(player)
            if !players[slot].isConnected { throw .alreadyDisconnected }
            disconnect(slot, now, &sink)
        case .reconnected(let player):
            let slot = try checkSeated(player)
            if players[slot].isConnected { throw .notDisconnected }
            reconnect(slot, now, &sink)
        case .release(let player):
            let slot = try checkLeave(player)
            if players[slot].isConnected { throw .notDisconnected }
            release(slot, now, &sink)
        case .close(let notice):
            try checkOpen()
            if core.closing == notice { throw .tableClosing }
            close(notice, now, &sink)
        case .void: void(now, &sink)
        case .beginCeremonies(let table):
            try checkOpen()
            if ceremonies != nil { throw .shoeAlreadySupplied }
            emit(.ceremoniesBegan(table: table), into: &sink)
        case .supplySecret(let secret):
            try checkOpen()
            guard let ceremonies else { throw .noCeremony }
            if ceremonies.next != nil { throw .shoeAlreadySupplied }
            emit(.ceremonyOpened(shoe: comingShoe, secret: secret), into: &sink)
        case .declare(let player, let contributes):
            let slot = try checkSeated(player)
            guard players[slot].profile.contributes != contributes else { return }
            emit(.declared(player: player, contributes: contributes), into: &sink)
        case .commit(let player, let name, let server, let contribution):
            guard try checkCommit(player, name, server: server, contribution) else { return }
            emit(.contributed(player: player, name: name, commitment: contribution), into: &sink)
        case .reveal(let player, let list, let contribution):
            guard try checkReveal(player, list: list, contribution) else { return }
            emit(.revealed(player: player, contribution: contribution), into: &sink)
        }
    }

    // MARK: Betting

    // Bets and the end of betting. Seats are counted from 0.

    // Forced inlining of the end of betting: without, a round takes 2.3 % more instructions with one seat, 0.7 % with seven.

    func placeBet<Sink: FactSink>(_ seat: Int, _ amount: Int, _ now: Timestamp, _ sink: inout Sink) {
        if amount == seats[seat].bet { return }
        setBet(seat, amount, now, &sink)
        closeBetsIfComplete(now, &sink)
    }

    func setBet<Sink: FactSink>(_ seat: Int, _ amount: Int, _ now: Timestamp, _ sink: inout Sink) {
        if amount == seats[seat].bet { return }
        if core.freeUntil < now { charge(seats[seat].player, now, &sink) }
        emit(.betPlaced(seat: seat + 1, amount: amount), into: &sink)
        if core.stage == .waiting {
            emit(.bettingOpened(closes: now.adding(seconds: rules.bettingSeconds)), into: &sink)
        } else if amount == 0 {
            startTime(of: seats[seat].player, now, &sink)
        }
    }

    /// Returns a player's bets for the next round, then ends betting if nobody is left to wait for.
    func returnBets<Sink: FactSink>(of slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        for seat in players[slot].seats where seats[seat].bet > 0 {
            emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink)
        }
        closeBetsIfComplete(now, &sink)
    }

    /// Ends betting when every present player has bet, at the deadline, or when no bet is left.
    @inline(always)
    func closeBetsIfComplete<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        guard core.stage == .betting else { return }
        if core.bets.isEmpty {
            emit(.bettingAbandoned, into: &sink)
        } else if core.due <= now || everybodyHasBet, canStartRound {
            startRound(now, &sink)
        } else if core.freeUntil != .never {
            hurry(&sink)
        }
    }

    /// Whether every present player who can bet has bet.
    @inline(always)
    private var everybodyHasBet: Bool {
        if core.bets == core.taken { return true }
        for slot in core.present where isBetAwaited(slot) { return false }
        return true
    }

    /// Whether the betting waits for a player's bet.
    @inline(always)
    func isBetAwaited(_ slot: Int) -> Bool {
        guard canBet(slot), !players[slot].isSittingOut else { return false }
        for seat in players[slot].seats.subtracting(core.bets) where mayEnter(seat) { return true }
        return false
    }

    func leave<Sink: FactSink>(_ slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        let id = players[slot].id
        charge(slot, now, &sink)
        if isInRound, !players[slot].seats.isDisjoint(with: core.playing) {
            emit(.leaving(player: id), into: &sink)
            defaultFor(slot, now, &sink)
            return
        }
        for seat in players[slot].seats where seats[seat].bet > 0 {
            emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink)
        }
        emit(.left(player: id, chips: players[slot].chips), into: &sink)
        closeBetsIfComplete(now, &sink)
    }

    /// Whether a round has begun and is not settled.
    var isInRound: Bool {
        switch core.stage {
        case .dealing, .earlySurrender, .insurance, .playing, .dealer: true
        case .waiting, .betting, .settled, .closed: false
        }
    }

    /// Answers open questions and turns of a leaving player by their defaults.
    private func defaultFor<Sink: FactSink>(_ slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        switch core.stage {
        case .earlySurrender, .insurance:
            for seat in players[slot].seats where core.playing.contains(seat) && seats[seat].question == .open {
                emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
            }
            closeQuestionIfAnswered(now, &sink)
        case .playing where players[slot].seats.contains(core.acting.seat):
            let (seat, hand) = core.acting
            emit(.stood(seat: seat + 1, hand: hand, .absent), into: &sink)
            nextTurn(after: seat, hand, now, &sink)
        default: break
        }
    }

    func close<Sink: FactSink>(_ notice: ClosingNotice, _ now: Timestamp, _ sink: inout Sink) {
        emit(.closing(notice), into: &sink)
        if isInRound { return }
        if core.stage == .settled { return }
        for seat in core.bets { emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink) }
        if core.stage == .betting { emit(.bettingAbandoned, into: &sink) }
        finishClosing(&sink)
    }

    /// Removes every player after the last round.
    func finishClosing<Sink: FactSink>(_ sink: inout Sink) {
        guard core.isClosing else { return }
        for slot in core.present { emit(.left(player: players[slot].id, chips: players[slot].chips), into: &sink) }
        if core.hasCeremonies { revealSecret(&sink) }
        emit(.closed, into: &sink)
    }

    // MARK: Play

    // Turns. Seats are counted from 0.

    // Forced inlining, with dealing in TableState+Round: without, a round takes 9.8 % more instructions with one seat, 19.7 % with seven.

    /// Performs a checked action: an answer to an open question, or a decision of the acting hand.
    @inline(always)
    func act<Sink: FactSink>(_ action: Action, _ move: Move, _ now: Timestamp, _ sink: inout Sink) {
        if core.stage == .playing { play(action, move, now, &sink) } else { answer(action, move, now, &sink) }
    }

    /// Answers for a seat and continues when every seat has answered.
    func answer<Sink: FactSink>(_ action: Action, _ move: Move, _ now: Timestamp, _ sink: inout Sink) {
        let seat = move.seat
        switch action {
        case .surrender: emit(.surrendered(seat: seat + 1), into: &sink)
        case .insurance: emit(.insured(seat: seat + 1, amount: move.amount), into: &sink)
        case .evenMoney: emit(.evenMoneyTaken(seat: seat + 1), into: &sink)
        case .decline: emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
        case .hit, .stand, .double, .split: preconditionFailure("not an answer, refused by the checks")
        }
        if action == .surrender || action == .evenMoney { settleIfFinished(seat, 0, &sink) }
        closeQuestionIfAnswered(now, &sink)
    }

    /// Plays the acting hand and starts the next turn.
    @inline(always)
    func play<Sink: FactSink>(_ action: Action, _ move: Move, _ now: Timestamp, _ sink: inout Sink) {
        let (seat, hand) = (move.seat, move.hand)
        switch action {
        case .hit:
            emit(.hit(seat: seat + 1, hand: hand), into: &sink)
            deal(to: seat, hand, &sink)
        case .stand:
            emit(.stood(seat: seat + 1, hand: hand, .chosen), into: &sink)
            return giveTurn(to: seat, hand &+ 1, now, &sink)
        case .double:
            emit(.doubled(seat: seat + 1, hand: hand, added: move.amount), into: &sink)
            deal(to: seat, hand, &sink)
        case .split:
            emit(.split(seat: seat + 1, hand: hand, newHand: seats[seat].handCount), into: &sink)
        case .surrender:
            emit(.surrendered(seat: seat + 1), into: &sink)
        case .insurance, .evenMoney, .decline: preconditionFailure("not part of a turn, refused by the checks")
        }
        giveTurn(to: seat, hand, now, &sink)
    }

    /// Gives the turn to the first undecided hand after this one, or else to the dealer.
    func nextTurn<Sink: FactSink>(after seat: Int, _ hand: Int, _ now: Timestamp, _ sink: inout Sink) {
        giveTurn(to: seat, hand + 1, now, &sink)
    }

    /// Gives the turn to the first undecided hand from this one on, or else to the dealer. A split hand gets its second card at its
    /// turn.
    @inline(always)
    func giveTurn<Sink: FactSink>(to seat: Int, _ hand: Int, _ now: Timestamp, _ sink: inout Sink) {
        var (seat, hand) = (seat, hand)
        while true {
            if seat >= 0, hand < seats[seat].handCount {
                if offerTurn(seat, hand, now, &sink) { return }
                hand += 1
            } else {
                guard let next = core.playing.first(after: seat) else { return dealerPlays(now, &sink) }
                (seat, hand) = (next, 0)
            }
        }
    }

    /// Whether the hand waits for a decision; otherwise it is finished.
    @inline(always)
    private func offerTurn<Sink: FactSink>(
        _ seat: Int, _ hand: Int, _ now: Timestamp, _ sink: inout Sink
    ) -> Bool {
        let current = self.hand(seat, hand)
        if current.pointee.value.count == 1 { deal(to: seat, hand, &sink) }
        if current.pointee.state == .open {
            let legal = legalActions(seat, hand)
            if legal.isEmpty {
                emit(.stood(seat: seat + 1, hand: hand, .automatic), into: &sink)
            } else if players[seats[seat].player].isLeaving {
                emit(.stood(seat: seat + 1, hand: hand, .absent), into: &sink)
            } else {
                let closes = now.adding(milliseconds: decisionMilliseconds(seats[seat].player))
                emit(.turnStarted(seat: seat + 1, hand: hand, legal: legal, closes: closes), into: &sink)
                return true
            }
        }
        settleIfFinished(seat, hand, &sink)
        return false
    }

    /// Settles a hand that has ended, unless it depends on the dealer.
    @inline(always)
    func settleIfFinished<Sink: FactSink>(_ seat: Int, _ hand: Int, _ sink: inout Sink) {
        let current = self.hand(seat, hand)
        guard current.pointee.state == .ended, current.pointee.end != .stood else { return }
        let finished = finished(seat, hand)
        if rules.canSettleEarly(finished, upCard: core.dealer.upCard, seatHasExtraBets: hasExtraBets(seat)) {
            settle(seat, hand, finished, against: HandValue(), &sink)
        }
    }

    @inline(always)
    func settle<Sink: FactSink>(
        _ seat: Int, _ hand: Int, _ finished: FinishedHand, against dealer: HandValue, _ sink: inout Sink
    ) {
        let settlement = rules.settle(finished, against: dealer)
        emit(
            .settled(
                seat: seat + 1, hand: hand, settlement.outcome, stake: finished.stake, paid: settlement.paid), into: &sink)
    }

    // MARK: Emit

    /// Applies a fact and passes it to the sink.
    @inline(always)
    func emit<Sink: FactSink>(_ fact: Fact, into sink: inout Sink) {
        apply(fact)
        sink.receive(fact)
    }
}
