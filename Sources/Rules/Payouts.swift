/// Payouts in whole chips. Fractions round in the player's favour.
extension HouseRules.BlackjackPays {
    /// The win of a blackjack, without its stake: rounded up.
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
    /// The chips returned on surrender: half the bet, rounded up.
    @inlinable
    public static func surrenderReturn(of stake: Int) -> Int { (stake + 1) / 2 }

    /// The most insurance: half the bet, rounded down, since more than half would break the rule of the game.
    @inlinable
    public static func insuranceLimit(for bet: Int) -> Int { bet / 2 }

    /// The chips returned for an insurance bet when the dealer has a blackjack: the stake and 2:1 on it.
    @inlinable
    public static func insuranceReturn(of stake: Int) -> Int { stake * 3 }
}
