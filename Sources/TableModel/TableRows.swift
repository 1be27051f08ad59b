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
    package var rules: HouseRules? {
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

    /// Takes everything out of a section and has it described anew, but for the rules.
    package mutating func fill(_ section: TableSection, _ describe: (inout [TableEntry]) -> Void) {
        fill(Self.place(of: section), describe)
    }

    mutating func fill(_ place: Int, _ describe: (inout [TableEntry]) -> Void) {
        rows[place].removeAll(keepingCapacity: true)
        describe(&rows[place])
        assert(
            zip(rows[place], rows[place].dropFirst()).allSatisfy { $0.rank < $1.rank }, "things are in the order of their ranks")
        assert(!rows[place].contains { if case .rules = $0 { true } else { false } }, "rules are apart")
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

    /// Exchanges a row with that of another table.
    mutating func swapRow(_ place: Int, with other: inout TableRows) {
        swap(&rows[place], &other.rows[place])
        let isFilled = filled.contains(place)
        filled.set(place, other.filled.contains(place))
        other.filled.set(place, isFilled)
    }

    /// Becomes for one section what another table is, in memory of its own.
    mutating func copyRow(_ place: Int, of other: TableRows) {
        // Nothing of an empty row that stays empty is looked at.
        guard filled.contains(place) || other.filled.contains(place) else { return }
        rows[place].removeAll(keepingCapacity: true)
        for entry in other.rows[place] { rows[place].append(entry) }
        filled.set(place, !rows[place].isEmpty)
    }

    /// Takes over the rules of another table, and its memory for them.
    mutating func copyRules(of other: TableRows) { lastOfTable = other.lastOfTable }

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
    static func place(of section: TableSection) -> Int {
        switch section {
        case .table: 0
        case .dealer: 1
        case .seat(let seat): place(ofSeat: seat)
        case .hand(let hand): place(ofSeat: hand.seat) + hand.number
        }
    }

    package static func section(_ place: Int) -> TableSection {
        guard place > 1 else { return place == 0 ? .table : .dealer }
        let (seat, hand) = (place - 2).quotientAndRemainder(dividingBy: 1 + handsPerSeat)
        return hand == 0 ? .seat(seat + 1) : .hand(HandIdentifier(seat: seat + 1, number: hand))
    }

    static func place(ofSeat seat: Int) -> Int { 2 + (seat - 1) * (1 + handsPerSeat) }

    static func isHand(_ place: Int) -> Bool { place > 1 && (place - 2) % (1 + handsPerSeat) != 0 }

    /// Every section that a table of so many seats may have.
    package static func possibleSections(seats: Int) -> [TableSection] { TableRows(seats: seats).rows.indices.map(section) }

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
        case .rules: 5
        case .card(let id, _): 2 + id
        case .result: .max
        }
    }
}
