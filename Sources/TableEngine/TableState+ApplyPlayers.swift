import Rules

/// Effects of facts about players and bets.
extension TableState {
    func applySat(_ id: PlayerID, _ profile: PlayerProfile, _ seat: Int, _ chips: Int) {
        let slot = slot(of: id) ?? firstFreeSlot
        if !core.present.contains(slot) {
            players[slot] = Player()
            players[slot].id = id
            core.present.insert(slot)
            takeDebt(slot)
        }
        players[slot].profile = profile
        players[slot].chips += chips
        players[slot].seats.insert(seat)
        seats[seat].player = slot
        core.taken.insert(seat)
        seats[seat].shoe = 0
        core.broughtIn &+= chips
        // More chips may make more actions legal.
        if core.stage == .playing, seats[core.acting.seat].player == slot {
            core.turnActions = legalActions(core.acting.seat, core.acting.hand)
        }
    }

    func applyLeft(_ id: PlayerID) {
        guard let slot = slot(of: id) else { preconditionFailure("a fact about leaving names a seated player") }
        core.takenOut &+= players[slot].chips
        keepDebt(slot)
        for seat in players[slot].seats {
            seats[seat].player = -1
            core.taken.remove(seat)
        }
        players[slot] = Player()
        core.present.remove(slot)
        core.idle.remove(slot)
        core.leaving.remove(slot)
        core.late.remove(slot)
        core.clocked.remove(slot)
        core.spenders.remove(slot)
        if core.hasCeremonies { forgetCommitment(of: id) }
    }

    func applyLeaving(_ id: PlayerID) {
        change(id) { $0.isLeaving = true }
    }

    func change(_ id: PlayerID, _ body: (inout Player) -> Void) {
        guard let slot = slot(of: id) else { preconditionFailure("a fact names a seated player") }
        body(&players[slot])
        let isCut = if case .cut = players[slot].presence { true } else { false }
        if isCut || players[slot].isSittingOut { core.clocked.insert(slot) } else { core.clocked.remove(slot) }
        if players[slot].timeOuts == 0 { core.late.remove(slot) }
        if players[slot].isLeaving || players[slot].isReleased { core.leaving.insert(slot) } else { core.leaving.remove(slot) }
    }

    func applySatOut(_ id: PlayerID, _ until: Moment) {
        change(id) { ($0.isSittingOut, $0.seatUntil, $0.timeOuts) = (true, until, 0) }
        guard let slot = slot(of: id) else { return }
        // The next round checks idle players and stops the seat timer of those who play.
        core.idle.insert(slot)
        // A player who sits out comes back as a newcomer: a seat that plays one hand now and then would keep newcomers out for ever.
        if pace.bankMilliseconds != nil { for seat in players[slot].seats { seats[seat].shoe = 0 } }
    }

    func applyReconnected(_ id: PlayerID) { change(id) { ($0.presence, $0.isReleased) = (.connected, false) } }

    func applyReleased(_ id: PlayerID) { change(id) { $0.isReleased = true } }

    /// Resets the count of time-outs in a row.
    func applyDecision(_ seat: Int) {
        if !core.late.isEmpty { forgetTimeOuts(seat) }
    }

    private func forgetTimeOuts(_ seat: Int) {
        players[seats[seat].player].timeOuts = 0
        core.late.remove(seats[seat].player)
    }

    /// Counts a time-out.
    func applyTimeOut(_ seat: Int) {
        let slot = seats[seat].player
        // A disconnected player is not blamed for time-outs.
        guard players[slot].isConnected else { return }
        players[slot].timeOuts += 1
        core.late.insert(slot)
    }

    func applyBet(_ seat: Int, _ amount: Int) {
        players[seats[seat].player].chips -= amount - seats[seat].bet
        seats[seat].bet = amount
        if amount > 0 { core.bets.insert(seat) } else { core.bets.remove(seat) }
    }

    private var firstFreeSlot: Int {
        guard let slot = (0..<rules.seats).first(where: { !core.present.contains($0) }) else {
            preconditionFailure("a seated player has a slot, and there are as many slots as seats")
        }
        return slot
    }
}
