import Rules
import TableModel

/// The subject of a sentence: a player by name, or the reader.
struct Subject {
    let name: SafeText
    let isMe: Bool

    init(_ name: String, me: String) {
        self.name = SafeText(name, columns: 24)
        isMe = name == me
    }

    /// `Ann bets 10`, `You bet 10`.
    func does(_ third: SafeText, _ second: SafeText, _ rest: SafeText = "") -> SafeText {
        isMe ? "You \(second)\(rest)" : "\(name) \(third)\(rest)"
    }

    /// `Ann's hand 2`, `Your hand 2`.
    func owns(_ thing: SafeText) -> SafeText { isMe ? "Your \(thing)" : "\(name)'s \(thing)" }
}

extension Subject {
    /// The result of a hand: `Ann wins 10 chips with a total of 20.`
    /// - Parameter hand: ` on hand 2`, or empty for a single hand.
    func ended(_ result: HandResult, total: Total?, hand: SafeText) -> SafeText {
        let chips = abs(result.net)
        let with: SafeText = total.map { " with a total of \($0.points)" } ?? ""
        switch result.outcome {
        case .blackjack: return does("has", "have", " blackjack and \(isMe ? "win" : "wins") \(chips) chips\(hand).")
        case .win: return does("wins", "win", " \(chips) chips\(with)\(hand).")
        case .push where total == .blackjack: return does("pushes", "push", " with blackjack\(hand).")
        case .push: return does("pushes", "push", "\(with)\(hand).")
        case .lose: return does("loses", "lose", " \(chips) chips\(with)\(hand).")
        case .bust: return does("busts", "bust", "\(with) and \(isMe ? "lose" : "loses") \(chips) chips\(hand).")
        case .surrender: return does("surrenders", "surrender", " and \(isMe ? "lose" : "loses") \(chips) chips\(hand).")
        case .evenMoney: return does("takes", "take", " even money and \(isMe ? "win" : "wins") \(chips) chips\(hand).")
        case .charlie: return does("wins", "win", " \(chips) chips with so many cards\(hand).")
        }
    }
}

extension HandResult {
    /// The result as one word: `win`, `blackjack`…
    var word: SafeText {
        switch outcome {
        case .blackjack: "blackjack"
        case .win: "win"
        case .push: "push"
        case .lose: "lose"
        case .bust: "bust"
        case .surrender: "surrender"
        case .evenMoney: "even money"
        case .charlie: "charlie"
        }
    }

    var style: Style { net > 0 ? .green : net < 0 ? .red : .yellow }
}
