import ClientCore
import TableModel

/// The player's hands of a session. A value.
struct SessionTally: Equatable, Sendable {
    private(set) var hands = 0
    private(set) var won = 0
    private(set) var lost = 0
    private(set) var even = 0
    /// Chips won with one hand at most.
    private(set) var biggestWin = 0
    /// Chips, insurance included.
    private(set) var net = 0

    /// Counts the player's hands that a change settles.
    mutating func take(_ change: TableChange, me: String) {
        guard let old = change.old else { return }
        let isNewRound = old.round?.number != change.new.round?.number
        // A seat that was taken after the round has somebody else's hands.
        for seat in change.new.seats(of: me) where old.player(seat)?.name == me {
            for hand in change.new.hands(ofSeat: seat) {
                guard let result = change.new.result(hand), isNewRound || old.result(hand) == nil else { continue }
                count(result.net)
            }
            if isOver(change.new), isNewRound || !isOver(old), let chips = change.new.insurance(seat) {
                net += change.new.dealerTotal == .blackjack ? 2 * chips : -chips
            }
        }
    }

    private func isOver(_ table: TableSnapshot) -> Bool {
        table.round?.phase.isInPlay == false && !table.cards(in: .dealer).isEmpty
    }

    private mutating func count(_ chips: Int) {
        hands += 1
        net += chips
        if chips > 0 { won += 1 } else if chips < 0 { lost += 1 } else { even += 1 }
        biggestWin = max(biggestWin, chips)
    }

    /// `You played 12 hands: 5 won, 6 lost, 1 push. Biggest win 25 chips, in all -15.`; nil before the first hand.
    var summary: SafeText? {
        guard hands > 0 else { return nil }
        let count: SafeText = hands == 1 ? "1 hand" : "\(hands) hands"
        let pushes: SafeText = even == 0 ? "" : even == 1 ? ", 1 push" : ", \(even) pushes"
        let biggest: SafeText = biggestWin > 0 ? "Biggest win \(biggestWin) chips, in all" : "In all"
        let sum: SafeText = net > 0 ? "+\(net)" : "\(net)"
        return "You played \(count): \(won) won, \(lost) lost\(pushes). \(biggest) \(sum) chips."
    }
}
