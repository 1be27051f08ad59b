import Referee

/// What a bot leaves unread while it has nothing to do: see ``TableCompany``.
extension LoadBot {
    /// Leaves what arrives unread while others are awaited and nothing is to be done.
    func rest(_ shown: ShownTable, _ seat: Int) {
        if company?.seat != seat {
            leaveCompany()
            let bots = crew.company(at: shown.name)
            bots.join(self, seat: seat)
            company = (bots, seat)
        }
        // Whoever catches up with the others looks at what is past.
        guard let company, witness.isUpToDate else { return }
        company.bots.look(at: shown)
        guard !isResting, shown.glance.awaited & (1 << UInt8(seat)) == 0, isIdle,
            company.bots.isAttending(shown), let connection
        else { return }
        isResting = true
        crew.figures.rests += 1
        company.bots.noteRest(seat, at: shown)
        connection.isReading = false
    }

    func wakeUp() {
        guard isResting else { return }
        isResting = false
        company?.bots.noteWaking(company?.seat ?? 0)
        connection?.isReading = true
    }

    func leaveCompany() {
        wakeUp()
        company?.bots.leave(self, seat: company?.seat ?? 0)
        company = nil
    }
}
