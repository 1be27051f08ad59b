import Rules
import TableModel

/// Whether commands about seats are legal. Seats are counted from 0 in what these return.
extension TableState {
    /// Chips that one command may bring: room enough to add up whole tables of them without overflow.
    static let chipsLimit = 1_000_000_000_000
    /// A player with more than that can't bet: whatever one round at every seat wins, doubled and split, a player owns at most 2^53 chips,
    /// which is what a message can say.
    static let bettingLimit = 1 << 53 - 64 * HouseRules.betRange.upperBound

    @inline(always)
    func checkOpen() throws(Rejection) {
        if stage == .closed { throw .tableClosed }
    }

    func checkSit(_ player: PlayerID, seat: Int?, chips: Int) throws(Rejection) -> Int {
        try checkOpen()
        if isClosing { throw .tableClosing }
        let known = place(of: player)
        if let known {
            if players[known].isLeaving { throw .alreadyLeaving }
            if players[known].seats.count >= rules.seatsPerPlayer {
                throw .tooManySeats(limit: rules.seatsPerPlayer)
            }
        }
        let allowed = (known == nil ? rules.minimumBet : 0)...TableState.chipsLimit
        guard allowed.contains(chips) else { throw .chipsOutOfRange(chips: chips, allowed: allowed) }
        if let seat {
            guard (1...rules.seats).contains(seat) else { throw .noSuchSeat(seat: seat, seats: rules.seats) }
            guard seats[seat - 1].player < 0 else { throw .seatTaken(seat: seat) }
            return seat - 1
        }
        guard let free = (0..<rules.seats).first(where: { seats[$0].player < 0 }) else { throw .tableFull(seats: rules.seats) }
        return free
    }

    @inline(always)
    func checkSeated(_ player: PlayerID) throws(Rejection) -> Int {
        try checkOpen()
        guard let place = place(of: player) else { throw .notSeated }
        return place
    }

    @inline(always)
    func checkLeave(_ player: PlayerID) throws(Rejection) -> Int {
        let place = try checkSeated(player)
        if players[place].isLeaving { throw .alreadyLeaving }
        return place
    }

    func checkSitOut(_ player: PlayerID) throws(Rejection) -> Int {
        let place = try checkLeave(player)
        if players[place].isSittingOut { throw .alreadySittingOut }
        return place
    }

    func checkSitIn(_ player: PlayerID) throws(Rejection) {
        let place = try checkLeave(player)
        if !players[place].isSittingOut { throw .notSittingOut }
    }

    func checkDisconnected(_ player: PlayerID) throws(Rejection) {
        let place = try checkSeated(player)
        if !players[place].isConnected { throw .alreadyDisconnected }
    }

    func checkReconnected(_ player: PlayerID) throws(Rejection) {
        let place = try checkSeated(player)
        if players[place].isConnected { throw .notDisconnected }
    }

    func checkRelease(_ player: PlayerID) throws(Rejection) -> Int {
        let place = try checkLeave(player)
        if players[place].isConnected { throw .notDisconnected }
        return place
    }

    func checkSupply() throws(Rejection) {
        try checkOpen()
        if nextSource != nil { throw .shoeAlreadySupplied }
    }

    func checkClose(_ notice: ClosingNotice) throws(Rejection) {
        try checkOpen()
        if core.pointee.closing == notice { throw .tableClosing }
    }
}
