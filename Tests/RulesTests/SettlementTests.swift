import Rules
import Testing

/// Outcomes, total by total.
struct SettlementTests {
    /// Totals from 2 to 31 of two cards or more, none of them a blackjack.
    private static let values: [HandValue] =
        (2...10).flatMap { first in (2...10).map { HandValue().adding(Rank(points: first)).adding(Rank(points: $0)) } }
        + (2...10).flatMap { third in
            (2...10).map { HandValue([Card(.ten, .spades), Card(Rank(points: $0), .hearts), Card(Rank(points: third), .clubs)]) }
        } + (2...9).map { HandValue([Card(.ace, .spades), Card(Rank(points: $0), .hearts)]) }

    @Test func aStandingHand_winsAboveTheDealer_pushesLevel_losesBelow_andBeatsABust() {
        let rules = HouseRules()
        for dealer in Self.values {
            for hand in Self.values where !hand.isBust {
                let end = FinishedHand(end: .stood, total: hand.total, stake: 10, original: 10)
                let settled = rules.settle(end, against: dealer)
                let expected =
                    dealer.isBust || hand.total > dealer.total
                    ? Settlement(.win, paid: 20)
                    : hand.total == dealer.total ? Settlement(.push, paid: 10) : Settlement(.lose, paid: 0)
                if settled != expected { Issue.record("\(hand) against \(dealer): \(settled)") }
            }
        }
    }
}
