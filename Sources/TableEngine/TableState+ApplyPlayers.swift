import Rules

/// What facts about players and bets change.
extension TableState {
    func applySat(_ id: PlayerID, _ profile: PlayerProfile, _ seat: Int, _ chips: Int) {
        let place = place(of: id) ?? firstFreePlace
        if !present.contains(place) {
            players[place] = Player()
            players[place].id = id
            present.insert(place)
        }
        players[place].profile = profile
        players[place].chips += chips
        players[place].seats.insert(seat)
        seats[seat].player = place
        taken.insert(seat)
        seats[seat].shoe = 0
        broughtIn &+= chips
        // More chips may allow the acting player more.
        if stage == .playing, seats[acting.seat].player == place {
            turnActions = legalActions(acting.seat, acting.hand)
        }
    }

    func applyLeft(_ id: PlayerID) {
        guard let place = place(of: id) else { preconditionFailure("only who sits at the table leaves it") }
        takenOut &+= players[place].chips
        for seat in players[place].seats {
            seats[seat].player = -1
            taken.remove(seat)
        }
        players[place] = Player()
        present.remove(place)
        idle.remove(place)
        leaving.remove(place)
        late.remove(place)
        clocked.remove(place)
    }

    func applyLeaving(_ id: PlayerID) {
        change(id) { $0.isLeaving = true }
    }

    func change(_ id: PlayerID, _ body: (inout Player) -> Void) {
        guard let place = place(of: id) else { preconditionFailure("a fact about a player is about one at the table") }
        body(&players[place])
        let isCut = if case .cut = players[place].presence { true } else { false }
        if isCut || players[place].isSittingOut { clocked.insert(place) } else { clocked.remove(place) }
        if players[place].timeOuts == 0 { late.remove(place) }
        if players[place].isLeaving || players[place].isReleased { leaving.insert(place) } else { leaving.remove(place) }
    }

    func applySatOut(_ id: PlayerID, _ until: Moment) {
        change(id) { ($0.isSittingOut, $0.seatUntil, $0.timeOuts) = (true, until, 0) }
        // The next round looks at whoever is idle, and stops the clock of those who play it.
        if let place = place(of: id) { idle.insert(place) }
    }

    func applyReconnected(_ id: PlayerID) { change(id) { ($0.presence, $0.isReleased) = (.connected, false) } }

    func applyReleased(_ id: PlayerID) { change(id) { $0.isReleased = true } }

    /// A player has decided something: no time-outs in a row.
    @inline(always)
    func applyDecision(_ seat: Int) {
        if !late.isEmpty { forgetTimeOuts(seat) }
    }

    @inline(never)
    private func forgetTimeOuts(_ seat: Int) {
        players[seats[seat].player].timeOuts = 0
        late.remove(seats[seat].player)
    }

    /// The clock has decided for a player.
    func applyTimeOut(_ seat: Int) {
        let place = seats[seat].player
        // Absence is no fault: only a player who is there is counted.
        guard players[place].isConnected else { return }
        players[place].timeOuts += 1
        late.insert(place)
    }

    @inline(always)
    func applyBet(_ seat: Int, _ amount: Int) {
        players[seats[seat].player].chips -= amount - seats[seat].bet
        seats[seat].bet = amount
        if amount > 0 { bets.insert(seat) } else { bets.remove(seat) }
    }

    private var firstFreePlace: Int {
        guard let place = (0..<rules.seats).first(where: { !present.contains($0) }) else {
            preconditionFailure("a player with a seat has a place, and there are as many places as seats")
        }
        return place
    }
}
