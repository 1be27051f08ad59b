/// Payouts in whole chips. What does not divide evenly is rounded in the player's favour, always in the same way.
extension HouseRules.BlackjackPays {
    /// What a blackjack wins on top of its stake: rounded up.
    @inlinable
    public func winnings(on stake: Int) -> Int {
        switch self {
        case .threeToTwo: (stake * 3 + 1) / 2
        case .sixToFive: (stake * 6 + 4) / 5
        case .sevenToFive: (stake * 7 + 4) / 5
        case .twoToOne: stake * 2
        case .oneToOne: stake
        }
    }
}

extension HouseRules {
    /// What comes back to a player who surrenders a bet: half of it, rounded up.
    @inlinable
    public static func surrenderReturn(of stake: Int) -> Int { (stake + 1) / 2 }

    /// The most that may be put on insurance: half the bet, rounded down, for more than half would break the rule of the game
    /// rather than favour the player.
    @inlinable
    public static func insuranceLimit(for bet: Int) -> Int { bet / 2 }

    /// What comes back of an insurance bet when the dealer has a blackjack: the stake and 2:1 on it.
    @inlinable
    public static func insuranceReturn(of stake: Int) -> Int { stake * 3 }
}
