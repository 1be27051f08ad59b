import Rules
import TableModel

/// One line per hand: player, chips, bet, cards, total, result.
extension Screen {
    /// Column widths at a given screen width.
    struct Columns {
        let name: Int
        let chips = 8
        let bet = 7
        let cards: Int
        let total = 10
        let end: Int

        init(width: Int) {
            end = width >= 76 ? 15 : 8
            // Marker and seat number take five columns.
            let rest = width - 5 - chips - bet - total - end - 3
            name = min(20, max(9, rest * 2 / 5))
            cards = min(34, rest - name)
        }
    }

    var columns: Columns { Columns(width: size.columns) }

    var columnHeads: StyledText {
        line(
            marker: StyledText("     "), name: StyledText("player", .dim), chips: StyledText("chips", .dim),
            bet: StyledText("bet", .dim), cards: StyledText("cards", .dim), total: StyledText("total", .dim), end: StyledText())
    }

    /// The seats in at most `limit` lines: hands of one seat share a line where rows are short, the player's own last.
    /// - Parameter areOwnCut: whether the player's cards may be cut here: they are drawn elsewhere.
    /// - Returns: nil when there are more seats than lines, or when the player's cards would be cut.
    func seats(atMost limit: Int, areOwnCut: Bool) -> [StyledText]? {
        let own = view.client.seats
        let isShared: [(Int) -> Bool] = [{ _ in false }, { !own.contains($0) }, { _ in true }]
        for isShared in isShared {
            let rows = board.seats.flatMap { seat -> [(seat: Int, hands: [HandIdentifier])] in
                let hands = board.hands(ofSeat: seat)
                return hands.isEmpty || isShared(seat) ? [(seat, hands)] : hands.map { (seat, [$0]) }
            }
            guard rows.count <= limit else { continue }
            let isCut = rows.contains { own.contains($0.seat) && cards($0.hands).columns > columns.cards }
            return isCut && !areOwnCut ? nil : rows.map { seatLine($0.seat, $0.hands) }
        }
        return nil
    }

    private func seatLine(_ seat: Int, _ hands: [HandIdentifier]) -> StyledText {
        guard let player = board.cell(.player(seat)) else {
            var line = StyledText("   \(seat) ", .dim)
            line.append("free", .dim)
            return line.clicking(.seat(seat))
        }
        let active = view.snapshot?.activeHand
        let isAsked = view.snapshot?.choice(seat) != nil && (active.map { hands.contains($0) } ?? true)
        var marker = StyledText(isAsked ? " ▶ " : "   ", isAsked ? [.bold, .yellow] : .plain)
        let isFirst = (hands.first?.number ?? 1) == 1
        marker.append(isFirst ? "\(seat) " : "  ", isAsked ? .bold : .dim)
        let bets = hands.compactMap { board.cell(.bet($0))?.text }
        return line(
            marker: marker, name: isFirst ? player.text : StyledText("hand \(hands[0].number)", .dim),
            chips: isFirst ? player.note : StyledText(), bet: joined(bets, "+"), cards: cards(hands),
            total: joined(hands.compactMap { board.cell(.total($0))?.text }, "/"), end: end(seat, hands, isAsked, player))
    }

    private func line(
        marker: StyledText, name: StyledText, chips: StyledText, bet: StyledText, cards: StyledText, total: StyledText,
        end: StyledText
    ) -> StyledText {
        let widths = columns
        var line = marker.fitted(to: 5)
        line.append(name.fitted(to: widths.name))
        line.append(chips.fitted(to: widths.chips, rightAligned: true))
        line.append(bet.fitted(to: widths.bet, rightAligned: true))
        line.append("   ")
        line.append(cards.fitted(to: widths.cards))
        line.append(total.fitted(to: widths.total))
        line.append(end.fitted(to: widths.end))
        return line
    }

    /// The cards of several hands, packed closer where needed.
    private func cards(_ hands: [HandIdentifier]) -> StyledText {
        let cells = hands.map { board.cards(in: .hand($0)).map(\.text) }
        let wide = joined(cells.map { joined($0, " ") }, " | ")
        return wide.columns <= columns.cards ? wide : joined(cells.map { joined($0, "") }, "|")
    }

    /// End of a line: remaining time, result, or remark.
    private func end(_ seat: Int, _ hands: [HandIdentifier], _ isAsked: Bool, _ player: TableCell) -> StyledText {
        if isAsked, let seconds = view.secondsLeft { return StyledText("\(seconds) s", [.bold, .yellow]) }
        let results = hands.compactMap { board.cell(.result($0)) }
        if results.isEmpty {
            if player.remark.columns > 0, view.snapshot?.player(seat)?.isBot != true || board.cell(.insurance(seat)) == nil {
                return player.remark
            }
            return board.cell(.insurance(seat))?.text ?? player.remark
        }
        let nets = joined(results.map(\.note), "/")
        guard columns.end > 8, results.count == 1 else { return nets }
        var text = nets.fitted(to: max(5, nets.columns + 1))
        text.append(results[0].text)
        return text
    }

    func joined(_ texts: [StyledText], _ separator: SafeText) -> StyledText {
        var result = StyledText()
        for (index, text) in texts.enumerated() {
            if index > 0 { result.append(separator) }
            result.append(text)
        }
        return result
    }
}
