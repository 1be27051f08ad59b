import Referee

/// The bots of one loop at one table, by seat: who of them may leave what arrives unread for a while.
///
/// Seven bots at a table are sent the same line for each thing that happens, and most of them wait for nothing. Whoever has bet is read again
/// when it is asked, whoever has played when the next bets are taken, and all of them every few lines and once a second: several lines with
/// one system call, each judged as if it had been read at once. What is measured is not touched by it, since a bot that waits for something
/// reads at once.
///
/// Confined to its loop.
final class TableCompany {
    /// Revisions that a bot may lag behind. A mirror knows more than that.
    static let patience = 12

    private var bots = [LoadBot?](repeating: nil, count: 8)
    /// Seats with a bot, and those whose bot rests: bit n for seat n.
    private var present: UInt8 = 0
    private var restingSeats: UInt8 = 0
    /// The revision at which the first of those who rest went to rest.
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

    /// Looks at what a table shows, on behalf of all: whoever is asked something, or may bet, wakes up.
    func look(at table: ShownTable) {
        guard restingSeats != 0 else { return }
        guard table.revision - quietSince < Self.patience else { return wakeAll() }
        var waking = restingSeats & table.glance.awaited
        while waking != 0 {
            bots[waking.trailingZeroBitCount]?.wakeUp()
            waking &= waking - 1
        }
    }

    /// Whether somebody of this company, who reads what happens as it happens, is asked something or may bet.
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
