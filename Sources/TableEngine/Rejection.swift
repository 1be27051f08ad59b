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
    /// The player has several seats.
    case noSeatNamed
    case chipsOutOfRange(chips: Int, allowed: ClosedRange<Int>)
    case alreadyLeaving
    case alreadyDisconnected
    case notDisconnected
    case tableClosing
    case tableClosed

    // Bets
    case bettingClosed
    case sittingOut
    case betNegative(amount: Int)
    case betBelowMinimum(amount: Int, minimum: Int)
    case betAboveMaximum(amount: Int, maximum: Int)
    case betNotInSteps(amount: Int, step: Int)
    case insufficientChips(needed: Int, available: Int)
    /// The house admits nobody before the next shuffle.
    case waitForShuffle

    // Decisions
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
        case .noSeatNamed: "no_seat_named"
        case .chipsOutOfRange: "chips_out_of_range"
        case .alreadyLeaving: "already_leaving"
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

// MARK: - Message

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
        case .noSeatNamed: "You have several seats: name one."
        case .chipsOutOfRange(let chips, let allowed):
            "You cannot play with \(chips) chips: \(allowed.lowerBound) to \(allowed.upperBound) may be brought."
        case .alreadyLeaving: "You are leaving already: your seat is freed when this round is settled."
        case .alreadyDisconnected: "The player is disconnected already."
        case .notDisconnected: "The player is not disconnected."
        case .tableClosing: "The table is closing: this round is the last."
        case .tableClosed: "The table is closed."
        default: betText
        }
    }

    private var betText: RefusalText {
        switch self {
        case .bettingClosed: "No more bets in this round: bet when the next one is open."
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
        case .hasWithheld: "You withheld a contribution to this shoe, or got up before it was due: contribute to the next one."
        case .notOnList: "You are not on the list of contributors to this shoe."
        case .wrongContribution: "You committed to another contribution than this one."
        case .shoeAlreadySupplied: "The next shoe is prepared already."
        case .shoeHasCeremony: "The shoes of this table are made in ceremonies."
        default: preconditionFailure("every refusal has its message")
        }
    }
}

/// An English sentence stored inline, so that a refusal allocates nothing. Written as an interpolated string; cut off after
/// ``capacity`` bytes.
public struct RefusalText: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The longest sentence, in bytes of UTF-8.
    public static let capacity = 192

    private var bytes = InlineArray<192, UInt8>(repeating: 0)
    private var count = 0

    public init(stringLiteral words: StaticString) {
        words.withUTF8Buffer { append($0) }
    }

    public init(stringInterpolation words: StringInterpolation) { self = words.sentence }

    private init() {}

    public var description: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }

    /// Passes the bytes of the sentence without a copy.
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.span.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }

    private mutating func append(_ words: UnsafeBufferPointer<UInt8>) {
        for byte in words { append(byte) }
    }

    private mutating func append(_ byte: UInt8) {
        guard count < Self.capacity else { return }
        bytes[count] = byte
        count += 1
    }

    private mutating func append(_ number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var divisor: UInt = 1
        while number.magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number.magnitude / divisor % 10))
            divisor /= 10
        }
    }

    /// Builds the sentence.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sentence = RefusalText()

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ words: StaticString) { words.withUTF8Buffer { sentence.append($0) } }

        public mutating func appendInterpolation(_ number: Int) { sentence.append(number) }

        public mutating func appendInterpolation(_ name: String) {
            var name = name
            name.withUTF8 { sentence.append($0) }
        }

        /// `hit, stand, double`; `none` when empty.
        public mutating func appendInterpolation(_ actions: ActionSet) {
            guard !actions.isEmpty else { return appendLiteral("none") }
            var isFirst = true
            for number in UInt8(0)..<8 {
                guard let action = Action(rawValue: number), actions.allows(action) else { continue }
                if !isFirst { appendLiteral(", ") }
                isFirst = false
                appendInterpolation(action.name)
            }
        }
    }
}
