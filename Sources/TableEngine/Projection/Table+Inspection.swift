extension Table {
    /// All chips at the table: in front of the players, and at stake.
    public var chipsOnTable: Int { playerViews.reduce(chipsAtStake) { $0 + $1.bankroll } }

    /// Chips at the table and of the house beyond those brought and not taken away: 0, unless corrupt facts were replayed.
    package var surplus: Int {
        var chips = chipsAtStake &+ houseNet &- broughtIn &+ takenOut
        for slot in state.core.present { chips &+= state.players[slot].chips }
        return chips
    }

    /// The seats of a player, from 1, in order; none for one who has none.
    public func seats(of player: PlayerID) -> [Int] { playerView(player)?.seats ?? [] }
}
