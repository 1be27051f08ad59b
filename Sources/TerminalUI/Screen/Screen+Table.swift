import Rules
import TableModel

/// The table where there is room: the dealer on top, the others side by side in order of play, the player's hands and the question below. Card
/// sizes and the lines between the parts follow from the room.
extension Screen {
    /// Largest first.
    private static let sizes: [(dealer: CardSize, others: CardSize, own: CardSize)] = [
        (.big, .big, .big), (.big, .small, .big), (.small, .small, .big), (.small, .text, .big), (.small, .text, .small),
    ]

    /// The felt in so many lines; nil where the table does not fit. A panel lies between the dealer and the player's hands, without the others
    /// where both do not fit.
    /// - Parameter spares: lines that it gives up where they are blank.
    func table(_ height: Int, spares: Int = 0) -> [StyledText]? {
        // Moves come and go: the table stays where it is.
        let question = filled(question(bar), 2)
        let box = view.panel == .table ? [] : panel(height - (board.isEmpty ? 3 : 10) - question.count).framed(panelWidth, .dim)
        let panel = box.map { $0.centred(in: inner) }
        guard !board.isEmpty else { return felt([panel, question], height - 1 - panel.count - question.count, height) }
        for (size, hasOthers) in Self.sizes.map({ ($0, true) }) + (panel.isEmpty ? [] : Self.sizes.map { ($0, false) }) {
            // A row without room for its cards is smaller, in the height that it had.
            guard let dealer = dealerRow(size.dealer), let others = hasOthers ? row(size.others) : [],
                let own = hands(size.own) ?? hands(.small).map({ blank(size.own.height - 3) + $0 })
            else { continue }
            var parts = [dealer, panel.isEmpty ? pauseLines : [], others, panel, own + question].filter { !$0.isEmpty }
            // The upper edge has a row of its own; below lies a line, or the footer.
            var spare = height - 1 - parts.reduce(0) { $0 + $1.count }
            guard spare >= 0 else { continue }
            // Printed on the felt below the dealer, where a result takes its place.
            if panel.isEmpty, pauseLines.isEmpty, spare > lettering.count + parts.count {
                parts[parts.count - 1] = own + filled(self.question(prompt), 2)
                parts.insert(view.result?.lines(in: inner) ?? lettering, at: 1)
                spare -= lettering.count
            }
            let given = min(spare, max(0, spares))
            return felt(parts, spare - given, height - given)
        }
        return nil
    }

    /// Parts of the table with equal gaps, on all of the felt.
    private func felt(_ parts: [[StyledText]], _ spare: Int, _ height: Int) -> [StyledText] {
        let gap = spare / (parts.count + 1)
        let rest = spare - gap * (parts.count + 1)
        // Rows over go above the parts, the lowest first.
        let lines = parts.enumerated().flatMap { blank(gap + ($0 >= parts.count - rest ? 1 : 0)) + $1 }
        return filled(lines, height).framed(inner, .edge).prefix(height).map { $0.with(.felt) }
    }

    /// Columns within the edges of the felt.
    private var inner: Int { width - 2 }

    private var lettering: [StyledText] {
        let words = wording.felt(view.rules)
        return [words.dropLast().joined(" · "), words[words.count - 1]].map { StyledText($0, .dim).centred(in: inner) }
    }

    /// In the middle of a paused table: who, and why.
    private var pauseLines: [StyledText] {
        guard let pause = view.state.snapshot?.pause else { return [] }
        let words = StyledText("PAUSED by \(SafeText.player(pause.by))", [.bold, .yellow])
        return [words, StyledText(SafeText(pause.reason, columns: 400), .bold)].map { $0.centred(in: inner) }
    }

    /// Alarms, a line about the round, and the moves that are possible now.
    private func question(_ bar: StyledText) -> [StyledText] {
        alarm + ([bar] + StyledText.lines(of: hints.filter { $0.use == .move }, columns: inner)).map { $0.centred(in: inner) }
    }

    private func dealerRow(_ size: CardSize) -> [StyledText]? {
        guard let lines = size.lines(dealer.cards, inner - 24) else { return nil }
        let left = (inner - lines[0].columns) / 2
        return lines.enumerated().map { row, line in
            guard row == size.height / 2 else { return StyledText(.spaces(left)) + line }
            let end = StyledText("  ") + total([dealer]).with(.bold)
            return StyledText("Dealer  ", .bold).fitted(to: left, rightAligned: true) + line + end
        }
    }

    /// The other seats side by side, of large cards in an arc; nil where they do not fit.
    private func row(_ size: CardSize) -> [StyledText]? {
        guard !others.isEmpty else { return [] }
        let cell = min((inner + 1) / others.count, size == .big ? 46 : 30)
        // Hands of four cards have room: the size stays for most rounds.
        guard size == .text || size.step([4], cell - 1) != nil else { return nil }
        // One size for all of them.
        let rows = [size, .small, .text].lazy.map { size in
            others.map { self.hands($0.hands, size, cell - 1, before: self.stake($0)) }
        }
        let cards = rows.first { $0.allSatisfy { $0 != nil } } ?? []
        let blocks = zip(others, cards).map { seat, cards in
            let name = marker(seat.isAsked) + named(seat, cell - 3)
            // The name is in the middle, not the name with its mark.
            return [name.columns + 2 < cell ? name + StyledText("  ") : name] + (cards ?? [])
        }
        let isFlat = size == .text || size == .big && self.size.rows < 50 || others.count < 3
        let (depth, last) = (isFlat ? 0 : 2, max(1, others.count - 1))
        return (0..<size.height + 2 + depth).map { row in
            var line = StyledText(.spaces((inner + 1 - cell * others.count) / 2))
            for (index, block) in blocks.enumerated() {
                // The outer seats are nearer to the dealer.
                let offset = depth * 4 * index * (last - index) / (last * last)
                let text = block.indices.contains(row - offset) ? block[row - offset] : StyledText()
                line.append(text.cut(to: cell - 1).centred(in: cell - 1).fitted(to: index == last ? cell - 1 : cell))
            }
            return line
        }
    }

    /// The player's hands.
    private func hands(_ size: CardSize) -> [StyledText]? {
        guard let seat = own.first else { return [] }
        let before = marker(false) + StyledText(you + "  ", .bold) + stake(seat)
        return hands(ownHands, size, inner - 4, before: before)?.map { $0.centred(in: inner) }
    }

    /// Hands side by side, each above its total and bet.
    /// - Parameter before: below the place of the cards until they are dealt.
    private func hands(_ hands: [HandCells], _ size: CardSize, _ room: Int, before: StyledText) -> [StyledText]? {
        guard let first = hands.first else {
            return (size == .text ? blank(1) : size.lines([], room)).map { even($0 + [before.cut(to: room)]) }
        }
        guard size != .text else {
            return even(
                [texts(hands), captions(hands)].map { lines in
                    lines.first { $0.columns <= room } ?? lines[lines.count - 1].cut(to: room)
                })
        }
        // As wide a step for the cards of all hands as there is room; wider gaps between hands than between cards.
        let between = min(5, max(2, room / 16))
        let free = room - between * (hands.count - 1)
        guard let step = size.step(hands.map(\.cards.count), free) else { return nil }
        let widths = hands.map { size.width + step * ($0.cards.count - 1) }
        let over = (free - widths.reduce(0, +)) / hands.count
        let isMine = own.contains { $0.number == first.seat }
        let blocks = zip(hands, widths).compactMap { hand, width in
            size.lines(hand.cards, width).map { cards in
                let label = isMine ? marker(isAsked(hand)) + StyledText(name(hand) + "  ", .bold) : StyledText()
                let captions = captions([hand]).map { label + $0 } + captions([hand])
                return even(cards + [captions.first { $0.columns <= width + over } ?? total([hand]).cut(to: width + over)])
            }
        }
        guard blocks.count == hands.count else { return nil }
        return (0...size.height).map { row in blocks.map { $0[row] }.joined(.spaces(between)) }
    }

    /// Lines of the same width, each in the middle.
    private func even(_ lines: [StyledText]) -> [StyledText] {
        let width = lines.map(\.columns).max() ?? 0
        return lines.map { $0.centred(in: width).fitted(to: width) }
    }
}

// MARK: - Parts of both layouts

extension Screen {
    /// Of the same width without the mark: what stands behind it stays where it is.
    private func marker(_ isActive: Bool) -> StyledText { isActive ? StyledText("▶ ", [.bold, .yellow]) : StyledText("  ") }

    /// The name with the player's marks, and the insurance.
    func named(_ seat: SeatCells, _ columns: Int) -> StyledText {
        let owner = view.state.lobby.first { $0.name == view.state.table }?.owner
        let star = seat.player.player?.name == owner ? StyledText("★", .yellow) : StyledText()
        let marks = star + seat.player.mark + StyledText(reaction(of: seat.player.player?.name), .bold)
        let name = seat.player.text.cut(to: columns - marks.columns)
        let named = [name, marks].joined(name.columns + marks.columns < columns ? " " : "")
        let all = [named, seat.insurance].joined(" ")
        return all.columns <= columns ? all : named
    }

    /// A reaction of the player; empty for none.
    private func reaction(of name: String?) -> SafeText {
        guard let word = name.flatMap({ view.reactions[$0]?.word }) else { return "" }
        let environment = view.options.environment
        let hasPictures = environment["TERM"] != "linux" && TerminalCapabilities(environment: environment).isUnicode
        return hasPictures ? SafeText(word.picture) : "\(SafeText(word.rawValue))!"
    }

    /// The player, with a reaction.
    private var you: SafeText { ["You", reaction(of: view.me)].filter { $0.columns > 0 }.joined(" ") }

    /// Whether a question is about the hand: of the player's hands, also while insurance is offered.
    private func isAsked(_ hand: HandCells) -> Bool {
        hand.isActive || board.phase != .playing && own.contains { $0.number == hand.seat && $0.isAsked }
    }

    /// `You`, `Seat 3`, with a number where a hand was split.
    private func name(_ hand: HandCells) -> SafeText {
        let name: SafeText = own.count > 1 ? "Seat \(hand.seat)" : you
        return ownHands.count { $0.seat == hand.seat } > 1 ? name + " \(hand.number)" : name
    }

    private func total(_ hands: [HandCells]) -> StyledText { hands.compactMap { $0.total?.text }.joined("/") }

    /// The bet, of a player without one the chips that are left, or why the player has none.
    private func stake(_ seat: SeatCells) -> StyledText {
        if let bet = seat.bet { return StyledText("bet \(bet)") }
        return seat.player.remark.columns > 0 ? seat.player.remark : StyledText("\(seat.player.note.text) chips", .dim)
    }

    /// The cards in a line, with and without spaces; the number of hands for so many that their cards have no room.
    private func texts(_ hands: [HandCells]) -> [StyledText] {
        [(" " as SafeText, " | " as SafeText), ("", "|")].map { gap, line in
            hands.map { $0.cards.map(\.text).joined(gap) }.joined(line)
        } + (hands.count > 1 ? [StyledText("\(hands.count) hands")] : [])
    }

    /// Total, and result or bet; the longest first.
    private func captions(_ hands: [HandCells]) -> [StyledText] {
        let (total, results) = (total(hands), hands.compactMap(\.result))
        guard results.isEmpty else {
            let (words, net) = (results.map(\.text).joined("/"), results.map(\.note).joined("/"))
            let sum = StyledText(Wording.signed(results.compactMap(\.result?.net).reduce(0, +)), results[0].note.spans[0].style)
            return [[total, words], [total, net], [total, sum], [net], [sum], [total]].map { $0.joined("  ") }
        }
        let bets = hands.compactMap { $0.bet?.text }.joined("+")
        let sum = StyledText("\(hands.compactMap { $0.bet?.chips }.reduce(0, +))")
        return [[total, StyledText(bets.columns > 0 ? "bet " : "") + bets], [total, bets], [total, sum], [total]].map {
            $0.joined("  ")
        }
    }
}

// MARK: - A list

/// The table where columns do not fit: the player's hands, the dealer, the others; the rest is the log.
extension Screen {
    func list(_ height: Int) -> [StyledText] {
        let alarm = Array(alarm.prefix(max(1, height / 4)))
        guard !board.isEmpty else { return alarm + messages(height - alarm.count) }
        // The dealer, the newest message, and a line for the others.
        let least = alarm.count + (others.isEmpty ? 2 : 3)
        let cards = dealer.cards.isEmpty ? StyledText("no cards yet", .dim) : dealer.cards.map(\.text).joined(" ")
        let dealerLine = StyledText("   Dealer   ", .bold) + cards + StyledText("  ") + total([dealer]).with(.bold)
        let top = ownLines(max(1, height - least)) + [dealerLine]
        let lines =
            (top + otherLines(height - top.count - alarm.count - 1)).map { $0.fitted(to: size.columns).with(.felt) } + alarm
        return lines + messages(height - lines.count)
    }

    private func ownLines(_ limit: Int) -> [StyledText] {
        guard let seat = own.first else { return [] }
        guard !ownHands.isEmpty else { return [line(StyledText(you, .bold), false, [], [stake(seat)])] }
        if ownHands.count <= limit {
            return ownHands.map { line(StyledText(name($0), .bold), isAsked($0), [$0], captions([$0])) }
        }
        // The hand to play first: the last hands may be cut.
        let hands = ownHands.filter(\.isActive) + ownHands.filter { !$0.isActive }
        return flowed(
            hands.map { hand in
                let label = marker(hand.isActive) + StyledText(name(hand) + " ", .bold)
                return label + hand.cards.map(\.text).joined("") + StyledText(" ") + total([hand])
            }, limit)
    }

    private func otherLines(_ limit: Int) -> [StyledText] {
        guard others.count > limit else {
            return others.map { line(named($0, 8), $0.isAsked, $0.hands, $0.hands.isEmpty ? [stake($0)] : captions($0.hands)) }
        }
        return flowed(others.map { marker($0.isAsked) + named($0, 8) + StyledText(" ") + total($0.hands) }, limit)
    }

    /// The first combination that fits: cards sooner than what stands behind them.
    private func line(_ name: StyledText, _ isActive: Bool, _ hands: [HandCells], _ tails: [StyledText]) -> StyledText {
        let start = StyledText(" ") + marker(isActive) + name.fitted(to: 9)
        let texts = texts(hands)
        let lines = (tails + [StyledText()]).flatMap { tail in texts.map { start + [$0, tail].joined("  ") } }
        return lines.first { $0.columns <= size.columns } ?? (start + texts[1]).cut(to: size.columns)
    }

    /// Items one after the other; those beyond the last line are left out, marked by `…`.
    private func flowed(_ items: [StyledText], _ limit: Int) -> [StyledText] {
        var lines: [StyledText] = []
        for item in items {
            if let last = lines.last, last.columns + 2 + item.columns <= size.columns - 2 {
                lines[lines.count - 1] = last + StyledText("  ") + item
            } else if lines.count < limit {
                lines.append(StyledText("   ") + item)
            } else {
                lines.indices.last.map { lines[$0].append(" …", .dim) }
                break
            }
        }
        return lines
    }
}
