import Rules

/// Milliseconds that a player who left had spent of the bank.
struct Debt: Hashable, Sendable {
    static let most = 16

    let player: PlayerID
    var spent: Int
}

/// Banks of time. The first ``Pace/freeMilliseconds`` of a betting or a decision cost nothing. Then each player for whom the others wait
/// pays from a bank, also at a time-out, and nothing while disconnected. The clock of a decision has what is left; a betting or a question
/// ends once every player for whom it waits has used up theirs. Slots are counted from 0.
extension TableState {
    // MARK: Charging

    /// Charges a player for whom the others wait.
    func charge<Sink: FactSink>(_ slot: Int, _ now: Moment, _ sink: inout Sink) {
        guard core.freeUntil < now, players[slot].isConnected, isAwaited(slot) else { return }
        let from = max(core.freeUntil, players[slot].since)
        guard from < now else { return }
        emit(.charged(player: players[slot].id, milliseconds: Int(now.milliseconds - from.milliseconds), from: now), into: &sink)
    }

    /// The others begin to wait for a player after the free time: nothing before is charged.
    func startTime<Sink: FactSink>(of slot: Int, _ now: Moment, _ sink: inout Sink) {
        guard core.freeUntil < now, isAwaited(slot), players[slot].since < now else { return }
        emit(.charged(player: players[slot].id, milliseconds: 0, from: now), into: &sink)
    }

    private func isAwaited(_ slot: Int) -> Bool {
        switch core.stage {
        case .betting: return isBetAwaited(slot)
        case .earlySurrender, .insurance:
            return players[slot].seats.contains { core.playing.contains($0) && seats[$0].question == .open }
        case .playing: return seats[core.acting.seat].player == slot
        case .waiting, .dealing, .dealer, .settled, .closed: return false
        }
    }

    /// Moves the end of a betting or a question forward to when the last player for whom it waits has used up the bank.
    func hurry<Sink: FactSink>(_ sink: inout Sink) {
        guard let bank = pace.bankMilliseconds else { return }
        var last: Moment?
        for slot in core.present where isAwaited(slot) {
            let end = max(core.freeUntil, players[slot].since).adding(milliseconds: bank - players[slot].spent)
            last = max(last ?? end, end)
        }
        if let last, last < core.due { emit(.idling(until: last), into: &sink) }
    }

    /// The clock of a player's decision.
    @inline(always)
    func decisionMilliseconds(_ slot: Int) -> Int {
        let most = rules.decisionSeconds &* 1000
        guard let bank = pace.bankMilliseconds else { return most }
        return min(most, Pace.freeMilliseconds &+ bank &- players[slot].spent)
    }

    // MARK: Effects

    func applyBettingOpened(_ closes: Moment) {
        enter(.betting, until: closes)
        // Where the table is not cleared after a pause, the first bet of the next round takes the last one off.
        if !core.playing.isEmpty { takeRoundOff() }
        startFreeTime(closes, ofSeconds: rules.bettingSeconds)
    }

    /// - Parameter closes: when the stage ends, `seconds` after its begin.
    func startFreeTime(_ closes: Moment, ofSeconds seconds: Int) {
        if pace.bankMilliseconds != nil { core.freeUntil = closes.adding(milliseconds: Pace.freeMilliseconds - seconds * 1000) }
    }

    func applyCharged(_ id: PlayerID, _ milliseconds: Int, _ from: Moment) {
        guard let slot = slot(of: id), let bank = pace.bankMilliseconds else { return }
        players[slot].since = from
        players[slot].spent = min(bank, players[slot].spent + milliseconds)
        if players[slot].spent > 0 { core.spenders.insert(slot) }
    }

    /// Each round gives some time back.
    func refillBanks() {
        for slot in core.spenders {
            players[slot].spent = max(0, players[slot].spent - Pace.refillMilliseconds)
            if players[slot].spent == 0 { core.spenders.remove(slot) }
        }
        for index in debts.indices { debts[index].spent -= Pace.refillMilliseconds }
        debts.removeAll { $0.spent <= 0 }
    }

    func keepDebt(_ slot: Int) {
        guard players[slot].spent > 0 else { return }
        if debts.count == Debt.most { debts.removeFirst() }
        debts.append(Debt(player: players[slot].id, spent: players[slot].spent))
    }

    func takeDebt(_ slot: Int) {
        guard let index = debts.firstIndex(where: { $0.player == players[slot].id }) else { return }
        players[slot].spent = debts.remove(at: index).spent
        core.spenders.insert(slot)
    }
}
