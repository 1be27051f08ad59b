import TableModel

/// Which rows of what can be seen some facts may have changed: what has to be looked at again. Rather one too many than one too few.
///
/// Two things are no fact's: the table's own row, which changes with nearly every one, and the question that somebody was asked before, which
/// may be another or none after anything. Whoever looks, looks at those in any case.
struct TableFootprint: Equatable, Sendable {
    private(set) var places = PlaceSet()
    /// Nothing has happened at all.
    private(set) var isEmpty = true

    init() {}

    /// - Parameter sharesBankrolls: whether a player may hold several seats, whose chips are one bankroll shown at each.
    mutating func add(_ fact: Fact, sharesBankrolls: Bool) {
        isEmpty = false
        switch fact {
        // A lost connection shows once the period of grace is over.
        case .shoeSupplied, .burned, .reshuffled, .bettingOpened, .bettingAbandoned, .peeked, .disconnected, .released, .idling:
            break
        case .dealtToDealer, .holeDealt, .holeRevealed: places.formUnion(.dealer)
        case .dealt(_, _, let seat, let hand): places.formUnion(.hand(hand + 1, ofSeat: seat))
        case .declined(let seat, _), .turnStarted(let seat, _, _, _), .hit(let seat, _), .stood(let seat, _, _),
            .evenMoneyTaken(let seat):
            places.formUnion(.seat(seat))
        case .insured(let seat, _), .insuranceSettled(let seat, _, _): addChips(of: seat, sharesBankrolls)
        case .doubled(let seat, let hand, _), .settled(let seat, let hand, _, _, _):
            addChips(of: seat, sharesBankrolls)
            places.formUnion(.hand(hand + 1, ofSeat: seat))
        // A bet takes the place of whatever lay there.
        case .betPlaced(let seat, _), .split(let seat, _, _), .surrendered(let seat):
            addChips(of: seat, sharesBankrolls)
            places.formUnion(.hands(ofSeat: seat))
        case .earlySurrenderOffered, .insuranceOffered, .roundEnded: places.formUnion(.seats)
        case .sat, .left, .leaving, .satOut, .satIn, .away, .reconnected, .shuffled, .roundStarted, .cleared, .closing, .closed:
            places = .everything
        }
    }

    private mutating func addChips(of seat: Int, _ sharesBankrolls: Bool) {
        places.formUnion(sharesBankrolls ? .seats : .seat(seat))
    }
}
