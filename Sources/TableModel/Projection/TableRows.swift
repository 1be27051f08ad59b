import Rules

/// A table's visible state: one row of entries for each possible section. An emptied row keeps its memory.
///
/// A section's row index is fixed. The row of an absent hand is empty. Entries in a row ascend by ``TableEntry/rank``.
package struct TableRows: Sendable {
    package static let handsPerSeat = 4

    /// 1…7.
    package let seats: Int
    /// The house rules. Constant, so kept outside the table's row, which changes with every action.
    package var rules: TableRules? {
        get { if case .rules(let rules)? = rulesEntry { rules } else { nil } }
        set { rulesEntry = newValue.map { .rules($0) } }
    }
    /// The rules as an entry: one word.
    private var rulesEntry: TableEntry?
    private(set) var rows: [[TableEntry]]
    /// The rows with at least one entry.
    package private(set) var filled = RowSet()

    /// A table with nothing to show.
    package init(seats: Int) {
        precondition((1...RowSet.maximumSeats).contains(seats), "a table has one to seven seats")
        self.seats = seats
        rows = Array(repeating: [], count: 2 + seats * (1 + Self.handsPerSeat))
    }

    /// Swaps a row with a buffer that is edited outside.
    mutating func exchange(_ row: Int, with buffer: inout [TableEntry]) {
        swap(&rows[row], &buffer)
        filled.set(row, !rows[row].isEmpty)
    }

    /// Copies a table with the same number of seats into this one's memory.
    package mutating func become(_ other: TableRows) {
        rulesEntry = other.rulesEntry
        for row in filled.union(other.filled) {
            rows[row].removeAll(keepingCapacity: true)
            for entry in other.rows[row] { rows[row].append(entry) }
        }
        filled = other.filled
    }

    /// Calls `body` with each present section and its entries, in order. The rules are left out: they are the last entry of the table's section.
    package func forEachSection(_ body: (TableSection, [TableEntry]) -> Void) {
        for row in rows.indices where isPresent(row) { body(Self.section(row), rows[row]) }
    }

    package var snapshot: TableSnapshot {
        var sections: [(TableSection, [TableEntry])] = []
        forEachSection { sections.append(($0, $1)) }
        if let rulesEntry { sections[0].1.append(rulesEntry) }
        do {
            return try TableSnapshot(sections)
        } catch {
            preconditionFailure("seats, hands and cards have unique identifiers: \(error)")
        }
    }
}

/// Row indices of sections.
extension TableRows {
    package static func section(_ row: Int) -> TableSection {
        guard row > 1 else { return row == 0 ? .table : .dealer }
        let (seat, hand) = (row - 2).quotientAndRemainder(dividingBy: 1 + handsPerSeat)
        return hand == 0 ? .seat(seat + 1) : .hand(HandIdentifier(seat: seat + 1, number: hand))
    }

    static func row(ofSeat seat: Int) -> Int { 2 + (seat - 1) * (1 + handsPerSeat) }

    static func isHand(_ row: Int) -> Bool { row > 1 && (row - 2) % (1 + handsPerSeat) != 0 }

    /// Whether the section exists: a hand without entries does not.
    func isPresent(_ row: Int) -> Bool { filled.contains(row) || !Self.isHand(row) }

    /// Whether a seat's row contains a question. It is the first entry or the second, after the player.
    package func isAsked(_ row: Int) -> Bool {
        rows[row].prefix(2).contains { if case .choice = $0 { true } else { false } }
    }

    /// Whether any hand is on the table.
    var hasHands: Bool { !filled.isDisjoint(with: .hands) }

    func isFollowed(by next: RoundStatus) -> Bool {
        guard rows[0].count > 1, case .round(let number) = rows[0][0], case .phase(let phase) = rows[0][1] else { return false }
        return RoundStatus(number: number, phase: phase).isFollowed(by: next)
    }
}

extension TableEntry {
    /// The order of entries within a section. Cards sort by id, which is the order dealt, between a total and a result.
    var rank: Int {
        switch self {
        case .round, .player, .bet: 0
        case .phase, .choice, .dealerTotal, .total: 1
        case .clock, .insurance: 2
        case .shoe: 3
        case .cardsLeft: 4
        case .fairShoe: 5
        case .nextShoe: 6
        case .closing: 7
        case .rules: 8
        case .card(let id, _): 2 + id
        case .result: .max
        // A server has no unknown entries.
        case .other: .max
        }
    }

    /// Whether an entry of equal rank has the same content. Rules are constant.
    ///
    /// Case by case and in place: `==` copies both entries first, 2 % of a line in bjbench shard.
    borrowing func hasContent(of row: UnsafeBufferPointer<TableEntry>, _ index: Int) -> Bool {
        switch self {
        case .round(let value): if case .round(value) = row[index] { true } else { false }
        case .phase(let value): if case .phase(value) = row[index] { true } else { false }
        case .clock(let value): if case .clock(let other) = row[index] { value == other } else { false }
        case .shoe(let value): if case .shoe(let other) = row[index] { value == other } else { false }
        case .cardsLeft(let value): if case .cardsLeft(value) = row[index] { true } else { false }
        case .fairShoe(let value): if case .fairShoe(let other) = row[index] { value == other } else { false }
        case .nextShoe(let value): if case .nextShoe(let other) = row[index] { value == other } else { false }
        case .closing(let value): if case .closing(let other) = row[index] { value == other } else { false }
        case .rules: if case .rules = row[index] { true } else { false }
        case .dealerTotal(let value): if case .dealerTotal(let other) = row[index] { value == other } else { false }
        case .player(_, let value): if case .player(_, let other) = row[index] { value == other } else { false }
        case .choice(_, let value): if case .choice(_, let other) = row[index] { value == other } else { false }
        case .insurance(_, let value): if case .insurance(_, value) = row[index] { true } else { false }
        case .bet(_, let value): if case .bet(_, value) = row[index] { true } else { false }
        case .total(_, let value): if case .total(_, let other) = row[index] { value == other } else { false }
        case .result(_, let value): if case .result(_, let other) = row[index] { value == other } else { false }
        case .card(_, let value): if case .card(_, let other) = row[index] { value == other } else { false }
        case .other(_, let value): if case .other(_, let text) = row[index] { value == text } else { false }
        }
    }
}
