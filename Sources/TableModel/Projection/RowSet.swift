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
