/// Chips of a table's players, by seat: kept from one revision to compare with the next.
struct Purses: Sendable {
    /// Chips of the seat's player, shown at each seat of theirs.
    private var chips = InlineArray<8, Int>(repeating: 0)
    /// Chips on hands of a seat that have no result yet, and on its insurance while that is open.
    private var open = InlineArray<8, Int>(repeating: 0)
    /// The seats of the player whose first seat it is: bit n for seat n. Nothing for any other seat.
    private(set) var mates = InlineArray<8, UInt8>(repeating: 0)

    /// Chips and open bets of the player whose first seat this is.
    func sum(_ first: Int) -> (chips: Int, open: Int) {
        var sum = 0
        for seat in first..<8 where mates[first] & (1 << UInt8(seat)) != 0 { sum += open[seat] }
        return (chips[first], sum)
    }

    /// - Parameters:
    ///   - seats: seats that may have changed.
    ///   - hasNewcomers: whether a seat changed its player, or lost or gained one.
    mutating func update(_ facts: TableFacts, _ seats: UInt8, hasNewcomers: Bool) {
        for seat in 1..<8 where seats & (1 << UInt8(seat)) != 0 {
            chips[seat] = facts.seats[seat].player?.chips ?? 0
            var sum = facts.isInsuranceOpen ? facts.seats[seat].insurance : 0
            for hand in facts.seats[seat].hands where hand.result == nil { sum += hand.bet }
            open[seat] = sum
        }
        if hasNewcomers { findMates(facts) }
    }

    private mutating func findMates(_ facts: TableFacts) {
        var known: UInt8 = 0
        for seat in 1..<8 {
            mates[seat] = 0
            guard known & (1 << UInt8(seat)) == 0, let name = facts.seats[seat].player?.name else { continue }
            for other in seat..<8 where facts.seats[other].player?.name == name { mates[seat] |= 1 << UInt8(other) }
            known |= mates[seat]
        }
    }
}
