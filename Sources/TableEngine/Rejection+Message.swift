import Rules

extension Rejection: CustomStringConvertible {
    public var description: String { "\(code): \(message)" }

    /// One English sentence: the error, and the correct input.
    public var message: String { text.description }

    /// The ``message``, without an allocation.
    public var text: RefusalText {
        switch self {
        case .notSeated: "You have no seat at this table: sit down first."
        case .noSuchSeat(let seat, let seats): "There is no seat \(seat): the seats are 1 to \(seats)."
        case .seatTaken(let seat): "Seat \(seat) is taken: choose another, or none for the first free one."
        case .tableFull(let seats): "All \(seats) seats are taken: watch until one is free."
        case .tooManySeats(let limit): "A player may hold \(limit) \(limit == 1 ? "seat" : "seats") here."
        case .seatNotYours(let seat): "Seat \(seat) is not yours."
        case .chipsOutOfRange(let chips, let allowed):
            "You cannot play with \(chips) chips: \(allowed.lowerBound) to \(allowed.upperBound) may be brought."
        case .alreadyLeaving: "You are leaving already: your seat is freed when this round is settled."
        case .alreadySittingOut: "You are sitting out already."
        case .notSittingOut: "You are not sitting out."
        case .alreadyDisconnected: "The player is disconnected already."
        case .notDisconnected: "The player is not disconnected."
        case .tableClosing: "The table is closing: this round is the last."
        case .tableClosed: "The table is closed."
        default: betText
        }
    }

    private var betText: RefusalText {
        switch self {
        case .bettingClosed(let phase): "No more bets (\(phase.name)): bet when the next round is open."
        case .sittingOut: "You are sitting out: sit in first."
        case .betNegative(let amount): "A bet cannot be \(amount)."
        case .betBelowMinimum(let amount, let minimum): "A bet of \(amount) is too small: the minimum is \(minimum)."
        case .betAboveMaximum(let amount, let maximum): "A bet of \(amount) is too large: the maximum is \(maximum)."
        case .betNotInSteps(let amount, let step): "A bet of \(amount) is not a multiple of \(step)."
        case .insufficientChips(let needed, let available): "That takes \(needed) chips and you have \(available)."
        case .waitForShuffle: "This table lets nobody in before the next shuffle."
        default: decisionText
        }
    }

    private var decisionText: RefusalText {
        switch self {
        case .nothingToDecide(let phase): "There is nothing to decide now (\(phase.name))."
        case .notYourTurn(let acting): "It is the turn of seat \(acting.seat)."
        case .stale(.turn, let named, _): "Turn \(named) is not asked now: look at the table again."
        case .stale(.round, let named, let current):
            "This bet was made at round \(named), and the table is at round \(current): look at it again."
        case .wrongHand(let named, let acting):
            // Players count hands from 1.
            "Hand \(named.hand + 1) of seat \(named.seat) is not asked: it is the turn of hand \(acting.hand + 1) of seat \(acting.seat)."
        case .notAsked(let seat): "Seat \(seat) is not asked."
        case .alreadyAnswered(let seat): "Seat \(seat) has answered already."
        case .notAllowed(let action, let legal): "\(action.name) is not possible now; possible: \(legal)."
        case .amountNotAllowed(let amount, let allowed):
            allowed.count == 1
                ? "The amount cannot be \(amount): it is \(allowed.lowerBound)."
                : "The amount cannot be \(amount): it is \(allowed.lowerBound) to \(allowed.upperBound)."
        case .amountNotExpected(let action): "\(action.name) takes no amount."
        default: ceremonyText
        }
    }

    private var ceremonyText: RefusalText {
        switch self {
        case .noCeremony: "No shoe is being made here that you can contribute to now."
        case .notContributing: "You do not contribute to shoes: log in with \"fair\":true."
        case .staleCommitment: "The server has committed to another secret: look at \"next\" again."
        case .staleList: "The list of contributors is another one: look at \"next\" again."
        case .alreadyCommitted: "The list is closed, with another commitment of yours."
        case .hasWithheld: "You withheld a contribution to this shoe: contribute to the next one."
        case .notOnList: "You are not on the list of contributors to this shoe."
        case .wrongContribution: "You committed to another contribution than this one."
        case .shoeAlreadySupplied: "The next shoe is prepared already."
        case .shoeHasCeremony: "The shoes of this table are made in ceremonies."
        default: preconditionFailure("every refusal has its message")
        }
    }
}
