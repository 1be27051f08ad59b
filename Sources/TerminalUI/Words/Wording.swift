import Rules
import TableModel
import Wire

/// Words for the table's content, shared by the screen and the plain front end.
struct Wording: Equatable, Sendable {
    /// Notation of suits.
    enum Suits: Sendable {
        /// `KH`: ASCII only.
        case letters
        /// `K♥`.
        case symbols
    }

    var suits: Suits
    /// Whether keys control the session, not words.
    var hasKeys: Bool

    /// - Parameter hasKeys: nil for a screen where suits are symbols.
    init(suits: Suits, hasKeys: Bool? = nil) {
        self.suits = suits
        self.hasKeys = hasKeys ?? (suits == .symbols)
    }

    /// A key, or the word for it without a screen.
    func control(_ key: SafeText, _ word: SafeText) -> SafeText { hasKeys ? key : "'\(word)'" }

    /// `10♥`, `KS`.
    func card(_ card: Card) -> SafeText {
        SafeText(stringLiteral: rank(card) + String(suits == .letters ? card.suit.letter : card.suit.symbol))
    }

    /// `10`, `K`.
    func rank(_ card: Card) -> String { card.rank == .ten ? "10" : String(card.rank.letter) }

    /// `9H 7D`; a face-down card is `??`.
    func cards(_ cards: [Card?]) -> SafeText {
        cards.map { $0.map(card) ?? "??" }.joined(" ")
    }

    /// `9H 7D, 16`.
    func hand(_ cards: [Card?], _ total: Total?) -> SafeText {
        total.map { "\(self.cards(cards)), \($0.safeText)" } ?? self.cards(cards)
    }

    /// An option as it is typed: `hit`, `double 10`, `insurance up to 5`.
    func option(_ option: Choice.Option) -> SafeText {
        switch option.action {
        case .hit: "hit"
        case .stand: "stand"
        case .double: "double \(option.cost)"
        case .split: "split \(option.cost)"
        case .surrender: "surrender"
        case .insurance: "insurance up to \(option.cost)"
        case .decline: "no"
        case .evenMoney: "even"
        }
    }

    func options(_ choice: Choice) -> SafeText { choice.options.map(option).joined() }

    /// The question to a seat: `Your hand: 9H 7D, 16. The dealer shows 10C. Your turn: hit, stand, double 10.`
    func question(_ choice: Choice, at snapshot: TableSnapshot, seat: Int) -> SafeText {
        let hand = HandIdentifier(seat: seat, number: choice.hand)
        let cards = self.hand(snapshot.cards(in: .hand(hand)), snapshot.total(hand))
        let which: SafeText = snapshot.hands(ofSeat: seat).count > 1 ? "hand \(choice.hand)" : "hand"
        let dealer: SafeText = snapshot.upCard.map { " The dealer shows \(card($0))" } ?? " The dealer has no card yet"
        switch snapshot.round?.phase {
        case .insurance: return "Your hand: \(cards).\(dealer): \(choice.options.map(option).joined(" or "))?"
        case .surrender:
            return "Your hand: \(cards).\(dealer) and has not looked yet: \(choice.options.map(option).joined(" or "))?"
        default: return "Your \(which): \(cards).\(dealer). Your turn: \(options(choice))."
        }
    }

    /// `10 to 500 in steps of 5`.
    func limits(_ rules: HouseRules) -> SafeText {
        "\(rules.minimumBet) to \(rules.maximumBet) in steps of \(rules.betStep)"
    }

    /// A table's line in the lobby.
    func summary(_ table: TableSummary) -> SafeText {
        let access: SafeText = table.isLocked ? "with a pass phrase" : "open to all"
        let closing: SafeText = table.isClosing ? ", closes after its round" : ""
        let owner: SafeText = table.owner.map { ", owned by \(SafeText($0, columns: 24))" } ?? ""
        return """
            Table \(SafeText(table.name, columns: 32)): \(table.freeSeats) of \(table.seats) seats free, bets \(table.rules.minimumBet) to \
            \(table.rules.maximumBet), \(rules(table.rules)), \(access)\(closing)\(owner), players: \(players(of: table)).
            """
    }

    /// `+10`, `-5`, `0`.
    func signed(_ chips: Int) -> SafeText { chips > 0 ? "+\(chips)" : "\(chips)" }

    /// The results of a round: `round 12: win +10, lose -5, insurance -5; you had 1010 chips then`.
    func result(_ result: RoundResult) -> SafeText {
        var hands = result.hands.map { hand -> SafeText in "\(hand.result.word) \(signed(hand.result.net))" }
        if let insurance = result.insurance { hands.append("insurance \(signed(insurance.net))") }
        return "round \(result.round): \(hands.joined(", ")); you had \(result.chips) chips then"
    }

    /// Reason and time of a table's closing.
    func closing(_ notice: ClosingNotice, now: Int64?) -> SafeText {
        let what: SafeText =
            switch notice.cause {
            case .table: "This table closes after the round"
            case .server: "The server stops after the rounds"
            }
        var limit: SafeText = ""
        if let now, let deadline = notice.deadline { limit = ", in \(SecondsLeft.of(deadline - now)) seconds at the latest" }
        return notice.reason.isEmpty ? "\(what)\(limit)." : "\(what)\(limit): \(SafeText(notice.reason, columns: 400))"
    }

    /// House rules in short: `6 decks, dealer stands on soft 17, blackjack pays 3:2`.
    func rules(_ rules: HouseRules) -> SafeText { ruleWords(rules).joined() }

    /// House rules in short, most important first.
    func ruleWords(_ rules: HouseRules) -> [SafeText] {
        var words: [SafeText] = [rules.decks == 1 ? "1 deck" : "\(rules.decks) decks"]
        words.append(rules.soft17 == .stand ? "dealer stands on soft 17" : "dealer hits soft 17")
        words.append("blackjack pays \(rules.blackjackPays.rawValue)")
        if rules.holeCard != .peek { words.append("no hole card") }
        if rules.surrender != .none { words.append("surrender") }
        return words
    }
}

enum SecondsLeft {
    /// Milliseconds of clock difference that do not count as a further second.
    static let slack: Int64 = 100

    /// Milliseconds rounded up to seconds.
    static func of(_ milliseconds: Int64) -> Int { Int(max(0, milliseconds - slack + 999) / 1000) }
}

extension Total {
    /// `20`, `soft 17`, `blackjack`, `bust 24`.
    var safeText: SafeText { "\(text)" }
}

extension RoundPhase {
    /// The phase in words.
    var word: SafeText {
        switch self {
        case .waiting: "waiting for bets"
        case .betting: "betting"
        case .surrender: "surrender"
        case .insurance: "insurance"
        case .playing: "playing"
        case .settled: "settled"
        case .closed: "closed"
        }
    }

    /// True while hands are in play.
    var isInPlay: Bool { self == .playing || self == .insurance || self == .surrender }

    /// True while bets are open.
    var takesBets: Bool { self == .waiting || self == .betting }
}
