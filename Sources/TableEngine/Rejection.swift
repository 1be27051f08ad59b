import Rules
import TableModel

/// Refusals by a table.
extension Rejection {
    // MARK: Seats

    public static let notSeated = Self(.notSeated, "You have no seat at this table: sit down first.")
    static let noSeatNamed = Self(.invalidField, "You have several seats: name one.")
    public static let alreadyLeaving = Self(
        .notSeated, "You are already leaving: your seat is freed when this round is settled.")
    static let alreadyDisconnected = Self(.notAllowed, "The player is disconnected already.")
    static let notDisconnected = Self(.notAllowed, "The player is not disconnected.")
    package static let tableClosing = Self(.tableClosed, "The table is closing: this round is the last.")
    public static let tableClosed = Self(.tableClosed, "The table is closed.")

    static func noSuchSeat(seat: Int, seats: Int) -> Self {
        Self(.invalidField, "There is no seat \(seat): the seats are 1 to \(seats).")
    }

    public static func seatTaken(seat: Int) -> Self {
        Self(.seatTaken, "Seat \(seat) is taken: choose another, or omit \"seat\" for the first free one.")
    }

    public static func tableFull(seats: Int) -> Self {
        Self(.tableFull, "All \(seats) seats are taken: watch until one is free.")
    }

    static func tooManySeats(limit: Int) -> Self {
        Self(.notAllowed, "A player may take at most \(limit) \(limit == 1 ? "seat" : "seats") here.")
    }

    static func seatNotYours(seat: Int) -> Self { Self(.notSeated, "Seat \(seat) is not yours.") }

    static func chipsOutOfRange(chips: Int, allowed: ClosedRange<Int>) -> Self {
        Self(
            .insufficientChips,
            "You cannot play with \(chips) chips: bring \(allowed.lowerBound) to \(allowed.upperBound).")
    }

    // MARK: Bets

    public static let bettingClosed = Self(.bettingClosed, "Betting is closed: bet in the next round.")
    public static let sittingOut = Self(.sittingOut, "You are sitting out: send \"sitOut\" with \"out\":false first.")
    /// The house admits nobody before the next shuffle.
    static let waitForShuffle = Self(
        .bettingClosed, "Newcomers at this table wait for the next shuffle.")

    static func betNegative(amount: Int) -> Self { Self(.notAllowed, "A bet cannot be \(amount).") }

    static func betBelowMinimum(amount: Int, minimum: Int) -> Self {
        Self(.notAllowed, "A bet of \(amount) is too small: the minimum is \(minimum).")
    }

    static func betAboveMaximum(amount: Int, maximum: Int) -> Self {
        Self(.notAllowed, "A bet of \(amount) is too large: the maximum is \(maximum).")
    }

    static func betNotInSteps(amount: Int, step: Int) -> Self {
        Self(.notAllowed, "A bet of \(amount) is not a multiple of \(step).")
    }

    public static func insufficientChips(needed: Int, available: Int) -> Self {
        Self(.insufficientChips, "That costs \(needed) chips, and you have \(available).")
    }

    // MARK: Decisions

    public static func notYourTurn(acting: HandID) -> Self { Self(.notYourTurn, "It is the turn of seat \(acting.seat).") }

    static func staleTurn(_ named: Int) -> Self {
        Self(.stale, "Turn \(named) is not the current decision: check the table.")
    }

    static func staleRound(_ named: Int, current: Int) -> Self {
        Self(.stale, "This bet is for round \(named), but the table is at round \(current): check the table.")
    }

    // Players count hands from 1.
    static func wrongHand(named: HandID, acting: HandID) -> Self {
        Self(
            .notAllowed,
            "It is the turn of hand \(acting.hand + 1) of seat \(acting.seat), not of hand \(named.hand + 1) of seat \(named.seat)."
        )
    }

    public static func notAsked(seat: Int) -> Self { Self(.notYourTurn, "Seat \(seat) has nothing to decide.") }

    static func alreadyAnswered(seat: Int) -> Self { Self(.notYourTurn, "Seat \(seat) has already answered.") }

    public static func notAllowed(_ action: Action, legal: ActionSet) -> Self {
        Self(.notAllowed, "\(action.name) is not legal now; legal: \(legal).", legal: legal)
    }

    static func amountNotAllowed(amount: Int, allowed: ClosedRange<Int>) -> Self {
        let right = allowed.count == 1 ? "\(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)"
        return Self(.notAllowed, "The amount cannot be \(amount): it must be \(right).")
    }

    static func amountNotExpected(_ action: Action) -> Self { Self(.notAllowed, "\(action.name) takes no amount.") }

    static let noAssist = Self(.notAllowed, "This table does not help those who count: its rule \"assist\" is false.")
    static let roundInPlay = Self(.notAllowed, "A round is in play: ask between rounds, or name the \"turn\" of your decision.")

    // MARK: Ceremonies

    public static let noCeremony = Self(.noCeremony, "No shoe accepts contributions now.")
    static let notContributing = Self(
        .noCeremony, "Your option \"fair\" is off: send \"options\" with \"fair\":true.")
    static let staleCommitment = Self(.stale, "The server has committed to another secret: check \"next\".")
    static let staleList = Self(.stale, "The list of contributors has changed: check \"next\".")
    static let hasWithheld = Self(
        .noCeremony, "You withheld a contribution to this shoe, or left before it was due: contribute to the next one.")
    static let alreadyCommitted = Self(.wrongContribution, "The list is closed, with a different commitment from you.")
    static let notOnList = Self(.wrongContribution, "You are not on the list of contributors to this shoe.")
    public static let wrongContribution = Self(.wrongContribution, "This contribution differs from the one you committed to.")

    // MARK: Host

    static let shoeAlreadySupplied = Self(.notAllowed, "The next shoe is already prepared.")
    static let shoeHasCeremony = Self(.notAllowed, "The shoes of this table are made in ceremonies.")
}
