import Rules
import Snapshots

/// The visible state of a table at one instant, equal for players and spectators.
///
/// Copies share storage by section, so unchanged sections compare in constant time.
public struct TableSnapshot: Equatable, Sendable {
    /// Sections and items, by identifier.
    public let structure: Snapshot<TableSection, TableItem>
    /// The contents: a row for each section of ``structure``, an entry for each of its items, in the same order.
    let rows: [[TableEntry]]

    /// A table with no sections.
    public init() {
        structure = Snapshot()
        rows = []
    }

    /// - Precondition: `rows` matches `structure`.
    init(structure: Snapshot<TableSection, TableItem>, rows: [[TableEntry]]) {
        self.structure = structure
        self.rows = rows
    }

    /// A table from its sections in order.
    /// - Throws: `SnapshotError` for a duplicate section or item.
    public init(_ sections: [(TableSection, [TableEntry])]) throws(SnapshotError) {
        structure = try Snapshot(sections.map { (section: $0.0, items: $0.1.map(\.item)) })
        rows = sections.map(\.1)
    }

    /// The content of an item; nil when it is absent.
    public subscript(_ item: TableItem) -> TableEntry? {
        structure.itemPath(of: item).map { rows[$0.section][$0.item] }
    }

    /// The contents of a section in order; empty for an absent section.
    public func entries(in section: TableSection) -> [TableEntry] { structure.indexOfSection(section).map { rows[$0] } ?? [] }

    // MARK: Clearing

    /// Whether any hand is on the table, including bets without cards.
    var hasHands: Bool {
        structure.sectionIdentifiers.contains { if case .hand = $0 { true } else { false } }
    }

    /// The table without its round: no hands, no dealer's cards, no clock, no questions and no insurance.
    ///
    /// Keeps seats, players, the shoe, the rules and unknown items.
    public func cleared() -> TableSnapshot {
        let kept = zip(structure.sectionIdentifiers, rows).compactMap { section, row -> (TableSection, [TableEntry])? in
            switch section {
            case .hand: nil
            case .dealer: (section, [])
            case .table, .seat: (section, row.filter(\.outlivesRound))
            case .other: (section, row)
            }
        }
        do {
            return try TableSnapshot(kept)
        } catch {
            preconditionFailure("removing entries creates no duplicates: \(error)")
        }
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

    public var dealerTotal: Total? {
        if case .dealerTotal(let total) = self[.dealerTotal] { total } else { nil }
    }

    /// Every seat of the table, taken or not, in order.
    public var seats: [Int] {
        structure.sectionIdentifiers.compactMap { if case .seat(let seat) = $0 { seat } else { nil } }
    }

    /// Every hand, in playing order.
    public var hands: [HandIdentifier] {
        structure.sectionIdentifiers.compactMap { if case .hand(let hand) = $0 { hand } else { nil } }
    }

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
    public func isAsked(_ seat: Int) -> Bool {
        guard let section = structure.indexOfSection(.seat(seat)) else { return false }
        return rows[section].contains { if case .choice = $0 { true } else { false } }
    }

    public func insurance(_ seat: Int) -> Int? {
        if case .insurance(_, let chips) = self[.insurance(seat)] { chips } else { nil }
    }

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
        entries(in: section).compactMap { if case .card(_, let card) = $0 { card } else { nil as Card?? } }
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
