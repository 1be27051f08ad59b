import TableModel

/// The rows that some facts may have changed. May contain a row too many, never one too few.
///
/// Excludes the table's row and seats with a question: nearly every fact may change them, so callers describe them always.
struct DirtyRows: Equatable, Sendable {
    private(set) var rows = RowSet()
    /// Whether no fact was added that may be seen.
    private(set) var isEmpty = true
    /// Whether the items of ceremonies may have changed.
    private(set) var changesCeremony = false

    init() {}

    /// - Parameter sharesBankrolls: whether a player may hold several seats, each of which shows the same chips.
    mutating func add(_ fact: Fact, sharesBankrolls: Bool) {
        guard !fact.isUnseen else { return }
        isEmpty = false
        if fact.changesCeremony { changesCeremony = true }
        switch fact {
        // A lost connection is shown after its grace period.
        case .shoeSupplied, .burned, .reshuffled, .bettingAbandoned, .peeked, .disconnected, .released, .idling,
            .charged,
            .postponed, .declared, .ceremoniesBegan, .contributed, .revealed, .secretRevealed, .ceremonyOpened, .listDue,
            .listClosed, .attemptVoided:
            break
        case .dealtToDealer, .holeDealt, .holeRevealed: rows.formUnion(.dealer)
        case .dealt(_, _, let seat, let hand): rows.formUnion(.hand(hand + 1, ofSeat: seat))
        case .declined(let seat, _), .turnStarted(let seat, _, _, _), .hit(let seat, _), .stood(let seat, _, _),
            .evenMoneyTaken(let seat):
            rows.formUnion(.seat(seat))
        case .insured(let seat, _), .insuranceSettled(let seat, _, _): addChips(of: seat, sharesBankrolls)
        case .doubled(let seat, let hand, _), .settled(let seat, let hand, _, _, _):
            addChips(of: seat, sharesBankrolls)
            rows.formUnion(.hand(hand + 1, ofSeat: seat))
        // A bet replaces every hand of the last round.
        case .betPlaced(let seat, _), .split(let seat, _, _), .surrendered(let seat):
            addChips(of: seat, sharesBankrolls)
            rows.formUnion(.hands(ofSeat: seat))
        case .earlySurrenderOffered, .insuranceOffered, .roundEnded: rows.formUnion(.seats)
        case .sat, .left, .leaving, .satOut, .satIn, .away, .reconnected, .shuffled, .bettingOpened, .roundStarted, .cleared,
            .closing, .closed:
            rows = .everything
        }
    }

    private mutating func addChips(of seat: Int, _ sharesBankrolls: Bool) {
        rows.formUnion(sharesBankrolls ? .seats : .seat(seat))
    }
}

extension Fact {
    /// Whether it changes nothing that is shown: commitments and reveals are, with the stage of the ceremony that they complete. The clock
    /// shows the bank.
    fileprivate var isUnseen: Bool {
        switch self {
        case .contributed, .revealed, .charged: true
        default: false
        }
    }

    /// Whether the items `fair` and `next` may change with it.
    fileprivate var changesCeremony: Bool {
        switch self {
        case .shoeSupplied, .shuffled, .reshuffled, .ceremoniesBegan, .ceremonyOpened, .listDue, .listClosed, .attemptVoided,
            .postponed:
            true
        default: false
        }
    }
}
