import Referee

/// Leaves input unread while there is nothing to do: see ``TableCompany``.
extension LoadBot {
    /// Leaves input unread while others are awaited and nothing is to be done.
    func rest(_ shown: ShownTable, _ seat: Int) {
        let company = joinCompany(at: shown.name, seat)
        // A bot that catches up looks at past revisions.
        guard witness.isUpToDate else { return }
        company.look(at: shown)
        guard case .attending = reading, shown.glance.awaited & (1 << UInt8(seat)) == 0, isIdle, company.isAttending(shown),
            let connection
        else { return }
        reading = .resting(company, seat: seat)
        crew.figures.rests += 1
        company.noteRest(seat, at: shown)
        connection.isReading = false
    }

    private func joinCompany(at table: String, _ seat: Int) -> TableCompany {
        switch reading {
        case .attending(let company, seat), .resting(let company, seat): return company
        case .attending, .resting: leaveCompany()
        case .alone: break
        }
        let company = crew.company(at: table)
        company.join(self, seat: seat)
        reading = .attending(company, seat: seat)
        return company
    }

    func wakeUp() {
        guard case .resting(let company, let seat) = reading else { return }
        reading = .attending(company, seat: seat)
        company.noteWaking(seat)
        connection?.isReading = true
    }

    func leaveCompany() {
        wakeUp()
        guard case .attending(let company, let seat) = reading else { return }
        reading = .alone
        company.leave(self, seat: seat)
    }
}
