import Rules

/// Why a request is refused. A refused request has no effect.
public struct Rejection: Error, Hashable, Sendable {
    public let code: ErrorCode
    /// One English sentence: the error, and the correct input.
    public let message: String
    /// The legal actions, for a refused action.
    public let legal: ActionSet?
    /// Milliseconds until the same request can succeed; every refusal of the class `again` has them.
    public let retryAfter: Int?

    public init(_ code: ErrorCode, _ message: String, legal: ActionSet? = nil, retryAfter: Int? = nil) {
        precondition(code.kind != .again || retryAfter != nil, "a client must know when to ask again")
        (self.code, self.message, self.legal, self.retryAfter) = (code, message, legal, retryAfter)
    }
}

/// How a client reacts to a refusal.
public enum ErrorClass: String, CaseIterable, Sendable {
    case again, look, rule, wrong

    public var explanation: String {
        switch self {
        case .again: "later: send the same request again after `retryAfter` milliseconds"
        case .look: "the table has moved on: look at it, and decide again"
        case .rule: "the house says no: tell the player, or ask for something else"
        case .wrong: "the client has a fault: do not send it again as it is"
        }
    }
}

/// A stable code for each reason that a client may have to tell apart. The one list of them, for the server, for Protocol.md and for the
/// schema.
public enum ErrorCode: String, CaseIterable, Sendable {
    case rateLimited = "rate_limited"
    case onTheWay = "on_the_way"
    case tooManyConnections = "too_many_connections"
    case sentAway = "sent_away"

    case stale
    case notYourTurn = "not_your_turn"
    case bettingClosed = "betting_closed"
    case sittingOut = "sitting_out"
    case notSeated = "not_seated"
    case noCeremony = "no_ceremony"

    case invalidName = "invalid_name"
    case nameTaken = "name_taken"
    case wrongSecret = "wrong_secret"
    case wrongOwner = "wrong_owner"
    case accountNeeded = "account_needed"
    case banned
    case serverFull = "server_full"
    case draining
    case noSuchTable = "no_such_table"
    case wrongPass = "wrong_pass"
    case tableFull = "table_full"
    case tableClosed = "table_closed"
    case seatTaken = "seat_taken"
    case insufficientChips = "insufficient_chips"
    case notAllowed = "not_allowed"
    case notOwner = "not_owner"
    case notFound = "not_found"

    case invalidJSON = "invalid_json"
    case lineTooLong = "line_too_long"
    case unknownType = "unknown_type"
    case invalidField = "invalid_field"
    case unsupportedVersion = "unsupported_version"
    case notLoggedIn = "not_logged_in"
    case wrongContribution = "wrong_contribution"

    public var kind: ErrorClass { row.kind }

    /// When it is said, for people who write a client.
    public var explanation: String { row.explanation }

    /// Whether the server closes the connection after it.
    public var closes: Bool {
        switch self {
        case .lineTooLong, .banned, .tooManyConnections: true
        default: false
        }
    }

    private var row: (kind: ErrorClass, explanation: String) {
        switch self {
        case .rateLimited:
            (
                .again,
                "too many requests of this connection, its address or all strangers, too many guesses, or too many new accounts"
            )
        case .onTheWay:
            (.again, "the player is being taken to another table, or the server of the house that has this does not answer")
        case .tooManyConnections: (.again, "too many connections to the server or from your address, or too fast")
        case .sentAway: (.again, "the owner of the table has sent you away")
        case .stale:
            (
                .look,
                "`turn` is not the decision that is asked now, `round` not the round that the table shows, `server` or `list` not the digest of the item `next`, or `table` not the one you are at"
            )
        case .notYourTurn: (.look, "somebody else is asked, you are not asked that, or you have answered")
        case .bettingClosed:
            (
                .look,
                "no bets are taken now: bet when the next round is open; a newcomer without `midShoeEntry`, after the next shuffle"
            )
        case .sittingOut: (.look, "you sit out: `sitOut` with `\"out\":false` first")
        case .notSeated: (.look, "you have no seat, or not that one, or are at no table, or you are leaving")
        case .noCeremony:
            (
                .look,
                "the table has no ceremony of a shoe that takes this now, your option `fair` is off, or you withheld from this shoe"
            )
        case .invalidName: (.rule, "the name has what a name may not have, or is kept for the host")
        case .nameTaken: (.rule, "somebody has this name or one that looks like it")
        case .wrongSecret: (.rule, "the secret is not that account's")
        case .wrongOwner: (.rule, "`owner` is no code that makes an owner, or it is used or over; the login is not carried out")
        case .accountNeeded: (.rule, "a guest has no history, and uses no code: log in with a secret")
        case .banned: (.rule, "the host does not want this address here")
        case .serverFull: (.rule, "no more players or accounts")
        case .draining: (.rule, "the server is about to stop: no new players and no new seats")
        case .noSuchTable: (.rule, "there is no table of that name")
        case .wrongPass: (.rule, "the table has a pass phrase: `pass` is missing, or is not it")
        case .tableFull:
            (
                .rule,
                "every seat is taken, too many watch, or others wait for a seat and your address, or its IPv6 /48, has half of them"
            )
        case .tableClosed: (.rule, "the table is closed, or takes no more rounds")
        case .seatTaken: (.rule, "somebody sits there")
        case .insufficientChips: (.rule, "it costs more than you have")
        case .notAllowed:
            (
                .rule,
                "the rules of the table, the house or chat do not allow it; for an action, `legal` may have those that are legal"
            )
        case .notOwner: (.rule, "you are not the owner of the table")
        case .notFound: (.rule, "there is no such player, no proof of that shoe (yet, or any more), or no history")
        case .invalidJSON:
            (
                .wrong,
                "the line is not JSON in UTF-8, has a key twice or too many members, or nests too deep; `message` says where"
            )
        case .lineTooLong: (.wrong, "the line is longer than `hello` allows")
        case .unknownType: (.wrong, "there is no such request")
        case .invalidField:
            (
                .wrong,
                "the line is no object, or a field is missing, is not what it must be, or, where the connection is pedantic, is none of the request's"
            )
        case .unsupportedVersion: (.wrong, "`version` is not one that the server speaks; `versions` has the range")
        case .notLoggedIn:
            (.wrong, "only `login`, `available`, `lobby`, `standings`, `rules`, `options` and `ping` go without a login")
        case .wrongContribution: (.wrong, "the contribution is not the one to which you committed before the list closed")
        }
    }
}
