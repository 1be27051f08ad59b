import Rules
import TableModel

/// Checks of commands about seats. Results count seats from 0.
extension TableState {
    /// The most chips in one command: sums over a whole table cannot overflow.
    static let chipsLimit = 1_000_000_000_000
    /// The most chips with which a player may bet: after the largest possible win they own at most 2^53, the largest number on the
    /// wire.
    static let bettingLimit = 1 << 53 - 64 * HouseRules.betRange.upperBound

    func checkOpen() throws(Rejection) {
        if core.stage == .closed { throw .tableClosed }
    }

    func checkSit(_ player: PlayerID, seat: Int?, chips: Int) throws(Rejection) -> Int {
        try checkOpen()
        if core.isClosing { throw .tableClosing }
        let known = slot(of: player)
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

    func checkSeated(_ player: PlayerID) throws(Rejection) -> Int {
        try checkOpen()
        guard let slot = slot(of: player) else { throw .notSeated }
        return slot
    }

    func checkLeave(_ player: PlayerID) throws(Rejection) -> Int {
        let slot = try checkSeated(player)
        if players[slot].isLeaving { throw .alreadyLeaving }
        return slot
    }

    func checkSitOut(_ player: PlayerID) throws(Rejection) -> Int {
        let slot = try checkLeave(player)
        if players[slot].isSittingOut { throw .alreadySittingOut }
        return slot
    }

    func checkSitIn(_ player: PlayerID) throws(Rejection) -> Int {
        let slot = try checkLeave(player)
        if !players[slot].isSittingOut { throw .notSittingOut }
        return slot
    }

    func checkDisconnected(_ player: PlayerID) throws(Rejection) -> Int {
        let slot = try checkSeated(player)
        if !players[slot].isConnected { throw .alreadyDisconnected }
        return slot
    }

    func checkReconnected(_ player: PlayerID) throws(Rejection) -> Int {
        let slot = try checkSeated(player)
        if players[slot].isConnected { throw .notDisconnected }
        return slot
    }

    func checkRelease(_ player: PlayerID) throws(Rejection) -> Int {
        let slot = try checkLeave(player)
        if players[slot].isConnected { throw .notDisconnected }
        return slot
    }

    func checkSupply() throws(Rejection) {
        try checkOpen()
        if core.hasCeremonies { throw .shoeHasCeremony }
        if core.nextSource != nil { throw .shoeAlreadySupplied }
    }

    func checkClose(_ notice: ClosingNotice) throws(Rejection) {
        try checkOpen()
        if core.closing == notice { throw .tableClosing }
    }
}
