extension TableState {
    /// Has no effect, and emits nothing, for 0 milliseconds.
    func postpone<Sink: FactSink>(_ milliseconds: Int, _ sink: inout Sink) throws(Rejection) {
        precondition((0...1 << 53).contains(milliseconds), "a table is postponed by 0 to 2^53 milliseconds")
        try checkOpen()
        if milliseconds > 0 { emit(.postponed(milliseconds: milliseconds), into: &sink) }
    }

    func applyPostponed(_ milliseconds: Int) {
        core.due = core.due.postponed(by: milliseconds)
        core.ceremonyDue = core.ceremonyDue.postponed(by: milliseconds)
        core.freeUntil = core.freeUntil.postponed(by: milliseconds)
        for slot in core.present {
            if players[slot].since.milliseconds > 0 { players[slot].since = players[slot].since.postponed(by: milliseconds) }
            players[slot].seatUntil = players[slot].seatUntil.postponed(by: milliseconds)
            if case .cut(let until) = players[slot].presence {
                players[slot].presence = .cut(until: until.postponed(by: milliseconds))
            }
        }
    }
}

extension Moment {
    /// `never` stays `never`.
    fileprivate func postponed(by milliseconds: Int) -> Moment {
        self == .never ? self : adding(milliseconds: milliseconds)
    }
}
