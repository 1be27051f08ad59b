import Rules

/// The storage of a `Table`, which gives it value semantics.
///
/// A class over plain memory: a struct of this size would be copied on reads.
final class TableState {
    let rules: HouseRules
    let pace: Pace
    let legality: LegalityTable
    // Plain memory: a stored `core` checks exclusivity at each access, 43 % more instructions per round (bjbench engine, one seat).
    private let coreMemory: UnsafeMutablePointer<TableCore>
    /// `rules.seats` slots.
    let players: UnsafeMutablePointer<Player>
    /// `rules.seats` seats.
    let seats: UnsafeMutablePointer<Seat>
    /// `handsPerSeat` for each seat.
    let hands: UnsafeMutablePointer<Hand>
    /// nil: shoes are supplied. Outside the core, whose copies and comparisons are on the hot path.
    var ceremonies: Ceremonies?
    /// The spent time of players who got up: else sitting down again would fill the bank. Newest last.
    var debts: [Debt] = []

    static let handsPerSeat = 4

    var core: TableCore {
        _read { yield coreMemory.pointee }
        _modify { yield &coreMemory.pointee }
    }

    init(rules: HouseRules, pace: Pace) {
        self.rules = rules
        self.pace = pace
        legality = LegalityTable(rules)
        coreMemory = .allocate(capacity: 1)
        coreMemory.initialize(to: TableCore(shoe: Shoe(rules)))
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
        coreMemory = .allocate(capacity: 1)
        coreMemory.initialize(from: other.coreMemory, count: 1)
        players = .allocate(capacity: rules.seats)
        players.initialize(from: other.players, count: rules.seats)
        seats = .allocate(capacity: rules.seats)
        seats.initialize(from: other.seats, count: rules.seats)
        hands = .allocate(capacity: rules.seats * Self.handsPerSeat)
        hands.initialize(from: other.hands, count: rules.seats * Self.handsPerSeat)
        ceremonies = other.ceremonies
        debts = other.debts
    }

    deinit {
        coreMemory.deinitialize(count: 1)
        coreMemory.deallocate()
        players.deinitialize(count: rules.seats)
        players.deallocate()
        seats.deinitialize(count: rules.seats)
        seats.deallocate()
        hands.deinitialize(count: rules.seats * Self.handsPerSeat)
        hands.deallocate()
    }

    /// The index in `hands` of a hand of a seat, from 0.
    static func handIndex(_ seat: Int, _ hand: Int) -> Int { seat &* handsPerSeat &+ hand }

    /// A pointer to a hand of a seat, from 0.
    func hand(_ seat: Int, _ hand: Int) -> UnsafeMutablePointer<Hand> { hands + TableState.handIndex(seat, hand) }
}
