import Rules

/// What can be seen of a table, as a row of entries for each of its sections, made to be filled over and over: a row that is emptied keeps
/// its memory.
///
/// The sections of a real table never change places (the table, the dealer, then each seat with its hands by number), so where a section's
/// row is follows from what it is. A hand that is not there is an empty row. In a row, things are in the order of ``TableEntry/rank``.
package struct TableRows: Sendable {
    package static let handsPerSeat = 4

    /// How many seats the table has, 1…7.
    package let seats: Int
    /// The house rules, which never change: apart from the table's row, which does with every action.
    package var rules: TableRules? {
        get { if case .rules(let rules)? = lastOfTable { rules } else { nil } }
        set { lastOfTable = newValue.map { .rules($0) } }
    }
    /// The rules as an entry: one word, since they are large.
    private var lastOfTable: TableEntry?
    private(set) var rows: [[TableEntry]]
    /// Where there is anything: told at a glance, since most rows are empty and far away.
    package private(set) var filled = PlaceSet()

    /// A table on which nothing is to be seen.
    package init(seats: Int) {
        precondition((1...PlaceSet.maximumSeats).contains(seats), "a table has one to seven seats")
        self.seats = seats
        rows = Array(repeating: [], count: 2 + seats * (1 + Self.handsPerSeat))
    }

    /// Exchanges a row with one that is described elsewhere.
    mutating func exchange(_ place: Int, with row: inout [TableEntry]) {
        swap(&rows[place], &row)
        filled.set(place, !rows[place].isEmpty)
    }

    /// Looks at some rows, all at once: where they are in no cache they come from memory side by side, not one after the other, as they
    /// would when each is looked at only after something has been done with the one before.
    /// - Returns: how many things are in them.
    @inline(never)
    package func countEntries(_ places: PlaceSet) -> Int {
        var count = 0
        for place in places.intersection(filled) { count &+= rows[place].count }
        return count
    }

    /// Becomes what another table of as many seats is, in memory of its own.
    package mutating func become(_ other: TableRows) {
        lastOfTable = other.lastOfTable
        // Nothing of a row that is empty in both is looked at.
        for place in filled.union(other.filled) {
            rows[place].removeAll(keepingCapacity: true)
            for entry in other.rows[place] { rows[place].append(entry) }
        }
        filled = other.filled
    }

    /// Tells each section that is there with what is in it, in order; but for the rules, which are the last in the table's.
    package func forEachSection(_ body: (TableSection, [TableEntry]) -> Void) {
        for place in rows.indices where isPresent(place) { body(Self.section(place), rows[place]) }
    }

    package var snapshot: TableSnapshot {
        var sections: [(TableSection, [TableEntry])] = []
        forEachSection { sections.append(($0, $1)) }
        if let lastOfTable { sections[0].1.append(lastOfTable) }
        do {
            return try TableSnapshot(sections)
        } catch {
            preconditionFailure("seats, hands and cards have identifiers of their own: \(error)")
        }
    }
}

/// Where the rows of sections are.
extension TableRows {
    package static func section(_ place: Int) -> TableSection {
        guard place > 1 else { return place == 0 ? .table : .dealer }
        let (seat, hand) = (place - 2).quotientAndRemainder(dividingBy: 1 + handsPerSeat)
        return hand == 0 ? .seat(seat + 1) : .hand(HandIdentifier(seat: seat + 1, number: hand))
    }

    static func place(ofSeat seat: Int) -> Int { 2 + (seat - 1) * (1 + handsPerSeat) }

    static func isHand(_ place: Int) -> Bool { place > 1 && (place - 2) % (1 + handsPerSeat) != 0 }

    /// Whether there is such a section now.
    func isPresent(_ place: Int) -> Bool { filled.contains(place) || !Self.isHand(place) }

    /// Whether the player at the place of a seat is being asked something.
    package func isAsked(_ place: Int) -> Bool {
        // What comes first in a seat is the player, then the question.
        guard filled.contains(place) else { return false }
        if case .choice = rows[place][0] { return true }
        if rows[place].count > 1, case .choice = rows[place][1] { return true }
        return false
    }

    /// Whether any hand lies on the table.
    var hasHands: Bool { !filled.isDisjoint(with: .hands) }
}

extension TableEntry {
    /// Where a thing stands in its section, which has each kind of thing in the same place: cards between the total and the result, as they
    /// were dealt, which is by number.
    var rank: Int {
        switch self {
        case .round, .player, .bet: 0
        case .phase, .choice, .dealerTotal, .total: 1
        case .clock, .insurance: 2
        case .shoe: 3
        case .cardsLeft: 4
        case .closing: 5
        case .rules: 6
        case .card(let id, _): 2 + id
        case .result: .max
        // A server shows nothing that it does not know.
        case .other: .max
        }
    }

    /// Whether the same thing shows the same as one in a row. A table's rules never change.
    ///
    /// Where it is, and a case at a time: an entry that is handed to a function is copied first, which takes longer than to compare it.
    borrowing func showsSame(as row: UnsafeBufferPointer<TableEntry>, _ index: Int) -> Bool {
        switch self {
        case .round(let value): if case .round(value) = row[index] { true } else { false }
        case .phase(let value): if case .phase(value) = row[index] { true } else { false }
        case .clock(let value): if case .clock(let other) = row[index] { value == other } else { false }
        case .shoe(let value): if case .shoe(let other) = row[index] { value == other } else { false }
        case .cardsLeft(let value): if case .cardsLeft(value) = row[index] { true } else { false }
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
