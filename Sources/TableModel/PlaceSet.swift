/// Places of rows in ``TableRows``, one bit each; in ascending order.
package struct PlaceSet: Equatable, Sendable {
    private var bits: UInt64

    package init() { bits = 0 }
    private init(bits: UInt64) { self.bits = bits }

    package var isEmpty: Bool { bits == 0 }
    package func contains(_ place: Int) -> Bool { bits & (1 << UInt64(place)) != 0 }
    package mutating func insert(_ place: Int) { bits |= 1 << UInt64(place) }
    package mutating func formUnion(_ other: PlaceSet) { bits |= other.bits }
    package func isDisjoint(with other: PlaceSet) -> Bool { bits & other.bits == 0 }
    package func intersection(_ other: PlaceSet) -> PlaceSet { PlaceSet(bits: bits & other.bits) }
    package func subtracting(_ other: PlaceSet) -> PlaceSet { PlaceSet(bits: bits & ~other.bits) }
    package func union(_ other: PlaceSet) -> PlaceSet { PlaceSet(bits: bits | other.bits) }

    package mutating func set(_ place: Int, _ isThere: Bool) {
        let bit: UInt64 = 1 << UInt64(place)
        if isThere { bits |= bit } else { bits &= ~bit }
    }

    /// How many come before a place.
    func count(before place: Int) -> Int { (bits & ((1 << UInt64(place)) &- 1)).nonzeroBitCount }
}

extension PlaceSet: Sequence, IteratorProtocol {
    /// Takes out the first.
    package mutating func next() -> Int? {
        guard bits != 0 else { return nil }
        defer { bits &= bits &- 1 }
        return bits.trailingZeroBitCount
    }
}

/// Where the rows of sections are: the table, the dealer, then each seat with its hands.
extension PlaceSet {
    /// The most seats that a table has.
    static let maximumSeats = 7

    package static let table = PlaceSet(bits: 1)
    package static let dealer = PlaceSet(bits: 2)
    // Written out, so that they are constants for the compiler, too; a test compares them with where rows are.
    /// Every hand that there may be.
    package static let hands = PlaceSet(bits: 0x1E_F7BD_EF78)
    /// Every seat, without its hands.
    package static let seats = PlaceSet(bits: 0x1_0842_1084)
    /// What is at a table however many seats it has.
    package static let everything = PlaceSet(bits: 0x1F_FFFF_FFFF)

    /// A seat, without its hands.
    package static func seat(_ seat: Int) -> PlaceSet { PlaceSet(bits: 1 << UInt64(TableRows.place(ofSeat: seat))) }

    package static func hand(_ hand: Int, ofSeat seat: Int) -> PlaceSet {
        PlaceSet(bits: 1 << UInt64(TableRows.place(ofSeat: seat) + hand))
    }

    /// The first hands of a seat.
    package static func hands(_ count: Int, ofSeat seat: Int) -> PlaceSet {
        PlaceSet(bits: ((1 << UInt64(count)) - 1) << UInt64(TableRows.place(ofSeat: seat) + 1))
    }

    package static func hands(ofSeat seat: Int) -> PlaceSet { hands(TableRows.handsPerSeat, ofSeat: seat) }

    /// All places of a table of so many seats.
    package static func all(seats: Int) -> PlaceSet { PlaceSet(bits: (1 << UInt64(TableRows.place(ofSeat: seats + 1))) - 1) }
}
