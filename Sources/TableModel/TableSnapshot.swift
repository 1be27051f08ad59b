import Rules
import Snapshots

/// The visible state of a table at one instant, equal for players and spectators.
///
/// A dictionary: entries by item, whose names and cards tell where they lie. Copies share storage by section.
public struct TableSnapshot: Equatable, Sendable {
    /// A row for each section that a table may have, present or not, its entries in order.
    private(set) var rows: [[TableEntry]]

    /// - Precondition: a row for each of ``RowSet/everything``.
    init(rows: [[TableEntry]]) { self.rows = rows }

    /// A table with these entries, in any order; of two for one item the last.
    public init(_ entries: [TableEntry] = []) {
        rows = Array(repeating: [], count: RowSet.maximumRows)
        for entry in entries { show(entry) }
    }

    /// The content of an item; nil when it is absent.
    public subscript(_ item: TableItem) -> TableEntry? {
        place(of: item).map { rows[$0.row][$0.index] }
    }

    /// The contents of a section in order; empty for an absent section.
    public func entries(in section: TableSection) -> [TableEntry] { rows[section.row] }

    /// Everything on the table, in order.
    public var entries: [TableEntry] { rows.flatMap(\.self) }

    /// The sections: the table's, the dealer's, each seat of the rules, each hand with anything to show.
    public var sections: [TableSection] { presentRows.map(TableRows.section) }

    /// Sections and items by position: the snapshot of a diffable data source.
    package var structure: Snapshot<TableSection, TableItem> {
        let contents = presentRows.map { (section: TableRows.section($0), items: rows[$0].map(\.item)) }
        do {
            return try Snapshot(contents)
        } catch {
            preconditionFailure("a row has each item once, and each item has one row: \(error)")
        }
    }

    var presentRows: RowSet {
        var present = RowSet()
        for row in rows.indices where !rows[row].isEmpty { present.insert(row) }
        guard !present.isEmpty else { return present }
        return present.union(.all(seats: rules?.seats ?? 0).subtracting(.hands))
    }

    private func place(of item: TableItem) -> (row: Int, index: Int)? {
        let candidates = if let section = item.section { section.row..<section.row + 1 } else { 1..<rows.count }
        for row in candidates {
            if let index = rows[row].firstIndex(where: { $0.item == item }) { return (row, index) }
        }
        return nil
    }

    // MARK: Changing

    /// - Returns: whether it was there.
    mutating func remove(_ item: TableItem) -> Bool {
        guard let place = place(of: item) else { return false }
        rows[place.row].remove(at: place.index)
        return true
    }

    /// Puts an entry in its place, instead of that of the same item.
    mutating func show(_ entry: TableEntry) {
        let (row, item) = (entry.section.row, entry.item)
        if item.section == nil, let place = place(of: item), place.row != row { rows[place.row].remove(at: place.index) }
        let index = rows[row].firstIndex { !$0.precedes(entry) } ?? rows[row].count
        if index < rows[row].count, rows[row][index].item == item {
            rows[row][index] = entry
        } else {
            rows[row].insert(entry, at: index)
        }
    }

    /// Whether any hand is on the table, including bets without cards.
    var hasHands: Bool { !presentRows.isDisjoint(with: .hands) }

    /// The table without its round: no hands, no dealer's cards, no clock, no questions and no insurance.
    ///
    /// Keeps players, the shoe, the rules and unknown items.
    public func cleared() -> TableSnapshot {
        TableSnapshot(rows: rows.map { $0.allSatisfy(\.outlivesRound) ? $0 : $0.filter(\.outlivesRound) })
    }

    // MARK: Reading

    // Typed access to the contents of a table.

    public var round: RoundStatus? {
        guard case .round(let number) = self[.round], let phase else { return nil }
        return RoundStatus(number: number, phase: phase)
    }

    public var phase: RoundPhase? {
        if case .phase(let phase) = self[.phase] { phase } else { nil }
    }

    public var clock: Clock? {
        if case .clock(let clock) = self[.clock] { clock } else { nil }
    }

    public var shoe: ShoeStatus? {
        if case .shoe(let status) = self[.shoe] { status } else { nil }
    }

    /// The number of cards left in the shoe.
    public var cardsLeft: Int? {
        if case .cardsLeft(let count) = self[.cardsLeft] { count } else { nil }
    }

    public var rules: HouseRules? {
        tableRules?.rules
    }

    /// The house rules with their digest.
    public var tableRules: TableRules? {
        if case .rules(let rules) = self[.rules] { rules } else { nil }
    }

    /// How the order of the shoe in play was made; nil before the first shoe, and where shoes have no ceremony.
    public var fairShoe: FairShoe? {
        if case .fairShoe(let shoe) = self[.fairShoe] { shoe } else { nil }
    }

    /// The ceremony of the coming shoe; nil where shoes have none.
    public var nextShoe: NextShoe? {
        if case .nextShoe(let shoe) = self[.nextShoe] { shoe } else { nil }
    }

    /// nil while the table stays open.
    public var closing: ClosingNotice? {
        if case .closing(let notice) = self[.closing] { notice } else { nil }
    }

    /// nil while clocks run.
    public var pause: TablePause? {
        if case .pause(let pause) = self[.pause] { pause } else { nil }
    }

    /// nil without one.
    public var match: TableMatch? {
        if case .match(let match) = self[.match] { match } else { nil }
    }

    public var dealerTotal: Total? {
        if case .dealerTotal(let total) = self[.dealerTotal] { total } else { nil }
    }

    /// Every seat of the table, taken or not, in order.
    public var seats: [Int] { sections.compactMap { if case .seat(let seat) = $0 { seat } else { nil } } }

    /// Every hand, in playing order.
    public var hands: [HandIdentifier] { sections.compactMap { if case .hand(let hand) = $0 { hand } else { nil } } }

    /// The hands of a seat, in playing order.
    public func hands(ofSeat seat: Int) -> [HandIdentifier] { hands.filter { $0.seat == seat } }

    public func player(_ seat: Int) -> Player? {
        if case .player(_, let player) = self[.player(seat)] { player } else { nil }
    }

    /// The seats of a player, in order.
    public func seats(of name: String) -> [Int] { seats.filter { player($0)?.name == name } }

    public func choice(_ seat: Int) -> Choice? {
        if case .choice(_, let choice) = self[.choice(seat)] { choice } else { nil }
    }

    /// Whether the player of a seat has an open question.
    public func isAsked(_ seat: Int) -> Bool { self[.choice(seat)] != nil }

    public func insurance(_ seat: Int) -> Int? {
        if case .insurance(_, let chips) = self[.insurance(seat)] { chips } else { nil }
    }

    /// Chips won by a seat's insurance, which pays 2:1, once the dealer has played; nil without one.
    public func insuranceNet(_ seat: Int) -> Int? { insurance(seat).map { dealerTotal == .blackjack ? 2 * $0 : -$0 } }

    public func bet(_ hand: HandIdentifier) -> Int? {
        if case .bet(_, let chips) = self[.bet(hand)] { chips } else { nil }
    }

    public func total(_ hand: HandIdentifier) -> Total? {
        if case .total(_, let total) = self[.total(hand)] { total } else { nil }
    }

    public func result(_ hand: HandIdentifier) -> HandResult? {
        if case .result(_, let result) = self[.result(hand)] { result } else { nil }
    }

    /// The cards of a section in dealing order; nil for a face-down card.
    public func cards(in section: TableSection) -> [Card?] {
        entries(in: section).compactMap { if case .card(_, _, let card) = $0 { card } else { nil as Card?? } }
    }

    /// The dealer's first card.
    public var upCard: Card? { cards(in: .dealer).first ?? nil }

    /// The acting hand; nil outside the playing phase.
    public var activeHand: HandIdentifier? {
        guard phase == .playing else { return nil }
        for seat in seats {
            if let choice = choice(seat) { return HandIdentifier(seat: seat, number: choice.hand) }
        }
        return nil
    }
}
