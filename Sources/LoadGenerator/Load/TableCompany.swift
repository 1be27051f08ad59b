import Referee

/// The bots of one loop at one table, by seat. A bot that waits for nothing is read only when it is asked, after a bounded number of revisions
/// or a second: several lines with one system call. A bot that waits reads at once, so latencies stay true. Confined to its loop.
final class TableCompany {
    /// Revisions that a bot may lag behind. A mirror knows more than that.
    static let maximumLag = 12

    private var bots = [LoadBot?](repeating: nil, count: 8)
    /// Seats with a bot, and seats whose bot rests: bit n for seat n.
    private var present: UInt8 = 0
    private var restingSeats: UInt8 = 0
    /// The revision at which the first resting bot went to rest.
    private var quietSince = 0

    func join(_ bot: LoadBot, seat: Int) {
        guard bots.indices.contains(seat) else { return }
        bots[seat] = bot
        present |= 1 << UInt8(seat)
    }

    func leave(_ bot: LoadBot, seat: Int) {
        guard bots.indices.contains(seat), bots[seat] === bot else { return }
        bots[seat] = nil
        present &= ~(1 << UInt8(seat))
        wakeAll()
    }

    /// Wakes the bots that are asked something or may bet, and all to take part in a ceremony.
    func look(at table: ShownTable) {
        guard restingSeats != 0 else { return }
        guard table.revision - quietSince < Self.maximumLag, !table.glance.changesShoes else { return wakeAll() }
        var waking = restingSeats & table.glance.awaited
        while waking != 0 {
            bots[waking.trailingZeroBitCount]?.wakeUp()
            waking &= waking - 1
        }
    }

    /// Whether a bot of this company, which reads at once, is asked something or may bet.
    func isAttending(_ table: ShownTable) -> Bool { table.glance.awaited & present != 0 }

    /// Notes a bot that goes to rest.
    func noteRest(_ seat: Int, at table: ShownTable) {
        if restingSeats == 0 { quietSince = table.revision }
        restingSeats |= 1 << UInt8(seat)
    }

    /// Notes a bot that wakes up.
    func noteWaking(_ seat: Int) { restingSeats &= ~(1 << UInt8(seat)) }

    func wakeAll() {
        guard restingSeats != 0 else { return }
        for bot in bots { bot?.wakeUp() }
    }
}
