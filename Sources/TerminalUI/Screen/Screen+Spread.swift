import Rules
import TableModel

/// The table on a large screen: cards as boxes at every seat.
extension Screen {
    /// Lines of the log that larger cards leave at least.
    private static let leastLog = 6

    /// Card sizes of the dealer and the player, and of the other seats; largest first.
    private var arts: [(own: CardArt, others: CardArt)] {
        if size.columns >= 160, size.rows >= 45 { return [(.large, .large), (.large, .small), (.small, .small)] }
        return size.columns >= 120 && size.rows >= 36 ? [(.large, .small), (.small, .small)] : []
    }

    /// The table with the largest cards that leave room for all seats in play and the log; nil on smaller screens.
    func spread(_ height: Int) -> [StyledText]? {
        for art in arts {
            let seats = view.client.seats
            guard let own = seats.count == 1 ? ownBlock(seats[0], art.own) : grid(seats, art.own),
                let others = grid(otherSeats, art.others)
            else { continue }
            var parts = [dealer(art.own), others, own].filter { !$0.isEmpty }
            guard parts.allSatisfy(isWhole) else { continue }
            let free = freeSeats.map { [$0] } ?? []
            var used = parts.reduce(alarm.count + free.count) { $0 + $1.count }
            guard height - used > Self.leastLog else { continue }
            // An empty line between the parts as soon as the log has twice its least.
            if height - used - parts.count > 2 * Self.leastLog {
                parts = parts.map { $0 + [StyledText()] }
                used += parts.count
            }
            return parts.flatMap { $0 } + free + alarm + messages(height - used, divider: true)
        }
        return nil
    }

    /// A seat of the player: its line, its hands, their captions.
    private func ownBlock(_ seat: Int, _ art: CardArt) -> [StyledText] {
        [seatHead(seat)] + labelled("You", cards(seat, art), row: art.middle)
    }

    private func cards(_ seat: Int, _ art: CardArt) -> [StyledText] {
        let hands = playedHands(seat)
        var lines = sideBySide(hands, art)
        guard hands.isEmpty else { return lines }
        let isOwn = view.client.seats.contains(seat)
        let bet: SafeText? = view.openBet(seat).map { isOwn ? "your bet: \($0)" : "bet \($0)" }
        lines[art.middle].append(bet ?? (isOwn ? "no bet yet" : ""), .dim)
        return lines
    }

    /// Seats in cells of one width; nil when a hand is wider than the screen.
    private func grid(_ seats: [Int], _ art: CardArt) -> [StyledText]? {
        guard !seats.isEmpty else { return [] }
        let blocks = seats.map { [seatHead($0)] + cards($0, art).map(indented) }
        // Five cards, or a split hand of two cards each, fit without another width.
        let usual = art == .large ? 48 : 30
        let needed = blocks.flatMap { $0.dropFirst() }.map { $0.columns + 2 }.max() ?? 0
        guard needed <= size.columns else { return nil }
        let most = max(1, min(seats.count, size.columns / max(usual, needed)))
        let rows = (seats.count + most - 1) / most
        let perRow = (seats.count + rows - 1) / rows
        let width = min(size.columns / perRow, max(usual, needed) + 12)
        return stride(from: 0, to: seats.count, by: perRow).flatMap { first in
            (0..<art.height + 2).map { row in
                var line = StyledText()
                for block in blocks[first..<min(first + perRow, blocks.count)] { line.append(block[row].fitted(to: width)) }
                return line
            }
        }
    }

    private func indented(_ line: StyledText) -> StyledText {
        var result = StyledText("   ")
        result.append(line)
        return result
    }

    /// ` ▶ 2 bob  975  15 s`.
    private func seatHead(_ seat: Int) -> StyledText {
        guard let player = board.cell(.player(seat)) else { return StyledText("   \(seat) free", .dim) }
        let isAsked = isActing(seat)
        var line = StyledText(isAsked ? " ▶ " : "   ", isAsked ? [.bold, .yellow] : .plain)
        line.append("\(seat) ", isAsked ? .bold : .dim)
        line.append(player.text.cut(to: 16))
        line.append("  ")
        line.append(player.note)
        let insurance = board.cell(.insurance(seat))?.text ?? StyledText()
        for remark in [insurance, player.remark] where remark.columns > 0 {
            line.append("  ")
            line.append(remark)
        }
        if isAsked, let seconds = view.secondsLeft { line.append("  \(seconds) s", [.bold, .yellow]) }
        return line
    }
}
