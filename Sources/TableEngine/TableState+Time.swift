import Rules

extension TableState {
    /// When something happens by itself next; nil: not before the next command.
    ///
    /// A betting time that is over stays open, without a deadline, while the next shoe is not supplied.
    var deadline: Moment? {
        switch phase {
        case .waiting, .dealing, .dealer, .closed: nil
        case .betting(let closes): canStartRound ? closes : nil
        case .earlySurrender(let closes), .insurance(let closes), .playing(_, _, let closes): closes
        case .settled(let until): until
        }
    }

    var canStartRound: Bool { !bets.isEmpty && (nextSource != nil || !shufflesNext) }

    /// Runs everything that is due at a moment.
    ///
    /// What follows a time-out gets its whole time from `now`: a host that was late takes no one's time away.
    func advance<Sink: FactSink>(to now: Moment, into sink: inout Sink) {
        while let deadline, deadline <= now { timeOut(now, &sink) }
    }

    private func timeOut<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        switch phase {
        case .betting: startRound(now, &sink)
        case .earlySurrender, .insurance:
            for seat in playing where seats[seat].question == .open {
                emit(.declined(seat: seat + 1, timedOut: true), into: &sink)
            }
            closeQuestionIfAnswered(now, &sink)
        case .playing(let seat, let hand, _):
            emit(.stood(seat: seat, hand: hand, .timedOut), into: &sink)
            nextTurn(after: seat - 1, hand, now, &sink)
        case .settled:
            emit(.cleared, into: &sink)
            finishClosing(&sink)
        case .waiting, .dealing, .dealer, .closed: break
        }
    }
}
