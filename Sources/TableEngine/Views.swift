import Rules

/// The public state of a player.
public struct PlayerView: Hashable, Sendable {
    public var id: PlayerID
    public var profile: PlayerProfile
    /// In chips, without open bets.
    public var bankroll: Int
    /// The seats, from 1, in order.
    public var seats: [Int]
    public var isConnected: Bool
    /// Disconnected for longer than the grace period.
    public var isAway: Bool
    public var isSittingOut: Bool
    public var isLeaving: Bool
    public var missedRounds: Int
}
