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
        broughtIn += chips
        // More chips may allow the acting player more.
        if stage == .playing, seats[acting.seat].player == place {
            turnActions = legalActions(acting.seat, acting.hand)
        }
    }

    func applyLeft(_ id: PlayerID) {
        guard let place = place(of: id) else { preconditionFailure("only who sits at the table leaves it") }
        takenOut += players[place].chips
        for seat in players[place].seats {
            seats[seat].player = -1
            taken.remove(seat)
        }
        players[place] = Player()
        present.remove(place)
        idle.remove(place)
        leaving.remove(place)
    }

    func applyLeaving(_ id: PlayerID) {
        guard let place = place(of: id) else { preconditionFailure("only who sits at the table leaves it") }
        players[place].isLeaving = true
        leaving.insert(place)
    }

    func change(_ id: PlayerID, _ body: (inout Player) -> Void) {
        guard let place = place(of: id) else { preconditionFailure("a fact about a player is about one at the table") }
        body(&players[place])
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
