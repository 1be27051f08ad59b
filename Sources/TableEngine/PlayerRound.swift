import Rules
import TableModel

/// The result of a round for one player, over all seats. All amounts in chips.
public struct PlayerRound: Hashable, Sendable {
    public let player: PlayerID
    public let round: Int
    /// Hands settled; each split adds one.
    public private(set) var hands = 0
    /// Blackjacks paid, even money included.
    public private(set) var blackjacks = 0
    /// All stakes: bets, doubles, splits and insurance.
    public private(set) var staked = 0
    /// Negative: lost.
    public private(set) var net = 0
    /// The net win of the best seat.
    public private(set) var bestSeat = Int.min

    fileprivate mutating func add(_ table: borrowing Table, seat: Int) {
        var seatNet = 0
        for hand in 0..<table.handCount(seat: seat) {
            // Damaged records may end a round otherwise.
            guard let (stake, settlement) = table.settledHand(HandID(seat: seat, hand: hand)) else { continue }
            hands += 1
            if settlement.outcome == .blackjack || settlement.outcome == .evenMoney { blackjacks += 1 }
            staked &+= stake
            seatNet &+= settlement.paid &- stake
        }
        if let insurance = table.settledInsurance(seat: seat) {
            staked &+= insurance.stake
            seatNet &+= insurance.paid &- insurance.stake
        }
        net &+= seatNet
        bestSeat = max(bestSeat, seatNet)
    }
}

extension Table {
    /// Calls `body` with the result of each player, in the order of the seats, when a round has just ended; never for a voided round.
    ///
    /// The one count of rounds: a running server calls it where a round ends, a replay after the fact that ends it.
    package func forEachResult(_ body: (PlayerRound) -> Void) {
        guard !isVoided else { return }
        for seat in 1...rules.seats {
            guard let owner = owner(seat: seat), !(1..<seat).contains(where: { self.owner(seat: $0) == owner }) else { continue }
            var result = PlayerRound(player: owner, round: round)
            for other in seat...rules.seats where self.owner(seat: other) == owner { result.add(self, seat: other) }
            body(result)
        }
    }

    /// Whether bets were returned before the dealer had played. Without a hole card, only that leaves a push beside a single card.
    private var isVoided: Bool {
        if state.core.dealer.holeIsHidden { return true }
        return dealerCardCount < 2
            && (1...rules.seats).contains { seat in
                (0..<handCount(seat: seat)).contains {
                    settledHand(HandID(seat: seat, hand: $0))?.settlement.outcome == .push
                }
            }
    }
}
