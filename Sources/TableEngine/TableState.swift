import Rules

/// What a table is made of. `Table` gives it value semantics; nothing outside ever holds it.
///
/// A class over plain memory, because a round touches it some fifty times: a struct of this size would be copied whenever a function
/// reads it, and a class's own variables would be checked for exclusive access each time.
final class TableState {
    let rules: HouseRules
    let pace: Pace
    let legality: LegalityTable
    let core: UnsafeMutablePointer<TableCore>
    /// `rules.seats` places.
    let players: UnsafeMutablePointer<Player>
    /// `rules.seats` of them.
    let seats: UnsafeMutablePointer<Seat>
    /// `handsPerSeat` for each seat.
    let hands: UnsafeMutablePointer<Hand>

    static let handsPerSeat = 4

    init(rules: HouseRules, pace: Pace) {
        self.rules = rules
        self.pace = pace
        legality = LegalityTable(rules)
        core = .allocate(capacity: 1)
        core.initialize(to: TableCore(shoe: Shoe(rules)))
        players = .allocate(capacity: rules.seats)
        players.initialize(repeating: Player(), count: rules.seats)
        seats = .allocate(capacity: rules.seats)
        seats.initialize(repeating: Seat(), count: rules.seats)
        hands = .allocate(capacity: rules.seats * Self.handsPerSeat)
        hands.initialize(repeating: Hand(), count: rules.seats * Self.handsPerSeat)
    }

    init(copying other: TableState) {
        rules = other.rules
        pace = other.pace
        legality = other.legality
        core = .allocate(capacity: 1)
        core.initialize(from: other.core, count: 1)
        players = .allocate(capacity: rules.seats)
        players.initialize(from: other.players, count: rules.seats)
        seats = .allocate(capacity: rules.seats)
        seats.initialize(from: other.seats, count: rules.seats)
        hands = .allocate(capacity: rules.seats * Self.handsPerSeat)
        hands.initialize(from: other.hands, count: rules.seats * Self.handsPerSeat)
    }

    deinit {
        core.deinitialize(count: 1)
        core.deallocate()
        players.deinitialize(count: rules.seats)
        players.deallocate()
        seats.deinitialize(count: rules.seats)
        seats.deallocate()
        hands.deinitialize(count: rules.seats * Self.handsPerSeat)
        hands.deallocate()
    }

    /// Where the hand of a seat (from 0) lies in `hands`.
    @inline(__always)
    static func place(_ seat: Int, _ hand: Int) -> Int { seat &* handsPerSeat &+ hand }

    /// The hand of a seat (from 0), in place: found once where it is used more than once.
    @inline(__always)
    func hand(_ seat: Int, _ hand: Int) -> UnsafeMutablePointer<Hand> { hands + TableState.place(seat, hand) }
}
