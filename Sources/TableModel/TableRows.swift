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

    /// Calls `body` with the entries of each row, without the rules.
    package func forEachRow(_ body: (UnsafeBufferPointer<TableEntry>) -> Void) {
        for row in filled { rows[row].withUnsafeBufferPointer(body) }
    }

    package var snapshot: TableSnapshot {
        var all = rows + Array(repeating: [], count: RowSet.maximumRows - rows.count)
        if let rulesEntry { all[0].append(rulesEntry) }
        return TableSnapshot(rows: all)
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

    /// Whether a seat's row contains a question. It is the first entry or the second, after the player.
    package func isAsked(_ row: Int) -> Bool {
        rows[row].prefix(2).contains { if case .choice = $0 { true } else { false } }
    }

    /// Whether any hand is on the table.
    var hasHands: Bool { !filled.isDisjoint(with: .hands) }

    func isOver(at next: RoundStatus) -> Bool {
        guard rows[0].count > 1, case .round(let number) = rows[0][0], case .phase(let phase) = rows[0][1] else { return false }
        return RoundStatus(number: number, phase: phase).isOver(at: next)
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
        case .seen(let value): if case .seen(let other) = row[index] { value == other } else { false }
        case .dealerTotal(let value): if case .dealerTotal(let other) = row[index] { value == other } else { false }
        case .player(_, let value): if case .player(_, let other) = row[index] { value == other } else { false }
        case .choice(_, let value): if case .choice(_, let other) = row[index] { value == other } else { false }
        case .insurance(_, let value): if case .insurance(_, value) = row[index] { true } else { false }
        case .bet(_, let value): if case .bet(_, value) = row[index] { true } else { false }
        case .total(_, let value): if case .total(_, let other) = row[index] { value == other } else { false }
        case .card(_, _, let value): if case .card(_, _, let other) = row[index] { value == other } else { false }
        // Rare kinds.
        default: self == row[index]
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
/// Call order: ``begin(_:hands:status:)``; ``describe(_:in:_:)`` or ``remove(_:from:)`` for each dirty row, ascending; ``end()``.
package struct RowChange: Sendable {
    /// The result of the last change.
    package private(set) var difference = TableDifference()
    /// Whether a card has left a row: it may lie in another.
    private var takesCards = false
    /// The entries of the row being described: new before `next`, old from there on.
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
        takesCards = false
        difference.clears = rows.hasHands && (hands.isEmpty || rows.isOver(at: status))
        return difference.clears
    }

    /// Rewrites a row: `body` calls ``show(_:)`` with each of its present entries, in order.
    package mutating func describe(_ index: Int, in rows: inout TableRows, _ body: (inout RowChange) -> Void) {
        next = 0
        rows.exchange(index, with: &row)
        body(&self)
        if next < row.count {
            for index in next..<row.count { recordRemoval(index) }
            row.removeLast(row.count - next)
        }
        assert(zip(row, row.dropFirst()).allSatisfy { $0.rank < $1.rank }, "entries ascend by rank")
        assert(!row.contains { if case .rules = $0 { true } else { false } }, "rules are kept outside the rows")
        assert(row.allSatisfy { $0.section.row == index }, "each entry lies in its section")
        rows.exchange(index, with: &row)
    }

    /// Empties the row of a hand that has gone.
    package mutating func remove(_ index: Int, from rows: inout TableRows) { describe(index, in: &rows) { _ in } }

    /// - Returns: whether anything visible has changed.
    package mutating func end() -> Bool {
        // A card that moved, as in a split, appears once.
        if takesCards {
            difference.removals.removeAll { [entries = difference.entries] item in
                guard case .card(let id) = item else { return false }
                return entries.contains { if case .card(id, _, _) = $0 { true } else { false } }
            }
        }
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
                difference.entries.append(entry)
                row[next] = entry
            case .new:
                difference.entries.append(entry)
                // `insert` at the end takes 100 instructions more: 0.9 % of a line in bjbench shard.
                if next == row.count { row.append(entry) } else { row.insert(entry, at: next) }
            case .gone:
                recordRemoval(next)
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
            // The items behind them.
            default: return
            }
        }
    }

    /// Mutating: a `self` that is only read is copied for the call, 1.3 % of a line in bjbench shard.
    private mutating func compare(_ entry: borrowing TableEntry, _ rank: Int) -> Comparison {
        guard next < row.count else { return .new }
        let old = row[next].rank
        if old < rank || difference.clears && !row[next].outlivesRound { return .gone }
        guard old == rank else { return .new }
        return row.withUnsafeBufferPointer { entry.hasContent(of: $0, next) } ? .same : .changed
    }

    private mutating func recordRemoval(_ index: Int) {
        if difference.clears && !row[index].outlivesRound { return }
        if case .card = row[index] { takesCards = true }
        difference.removals.append(row[index].item)
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
    /// The table, the dealer, and each seat with its hands.
    static let maximumRows = 2 + maximumSeats * (1 + TableRows.handsPerSeat)

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
