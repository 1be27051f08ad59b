import Rules
import TableModel

// The result of a round for its player.
extension SessionTally.Round {
    /// `20 against 19. You win 20.`
    /// - Parameter seats: the player's, with results.
    static func words(_ table: TableSnapshot, seats: [Int], net: Int) -> SafeText {
        let hands = seats.flatMap { table.hands(ofSeat: $0) }.filter { table.result($0) != nil }
        guard let hand = hands.first, let result = table.result(hand) else { return "" }
        let insurance = seats.compactMap(table.insuranceNet)
        let sum: SafeText = net == 0 ? "You break even." : "You \(net > 0 ? "win" : "lose") \(net.magnitude)."
        if hands.count + insurance.count > 1 {
            let parts = hands.compactMap { table.result($0).map { Wording.signed($0.net) } }
            return "\((parts + insurance.map { "insurance \(Wording.signed($0))" }).joined()). \(sum)"
        }
        let (own, dealer) = (table.total(hand)?.points ?? 0, table.dealerTotal)
        let start: SafeText =
            switch result.outcome {
            case .blackjack: "BLACKJACK! "
            case .win where dealer?.isBust == true: "Dealer busts with \(dealer?.points ?? 0)."
            case .lose where dealer == .blackjack: "Dealer has blackjack."
            case .win, .lose: "\(own) against \(dealer?.points ?? 0)."
            case .bust: "Bust with \(own)."
            case .push where dealer == .blackjack: "Blackjack against blackjack."
            case .push: "\(own) against \(own)."
            case .surrender: "Surrendered."
            case .evenMoney: "Even money."
            case .charlie: "Charlie!"
            }
        return "\(start) \(result.outcome == .push ? "Your bet of \(table.bet(hand) ?? 0) is returned." : sum)"
    }

    private var style: Style { [.bold, .inverse, net > 0 ? .green : net < 0 ? .red : .yellow] }

    /// On the felt: a line, and below it the remark.
    func lines(in width: Int) -> [StyledText] {
        [StyledText("   \(words)   ", style), StyledText(remark ?? "", .bold)].map { $0.centred(in: width) }
    }

    /// With the remark where there is room.
    func line(_ width: Int) -> StyledText {
        let all = StyledText("  \([words, remark ?? ""].filter { !$0.isEmpty }.joined(" "))  ", style)
        return all.columns <= width ? all : StyledText("  \(words)  ", style)
    }
}
