import Rules
import TableModel

/// The table where columns do not fit: the player's hands, the dealer, the others; the rest is the log.
extension Screen {
    private static let seatLabel = 7
    private static let name = 8

    func compact(_ height: Int) -> [StyledText] {
        let alarm = Array(alarm.prefix(max(1, height / 4)))
        guard view.snapshot != nil else { return alarm + messages(height - alarm.count) }
        let others = otherSeats
        // The dealer, the newest message, and a line for the others.
        let least = alarm.count + (others.isEmpty ? 2 : 3)
        let top = ownLines(atMost: max(1, height - least)) + [dealerLine]
        let lines = top + otherLines(others, atMost: height - top.count - alarm.count - 1) + alarm
        return lines + messages(height - lines.count)
    }

    /// Seats of the other players.
    var otherSeats: [Int] { board.seats.filter { board.cell(.player($0)) != nil && !view.client.seats.contains($0) } }

    // MARK: Own hands

    private func ownLines(atMost limit: Int) -> [StyledText] {
        guard view.client.seat != nil else { return [] }
        let hands = ownHands
        guard !hands.isEmpty else {
            var line = StyledText("   You    ", .bold)
            let isOpen = view.snapshot?.round?.phase.takesBets == true
            line.append(
                view.client.seat.flatMap(view.client.openBet).map { "your bet: \($0)" } ?? (isOpen ? "no bet yet" : ""), .dim)
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
        StyledText(view.client.openBet(seat).map { "bet \($0)" } ?? "\(view.snapshot?.player(seat)?.chips ?? 0) chips", .dim)
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

    /// The dealer in one line.
    private var dealerLine: StyledText {
        let cards = board.cards(in: .dealer)
        var line = StyledText(" Dealer   ", .bold)
        line.append(cards.isEmpty ? StyledText("no cards yet", .dim) : joined(cards.map(\.text), " "))
        line.append("   ")
        line.append(dealerTotal)
        return line
    }

    private var dealerTotal: StyledText { board.cell(.dealerTotal)?.text.with(.bold) ?? StyledText() }

    /// The player's hands with cards; none in the round that ended before the player sat down.
    var ownHands: [HandIdentifier] { view.client.seats.flatMap(playedHands) }

    /// The hands of a seat to draw.
    func playedHands(_ seat: Int) -> [HandIdentifier] {
        let isOthers = view.client.seats.contains(seat) && view.roundBeforeSitting == view.snapshot?.round?.number
        return isOthers ? [] : board.hands(ofSeat: seat).filter { !board.cards(in: .hand($0)).isEmpty }
    }

    private func joined(_ texts: [StyledText], _ separator: SafeText) -> StyledText {
        var result = StyledText()
        for text in texts where text.columns > 0 {
            if result.columns > 0 { result.append(separator) }
            result.append(text)
        }
        return result
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
        guard view.snapshot != nil else {
            let lines = (alarm + [prompt.cut(to: width)]).prefix(height)
            return (Array(repeating: StyledText(), count: isLarge ? height - lines.count : 0) + lines, height - lines.count)
        }
        let asked = question
        for art in arts {
            let dealer = dealer(art.dealer)
            guard isWhole(dealer), let others = strip(otherSeats, art.others), let own = own(art.own) else { continue }
            let parts = [dealer, lettering, others, own, asked].filter { !$0.isEmpty }
            let spare = height - parts.reduce(0) { $0 + $1.count }
            guard spare >= 0 else { continue }
            let gaps = parts.count - 1
            // The question stands directly below the hand.
            let isApart = parts.indices.map { $0 > 0 && ($0 < gaps || own.isEmpty) }
            let count = max(1, isApart.count { $0 })
            var lines: [StyledText] = []
            for (index, part) in parts.enumerated() {
                if isApart[index] {
                    let room = isLarge ? spare * 2 / 3 / count : min(1, spare / count)
                    lines += Array(repeating: StyledText(), count: room)
                }
                lines += part
            }
            let top = isLarge ? (height - lines.count) / 2 : 0
            let bottom = isLarge ? height - lines.count - top : 0
            let question = top + lines.count - asked.count
            return (
                Array(repeating: StyledText(), count: top) + lines + Array(repeating: StyledText(), count: bottom), question
            )
        }
        return nil
    }

    /// The rules printed on the felt, until cards lie on it.
    private var lettering: [StyledText] {
        guard isLarge, board.cards(in: .dealer).isEmpty else { return [] }
        return wording.felt(view.rules).flatMap { [StyledText(), StyledText($0, .dim).centred(in: width)] }
    }

    /// Alarms, the result or what is asked, and the moves that are possible now.
    private var question: [StyledText] {
        let moves = KeyMap(view).hints.filter { $0.use == .move }
        // A line without moves keeps the table where it is.
        let buttons = moves.isEmpty && size.rows < 22 ? [] : StyledText.lines(of: moves, columns: width)
        return alarm + [bar.centred(in: width)] + buttons.map { $0.centred(in: width) }
    }

    private func dealer(_ art: CardArt) -> [StyledText] {
        let cards = board.cards(in: .dealer)
        guard !cards.isEmpty else {
            return [StyledText("Dealer", .bold).centred(in: width)] + Array(repeating: StyledText(), count: art.height - 1)
        }
        let lines = art.lines(cards)
        let left = max(8, (width - lines[0].columns) / 2)
        return lines.enumerated().map { index, line in
            guard index == art.height / 2 else { return StyledText(.spaces(left)) + line }
            let label = StyledText(.spaces(left - 8)) + StyledText("Dealer  ", .bold)
            return label + line + StyledText("  ") + dealerTotal
        }
    }

    // MARK: Others

    /// The other seats side by side; on a large table in an arc. nil where cards of this size do not fit.
    private func strip(_ seats: [Int], _ art: CardArt) -> [StyledText]? {
        guard !seats.isEmpty else { return [] }
        let cell = min(width / seats.count, art == .large ? 48 : isLarge ? 30 : 20)
        let blocks = seats.map { block($0, art, cell - 1) }
        guard art == .inline || blocks.allSatisfy({ $0.allSatisfy { $0.columns < cell } }) else { return nil }
        let depth = isLarge && seats.count > 2 ? 2 : 0
        let rows = art.height + (isLarge ? 4 : 3)
        let last = max(1, seats.count - 1)
        return (0..<rows + depth).map { row in
            var line = StyledText(.spaces((width - cell * seats.count) / 2))
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
    private func block(_ seat: Int, _ art: CardArt, _ room: Int) -> [StyledText] {
        let hands = playedHands(seat)
        let isActing = isActing(seat)
        let player = board.cell(.player(seat))
        var name = StyledText(isActing ? "▶ " : "", [.bold, .yellow])
        name.append((player?.text ?? StyledText()).cut(to: max(4, room - name.columns)))
        let bets = (hands.isEmpty ? [HandIdentifier(seat: seat, number: 1)] : hands).compactMap { board.cell(.bet($0))?.text }
        var sums = joined(hands.compactMap { board.cell(.total($0))?.text }, "/")
        if !bets.isEmpty {
            let bet = StyledText("\(sums.columns > 0 ? "  " : "")bet \(SafeText(joined(bets, "+").text))", .dim)
            if sums.columns + bet.columns <= room { sums.append(bet) }
        } else if hands.isEmpty {
            sums.append("\(SafeText(player?.note.text ?? "")) chips", .dim)
        }
        var cards: [StyledText] = []
        if hands.isEmpty {
            // The bet stands where the cards will be.
        } else if art == .inline {
            let texts = hands.map { board.cards(in: .hand($0)).map(\.text) }
            let wide = joined(texts.map { joined($0, " ") }, " | ")
            cards = [wide.columns <= room ? wide : joined(texts.map { joined($0, "") }, "|")]
        } else {
            cards = sideBySide(hands.map { art.lines(board.cards(in: .hand($0))) }, art.height)
        }
        let chips = view.snapshot?.bet(HandIdentifier(seat: seat, number: 1)).map { Chips.stack($0, atMost: room) }
        let lines = [name] + cards + [sums] + (isLarge ? [chips ?? StyledText()] : []) + [lastAction(seat, hands)]
        return lines + Array(repeating: StyledText(), count: hands.isEmpty ? art.height : 0)
    }

    /// `+10 win`, `bust`, `stands`, `away`.
    private func lastAction(_ seat: Int, _ hands: [HandIdentifier]) -> StyledText {
        let results = hands.compactMap { board.cell(.result($0)) }
        if let first = results.first {
            return results.count == 1 ? joined([first.note, first.text], " ") : joined(results.map(\.note), "/")
        }
        if let player = board.cell(.player(seat)), player.remark.columns > 0, view.snapshot?.player(seat)?.isBot != true {
            return player.remark
        }
        if let insurance = board.cell(.insurance(seat)) { return insurance.text }
        guard view.snapshot?.round?.phase == .playing, let last = hands.last, let active = view.snapshot?.activeHand,
            last.seat < active.seat, let total = view.snapshot?.total(last), !total.isBust, total != .blackjack
        else { return StyledText() }
        return StyledText("stands", .dim)
    }

    // MARK: Own

    /// The player's hands side by side, with their captions where there are several; nil where they do not fit.
    private func own(_ art: CardArt) -> [StyledText]? {
        let hands = ownHands
        guard !hands.isEmpty else {
            guard let seat = view.client.seat else { return [] }
            var lines = Array(repeating: StyledText(), count: art.height)
            if let bet = view.client.openBet(seat) {
                lines[art.height - 1] = Chips.stack(bet, atMost: width / 2).centred(in: width)
            }
            return lines
        }
        let isSingle = hands.count == 1
        let blocks = hands.map { art.lines(board.cards(in: .hand($0))) + (isSingle ? [] : [caption($0)]) }
        let lines = sideBySide(blocks, art.height + (isSingle ? 0 : 1))
        guard art != .inline || isWhole(lines) else {
            let list = zip(hands, blocks).map { hand, block in (block[0] + StyledText("  ") + caption(hand)).centred(in: width) }
            return isWhole(list) ? list : nil
        }
        return isWhole(lines) ? lines.map { $0.centred(in: width) } : nil
    }

    private func caption(_ hand: HandIdentifier) -> StyledText {
        if let result = board.cell(.result(hand)) {
            let words = result.text.columns > 0 ? result.text : total([hand])
            return joined([result.note, words], " ").with(.bold)
        }
        let isActive = view.snapshot?.activeHand == hand
        var text = StyledText(isActive ? "▶ " : "", [.bold, .yellow])
        if let total = board.cell(.total(hand)) { text.append(total.text.with(isActive ? .bold : .plain)) }
        if let bet = board.cell(.bet(hand)) { text.append("  bet \(SafeText(bet.text.text))", .dim) }
        return text
    }

    /// Blocks of equal height beside one another, each as wide as it needs.
    private func sideBySide(_ blocks: [[StyledText]], _ height: Int) -> [StyledText] {
        (0..<height).map { row in
            var line = StyledText()
            for block in blocks {
                if line.columns > 0 { line.append("   ") }
                line.append(block[row].fitted(to: block.map(\.columns).max() ?? 0))
            }
            return line
        }
    }

    private func isWhole(_ lines: [StyledText]) -> Bool { lines.allSatisfy { $0.columns <= width } }
}
