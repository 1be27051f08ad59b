import Rules

/// What a checked decision comes to. The seat is counted from 0.
struct Move {
    var seat: Int
    var hand: Int
    /// Chips that the action adds: of use for double, split and insurance.
    var amount: Int
}

/// Whether bets and decisions are legal.
extension TableState {
    /// The seat, from 0, that a legal bet goes to.
    @inline(always)
    func checkBet(_ player: PlayerID, seat named: Int?, amount: Int, round: Int?) throws(Rejection) -> Int {
        let place = try checkLeave(player)
        let seat = try own(named, of: place)
        if let round, round != self.round { throw .stale(.round, named: round, current: self.round) }
        try checkStake(amount, place, seat, isTaken: takes(bet: amount))
        return seat
    }

    /// Whether the house takes a bet of this much, whoever places it. 0 is no bet, and always taken.
    @inline(always)
    func takes(bet amount: Int) -> Bool {
        amount == 0
            || (amount >= rules.minimumBet && amount <= rules.maximumBet
                && UInt(bitPattern: amount) % UInt(bitPattern: rules.betStep) == 0)
    }

    /// Why the house takes no bet of this much, whoever places it.
    @inline(never)
    private func refusal(ofBet amount: Int) -> Rejection {
        if amount < 0 { return .betNegative(amount: amount) }
        if amount < rules.minimumBet { return .betBelowMinimum(amount: amount, minimum: rules.minimumBet) }
        if amount > rules.maximumBet { return .betAboveMaximum(amount: amount, maximum: rules.maximumBet) }
        return .betNotInSteps(amount: amount, step: rules.betStep)
    }

    /// Whether a player may bet this much on a seat of his own; `isTaken`: the house takes that amount.
    @inline(always)
    func checkStake(_ amount: Int, _ place: Int, _ seat: Int, isTaken: Bool) throws(Rejection) {
        switch stage {
        case .waiting, .betting: break
        default: throw .bettingClosed(phase: phase)
        }
        if isClosing { throw .tableClosing }
        if players[place].isSittingOut { throw .sittingOut }
        if !isTaken { throw refusal(ofBet: amount) }
        if amount == 0 { return }
        let chips = players[place].chips
        guard chips <= Self.bettingLimit else { throw .chipsOutOfRange(chips: chips, allowed: 0...Self.bettingLimit) }
        let available = chips + seats[seat].bet
        guard amount <= available else { throw .insufficientChips(needed: amount, available: available) }
        if !mayEnter(seat) { throw .waitForShuffle }
    }

    @inline(always)
    func checkAct(
        _ player: PlayerID, _ action: Action, seat: Int?, hand: Int?, amount: Int?, turn guarded: Int?
    ) throws(Rejection) -> Move {
        switch stage {
        case .playing:
            let turn = HandID(seat: acting.seat + 1, hand: acting.hand)
            if players[seats[acting.seat].player].id != player {
                _ = try checkLeave(player)
                try checkTurn(isAsked: guarded)
                throw .notYourTurn(acting: turn)
            }
            try checkTurn(isAsked: guarded)
            let named = HandID(seat: seat ?? turn.seat, hand: hand ?? turn.hand)
            if named != turn { throw .wrongHand(named: named, acting: turn) }
            return Move(seat: acting.seat, hand: acting.hand, amount: try checkTurn(action, turn, amount))
        case .insurance, .earlySurrender:
            let place = try checkLeave(player)
            try checkTurn(isAsked: guarded)
            return try checkAnswer(place, action, seat: seat, hand: hand, amount: amount)
        default:
            _ = try checkLeave(player)
            // Nothing is asked: whatever the number, it is about something that is over.
            if let guarded { throw .stale(.turn, named: guarded, current: self.turn) }
            throw .nothingToDecide(phase: phase)
        }
    }

    /// Refuses what was meant for another decision than the one that is asked.
    @inline(always)
    private func checkTurn(isAsked guarded: Int?) throws(Rejection) {
        if let guarded, guarded != turn { throw .stale(.turn, named: guarded, current: turn) }
    }

    /// The chips that a legal action of the acting hand adds.
    @inline(always)
    func checkTurn(_ action: Action, _ turn: HandID, _ amount: Int?) throws(Rejection) -> Int {
        guard turnActions.allows(action) else { throw refusal(of: action, turn) }
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

    /// Why the acting hand may not do what it asks: for want of chips, or by the rules.
    private func refusal(of action: Action, _ turn: HandID) -> Rejection {
        let situation = situation(turn.seat - 1, turn.hand)
        let short = situation.bankroll < situation.bet
        if short, action == .split && rules.allowsSplit(situation) || action == .double && rules.allowsDouble(situation) {
            return .insufficientChips(needed: situation.bet, available: situation.bankroll)
        }
        return .notAllowed(action, legal: turnActions)
    }

    private func checkAnswer(
        _ place: Int, _ action: Action, seat named: Int?, hand: Int?, amount: Int?
    ) throws(Rejection) -> Move {
        let mine = players[place].seats
        let seat = named ?? firstAsked(of: mine) + 1
        let index = try own(seat, of: place)
        if let hand, hand != 0 {
            throw .wrongHand(named: HandID(seat: seat, hand: hand), acting: HandID(seat: seat, hand: 0))
        }
        guard playing.contains(index) else { throw .notAsked(seat: seat) }
        switch seats[index].question {
        case .notAsked: throw .notAsked(seat: seat)
        case .answered: throw .alreadyAnswered(seat: seat)
        case .open: break
        }
        let legal = answers(index)
        guard legal.allows(action) else {
            let limit = HouseRules.insuranceLimit(for: seats[index].original)
            if action == .insurance, stage == .insurance, limit > players[place].chips {
                throw .insufficientChips(needed: limit, available: players[place].chips)
            }
            throw .notAllowed(action, legal: legal)
        }
        if action == .insurance {
            let amounts = rules.insuranceAmounts(bet: seats[index].original, bankroll: players[place].chips)
            return Move(seat: index, hand: 0, amount: try choose(amount, from: amounts))
        }
        if amount != nil { throw .amountNotExpected(action) }
        return Move(seat: index, hand: 0, amount: 0)
    }

    /// The first of a player's seats that still has to answer; his first seat when none has.
    private func firstAsked(of mine: SeatMask) -> Int {
        for seat in mine where seats[seat].question == .open { return seat }
        return mine.bits.trailingZeroBitCount
    }

    /// The amount asked for, or the largest there is when none was named.
    @inline(always)
    private func choose(_ amount: Int?, from amounts: Range<Int>) throws(Rejection) -> Int {
        let largest = amounts.upperBound - 1
        guard let amount else { return largest }
        guard amounts.contains(amount) else {
            throw .amountNotAllowed(amount: amount, allowed: amounts.lowerBound...largest)
        }
        return amount
    }

    /// The seat, from 0, that a player means; the first of his own when he names none.
    @inline(always)
    private func own(_ named: Int?, of place: Int) throws(Rejection) -> Int {
        guard let named else { return players[place].seats.bits.trailingZeroBitCount }
        guard (1...rules.seats).contains(named) else { throw .noSuchSeat(seat: named, seats: rules.seats) }
        guard players[place].seats.contains(named - 1) else { throw .seatNotYours(seat: named) }
        return named - 1
    }
}
