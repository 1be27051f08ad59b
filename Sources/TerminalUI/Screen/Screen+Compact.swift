import Rules
import TableModel

/// The table where columns do not fit: the player's hands, the dealer, the others; the rest is the log.
extension Screen {
    private static let label = 7
    private static let name = 8

    func compact(_ height: Int) -> [StyledText] {
        let others = otherSeats
        let alarm = Array(alarm.prefix(max(1, height / 4)))
        // The dealer, the newest message, and a line for the others.
        let least = alarm.count + (others.isEmpty ? 2 : 3)
        var top = ownLines(atMost: max(1, height - least)) + [dealerLine]
        let rest = height - alarm.count - others.count - 4
        let boxes = own(.small) + dealer(.small)
        if boxes.count <= rest, isWhole(boxes) { top = boxes }
        var lines = top + otherLines(others, atMost: height - top.count - alarm.count - 1) + alarm
        if height - lines.count > 4, let freeSeats { lines.insert(freeSeats, at: lines.count - alarm.count) }
        return lines + messages(height - lines.count, divider: height - lines.count > 2)
    }

    /// Seats of the other players.
    var otherSeats: [Int] { board.seats.filter { board.cell(.player($0)) != nil && !view.client.seats.contains($0) } }

    /// `Free seats: 3 4 5`.
    var freeSeats: StyledText? {
        let free = board.seats.filter { board.cell(.player($0)) == nil }
        guard !free.isEmpty else { return nil }
        var line = StyledText("   Free seats:", .dim)
        for seat in free { line.append(" \(seat)", .dim, .seat(seat)) }
        return line
    }

    // MARK: Own hands

    private func ownLines(atMost limit: Int) -> [StyledText] {
        guard view.client.seat != nil else { return [] }
        let hands = ownHands
        guard !hands.isEmpty else {
            var line = StyledText("   You    ", .bold)
            line.append(openBetWords, .dim)
            return [line]
        }
        if hands.count <= limit { return hands.map(ownLine) }
        // The hand to play first: the last hands may be cut.
        let active = view.snapshot?.activeHand
        let items = hands.filter { $0 == active } + hands.filter { $0 != active }
        return flowed(items.map(packed), atMost: limit, first: StyledText("   You ", .bold))
    }

    private func ownLine(_ hand: HandIdentifier) -> StyledText {
        let isSplit = playedHands(hand.seat).count > 1
        let name: SafeText = view.client.seats.count > 1 ? "Seat \(hand.seat)" : "You"
        var start = marker(view.snapshot?.activeHand == hand)
        start.append((isSplit ? name + " \(hand.number)" : name) + " ", .bold)
        start = start.fitted(to: max(start.columns, 3 + Self.label))
        let total = total([hand])
        var tails = [total, StyledText()]
        if let result = board.cell(.result(hand)) {
            tails.insert(joined([total, joined([result.note, result.text], " ").with(.bold)], "  "), at: 0)
        } else if let bet = board.cell(.bet(hand)) {
            var text = total
            text.append("  bet \(SafeText(bet.text.text))", .dim)
            tails.insert(text, at: 0)
        }
        return fitting(start, cards([hand]), tails)
    }

    /// `▶8♥3♠ 11`.
    private func packed(_ hand: HandIdentifier) -> StyledText {
        var text = StyledText(view.snapshot?.activeHand == hand ? "▶" : "", [.bold, .yellow])
        text.append(joined(board.cards(in: .hand(hand)).map(\.text), ""))
        text.append(" ")
        text.append(total([hand]))
        return text
    }

    // MARK: Others

    private func otherLines(_ seats: [Int], atMost limit: Int) -> [StyledText] {
        guard seats.count > limit else { return seats.map(otherLine) }
        let items = seats.map { seat in
            var text = StyledText(isActing(seat) ? "▶" : "", [.bold, .yellow])
            text.append(board.cell(.player(seat))?.text.cut(to: Self.name) ?? StyledText())
            text.append(" ")
            text.append(total(playedHands(seat)))
            return text
        }
        return flowed(items, atMost: limit, first: StyledText("   "))
    }

    private func otherLine(_ seat: Int) -> StyledText {
        let hands = playedHands(seat)
        var start = marker(isActing(seat))
        let player = board.cell(.player(seat))
        start.append((player?.text ?? StyledText()).fitted(to: Self.name))
        start.append(" ")
        let total = total(hands)
        var tails = [total, StyledText()]
        let results = hands.compactMap { board.cell(.result($0))?.note }
        if !results.isEmpty {
            tails.insert(joined([total, joined(results, "/")], "  "), at: 0)
        } else if let remark = player?.remark, remark.columns > 0 {
            tails.insert(joined([hands.isEmpty ? stake(seat) : total, remark], "  "), at: 0)
        } else if hands.isEmpty {
            tails.insert(stake(seat), at: 0)
        }
        return fitting(start, cards(hands), tails)
    }

    /// The bet of a player without cards, else the chips.
    private func stake(_ seat: Int) -> StyledText {
        StyledText(view.openBet(seat).map { "bet \($0)" } ?? "\(view.snapshot?.player(seat)?.chips ?? 0) chips", .dim)
    }

    func isActing(_ seat: Int) -> Bool {
        view.snapshot?.choice(seat) != nil && (view.snapshot?.activeHand.map { $0.seat == seat } ?? true)
    }

    // MARK: Parts

    private func marker(_ isActive: Bool) -> StyledText {
        StyledText(isActive ? " ▶ " : "   ", isActive ? [.bold, .yellow] : .plain)
    }

    private func total(_ hands: [HandIdentifier]) -> StyledText {
        joined(hands.compactMap { board.cell(.total($0))?.text }, "/")
    }

    /// The cards with and without spaces.
    private func cards(_ hands: [HandIdentifier]) -> [StyledText] {
        let cells = hands.map { board.cards(in: .hand($0)).map(\.text) }
        return [joined(cells.map { joined($0, " ") }, " | "), joined(cells.map { joined($0, "") }, "|")]
    }

    /// The first combination that fits: cards sooner than what stands behind them.
    private func fitting(_ start: StyledText, _ cards: [StyledText], _ tails: [StyledText]) -> StyledText {
        var line = start
        for tail in tails {
            for cards in cards {
                line = start
                line.append(cards)
                if cards.columns > 0, tail.columns > 0 { line.append("  ") }
                line.append(tail)
                if line.columns <= size.columns { return line }
            }
        }
        return line.cut(to: size.columns)
    }

    /// Items one after the other; those beyond the last line are left out, marked by `…`.
    private func flowed(_ items: [StyledText], atMost limit: Int, first: StyledText) -> [StyledText] {
        guard limit > 0 else { return [] }
        var lines = [first]
        for (index, item) in items.enumerated() {
            var line = lines[lines.count - 1]
            if line.columns > first.columns { line.append("  ") }
            line.append(item)
            let isLast = lines.count == limit && index < items.count - 1
            if line.columns <= size.columns - (isLast ? 3 : 0) || line.columns == first.columns + item.columns {
                lines[lines.count - 1] = line
            } else if lines.count < limit {
                line = StyledText(.spaces(first.columns))
                line.append(item)
                lines.append(line)
            } else {
                lines[lines.count - 1].append(" …", .dim)
                break
            }
        }
        return lines
    }
}
