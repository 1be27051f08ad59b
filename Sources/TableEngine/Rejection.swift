import Rules

/// Why a command was refused. A refused command has no effect.
public enum Rejection: Error, Hashable, Sendable {
    // Seats
    case notSeated
    case noSuchSeat(seat: Int, seats: Int)
    case seatTaken(seat: Int)
    case tableFull(seats: Int)
    case tooManySeats(limit: Int)
    case seatNotYours(seat: Int)
    case chipsOutOfRange(chips: Int, allowed: ClosedRange<Int>)
    case alreadyLeaving
    case alreadySittingOut
    case notSittingOut
    case alreadyDisconnected
    case notDisconnected
    case tableClosing
    case tableClosed

    // Bets
    case bettingClosed(phase: Phase)
    case sittingOut
    case betNegative(amount: Int)
    case betBelowMinimum(amount: Int, minimum: Int)
    case betAboveMaximum(amount: Int, maximum: Int)
    case betNotInSteps(amount: Int, step: Int)
    case insufficientChips(needed: Int, available: Int)
    /// The house admits nobody before the next shuffle.
    case waitForShuffle

    // Decisions
    case nothingToDecide(phase: Phase)
    /// Another hand acts.
    case notYourTurn(acting: HandID)
    /// The named turn or round is not the current one.
    case stale(Guard, named: Int, current: Int)
    /// The named seat or hand is not the one asked.
    case wrongHand(named: HandID, acting: HandID)
    case notAsked(seat: Int)
    case alreadyAnswered(seat: Int)
    case notAllowed(Action, legal: ActionSet)
    case amountNotAllowed(amount: Int, allowed: ClosedRange<Int>)
    case amountNotExpected(Action)

    // Ceremonies
    /// No ceremony takes this now.
    case noCeremony
    /// The player's client has not declared that it contributes.
    case notContributing
    /// The server's commitment is another one.
    case staleCommitment
    /// The closed list is another one.
    case staleList
    case alreadyCommitted
    /// The player withheld a contribution to this shoe.
    case hasWithheld
    case notOnList
    /// The bytes are not those of the commitment.
    case wrongContribution

    // The host's own
    case shoeAlreadySupplied
    /// The table makes its shoes in ceremonies.
    case shoeHasCeremony

    /// A counter that a command may name; a stale value is refused.
    public enum Guard: UInt8, Hashable, Sendable {
        case turn, round
    }
}

extension Rejection {
    /// A stable, machine-readable name of the error.
    public var code: String {
        switch self {
        case .notSeated: "not_seated"
        case .noSuchSeat: "no_such_seat"
        case .seatTaken: "seat_taken"
        case .tableFull: "table_full"
        case .tooManySeats: "too_many_seats"
        case .seatNotYours: "seat_not_yours"
        case .chipsOutOfRange: "chips_out_of_range"
        case .alreadyLeaving: "already_leaving"
        case .alreadySittingOut: "already_sitting_out"
        case .notSittingOut: "not_sitting_out"
        case .alreadyDisconnected: "already_disconnected"
        case .notDisconnected: "not_disconnected"
        case .tableClosing: "table_closing"
        case .tableClosed: "table_closed"
        case .bettingClosed: "betting_closed"
        case .sittingOut: "sitting_out"
        case .betNegative: "bet_negative"
        case .betBelowMinimum: "bet_below_minimum"
        case .betAboveMaximum: "bet_above_maximum"
        case .betNotInSteps: "bet_not_in_steps"
        case .insufficientChips: "insufficient_chips"
        case .waitForShuffle: "wait_for_shuffle"
        case .nothingToDecide: "nothing_to_decide"
        case .notYourTurn: "not_your_turn"
        case .stale, .staleCommitment, .staleList: "stale"
        case .wrongHand: "wrong_hand"
        case .notAsked: "not_asked"
        case .alreadyAnswered: "already_answered"
        case .notAllowed: "not_allowed"
        case .amountNotAllowed: "amount_not_allowed"
        case .amountNotExpected: "amount_not_expected"
        case .noCeremony, .notContributing, .hasWithheld: "no_ceremony"
        case .alreadyCommitted: "already_committed"
        case .notOnList: "not_on_list"
        case .wrongContribution: "wrong_contribution"
        case .shoeAlreadySupplied: "shoe_already_supplied"
        case .shoeHasCeremony: "shoe_has_ceremony"
        }
    }
}
