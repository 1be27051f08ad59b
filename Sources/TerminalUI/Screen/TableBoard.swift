import ClientCore
import Rules
import Snapshots
import TableModel
import Wire

/// The table of a moment as cells: a diffable data source applies each difference as it was received, and renders only its items.
///
/// Not Sendable; confined to its owner, like its data source.
final class TableBoard {
    /// The table that the cells show.
    private(set) var table = TableSnapshot()
    private var me = ""
    /// The cards, totals and results of the round before: kept cells, which stay, faded, until cards are dealt again.
    private var past: [TableSection: [TableCell]] = [:]
    /// The players of the seats when cards were dealt: the cards are not those of a player who takes a seat later.
    private var dealtTo: [Int: String] = [:]
    /// Cells rendered so far, new or updated.
    private(set) var cellsMade = 0
    /// Tables whose difference was computed by comparing.
    private(set) var tablesCompared = 0

    private lazy var source = DiffableDataSource<TableSection, TableItem, TableCell> { [unowned self] item, _ in
        cellsMade += 1
        return TableCell(table[item], me: me)
    }

    /// Shows a table of which nothing is shown.
    func show(_ table: TableSnapshot, me: String) {
        (self.table, self.me) = (table, me)
        noteDeal()
        compare()
    }

    private func compare() {
        tablesCompared += 1
        source.apply(.init())
        source.apply(table.structure)
    }

    /// Applies a difference of the table that is shown, or a part of one.
    /// - Parameter known: the table after it, where it was applied before.
    func apply(_ difference: TableDifference, to known: TableSnapshot? = nil) {
        guard !difference.isEmpty, let next = known ?? (try? table.applying(difference)) else { return }
        let steps = table.steps(to: next, by: difference)
        let hadCards = table.hasCards
        if difference.clears, hadCards {
            for section in table.sections {
                past[section] = table.entries(in: section).filter(\.stays).compactMap { source.cell(for: $0.item)?.faded }
            }
        }
        table = next
        // The steps of a difference that names an item twice do not fit.
        do { for step in steps { try source.apply(step) } } catch { compare() }
        if next.hasCards, difference.clears || !hadCards { noteDeal() }
    }

    private func noteDeal() {
        past = [:]
        for seat in table.seats { dealtTo[seat] = table.player(seat)?.name }
    }

    // MARK: Cells

    /// Whether there is no table.
    var isEmpty: Bool { source.snapshot().numberOfSections == 0 }

    /// The cell of an item; an empty one where it is not on the table.
    subscript(_ item: TableItem) -> TableCell { source.cell(for: item) ?? TableCell(nil, me: me) }

    private func cells(in section: TableSection) -> [TableCell] {
        ((try? source.snapshot().itemIdentifiers(inSection: section)) ?? []).compactMap { source.cell(for: $0) }
    }

    var phase: RoundPhase? { if case .phase(let phase)? = self[.phase].entry { phase } else { nil } }

    var dealer: HandCells {
        let present = cells(in: .dealer)
        return HandCells(present.isEmpty ? past[.dealer] ?? [] : present)
    }

    /// The table's seats, in order.
    var seats: [SeatCells] {
        source.snapshot().sectionIdentifiers.compactMap { if case .seat(let seat) = $0 { self.seat(seat) } else { nil } }
    }

    private func seat(_ number: Int) -> SeatCells {
        let (player, choice, isPlaying) = (self[.player(number)], self[.choice(number)].choice, phase == .playing)
        let sections = (1...TableRows.handsPerSeat).map { TableSection.hand(HandIdentifier(seat: number, number: $0)) }
        var hands = sections.map(cells)
        // A bet for the next round takes the place of the last one's hands.
        if hands.allSatisfy(\.isEmpty) { hands = sections.map { past[$0] ?? [] } }
        let all = hands.enumerated().map { index, cells in
            HandCells(cells, seat: number, number: index + 1, isActive: isPlaying && choice?.hand == index + 1)
        }.filter { $0.cards.isEmpty || dealtTo[number] == player.player?.name }
        return SeatCells(
            number: number, player: player, isMine: player.player?.name == me, isAsked: choice != nil,
            insurance: self[.insurance(number)].text,
            hands: all.filter { !$0.cards.isEmpty }, bet: all.first?.bet?.chips)
    }
}

extension TableSnapshot {
    fileprivate var hasCards: Bool { entries.contains { if case .card = $0 { true } else { false } } }
}

extension TableEntry {
    /// Whether it stays on the screen when its round is cleared away.
    fileprivate var stays: Bool {
        switch self {
        case .card, .total, .dealerTotal, .result: true
        // Goes with the round, or has never been its own.
        default: false
        }
    }
}

/// A seat, and the hands of its player.
struct SeatCells {
    let number: Int
    /// An empty cell: the seat is free.
    let player: TableCell
    /// Whether the viewer plays here.
    let isMine: Bool
    let isAsked: Bool
    let insurance: StyledText
    /// The hands with cards, in order of play.
    let hands: [HandCells]
    /// The bet on the first hand, also before it has cards.
    let bet: Int?
}

/// A hand of a seat, or the dealer's.
struct HandCells {
    let seat: Int
    let number: Int
    /// Whether its player is asked what to do with it.
    let isActive: Bool
    private(set) var cards: [TableCell] = []
    private(set) var total: TableCell?
    private(set) var bet: TableCell?
    private(set) var result: TableCell?

    init(_ cells: [TableCell], seat: Int = 0, number: Int = 1, isActive: Bool = false) {
        (self.seat, self.number, self.isActive) = (seat, number, isActive)
        for cell in cells {
            switch cell.entry {
            case .card: cards.append(cell)
            case .total, .dealerTotal: total = cell
            case .bet: bet = cell
            case .result: result = cell
            // In no hand.
            default: break
            }
        }
    }
}

/// One item as it is drawn.
struct TableCell: Equatable, Sendable {
    /// The content, for texts that are made of several; nil for an item that is not on the table.
    let entry: TableEntry?
    private(set) var text = StyledText()
    /// A column beside the text: a player's chips, the net chips of a result.
    private(set) var note = StyledText()
    /// A player's mark behind the name: a bot, or one who is away. In words where there is room.
    private(set) var mark = StyledText()
    private(set) var remark = StyledText()

    /// - Parameter me: the viewer's name.
    init(_ entry: TableEntry?, me: String) {
        self.entry = entry
        switch entry {
        case .round(let round): text = StyledText(round == 0 ? "no round yet" : "round \(round)")
        case .phase(let phase): text = StyledText(phase.word)
        case .closing(let notice): text = StyledText(SafeText(notice.reason, columns: 400))
        case .pause(let pause): text = StyledText(Wording.paused(pause))
        case .match(let match): text = StyledText("match \(match.round)/\(match.rounds)")
        case .dealerTotal(let total), .total(_, let total): text = StyledText(total.safeText, total.isBust ? .dim : .plain)
        case .player(_, let player): show(player, isMe: player.name == me)
        case .insurance(_, let chips): text = StyledText("insured \(chips)")
        case .bet(_, let chips): text = StyledText("\(chips)")
        case .result(_, let result):
            text = StyledText(Wording.result(result), result.style)
            note = StyledText(Wording.signed(result.net), result.style)
        case .card(_, _, let card?): text = StyledText(Wording(hasKeys: true).card(card), card.suit.style)
        case .card(_, _, nil): text = StyledText("░░", .back)
        // Drawn of their content, with others, or not at all.
        case .clock, .choice, .insuranceResult, .fairShoe, .nextShoe, .shoe, .cardsLeft, .seen, .rules, .other, nil: break
        }
    }

    // MARK: Content

    var player: Player? { if case .player(_, let player)? = entry { player } else { nil } }
    var choice: Choice? { if case .choice(_, let choice)? = entry { choice } else { nil } }
    var card: Card? { if case .card(_, _, let card)? = entry { card } else { nil } }
    var result: HandResult? { if case .result(_, let result)? = entry { result } else { nil } }

    /// Of a bet.
    var chips: Int? { if case .bet(_, let chips)? = entry { chips } else { nil } }

    var total: Total? {
        switch entry {
        case .total(_, let total), .dealerTotal(let total): total
        // No total.
        default: nil
        }
    }

    /// As part of the round before.
    fileprivate var faded: TableCell {
        var cell = self
        let isCard = if case .card? = entry { true } else { false }
        (cell.text, cell.note) = (text.plain(isCard ? .faded : .dim), note.plain(.dim))
        return cell
    }

    private mutating func show(_ player: Player, isMe: Bool) {
        let style: Style = isMe ? .bold : player.presence == .here ? .plain : .dim
        let bot = HouseBot(player.name)
        text = StyledText(SafeText(bot?.name ?? player.name, columns: 24), style)
        note = StyledText("\(player.chips)", style)
        if player.isBot || bot != nil { mark = StyledText("¤", .dim) }
        switch player.presence {
        case .here: break
        case .sittingOut: (mark, remark) = (mark + StyledText("◌", .dim), StyledText("sits out", .dim))
        case .away: (mark, remark) = (mark + StyledText("☾", .yellow), StyledText("away", .yellow))
        case .leaving: (mark, remark) = (mark + StyledText("»", .dim), StyledText("leaving", .dim))
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
