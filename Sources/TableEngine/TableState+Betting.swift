import Rules

/// Bets, and what ends the betting. Seats are counted from 0.
extension TableState {
    @inline(__always)
    func placeBet<Sink: FactSink>(_ seat: Int, _ amount: Int, _ now: Moment, _ sink: inout Sink) {
        setBet(seat, amount, now, &sink)
        closeBetsIfComplete(now, &sink)
    }

    @inline(__always)
    func setBet<Sink: FactSink>(_ seat: Int, _ amount: Int, _ now: Moment, _ sink: inout Sink) {
        if amount == seats[seat].bet { return }
        emit(.betPlaced(seat: seat + 1, amount: amount), into: &sink)
        if case .waiting = phase {
            emit(.bettingOpened(closes: now.adding(seconds: rules.bettingSeconds)), into: &sink)
        }
    }

    /// Gives back what a player has bet for the next round, and sees whether that ends the betting.
    func returnBets<Sink: FactSink>(of place: Int, _ now: Moment, _ sink: inout Sink) {
        for seat in players[place].seats where seats[seat].bet > 0 {
            emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink)
        }
        closeBetsIfComplete(now, &sink)
    }

    /// Ends the betting when nobody is left to wait for, or nobody has bet any more.
    @inline(__always)
    func closeBetsIfComplete<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        guard case .betting(let closes) = phase else { return }
        if bets.isEmpty {
            emit(.bettingAbandoned, into: &sink)
        } else if closes <= now || everybodyHasBet, canStartRound {
            startRound(now, &sink)
        }
    }

    /// Whether nobody is left who could still bet and is there to do it.
    @inline(__always)
    private var everybodyHasBet: Bool {
        for place in present {
            let waitsFor =
                players[place].isConnected && !players[place].isSittingOut && players[place].chips >= rules.minimumBet
            guard waitsFor else { continue }
            for seat in players[place].seats.subtracting(bets) where mayEnter(seat) { return false }
        }
        return true
    }

    func leave<Sink: FactSink>(_ place: Int, _ now: Moment, _ sink: inout Sink) {
        let id = players[place].id
        if isInRound, !players[place].seats.isDisjoint(with: playing) {
            emit(.leaving(player: id), into: &sink)
            defaultFor(place, now, &sink)
            return
        }
        for seat in players[place].seats where seats[seat].bet > 0 {
            emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink)
        }
        emit(.left(player: id, chips: players[place].chips), into: &sink)
        closeBetsIfComplete(now, &sink)
    }

    /// Whether a round has begun and is not settled yet.
    var isInRound: Bool {
        switch phase {
        case .dealing, .earlySurrender, .insurance, .playing, .dealer: true
        case .waiting, .betting, .settled, .closed: false
        }
    }

    /// Decides for a player who is leaving whatever he is being asked.
    private func defaultFor<Sink: FactSink>(_ place: Int, _ now: Moment, _ sink: inout Sink) {
        switch phase {
        case .earlySurrender, .insurance:
            for seat in players[place].seats where playing.contains(seat) && seats[seat].question == .open {
                emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
            }
            closeQuestionIfAnswered(now, &sink)
        case .playing(let seat, let hand, _) where players[place].seats.contains(seat - 1):
            emit(.stood(seat: seat, hand: hand, .absent), into: &sink)
            nextTurn(after: seat - 1, hand, now, &sink)
        default: break
        }
    }

    func close<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        emit(.closing, into: &sink)
        if isInRound { return }
        if case .settled = phase { return }
        for seat in bets { emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink) }
        if case .betting = phase { emit(.bettingAbandoned, into: &sink) }
        finishClosing(&sink)
    }

    /// Sends everybody home when the last round is over.
    func finishClosing<Sink: FactSink>(_ sink: inout Sink) {
        guard isClosing else { return }
        for place in present { emit(.left(player: players[place].id, chips: players[place].chips), into: &sink) }
        emit(.closed, into: &sink)
    }
}
