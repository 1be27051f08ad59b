import Fairness
import Rules
import TableModel
import Wire

/// A table's rules as the server stated them within an epoch: by the item, and in the reply to `rules`. The digest that each commitment to a
/// shoe contains is the hash of the reply's text; without a reply nobody knows which rules were committed to.
struct StatedRules: Sendable {
    let table: String
    let epoch: String
    /// As first shown: rules never change.
    let item: TableRules
    var isAsked = false
}

extension AllRules {
    /// The first contradiction with a table's item, which has the rules that are not as by default.
    func fault(beside item: TableRules) -> ShoeFault? {
        let hash = SHA256.hash(text.utf8)
        guard Digest(hex: rules.digest) == hash else { return .rulesDigest }
        let isSame = rules.rules == item.rules && item.others.allSatisfy(rules.others.contains)
        return isSame && Digest(hex: item.digest) == hash ? nil : .rulesDiffer
    }
}

extension TableSnapshot {
    /// The first thing in a round's results that the table's rules do not have: the payment of a blackjack, or the dealer's play. Where no
    /// pause follows, the results lie there while the table waits. Rules of a later server may change both.
    var settlementFault: ShoeFault? {
        guard let phase = self.phase, [.settled, .waiting].contains(phase), let shown = tableRules, shown.others.isEmpty else {
            return nil
        }
        let results = hands.compactMap { hand in result(hand).map { (hand: hand, outcome: $0.outcome, net: $0.net) } }
        for result in results where result.outcome == .blackjack {
            let due = shown.rules.blackjackPays.winnings(on: bet(result.hand) ?? 0)
            if due != result.net { return .payment(seat: result.hand.seat, due: due, seen: result.net) }
        }
        let cards = cards(in: .dealer)
        guard !cards.isEmpty, !cards.contains(nil) else { return nil }
        let draws = cards.indices.map { shown.rules.dealerDraws(to: HandValue(cards[...$0].compactMap(\.self))) }
        // The dealer plays only if a hand waits for the total.
        let isAwaited = results.contains { [.win, .push, .lose].contains($0.outcome) }
        return draws.dropLast().contains(false) || isAwaited && draws.last == true ? .dealerPlay : nil
    }
}
