import ClientCore
import Rules
import Snapshots
import TableModel

/// The table as cells: a diffable data source renders only the items that a snapshot changes.
///
/// Not Sendable; confined to its owner, like its data source.
final class TableBoard {
    private var shown = TableSnapshot()
    private var me = ""
    private let wording: Wording
    /// Items that are not shown as they are: what moves.
    var veil = Motion.Veil()
    /// Cells rendered so far, new or updated.
    private(set) var cellsMade = 0

    private lazy var source = DiffableDataSource<TableSection, TableItem, TableCell> { [unowned self] item, existing in
        cellsMade += 1
        // The source asks only for items it was given, and those are in `shown`.
        guard let entry = shown[item] else { return existing ?? TableCell(.cardsLeft(0), me: me, wording: wording) }
        return TableCell(entry, me: me, wording: wording)
    }

    init(wording: Wording) { self.wording = wording }

    /// Shows a changed table to a player.
    func show(_ change: TableChange, me: String) {
        if case .changed(let old, let difference) = change.origin, old == shown {
            show(change.new, by: difference, me: me)
        } else {
            show(change.new, by: shown.difference(to: change.new), me: me)
        }
    }

    /// Shows no table.
    func clear() { show(TableSnapshot(), by: shown.difference(to: TableSnapshot()), me: "") }

    private func show(_ snapshot: TableSnapshot, by difference: TableDifference, me: String) {
        var structure = snapshot.structure
        // Clearing a round and dealing the next one may insert an identifier that has a cell.
        let changed =
            me == self.me
            ? (difference.updates + difference.insertions).map(\.item).filter { shown[$0] != nil }
            : structure.itemIdentifiers.filter { shown[$0] != nil }
        // Marking cannot fail: every item is one of the structure's own.
        try? structure.reconfigureItems(changed)
        (shown, self.me) = (snapshot, me)
        source.apply(structure, animatingDifferences: false)
    }

    /// The cell of an item; nil when it is not on the table.
    func cell(_ item: TableItem) -> TableCell? {
        guard let cell = source.cell(for: item) else { return nil }
        switch veil[item] {
        case nil: return cell
        case .hidden: return nil
        case .shows(let entry): return TableCell(entry, me: me, wording: wording)
        case .sliding(let done, let all): return cell.sliding(done, of: all)
        case .turning: return cell.turning
        }
    }

    /// Cells of a section's cards, in table order.
    func cards(in section: TableSection) -> [TableCell] {
        guard let index = source.index(for: section) else { return [] }
        return (0..<source.numberOfItems(inSection: index)).compactMap { position in
            guard let item = source.itemIdentifier(for: ItemPath(item: position, section: index)), case .card = item else {
                return nil
            }
            return cell(item)
        }
    }

    /// The table's seats, in order.
    var seats: [Int] {
        source.snapshot().sectionIdentifiers.compactMap { if case .seat(let seat) = $0 { seat } else { nil } }
    }

    /// A seat's hands, in order of play.
    func hands(ofSeat seat: Int) -> [HandIdentifier] {
        source.snapshot().sectionIdentifiers.compactMap { section in
            if case .hand(let hand) = section, hand.seat == seat { hand } else { nil }
        }
    }
}

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

/// Cards as boxes; neighbours share a border.
enum CardArt {
    /// Three lines: rank and suit.
    case small
    /// Five lines: rank and pips.
    case large

    /// In lines, borders included.
    var height: Int { self == .small ? 3 : 5 }
    var middle: Int { height / 2 }
    /// Columns between two borders.
    private var width: Int { self == .small ? 3 : 7 }

    func lines(_ cards: [TableCell]) -> [StyledText] {
        let edges = Array(repeating: SafeText.filled(with: "─", width), count: cards.count)
        let faces = cards.map { card in
            let rows = face(card)
            // The text of a small card is on its way already.
            return self == .large ? card.arrival.map { rows.map($0.row) } ?? rows : rows
        }
        let inner = (0..<height - 2).map { row in
            var line = StyledText("│", .dim)
            for face in faces {
                line.append(face[row])
                line.append("│", .dim)
            }
            return line
        }
        return [StyledText("┌" + edges.joined("┬") + "┐", .dim)] + inner + [StyledText("└" + edges.joined("┴") + "┘", .dim)]
    }

    private func face(_ cell: TableCell) -> [StyledText] {
        let style = cell.text.spans.last?.style ?? .plain
        guard self == .large else { return [cell.text.fitted(to: width, rightAligned: true, filler: style)] }
        guard let card = cell.card else { return Array(repeating: StyledText(.filled(with: "░", width), style), count: 3) }
        let rank = card.rank == .ten ? "10" : String(card.rank.letter)
        let pips = Self.pips(card.rank).map { $0.replacing("*", with: String(card.suit.symbol)) }
        // The rank stands in two opposite corners, where the pips leave two columns.
        let top = rank + pips[0].dropFirst(rank.count)
        let bottom = pips[2].dropLast(rank.count) + rank
        return [top, pips[1], String(bottom)].map { StyledText(SafeText($0), style) }
    }

    /// Three rows of seven columns; `*` is a pip.
    private static func pips(_ rank: Rank) -> [String] {
        switch rank {
        case .ace: ["       ", "   *   ", "       "]
        case .two: ["   *   ", "       ", "   *   "]
        case .three: ["   *   ", "   *   ", "   *   "]
        case .four: ["  * *  ", "       ", "  * *  "]
        case .five: ["  * *  ", "   *   ", "  * *  "]
        case .six: ["  * *  ", "  * *  ", "  * *  "]
        case .seven: ["  * *  ", " * * * ", "  * *  "]
        case .eight: ["  * *  ", "* * * *", "  * *  "]
        case .nine: ["  ***  ", " * * * ", "  ***  "]
        case .ten: ["  ***  ", "* * * *", "  ***  "]
        case .jack, .queen, .king: ["       ", "  *\(rank.letter)*  ", "       "]
        }
    }
}

/// Bars of one line.
enum Gauge {
    /// `━━━━━──────`: a part of a whole, at least one column unless it is zero.
    static func bar(_ part: Int, of whole: Int, width: Int, _ style: Style) -> StyledText {
        let filled = whole > 0 ? (min(max(0, part), whole) * width + whole - 1) / whole : 0
        var bar = StyledText(.filled(with: "━", filled), style)
        bar.append(.filled(with: "─", width - filled), .dim)
        return bar
    }

    /// `───━━━━━━━━┃━━━`: dealt cards, the rest, and the cut card before the last ones.
    static func shoe(_ shoe: ShoeStatus, left: Int, width: Int) -> StyledText {
        let all = max(1, shoe.decks * 52)
        let dealt = min(width - 1, max(0, (all - left) * width / all))
        let cut = min(width - 1, max(0, (all - shoe.behindCutCard) * width / all))
        var bar = StyledText()
        for column in 0..<width {
            if column == cut {
                bar.append("┃", [.bold, .yellow])
            } else {
                bar.append(column < dealt ? "─" : "━", column < dealt ? .dim : .plain)
            }
        }
        return bar
    }
}

extension ViewState {
    /// Seconds that the running clock began with; nil while none runs, or where the rules say nothing about it.
    var secondsAllowed: Int? {
        guard secondsLeft != nil else { return nil }
        switch snapshot?.round?.phase {
        case .waiting, .betting: return rules.bettingSeconds
        case .insurance, .surrender: return rules.insuranceSeconds
        case .playing: return rules.decisionSeconds
        case .settled, .closed, nil: return nil
        }
    }
}

extension Screen {
    /// `  ━━━━━━──── 9 s`, without the bar in fewer columns; empty without a running clock.
    /// - Parameter room: columns at most.
    func countdown(_ room: Int, _ style: Style) -> StyledText {
        guard let seconds = view.secondsLeft else { return StyledText() }
        let time = StyledText("  \(seconds) s", style)
        let width = isNarrow ? 5 : 10
        guard let all = view.secondsAllowed, width + 7 <= room else { return time }
        var line = StyledText("  ")
        line.append(Gauge.bar(seconds, of: all, width: width, seconds <= 3 ? style.subtracting(.colors).union(.red) : style))
        // Two digits, so that an update changes little.
        line.append(seconds < 10 ? "  \(seconds) s" : " \(seconds) s", style)
        return line
    }

    /// Puts the gauge of the shoe at the end of a line that has room for it.
    func withShoe(_ lines: [StyledText]) -> [StyledText] {
        guard let first = lines.first, let shoe = view.snapshot?.shoe, shoe.number > 0, let left = view.snapshot?.cardsLeft else {
            return lines
        }
        var gauge = StyledText("Shoe \(shoe.number) ", .dim)
        gauge.append(Gauge.shoe(shoe, left: left, width: size.columns >= 120 ? 24 : 16))
        gauge.append(left <= shoe.behindCutCard ? " last round " : " \(left) left ", .dim)
        guard first.columns + 2 + gauge.columns <= size.columns else { return lines }
        var line = first.fitted(to: size.columns - gauge.columns)
        line.append(gauge)
        return [line] + lines.dropFirst()
    }
}
