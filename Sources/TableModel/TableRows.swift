import Rules
import Snapshots

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
    /// Whether an entry of equal rank has the same content.
    ///
    /// The frequent kinds case by case and in place: `==` copies both entries first, 2 % of a line in bjbench shard.
    borrowing func hasContent(of row: UnsafeBufferPointer<TableEntry>, _ index: Int) -> Bool {
        switch self {
        case .round(let value): if case .round(value) = row[index] { true } else { false }
        case .phase(let value): if case .phase(value) = row[index] { true } else { false }
        case .clock(let value): if case .clock(let other) = row[index] { value == other } else { false }
        case .shoe(let value): if case .shoe(let other) = row[index] { value == other } else { false }
        case .cardsLeft(let value): if case .cardsLeft(value) = row[index] { true } else { false }
        case .dealerTotal(let value): if case .dealerTotal(let other) = row[index] { value == other } else { false }
        case .player(_, let value): if case .player(_, let other) = row[index] { value == other } else { false }
        case .choice(_, let value): if case .choice(_, let other) = row[index] { value == other } else { false }
        case .insurance(_, let value): if case .insurance(_, value) = row[index] { true } else { false }
        case .bet(_, let value): if case .bet(_, value) = row[index] { true } else { false }
        case .total(_, let value): if case .total(_, let other) = row[index] { value == other } else { false }
        case .card(_, let value): if case .card(_, let other) = row[index] { value == other } else { false }
        // Rare kinds.
        default: self == row[index]
        }
    }
}

/// Cards that left a row and cards that entered one during a change. A card that did both has moved, as in a split.
struct CardMoves: Sendable {
    private struct Departure {
        let id: Int
        /// The face it showed.
        let card: Card?
        /// Its index in the difference's deleted items; nil where its whole section is deleted.
        let deletion: Int?
    }

    private struct Arrival {
        let id: Int
        /// Its index in the difference's inserted items.
        let insertion: Int
        /// The number of updates recorded before it.
        let updates: Int
    }

    private var departures: [Departure] = []
    private var arrivals: [Arrival] = []

    mutating func removeAll() {
        departures.empty()
        arrivals.empty()
    }

    mutating func recordDeparture(_ id: Int, _ card: Card?, deletion: Int?) {
        departures.append(Departure(id: id, card: card, deletion: deletion))
    }

    mutating func recordArrival(_ id: Int, insertion: Int, updates: Int) {
        arrivals.append(Arrival(id: id, insertion: insertion, updates: updates))
    }

    var areAny: Bool {
        guard !departures.isEmpty, !arrivals.isEmpty else { return false }
        return departures.contains { departure in arrivals.contains { $0.id == departure.id } }
    }

    /// Replaces each deletion and insertion of the same card by a move. Last to first, so that earlier indices stay valid.
    func turnIntoMoves(in difference: inout TableDifference) {
        var moves: [SnapshotDifference<TableSection, TableItem>.ItemPlacement] = []
        for arrival in arrivals.reversed() {
            guard let departure = departures.first(where: { $0.id == arrival.id }) else { continue }
            let entry = difference.insertions.remove(at: arrival.insertion)
            moves.append(difference.structure.insertedItems.remove(at: arrival.insertion))
            if case .card(_, departure.card) = entry { continue }
            difference.updates.insert(entry, at: arrival.updates)
        }
        difference.structure.movedItems.append(contentsOf: moves.reversed())
        for departure in departures.reversed() {
            guard let deletion = departure.deletion, arrivals.contains(where: { $0.id == departure.id }) else { continue }
            difference.structure.deletedItems.remove(at: deletion)
        }
    }
}

/// Interns the option lists of questions: saves 0.4 allocations a line (bjbench shard), so that asking a player allocates nothing.
///
/// A hash table of 256 slots with linear probing over 4; a full probe sequence overwrites its first slot.
package struct OptionInterner: Sendable {
    private static let slots = 256
    private static let probes = 4

    private var lists: [[Choice.Option]?] = []
    private var scratch: [Choice.Option] = []

    package init() {}

    /// Returns the list of the options that `list` passes to its argument, nil for none.
    package mutating func intern(_ list: ((Action, Int) -> Void) -> Void) -> [Choice.Option]? {
        scratch.removeAll(keepingCapacity: true)
        var hash: UInt64 = 0
        list { action, cost in
            scratch.append(Choice.Option(action: action, cost: cost))
            hash = (hash ^ UInt64(truncatingIfNeeded: cost &* 16 &+ Int(action.rawValue))) &* 0x9E37_79B9_7F4A_7C15
        }
        guard !scratch.isEmpty else { return nil }
        if lists.isEmpty { lists = Array(repeating: nil, count: Self.slots) }
        let first = Int(hash >> 56)
        var free = first
        for probe in first..<first + Self.probes {
            let slot = probe % Self.slots
            guard let known = lists[slot] else {
                free = slot
                break
            }
            if known == scratch { return known }
        }
        // A copy: `scratch` keeps its own storage.
        let new = Array(scratch[...])
        lists[free] = new
        return new
    }
}

/// Updates the rows of a table in place and records the difference. Buffers are reused, for many tables in turn.
///
/// Call order: ``begin(_:hands:)``; ``describe(_:in:_:)`` or ``remove(_:from:)`` for each dirty row, ascending; ``end()``.
package struct RowChange: Sendable {
    /// The result of the last change.
    package private(set) var difference = TableDifference(structure: .init(), insertions: [], updates: [])
    private var cardMoves = CardMoves()
    /// The hands present after the change.
    private var hands = RowSet()
    private var seats = 0
    /// The section being described.
    private var section = TableSection.table
    /// Its entries: new before `next`, old from there on.
    private var row: [TableEntry] = []
    private var next = 0
    package var options = OptionInterner()

    package init() {}

    /// Passes ``difference`` without a copy, which would retain each of its arrays.
    package mutating func withDifference(_ body: (borrowing TableDifference) -> Void) { body(difference) }

    /// - Parameters:
    ///   - hands: the hands present after the change.
    ///   - status: after the change.
    /// - Returns: whether the table is cleared. The difference then says so in one flag, and every row must be described.
    package mutating func begin(_ rows: borrowing TableRows, hands: RowSet, status: RoundStatus) -> Bool {
        difference.removeAll()
        cardMoves.removeAll()
        difference.clears = rows.hasHands && (hands.isEmpty || rows.isFollowed(by: status))
        self.hands = hands
        seats = rows.seats
        return difference.clears
    }

    /// Rewrites a row: `body` calls ``show(_:)`` with each of its present entries, in order.
    package mutating func describe(_ index: Int, in rows: inout TableRows, _ body: (inout RowChange) -> Void) {
        section = TableRows.section(index)
        if hands.contains(index), difference.clears || !rows.filled.contains(index) {
            let sections = hands.union(RowSet.all(seats: seats).subtracting(.hands))
            difference.structure.insertedSections.append(.init(section: section, index: sections.count(before: index)))
        }
        next = 0
        rows.exchange(index, with: &row)
        body(&self)
        if next < row.count {
            for index in next..<row.count { recordDeletion(index) }
            row.removeLast(row.count - next)
        }
        assert(zip(row, row.dropFirst()).allSatisfy { $0.rank < $1.rank }, "entries ascend by rank")
        assert(!row.contains { if case .rules = $0 { true } else { false } }, "rules are kept outside the rows")
        rows.exchange(index, with: &row)
    }

    /// Empties the row of a hand that has gone. Cards that another row shows later have moved.
    package mutating func remove(_ index: Int, from rows: inout TableRows) {
        rows.exchange(index, with: &row)
        if !difference.clears {
            difference.structure.deletedSections.append(TableRows.section(index))
            for entry in row {
                if case .card(let id, let card) = entry { cardMoves.recordDeparture(id, card, deletion: nil) }
            }
        }
        row.removeAll(keepingCapacity: true)
        rows.exchange(index, with: &row)
    }

    /// - Returns: whether anything visible has changed.
    package mutating func end() -> Bool {
        if cardMoves.areAny { cardMoves.turnIntoMoves(in: &difference) }
        return !difference.isEmpty
    }
}

extension RowChange {
    private enum Comparison { case same, changed, new, gone }

    /// Sets the next entry of the row being described.
    package mutating func show(_ entry: TableEntry) {
        let rank = entry.rank
        while true {
            switch compare(entry, rank) {
            case .same: break
            case .changed:
                difference.updates.append(entry)
                row[next] = entry
            case .new: insert(entry)
            case .gone:
                recordDeletion(next)
                row.remove(at: next)
                continue
            }
            next += 1
            return
        }
    }

    /// Leaves the items of ceremonies as they are: they change once a shoe, and making them takes two allocations a line (bjbench shard).
    package mutating func keepCeremonies() {
        while next < row.count {
            switch row[next] {
            case .fairShoe, .nextShoe: next += 1
            default: return
            }
        }
    }

    /// Mutating: a `self` that is only read is copied for the call, 1.3 % of a line in bjbench shard.
    private mutating func compare(_ entry: borrowing TableEntry, _ rank: Int) -> Comparison {
        guard next < row.count else { return .new }
        let old = row[next].rank
        if old < rank || difference.clears && isCleared(row[next]) { return .gone }
        guard old == rank else { return .new }
        return row.withUnsafeBufferPointer { entry.hasContent(of: $0, next) } ? .same : .changed
    }

    private func isCleared(_ entry: TableEntry) -> Bool { section == .dealer || !entry.outlivesRound }

    private mutating func recordDeletion(_ index: Int) {
        if difference.clears && isCleared(row[index]) { return }
        if case .card(let id, let card) = row[index] {
            cardMoves.recordDeparture(id, card, deletion: difference.structure.deletedItems.count)
        }
        difference.structure.deletedItems.append(row[index].item)
    }

    private mutating func insert(_ entry: TableEntry) {
        if case .card(let id, _) = entry {
            cardMoves.recordArrival(id, insertion: difference.insertions.count, updates: difference.updates.count)
        }
        difference.structure.insertedItems.append(.init(item: entry.item, section: section, index: next))
        difference.insertions.append(entry)
        // `insert` at the end takes 100 instructions more: 0.9 % of a line in bjbench shard.
        if next == row.count { row.append(entry) } else { row.insert(entry, at: next) }
    }
}

/// Row indices of ``TableRows``, one bit each, in ascending order.
package struct RowSet: Equatable, Sendable {
    private var bits: UInt64

    package init() { bits = 0 }
    private init(bits: UInt64) { self.bits = bits }

    package var isEmpty: Bool { bits == 0 }
    package func contains(_ row: Int) -> Bool { bits & (1 << UInt64(row)) != 0 }
    package mutating func insert(_ row: Int) { bits |= 1 << UInt64(row) }
    package mutating func formUnion(_ other: RowSet) { bits |= other.bits }
    package func isDisjoint(with other: RowSet) -> Bool { bits & other.bits == 0 }
    package func intersection(_ other: RowSet) -> RowSet { RowSet(bits: bits & other.bits) }
    package func subtracting(_ other: RowSet) -> RowSet { RowSet(bits: bits & ~other.bits) }
    package func union(_ other: RowSet) -> RowSet { RowSet(bits: bits | other.bits) }

    package mutating func set(_ row: Int, _ isMember: Bool) {
        let bit: UInt64 = 1 << UInt64(row)
        if isMember { bits |= bit } else { bits &= ~bit }
    }

    /// The number of members below a row.
    func count(before row: Int) -> Int { (bits & ((1 << UInt64(row)) &- 1)).nonzeroBitCount }
}

extension RowSet: Sequence, IteratorProtocol {
    /// Removes and returns the lowest member.
    package mutating func next() -> Int? {
        guard bits != 0 else { return nil }
        defer { bits &= bits &- 1 }
        return bits.trailingZeroBitCount
    }
}

/// The rows of each kind of section: the table, the dealer, then each seat followed by its hands.
extension RowSet {
    /// The most seats that a table has.
    static let maximumSeats = 7

    package static let table = RowSet(bits: 1)
    package static let dealer = RowSet(bits: 2)
    // Literals, so that the compiler folds them; a test compares them with the row indices.
    /// Every possible hand.
    package static let hands = RowSet(bits: 0x1E_F7BD_EF78)
    /// Every seat, without its hands.
    package static let seats = RowSet(bits: 0x1_0842_1084)
    /// Every row of a table with seven seats.
    package static let everything = RowSet(bits: 0x1F_FFFF_FFFF)

    /// A seat, without its hands.
    package static func seat(_ seat: Int) -> RowSet { RowSet(bits: 1 << UInt64(TableRows.row(ofSeat: seat))) }

    package static func hand(_ hand: Int, ofSeat seat: Int) -> RowSet {
        RowSet(bits: 1 << UInt64(TableRows.row(ofSeat: seat) + hand))
    }

    /// The first hands of a seat.
    package static func hands(_ count: Int, ofSeat seat: Int) -> RowSet {
        RowSet(bits: ((1 << UInt64(count)) - 1) << UInt64(TableRows.row(ofSeat: seat) + 1))
    }

    package static func hands(ofSeat seat: Int) -> RowSet { hands(TableRows.handsPerSeat, ofSeat: seat) }

    /// Every row of a table with this number of seats.
    package static func all(seats: Int) -> RowSet { RowSet(bits: (1 << UInt64(TableRows.row(ofSeat: seats + 1))) - 1) }
}
