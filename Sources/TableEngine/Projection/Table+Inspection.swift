extension Table {
    /// All chips at the table: in front of the players, and at stake.
    public var chipsOnTable: Int { playerViews.reduce(chipsAtStake) { $0 + $1.bankroll } }

    /// The seats of a player, from 1, in order; none for one who has none.
    public func seats(of player: PlayerID) -> [Int] { playerView(player)?.seats ?? [] }
}
