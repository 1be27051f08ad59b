import Rules
import TableModel

/// The rendered form of one item.
struct TableCell: Equatable, Sendable {
    var text = StyledText()
    /// A column beside the text: a player's chips, the net chips of a result.
    var note = StyledText()
    /// Optional text where there is room: a player is away.
    var remark = StyledText()
    /// The card; nil for a face-down one, and for all other items.
    private(set) var card: Card?
    /// Set while the card moves.
    var arrival: CardArrival?

    /// - Parameter me: the viewer's name.
    init(_ entry: TableEntry, me: String, wording: Wording) {
        switch entry {
        case .round(let round):
            text = StyledText(round == 0 ? "no round yet" : "round \(round)")
        case .phase(let phase): note = StyledText(phase.word)
        case .clock, .choice, .fairShoe, .nextShoe: break
        case .shoe(let shoe): text = StyledText(shoe.number == 0 ? "new shoe" : "shoe \(shoe.number)")
        case .cardsLeft(let count): text = StyledText("\(count) cards left")
        case .closing: text = StyledText("closing", .yellow)
        case .rules(let rules): text = StyledText(wording.rules(rules.rules))
        case .dealerTotal(let total), .total(_, let total): text = StyledText(total.safeText, total.isBust ? .dim : .plain)
        case .player(_, let player): show(player, isMe: player.name == me)
        case .insurance(_, let chips): text = StyledText("insured \(chips)")
        case .bet(_, let chips): text = StyledText("\(chips)")
        case .result(_, let result):
            text = StyledText(result.word, result.style)
            note = StyledText(wording.signed(result.net), result.style)
        case .card(_, let card?):
            self.card = card
            text = StyledText(wording.card(card), card.suit.style)
        case .card(_, nil): text = StyledText("░░", .back)
        case .other: break
        }
    }

    private mutating func show(_ player: Player, isMe: Bool) {
        let style: Style = isMe ? .bold : player.presence == .here ? .plain : .dim
        text = StyledText(SafeText(player.name, columns: 24), style)
        note = StyledText("\(player.chips)", style)
        switch player.presence {
        case .here: if player.isBot { remark = StyledText("bot", .dim) }
        case .sittingOut: remark = StyledText("sits out", .dim)
        case .away: remark = StyledText("away", .yellow)
        case .leaving: remark = StyledText("leaving", .dim)
        }
    }
}

extension Suit {
    /// The face of a card of this suit.
    var style: Style {
        switch self {
        case .spades: .spade
        case .hearts: .heart
        case .diamonds: .diamond
        case .clubs: .club
        }
    }
}
