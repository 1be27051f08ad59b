import Rules
import TableModel

/// The table where columns do not fit: the player's hands, the dealer, the others; the rest is the log.
extension Screen {
    private static let name = 8

    func compact(_ height: Int) -> [StyledText] {
        let alarm = Array(alarm.prefix(max(1, height / 4)))
        guard !board.isEmpty else { return alarm + messages(height - alarm.count) }
        // The dealer, the newest message, and a line for the others.
        let least = alarm.count + (others.isEmpty ? 2 : 3)
        let top = ownLines(atMost: max(1, height - least)) + [dealerLine]
        let lines = top + otherLines(atMost: height - top.count - alarm.count - 1) + alarm
        return lines + messages(height - lines.count)
    }

    // MARK: Own hands

    private func ownLines(atMost limit: Int) -> [StyledText] {
        guard let seat = own.first else { return [] }
        let hands = ownHands
        guard !hands.isEmpty else {
            let none: SafeText = board.phase?.takesBets == true ? "no bet yet" : ""
            return [StyledText("   You    ", .bold) + StyledText(seat.bet.map { "your bet: \($0)" } ?? none, .dim)]
        }
        if hands.count <= limit { return hands.map(ownLine) }
        // The hand to play first: the last hands may be cut.
        let items = hands.filter(\.isActive) + hands.filter { !$0.isActive }
        return flowed(items.map(packed), atMost: limit, first: StyledText("   You ", .bold))
    }

    private func ownLine(_ hand: HandCells) -> StyledText {
        let isSplit = ownHands.count { $0.seat == hand.seat } > 1
        let name: SafeText = own.count > 1 ? "Seat \(hand.seat)" : "You"
        var start = marker(hand.isActive) + StyledText((isSplit ? name + " \(hand.number)" : name) + " ", .bold)
        start = start.fitted(to: max(start.columns, 10))
        let total = total([hand])
        var tails = [total, StyledText()]
        if let result = hand.result {
            tails.insert([total, [result.note, result.text].joined(" ").with(.bold)].joined("  "), at: 0)
        } else if let bet = hand.bet {
            tails.insert(total + StyledText("  bet ", .dim) + bet.text, at: 0)
        }
        return fitting(start, cards([hand]), tails)
    }

    /// `▶8♥3♠ 11`.
    private func packed(_ hand: HandCells) -> StyledText {
        let cards = hand.cards.map(\.text).joined("")
        return StyledText(hand.isActive ? "▶" : "", [.bold, .yellow]) + cards + StyledText(" ") + total([hand])
    }

    // MARK: Others

    private func otherLines(atMost limit: Int) -> [StyledText] {
        guard others.count > limit else { return others.map(otherLine) }
        let items = others.map { seat in
            StyledText(seat.isAsked ? "▶" : "", [.bold, .yellow]) + seat.player.text.cut(to: Self.name) + StyledText(" ")
                + total(seat.hands)
        }
        return flowed(items, atMost: limit, first: StyledText("   "))
    }

    private func otherLine(_ seat: SeatCells) -> StyledText {
        let start = marker(seat.isAsked) + seat.player.text.fitted(to: Self.name) + StyledText(" ")
        let total = total(seat.hands)
        // The bet of a player without cards, else the chips.
        let stake = StyledText(seat.bet.map { "bet \($0)" } ?? "\(seat.player.note.text) chips", .dim)
        var tails = [total, StyledText()]
        let results = seat.hands.compactMap { $0.result?.note }
        if !results.isEmpty {
            tails.insert([total, results.joined("/")].joined("  "), at: 0)
        } else if seat.hands.isEmpty || seat.player.remark.columns > 0 {
            tails.insert([seat.hands.isEmpty ? stake : total, seat.player.remark].joined("  "), at: 0)
        }
        return fitting(start, cards(seat.hands), tails)
    }

    // MARK: Parts

    private func marker(_ isActive: Bool) -> StyledText {
        StyledText(isActive ? " ▶ " : "   ", isActive ? [.bold, .yellow] : .plain)
    }

    private func total(_ hands: [HandCells]) -> StyledText { hands.compactMap { $0.total?.text }.joined("/") }

    /// The cards with and without spaces.
    private func cards(_ hands: [HandCells]) -> [StyledText] {
        let cells = hands.map { $0.cards.map(\.text) }
        return [cells.map { $0.joined(" ") }.joined(" | "), cells.map { $0.joined("") }.joined("|")]
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

    /// The dealer in one line.
    private var dealerLine: StyledText {
        let cards = dealer.cards.isEmpty ? StyledText("no cards yet", .dim) : dealer.cards.map(\.text).joined(" ")
        return StyledText(" Dealer   ", .bold) + cards + StyledText("   ") + total([dealer]).with(.bold)
    }
}

/// The table where there is room: the dealer on top, the others side by side in order of play, the player's hands in the middle, and
/// below them the question with its moves. Card sizes and the lines between the parts follow from the room.
extension Screen {
    /// Card sizes, largest first.
    private var arts: [(dealer: CardArt, others: CardArt, own: CardArt)] {
        let small: [(CardArt, CardArt, CardArt)] = [
            (.small, .inline, .large), (.small, .inline, .small), (.inline, .inline, .small), (.inline, .inline, .inline),
        ]
        guard isLarge else { return small }
        let large: [(CardArt, CardArt, CardArt)] = [
            (.huge, .large, .huge), (.large, .large, .huge), (.large, .small, .huge), (.large, .small, .large),
            (.small, .small, .large),
        ]
        return large + small
    }

    /// The table in at most so many lines, in exactly so many where it is large, and the row of the question; nil where it does not fit.
    func table(atMost height: Int) -> (lines: [StyledText], question: Int)? {
        guard !board.isEmpty else {
            let lines = (alarm + [prompt.cut(to: width)]).prefix(height)
            return (blank(isLarge ? height - lines.count : 0) + lines, height - lines.count)
        }
        let asked = question
        for art in arts {
            let dealer = dealerLines(art.dealer)
            guard isWhole(dealer), let others = strip(art.others), let own = ownLines(art.own) else { continue }
            let parts = [dealer, lettering, others, own, asked].filter { !$0.isEmpty }
            let spare = height - parts.reduce(0) { $0 + $1.count }
            guard spare >= 0 else { continue }
            let gaps = parts.count - 1
            // The question stands directly below the hand.
            let isApart = parts.indices.map { $0 > 0 && ($0 < gaps || own.isEmpty) }
            let count = max(1, isApart.count { $0 })
            let gap = blank(isLarge ? spare * 2 / 3 / count : min(1, spare / count))
            let lines = zip(isApart, parts).flatMap { ($0 ? gap : []) + $1 }
            let top = isLarge ? (height - lines.count) / 2 : 0
            let bottom = isLarge ? height - lines.count - top : 0
            return (blank(top) + lines + blank(bottom), top + lines.count - asked.count)
        }
        return nil
    }

    /// The rules printed on the felt, until cards lie on it.
    private var lettering: [StyledText] {
        guard isLarge, dealer.cards.isEmpty else { return [] }
        return wording.felt(view.rules).flatMap { [StyledText(), StyledText($0, .dim).centred(in: width)] }
    }

    /// Alarms, the result or what is asked, and the moves that are possible now.
    private var question: [StyledText] {
        let moves = hints.filter { $0.use == .move }
        // A line without moves keeps the table where it is.
        let buttons = moves.isEmpty && size.rows < 22 ? [] : StyledText.lines(of: moves, columns: width)
        return alarm + [bar.centred(in: width)] + buttons.map { $0.centred(in: width) }
    }

    private func dealerLines(_ art: CardArt) -> [StyledText] {
        guard !dealer.cards.isEmpty else { return [StyledText("Dealer", .bold).centred(in: width)] + blank(art.height - 1) }
        let lines = art.lines(dealer.cards)
        let left = max(8, (width - lines[0].columns) / 2)
        return lines.enumerated().map { index, line in
            guard index == art.height / 2 else { return StyledText(.spaces(left)) + line }
            let label = StyledText(.spaces(left - 8)) + StyledText("Dealer  ", .bold)
            return label + line + StyledText("  ") + total([dealer]).with(.bold)
        }
    }

    // MARK: Others

    /// The other seats side by side; on a large table in an arc. nil where cards of this size do not fit.
    private func strip(_ art: CardArt) -> [StyledText]? {
        guard !others.isEmpty else { return [] }
        let cell = min(width / others.count, art == .large ? 48 : isLarge ? 30 : 20)
        let blocks = others.map { block($0, art, cell - 1) }
        guard art == .inline || blocks.allSatisfy({ $0.allSatisfy { $0.columns < cell } }) else { return nil }
        let depth = isLarge && others.count > 2 ? 2 : 0
        let rows = art.height + (isLarge ? 4 : 3)
        let last = max(1, others.count - 1)
        return (0..<rows + depth).map { row in
            var line = StyledText(.spaces((width - cell * others.count) / 2))
            for (index, block) in blocks.enumerated() {
                // The outer seats are nearer to the dealer.
                let offset = depth * 4 * index * (last - index) / (last * last)
                let text = block.indices.contains(row - offset) ? block[row - offset] : StyledText()
                line.append(text.cut(to: cell - 1).centred(in: cell - 1).fitted(to: cell))
            }
            return line
        }
    }

    /// Name, cards, total with the bet, last action; on a large table also the bet as chips.
    private func block(_ seat: SeatCells, _ art: CardArt, _ room: Int) -> [StyledText] {
        let hands = seat.hands
        let marker = StyledText(seat.isAsked ? "▶ " : "", [.bold, .yellow])
        var sums = total(hands)
        let bets = hands.compactMap { $0.bet?.text }.joined("+").plain(.dim)
        let bet = hands.isEmpty ? StyledText(seat.bet.map { "\($0)" } ?? "", .dim) : bets
        if bet.columns > 0 {
            let bet = StyledText(sums.columns > 0 ? "  bet " : "bet ", .dim) + bet
            if sums.columns + bet.columns <= room { sums.append(bet) }
        } else if hands.isEmpty {
            sums.append("\(seat.player.note.text) chips", .dim)
        }
        var cards: [StyledText] = []
        if hands.isEmpty {
            // The bet stands where the cards will be.
        } else if art == .inline {
            let (wide, narrow) = (self.cards(hands)[0], self.cards(hands)[1])
            cards = [wide.columns <= room ? wide : narrow]
        } else {
            cards = sideBySide(hands.map { art.lines($0.cards) }, art.height)
        }
        let chips = isLarge ? [seat.bet.map { Chips.stack($0, atMost: room) } ?? StyledText()] : []
        let name = marker + seat.player.text.cut(to: max(4, room - marker.columns))
        return [name] + cards + [sums] + chips + [lastAction(seat)] + blank(hands.isEmpty ? art.height : 0)
    }

    /// `+10 win`, `bust`, `stands`, `away`.
    private func lastAction(_ seat: SeatCells) -> StyledText {
        let results = seat.hands.compactMap(\.result)
        if let first = results.first {
            return results.count == 1 ? [first.note, first.text].joined(" ") : results.map(\.note).joined("/")
        }
        if seat.player.remark.columns > 0, seat.player.player?.isBot == false { return seat.player.remark }
        if seat.insurance.columns > 0 { return seat.insurance }
        guard let active, seat.number < active.seat, let total = seat.hands.last?.total?.total, !total.isBust, total != .blackjack
        else { return StyledText() }
        return StyledText("stands", .dim)
    }

    // MARK: Own

    /// The player's hands side by side, with their captions where there are several; nil where they do not fit.
    private func ownLines(_ art: CardArt) -> [StyledText]? {
        let hands = ownHands
        guard !hands.isEmpty else {
            guard let seat = own.first else { return [] }
            let chips = seat.bet.map { Chips.stack($0, atMost: width / 2).centred(in: width) }
            return blank(art.height - 1) + [chips ?? StyledText()]
        }
        let isSingle = hands.count == 1
        let blocks = hands.map { hand in
            let chips = isLarge ? [hand.bet?.chips.map { Chips.stack($0, atMost: 10) } ?? StyledText()] : []
            return art.lines(hand.cards) + (isSingle ? [] : [caption(hand)]) + chips
        }
        let lines = sideBySide(blocks, blocks[0].count)
        guard art != .inline || isWhole(lines) else {
            return zip(hands, blocks).map { hand, block in (block[0] + StyledText("  ") + caption(hand)).centred(in: width) }
        }
        return isWhole(lines) ? lines.map { $0.centred(in: width) } : nil
    }

    private func caption(_ hand: HandCells) -> StyledText {
        if let result = hand.result {
            return [result.note, result.text.columns > 0 ? result.text : total([hand])].joined(" ").with(.bold)
        }
        let total = total([hand]).with(hand.isActive ? .bold : .plain)
        let bet = hand.bet.map { StyledText("  bet ", .dim) + $0.text } ?? StyledText()
        return StyledText(hand.isActive ? "▶ " : "", [.bold, .yellow]) + total + bet
    }

    /// Blocks of equal height beside one another, each as wide as it needs.
    private func sideBySide(_ blocks: [[StyledText]], _ height: Int) -> [StyledText] {
        let widths = blocks.map { $0.map(\.columns).max() ?? 0 }
        return (0..<height).map { row in zip(blocks, widths).map { $0[row].fitted(to: $1) }.joined("   ") }
    }

    private func isWhole(_ lines: [StyledText]) -> Bool { lines.allSatisfy { $0.columns <= width } }
}
