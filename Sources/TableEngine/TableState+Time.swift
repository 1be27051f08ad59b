import Rules

extension TableState {
    /// When something happens by itself next; nil: not before the next command.
    var deadline: Moment? {
        if due == .never { return nil }
        if stage == .betting, !canStartRound { return nil }
        return due
    }

    @inline(__always)
    var canStartRound: Bool { !bets.isEmpty && (nextSource != nil || !shufflesNext) }

    @inline(__always)
    func advance<Sink: FactSink>(to now: Moment, into sink: inout Sink) {
        if due <= now { runDue(now, &sink) }
    }

    @inline(never)
    private func runDue<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        while let deadline, deadline <= now { timeOut(now, &sink) }
    }

    private func timeOut<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        switch stage {
        case .betting: startRound(now, &sink)
        case .earlySurrender, .insurance:
            for seat in playing where seats[seat].question == .open {
                emit(.declined(seat: seat + 1, timedOut: true), into: &sink)
            }
            closeQuestionIfAnswered(now, &sink)
        case .playing:
            let (seat, hand) = acting
            emitStood(seat, hand, .timedOut, into: &sink)
            nextTurn(after: seat, hand, now, &sink)
        case .settled:
            emit(.cleared, into: &sink)
            finishClosing(&sink)
        case .waiting, .dealing, .dealer, .closed: break
        }
    }
}
