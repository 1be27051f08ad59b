import Rules
import TableModel

/// The table where columns do not fit: the player's hands, the dealer, the others; the rest is the log.
extension Screen {
    private static let seatLabel = 7
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
        start = start.fitted(to: max(start.columns, 3 + Self.seatLabel))
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

    // MARK: Hands

    // The dealer's cards and the player's own.

    private static let handLabel = 10

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
            var result = StyledText(index == row ? " \(label)" : "", .bold).fitted(to: Self.handLabel)
            result.append(line)
            return result
        }
    }

    /// True when no line is wider than the screen.
    func isWhole(_ lines: [StyledText]) -> Bool { lines.allSatisfy { $0.columns <= size.columns } }

    // MARK: Seats

    // One line per hand: player, chips, bet, cards, total, result.

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

    // MARK: Spread

    // The table on a large screen: cards as boxes at every seat.

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
