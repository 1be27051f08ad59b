import ClientCore
import Rules
import Snapshots
import TableModel

/// The table of a moment as cells: a diffable data source applies each difference as it was received, and renders only its items.
///
/// Not Sendable; confined to its owner, like its data source.
final class TableBoard {
    /// The table that the cells show.
    private(set) var table = TableSnapshot()
    private var me = ""
    private let wording: Wording
    /// The cards, totals and results of the round before: kept cells, which stay, faded, until cards are dealt again.
    private var past: [(entry: TableEntry, cell: TableCell)] = []
    /// Their players, by seat.
    private var pastPlayers: [Int: String] = [:]
    /// Cells rendered so far, new or updated.
    private(set) var cellsMade = 0
    /// Tables whose difference was computed by comparing.
    private(set) var tablesCompared = 0

    private lazy var source = DiffableDataSource<TableSection, TableItem, TableCell> { [unowned self] item, existing in
        cellsMade += 1
        // The source asks only for items it was given, and those are in `table`.
        return table[item].map { TableCell($0, me: me, wording: wording) } ?? existing
            ?? TableCell(.cardsLeft(0), me: me, wording: wording)
    }

    init(wording: Wording) { self.wording = wording }

    /// Shows a table of which nothing is shown.
    func show(_ table: TableSnapshot, me: String) {
        (self.table, self.me, past) = (table, me, [])
        compare()
    }

    private func compare() {
        tablesCompared += 1
        source.apply(.init(), animatingDifferences: false)
        source.apply(table.structure, animatingDifferences: false)
    }

    /// Applies a difference, or a part of one, of the table that is shown.
    func apply(_ difference: TableDifference) {
        guard !difference.isEmpty, let next = try? table.applying(difference) else { return }
        if difference.clears, table.hasCards {
            past = table.entries.filter(\.stays).compactMap { entry in source.cell(for: entry.item).map { (entry, $0.faded) } }
            for seat in table.seats { pastPlayers[seat] = table.player(seat)?.name }
        }
        do {
            let steps = try table.steps(of: difference)
            table = next
            for step in steps { try source.apply(step, animatingDifferences: false) }
        } catch {
            // It names an item twice.
            table = next
            compare()
        }
        if next.hasCards { past = [] }
    }

    /// The cell of an item; nil when it is not on the table.
    func cell(_ item: TableItem) -> TableCell? { past.first { $0.entry.item == item }?.cell ?? source.cell(for: item) }

    /// Cells of a section's cards, in table order.
    func cards(in section: TableSection) -> [TableCell] {
        // A bet for the next round takes the place of the last one's hand.
        let isNew = if case .hand = section { !table.entries(in: section).isEmpty } else { false }
        let entries = isNew || past.isEmpty ? table.entries(in: section) : past.map(\.entry).filter { $0.section == section }
        return entries.compactMap { if case .card = $0 { cell($0.item) } else { nil } }
    }

    /// The table's seats, in order.
    var seats: [Int] {
        source.snapshot().sectionIdentifiers.compactMap { if case .seat(let seat) = $0 { seat } else { nil } }
    }

    /// A seat's hands, in order of play: those of its player.
    func hands(ofSeat seat: Int) -> [HandIdentifier] {
        let hands = table.hands(ofSeat: seat)
        guard !past.isEmpty, hands.isEmpty, pastPlayers[seat] == table.player(seat)?.name else { return hands }
        return past.compactMap { if case .card(1..., .hand(let hand), _) = $0.entry, hand.seat == seat { hand } else { nil } }
            .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}

extension TableSnapshot {
    fileprivate var hasCards: Bool { entries.contains { if case .card = $0 { true } else { false } } }
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

    /// - Parameter me: the viewer's name.
    init(_ entry: TableEntry, me: String, wording: Wording) {
        switch entry {
        case .round(let round):
            text = StyledText(round == 0 ? "no round yet" : "round \(round)")
        case .phase(let phase): note = StyledText(phase.word)
        // Drawn from the snapshot, or not at all.
        case .clock, .choice, .insuranceResult, .fairShoe, .nextShoe, .shoe, .cardsLeft, .closing, .rules, .other: break
        case .dealerTotal(let total), .total(_, let total): text = StyledText(total.safeText, total.isBust ? .dim : .plain)
        case .player(_, let player): show(player, isMe: player.name == me)
        case .insurance(_, let chips): text = StyledText("insured \(chips)")
        case .bet(_, let chips): text = StyledText("\(chips)")
        case .result(_, let result):
            // A total says that it is bust.
            text = StyledText(result.outcome == .bust ? "" : result.word, result.style)
            note = StyledText(Wording.signed(result.net), result.style)
        case .card(_, _, let card?):
            self.card = card
            text = StyledText(wording.card(card), card.suit.style)
        case .card(_, _, nil): text = StyledText("░░", .back)
        }
    }

    /// As part of the round before.
    var faded: TableCell {
        var cell = self
        let isCard = text.spans.last?.style.isDisjoint(with: [.spade, .heart, .diamond, .club, .back]) == false
        (cell.text, cell.note) = (text.plain(isCard ? .faded : .dim), note.plain(.dim))
        return cell
    }

    private mutating func show(_ player: Player, isMe: Bool) {
        let style: Style = isMe ? .bold : player.presence == .here ? .plain : .dim
        text = StyledText(.player(player.name), style)
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

extension TableEntry {
    /// Whether the entry stays on the screen when its round is cleared away.
    fileprivate var stays: Bool {
        switch self {
        case .card, .total, .dealerTotal, .result: true
        default: false
        }
    }
}

/// Cards as solid blocks, smallest first.
enum CardArt: Int, CaseIterable, Comparable {
    /// Rank and suit in a line of text.
    case inline
    /// Rank and suit in two corners.
    case small
    /// With pips.
    case large
    /// With pips further apart.
    case huge

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// In lines.
    var height: Int { [1, 3, 5, 9][rawValue] }
    private var width: Int { [0, 4, 9, 15][rawValue] }

    func lines(_ cards: [TableCell]) -> [StyledText] {
        let faces = cards.map(face)
        return (0..<height).map { row in
            var line = StyledText()
            for (index, face) in faces.enumerated() {
                if index > 0 { line.append(" ") }
                line.append(face[row])
            }
            return line
        }
    }

    private func face(_ cell: TableCell) -> [StyledText] {
        guard self != .inline else { return [cell.text] }
        let style = cell.text.spans.last?.style ?? .plain
        guard let card = cell.card else { return Array(repeating: StyledText(.filled(with: "░", width), style), count: height) }
        var rows = Array(repeating: StyledText(.spaces(width), style), count: height)
        rows[0] = cell.text.fitted(to: width, filler: style)
        rows[height - 1] = cell.text.fitted(to: width, rightAligned: true, filler: style)
        guard self > .small else { return rows }
        for (index, pips) in Self.pips(card.rank).enumerated() {
            let spread = self == .large ? pips : pips.map(String.init).joined(separator: " ")
            let text = SafeText(stringLiteral: " \(spread.replacing("*", with: String(card.suit.symbol))) ")
            rows[self == .large ? index + 1 : index * 2 + 2] = StyledText(text, style)
        }
        return rows
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

/// A bet as chips: `●●●`.
enum Chips {
    private static let kinds: [(worth: Int, style: Style)] = [(500, .yellow), (100, .plain), (25, .green), (5, .red), (1, .dim)]

    /// - Parameter limit: chips at most; the smallest are left out.
    static func stack(_ bet: Int, atMost limit: Int) -> StyledText {
        var (stack, rest) = (StyledText(), bet)
        for kind in kinds {
            let count = min(rest / kind.worth, limit - stack.columns)
            stack.append(.filled(with: "●", count), kind.style)
            rest %= kind.worth
        }
        return stack
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
}
