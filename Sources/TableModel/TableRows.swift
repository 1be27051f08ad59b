/// What can be seen of a table, as a row of entries for each of its sections, made to be filled over and over: a row that is emptied keeps
/// its memory.
///
/// The sections of a real table never change places (the table, the dealer, then each seat with its hands by number), so where a section's
/// row is follows from what it is. A hand that is not there is an empty row. In a row, things are in the order of ``TableEntry/rank``.
package struct TableRows: Sendable {
    package static let handsPerSeat = 4

    /// How many seats the table has, 1…7.
    package let seats: Int
    private(set) var rows: [[TableEntry]]

    /// A table on which nothing is to be seen.
    package init(seats: Int) {
        precondition((1...7).contains(seats), "a table has one to seven seats")
        self.seats = seats
        rows = Array(repeating: [], count: 2 + seats * (1 + Self.handsPerSeat))
    }

    /// What is in a section, in order.
    package subscript(section: TableSection) -> [TableEntry] { rows[Self.place(of: section)] }

    /// Takes everything out of a section and has it described anew.
    package mutating func fill(_ section: TableSection, _ describe: (inout [TableEntry]) -> Void) {
        fill(Self.place(of: section), describe)
    }

    mutating func fill(_ place: Int, _ describe: (inout [TableEntry]) -> Void) {
        rows[place].removeAll(keepingCapacity: true)
        describe(&rows[place])
        assert(
            zip(rows[place], rows[place].dropFirst()).allSatisfy { $0.rank < $1.rank }, "things are in the order of their ranks")
    }

    /// Exchanges a row with that of another table of as many seats.
    mutating func swapRow(_ place: Int, with other: inout TableRows) { swap(&rows[place], &other.rows[place]) }

    /// Becomes for one section what another table of as many seats is, in memory of its own.
    mutating func copyRow(_ place: Int, of other: TableRows) {
        rows[place].removeAll(keepingCapacity: true)
        for entry in other.rows[place] { rows[place].append(entry) }
    }

    /// Tells each section that is there with what is in it, in order.
    package func forEachSection(_ body: (TableSection, [TableEntry]) -> Void) {
        for place in rows.indices where isPresent(place) { body(Self.section(place), rows[place]) }
    }

    package var snapshot: TableSnapshot {
        do {
            return try TableSnapshot(rows.indices.filter(isPresent).map { (Self.section($0), rows[$0]) })
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

    static func section(_ place: Int) -> TableSection {
        guard place > 1 else { return place == 0 ? .table : .dealer }
        let (seat, hand) = (place - 2).quotientAndRemainder(dividingBy: 1 + handsPerSeat)
        return hand == 0 ? .seat(seat + 1) : .hand(HandIdentifier(seat: seat + 1, number: hand))
    }

    static func place(ofSeat seat: Int) -> Int { 2 + (seat - 1) * (1 + handsPerSeat) }

    static func isHand(_ place: Int) -> Bool { place > 1 && (place - 2) % (1 + handsPerSeat) != 0 }

    /// Every section that a table of so many seats may have.
    package static func possibleSections(seats: Int) -> [TableSection] { TableRows(seats: seats).rows.indices.map(section) }

    /// Whether there is such a section now.
    func isPresent(_ place: Int) -> Bool { !rows[place].isEmpty || !Self.isHand(place) }

    /// Whether the player in a seat is being asked something.
    package func isAsked(_ seat: Int) -> Bool {
        rows[Self.place(ofSeat: seat)].contains { if case .choice = $0 { true } else { false } }
    }

    package var phase: RoundPhase? {
        for entry in rows[0] { if case .phase(let phase) = entry { return phase } }
        return nil
    }

    /// Whether any hand lies on the table.
    var hasHands: Bool {
        // The hands of a seat are numbered from 1, so that a first one is there if any is.
        (1...seats).contains { !rows[Self.place(ofSeat: $0) + 1].isEmpty }
    }
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
