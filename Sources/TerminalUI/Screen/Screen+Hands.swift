import Rules
import TableModel

/// The dealer's cards and the player's own.
extension Screen {
    private static let label = 10

    /// The dealer in one line.
    var dealerLine: StyledText {
        let cards = board.cards(in: .dealer)
        var line = StyledText(" Dealer   ", .bold)
        line.append(cards.isEmpty ? StyledText("no cards yet", .dim) : joined(cards.map(\.text), " "))
        line.append("   ")
        line.append(dealerTotal)
        return line
    }

    private var dealerTotal: StyledText { board.cell(.dealerTotal)?.text.with(.bold) ?? StyledText() }

    func dealer(_ art: CardArt) -> [StyledText] {
        let cards = board.cards(in: .dealer)
        var lines = Array(repeating: StyledText(), count: art.height)
        if cards.isEmpty {
            lines[art.middle].append("no cards yet", .dim)
        } else {
            lines = art.lines(cards)
            lines[art.middle].append("  ")
            lines[art.middle].append(dealerTotal)
        }
        return labelled("Dealer", lines, row: art.middle)
    }

    /// The player's hands with cards; none in the round that ended before the player sat down.
    var ownHands: [HandIdentifier] { view.client.seats.flatMap(playedHands) }

    /// The hands of a seat to draw.
    func playedHands(_ seat: Int) -> [HandIdentifier] {
        let isOthers = view.client.seats.contains(seat) && view.roundBeforeSitting == view.snapshot?.round?.number
        return isOthers ? [] : board.hands(ofSeat: seat).filter { !board.cards(in: .hand($0)).isEmpty }
    }

    /// The bet of a player without cards.
    var openBetWords: SafeText { view.client.seat.flatMap(view.openBet).map { "your bet: \($0)" } ?? "no bet yet" }

    /// The player's hands side by side, each with its status; empty without a seat.
    func own(_ art: CardArt) -> [StyledText] {
        guard view.client.seat != nil else { return [] }
        var lines = sideBySide(ownHands, art)
        if ownHands.isEmpty { lines[art.middle].append(openBetWords, .dim) }
        return labelled("You", lines, row: art.middle)
    }

    /// Hands with their captions below, as wide as they need.
    func sideBySide(_ hands: [HandIdentifier], _ art: CardArt) -> [StyledText] {
        var lines = Array(repeating: StyledText(), count: art.height + 1)
        for hand in hands {
            let block = art.lines(board.cards(in: .hand(hand))) + [caption(hand)]
            let width = block.map(\.columns).max() ?? 0
            for row in lines.indices {
                if lines[row].columns > 0 { lines[row].append("  ") }
                lines[row].append(block[row].fitted(to: width))
            }
        }
        return lines
    }

    private func caption(_ hand: HandIdentifier) -> StyledText {
        if let result = board.cell(.result(hand)) { return joined([result.note, result.text], " ").with(.bold) }
        let isActive = view.snapshot?.activeHand == hand
        var text = StyledText(isActive ? "▶ " : " ", isActive ? [.bold, .yellow] : .plain)
        if let total = board.cell(.total(hand)) { text.append(total.text.with(isActive ? .bold : .plain)) }
        if let bet = board.cell(.bet(hand)) { text.append("  bet \(SafeText(bet.text.text))", .dim) }
        return text
    }

    /// Puts the label beside a line.
    func labelled(_ label: SafeText, _ lines: [StyledText], row: Int) -> [StyledText] {
        lines.enumerated().map { index, line in
            var result = StyledText(index == row ? " \(label)" : "", .bold).fitted(to: Self.label)
            result.append(line)
            return result
        }
    }

    /// True when no line is wider than the screen.
    func isWhole(_ lines: [StyledText]) -> Bool { lines.allSatisfy { $0.columns <= size.columns } }
}
