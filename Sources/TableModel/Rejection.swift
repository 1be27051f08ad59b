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
    /// Whether the server closes the connection after it.
    public let closes: Bool

    public init(_ code: ErrorCode, _ message: String, legal: ActionSet? = nil, retryAfter: Int? = nil, closes: Bool = false) {
        precondition(code.kind != .again || retryAfter != nil, "a client must know when to ask again")
        (self.code, self.message, self.legal, self.retryAfter) = (code, message, legal, retryAfter)
        self.closes = closes || code.closes
    }
}

/// How a client reacts to a refusal.
public enum ErrorClass: String, CaseIterable, Sendable {
    case again, look, rule, wrong

    public var explanation: String {
        switch self {
        case .again: "retry: send the same request again after `retryAfter` milliseconds"
        case .look: "the table has changed: look at it and decide again"
        case .rule: "not allowed: tell the player, or request something else"
        case .wrong: "a client error: do not repeat the request"
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

    /// Whether the server closes the connection after each.
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
                "too many requests of this connection, its address or all unknown clients, too many wrong attempts, or too many new accounts"
            )
        case .onTheWay:
            (.again, "the player is changing tables, or the responsible server of the house does not respond")
        case .tooManyConnections: (.again, "too many connections to the server or from your address, or too fast")
        case .sentAway: (.again, "the owner of the table has kicked you")
        case .stale:
            (
                .look,
                "`turn`, `round`, `table`, or `server` or `list` (digests of the item `next`) is not the current one"
            )
        case .notYourTurn: (.look, "it is another seat's turn, or you have already decided")
        case .bettingClosed:
            (
                .look,
                "betting is closed: bet in the next round, or, as a newcomer without `midShoeEntry`, after the next shuffle"
            )
        case .sittingOut: (.look, "you are sitting out: send `sitOut` with `\"out\":false` first")
        case .notSeated: (.look, "you have no seat, or not that one, are not at a table, or are leaving")
        case .noCeremony:
            (
                .look,
                "no ceremony accepts this now, your option `fair` is off, or you withheld a contribution to this shoe"
            )
        case .invalidName: (.rule, "the name is not allowed, or is reserved for the host")
        case .nameTaken: (.rule, "the name, or one that looks like it, is taken")
        case .wrongSecret: (.rule, "wrong secret for that account")
        case .wrongOwner: (.rule, "`owner` is a wrong, used or expired code; the login was not carried out")
        case .accountNeeded: (.rule, "guests have no history and cannot use a code: log in with a secret")
        case .banned: (.rule, "the host has banned this address")
        case .serverFull: (.rule, "no more players or accounts")
        case .draining: (.rule, "the server is stopping: no new players or seats")
        case .noSuchTable: (.rule, "there is no table of that name")
        case .wrongPass: (.rule, "the table has a pass phrase: `pass` is missing or wrong")
        case .tableFull:
            (
                .rule,
                "every seat is taken, there are too many viewers, or others wait for a seat and your address, or its IPv6 /48, has half of them"
            )
        case .tableClosed: (.rule, "the table is closed or closing")
        case .seatTaken: (.rule, "the seat is taken")
        case .insufficientChips: (.rule, "it costs more than you have")
        case .notAllowed:
            (
                .rule,
                "the rules of the table, the house or chat do not allow it; for an action, `legal` may list the legal ones"
            )
        case .notOwner: (.rule, "you are not the owner of the table")
        case .notFound: (.rule, "no such player, no proof of that shoe (yet, or no longer), or no history")
        case .invalidJSON:
            (
                .wrong,
                "the line is not JSON in UTF-8, has a duplicate key or too many members, or is nested too deeply; `message` says which. A request of HTTP or TLS before the login closes"
            )
        case .lineTooLong: (.wrong, "the line is longer than `hello` allows")
        case .unknownType: (.wrong, "there is no such request")
        case .invalidField:
            (
                .wrong,
                "the line is not an object, or a field is missing, invalid or, on a pedantic connection, unknown"
            )
        case .unsupportedVersion: (.wrong, "`version` is not supported; `versions` has the range")
        case .notLoggedIn:
            (.wrong, "only `login`, `available`, `lobby`, `standings`, `rules`, `options` and `ping` work without a login")
        case .wrongContribution: (.wrong, "the contribution differs from the one to which you committed before the list closed")
        }
    }
}
