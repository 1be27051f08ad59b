import TableModel

/// Which parts of what can be seen some facts may have changed: what has to be looked at again. Rather one too many than one too few.
struct TableFootprint: Equatable, Sendable {
    /// Seats by number, one bit each.
    private var seats: UInt8 = 0
    private(set) var dealer = false
    /// Nothing has happened at all.
    private(set) var isEmpty = true

    init() {}

    func touches(_ seat: Int) -> Bool { seats & (1 << UInt8(seat)) != 0 }

    /// - Parameter sharesBankrolls: whether a player may hold several seats, whose chips are one bankroll shown at each.
    mutating func add(_ fact: Fact, sharesBankrolls: Bool) {
        isEmpty = false
        switch fact {
        case .shoeSupplied, .burned, .reshuffled, .bettingOpened, .bettingAbandoned, .peeked: break
        case .dealtToDealer, .holeDealt, .holeRevealed: dealer = true
        case .betPlaced(let seat, _), .insured(let seat, _), .doubled(let seat, _, _), .split(let seat, _, _),
            .surrendered(let seat), .evenMoneyTaken(let seat), .settled(let seat, _, _, _, _), .insuranceSettled(let seat, _, _):
            if sharesBankrolls { everySeat() } else { add(seat) }
        case .dealt(_, _, let seat, _), .declined(let seat, _), .turnStarted(let seat, _, _, _), .hit(let seat, _),
            .stood(let seat, _, _):
            add(seat)
        case .sat, .left, .leaving, .satOut, .satIn, .disconnected, .reconnected, .shuffled, .roundStarted,
            .earlySurrenderOffered, .insuranceOffered, .roundEnded, .cleared, .closing, .closed:
            dealer = true
            everySeat()
        }
    }

    mutating func add(_ seat: Int) { seats |= 1 << UInt8(seat) }

    private mutating func everySeat() { seats = 0xFE }
}
