import Rules
import TableModel

/// Boxed cards: the dealer's and the player's own.
extension Screen {
    private static let label = 10

    var dealer: [StyledText] {
        let cards = board.cards(in: .dealer)
        let total = board.cell(.dealerTotal)?.text.with(.bold) ?? StyledText()
        guard isRoomy else {
            var line = StyledText(" Dealer   ", .bold)
            line.append(cards.isEmpty ? StyledText("no cards yet", .dim) : joined(cards.map(\.text), " "))
            line.append("   ")
            line.append(total)
            return [line]
        }
        guard !cards.isEmpty else { return labelled("Dealer", [StyledText(), StyledText("no cards yet", .dim), StyledText()]) }
        var box = boxed(cards)
        box[1].append("  ")
        box[1].append(total)
        return labelled("Dealer", box)
    }

    /// The player's hands side by side, each with its status; empty without a seat.
    var ownHands: [StyledText] {
        guard let seat = view.client.seat else { return [] }
        let isMine = view.roundBeforeSitting != view.snapshot?.round?.number
        let all = isMine ? view.client.seats.flatMap { board.hands(ofSeat: $0) } : []
        let hands = all.filter { !board.cards(in: .hand($0)).isEmpty }
        guard !hands.isEmpty else {
            let bet: SafeText = view.openBet(seat).map { "your bet: \($0)" } ?? "no bet yet"
            return labelled("You", [StyledText(), StyledText(bet, .dim), StyledText(), StyledText()])
        }
        var lines = [StyledText(), StyledText(), StyledText(), StyledText()]
        for hand in hands {
            let block = boxed(board.cards(in: .hand(hand))) + [caption(hand)]
            let width = block.map(\.columns).max() ?? 0
            for row in 0..<4 {
                if lines[row].columns > 0 { lines[row].append("  ") }
                lines[row].append(block[row].fitted(to: width))
            }
        }
        return labelled("You", lines)
    }

    private func caption(_ hand: HandIdentifier) -> StyledText {
        if let result = board.cell(.result(hand)) { return joined([result.note, result.text], " ").with(.bold) }
        let isActive = view.snapshot?.activeHand == hand
        var text = StyledText(isActive ? "▶ " : " ", [.bold, .yellow])
        if let total = board.cell(.total(hand)) { text.append(total.text.with(isActive ? .bold : .plain)) }
        if let bet = board.cell(.bet(hand)) { text.append("  bet \(SafeText(bet.text.text))", .dim) }
        return text
    }

    /// Puts the label beside the second line.
    private func labelled(_ label: SafeText, _ lines: [StyledText]) -> [StyledText] {
        lines.enumerated().map { index, line in
            var result = StyledText(index == 1 ? " \(label)" : "", .bold).fitted(to: Self.label)
            result.append(line)
            return result
        }
    }

    /// Three lines; neighbours share a border.
    private func boxed(_ cards: [TableCell]) -> [StyledText] {
        let edge = SafeText.filled(with: "─", 3)
        var middle = StyledText("│", .dim)
        for card in cards {
            middle.append(card.text.fitted(to: 3, rightAligned: true))
            middle.append("│", .dim)
        }
        let count = cards.count
        return [
            StyledText("┌" + Array(repeating: edge, count: count).joined("┬") + "┐", .dim), middle,
            StyledText("└" + Array(repeating: edge, count: count).joined("┴") + "┘", .dim),
        ]
    }
}
