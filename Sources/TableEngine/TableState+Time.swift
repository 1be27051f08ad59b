import Rules

extension TableState {
    /// When the phase ends by itself; nil: not before the next command.
    var deadline: Moment? {
        if due == .never || stage == .waiting { return nil }
        if stage == .betting, !canStartRound { return nil }
        return due
    }

    /// When something happens by itself next; nil: not before the next command.
    var nextEvent: Moment? {
        let next = min(stageDue, nextPlayerClock?.moment ?? .never)
        return next == .never ? nil : next
    }

    @inline(always)
    var canStartRound: Bool { !bets.isEmpty && (nextSource != nil || !shufflesNext) }

    @inline(always)
    func isSomethingDue(at now: Moment) -> Bool { due <= now || !clocked.isEmpty }

    @inline(always)
    func advance<Sink: FactSink>(to now: Moment, into sink: inout Sink) {
        if isSomethingDue(at: now) { runDue(now, &sink) }
    }

    @inline(never)
    private func runDue<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        while true {
            let (clock, stageDue) = (nextPlayerClock, stageDue)
            if let clock, clock.moment <= now, clock.moment <= stageDue {
                playerTimeOut(clock.place, now, &sink)
            } else if stageDue <= now {
                timeOut(now, &sink)
            } else {
                return
            }
        }
    }

    /// When the stage ends by itself, or a table without a bet has everybody sit out; the end of time for never.
    private var stageDue: Moment {
        if stage == .waiting { return somebodyIdles ? due : .never }
        return deadline ?? .never
    }

    /// Whether somebody is there who could bet and does not.
    private var somebodyIdles: Bool {
        for place in present where idles(place) { return true }
        return false
    }

    private func idles(_ place: Int) -> Bool { players[place].isPresent && !players[place].isSittingOut }

    private func timeOut<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        switch stage {
        case .waiting:
            for place in present where idles(place) { sitOut(place, now, &sink) }
        case .betting: startRound(now, &sink)
        case .earlySurrender, .insurance:
            for seat in playing where seats[seat].question == .open {
                emit(.declined(seat: seat + 1, timedOut: true), into: &sink)
                sitOutIfTooLate(seat, now, &sink)
            }
            closeQuestionIfAnswered(now, &sink)
        case .playing:
            let (seat, hand) = acting
            emitStood(seat, hand, .timedOut, into: &sink)
            sitOutIfTooLate(seat, now, &sink)
            nextTurn(after: seat, hand, now, &sink)
        case .settled:
            emit(.cleared, into: &sink)
            finishClosing(&sink)
        case .dealing, .dealer, .closed: break
        }
    }

    private func sitOutIfTooLate<Sink: FactSink>(_ seat: Int, _ now: Moment, _ sink: inout Sink) {
        let place = seats[seat].player
        if players[place].timeOuts >= pace.timeOuts { sitOut(place, now, &sink) }
    }
}

/// The clocks of single players: the period of grace of a lost connection, and how long a seat is kept for one who sits out.
extension TableState {
    /// The clock that goes off next.
    private var nextPlayerClock: (place: Int, moment: Moment)? {
        var next: (place: Int, moment: Moment)?
        for place in clocked {
            let moment = clock(of: place)
            if moment < next?.moment ?? .never { next = (place, moment) }
        }
        return next
    }

    private func clock(of place: Int) -> Moment {
        switch players[place].presence {
        case .cut(let until): return until
        case .away: return .never
        case .connected:
            // A hand in play is played out first.
            let isPlaying = isInRound && !players[place].seats.isDisjoint(with: playing)
            return players[place].isSittingOut && !isPlaying ? players[place].seatUntil : .never
        }
    }

    private func playerTimeOut<Sink: FactSink>(_ place: Int, _ now: Moment, _ sink: inout Sink) {
        if players[place].isConnected { return leave(place, now, &sink) }
        emit(.away(player: players[place].id), into: &sink)
        closeBetsIfComplete(now, &sink)
    }

    /// Has a player sit out. The time for which the seat is kept runs on where they have sat in since without playing.
    func sitOut<Sink: FactSink>(_ place: Int, _ now: Moment, _ sink: inout Sink) {
        guard !players[place].isSittingOut, !players[place].isLeaving else { return }
        let running = players[place].seatUntil
        let until = running == .never ? now.adding(milliseconds: pace.sitOutMilliseconds) : running
        emit(.satOut(player: players[place].id, until: until), into: &sink)
    }

    func disconnect<Sink: FactSink>(_ player: PlayerID, _ now: Moment, _ sink: inout Sink) {
        emit(.disconnected(player: player, grace: now.adding(milliseconds: pace.graceMilliseconds)), into: &sink)
        advance(to: now, into: &sink)
    }

    func reconnect<Sink: FactSink>(_ player: PlayerID, _ now: Moment, _ sink: inout Sink) {
        emit(.reconnected(player: player), into: &sink)
        restartIdling(now, &sink)
        // A seat that was only kept because its player was away.
        advance(to: now, into: &sink)
    }

    /// Frees a disconnected player's seats, but not before what they have bet is settled.
    func release<Sink: FactSink>(_ place: Int, _ now: Moment, _ sink: inout Sink) {
        let mine = players[place].seats
        if mine.isDisjoint(with: bets), !isInRound || mine.isDisjoint(with: playing) { return leave(place, now, &sink) }
        emit(.released(player: players[place].id), into: &sink)
    }

    /// Somebody is there anew: a table without a bet is patient again.
    func restartIdling<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        guard stage == .waiting else { return }
        emit(.idling(until: now.adding(milliseconds: pace.sitOutMilliseconds)), into: &sink)
    }
}
