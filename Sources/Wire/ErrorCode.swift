import Rules

/// Why a request can be refused: one stable code for each reason, which never changes its meaning. The one list of them, for the server,
/// for Protocol.md and for the schema.
public enum ErrorCode: String, CaseIterable, Sendable {
    case invalidJSON = "invalid_json"
    case invalidUTF8 = "invalid_utf8"
    case tooDeep = "too_deep"
    case tooManyMembers = "too_many_members"
    case duplicateKey = "duplicate_key"
    case lineTooLong = "line_too_long"
    case unknownType = "unknown_type"
    case missingField = "missing_field"
    case invalidField = "invalid_field"
    case unknownField = "unknown_field"
    case unsupportedVersion = "unsupported_version"
    case rateLimited = "rate_limited"
    case invalidName = "invalid_name"
    case nameTaken = "name_taken"
    case wrongSecret = "wrong_secret"
    case accountDisabled = "account_disabled"
    case wrongOwner = "wrong_owner"
    case alreadyLoggedIn = "already_logged_in"
    case notLoggedIn = "not_logged_in"
    case banned = "banned"
    case serverFull = "server_full"
    case tooManyConnections = "too_many_connections"
    case draining = "draining"
    case onTheWay = "on_the_way"
    case invalidText = "invalid_text"
    case noSuchTable = "no_such_table"
    case noTableNamed = "no_table_named"
    case wrongPass = "wrong_pass"
    case tableCrowded = "table_crowded"
    case alreadyAtTable = "already_at_table"
    case notAtTable = "not_at_table"
    case noSuchSeat = "no_such_seat"
    case seatTaken = "seat_taken"
    case tableFull = "table_full"
    case tooManySeats = "too_many_seats"
    case seatNotYours = "seat_not_yours"
    case noSeatNamed = "no_seat_named"
    case notSeated = "not_seated"
    case chipsOutOfRange = "chips_out_of_range"
    case alreadyLeaving = "already_leaving"
    case sittingOut = "sitting_out"
    case alreadyDisconnected = "already_disconnected"
    case notDisconnected = "not_disconnected"
    case betNegative = "bet_negative"
    case tableClosing = "table_closing"
    case tableClosed = "table_closed"
    case bettingClosed = "betting_closed"
    case betBelowMinimum = "bet_below_minimum"
    case betAboveMaximum = "bet_above_maximum"
    case betNotInSteps = "bet_not_in_steps"
    case waitForShuffle = "wait_for_shuffle"
    case insufficientChips = "insufficient_chips"
    case rebuyLater = "rebuy_later"
    case accountNeeded = "account_needed"
    case noHistory = "no_history"
    case notOwner = "not_owner"
    case noSuchPlayer = "no_such_player"
    case sentAway = "sent_away"
    case notYourTurn = "not_your_turn"
    case stale
    case wrongHand = "wrong_hand"
    case notAsked = "not_asked"
    case alreadyAnswered = "already_answered"
    case notAllowed = "not_allowed"
    case amountNotAllowed = "amount_not_allowed"
    case amountNotExpected = "amount_not_expected"
    case noCeremony = "no_ceremony"
    case alreadyCommitted = "already_committed"
    case notOnList = "not_on_list"
    case wrongContribution = "wrong_contribution"
    case noProof = "no_proof"
    case shoeAlreadySupplied = "shoe_already_supplied"
    case shoeHasCeremony = "shoe_has_ceremony"

    /// Whether the same request may succeed later.
    public var isRetryable: Bool {
        switch self {
        case .onTheWay, .rateLimited, .nameTaken, .serverFull, .tooManyConnections, .draining, .tableCrowded, .tableFull,
            .bettingClosed, .rebuyLater, .sentAway, .waitForShuffle, .notYourTurn:
            true
        default: false
        }
    }

    /// Whether the server closes the connection with it.
    public var isFatal: Bool {
        switch self {
        case .lineTooLong, .banned, .tooManyConnections: true
        default: false
        }
    }

    /// Whether no client can be told this: it is the table's own, and is refused before it.
    public var isInternal: Bool {
        switch self {
        case .alreadyDisconnected, .notDisconnected, .betNegative, .shoeAlreadySupplied, .shoeHasCeremony: true
        default: false
        }
    }

    /// When it is said, for people who write a client.
    public var explanation: String {
        switch self {
        case .invalidJSON: "the line is not JSON; `message` says where and what was expected"
        case .invalidUTF8: "the line is not UTF-8"
        case .tooDeep: "too many objects and arrays inside each other"
        case .tooManyMembers: "an object has too many members"
        case .duplicateKey: "a key is there twice in one object"
        case .lineTooLong: "the line is longer than `hello` allows"
        case .unknownType: "there is no such request"
        case .missingField: "a field is missing"
        case .invalidField: "a field is not what it must be"
        case .unknownField: "the connection is pedantic, and the request has a field that is not its own"
        case .unsupportedVersion: "`version` is not one that the server speaks; `versions` has the range"
        case .rateLimited:
            "too many requests of this connection, its address, all who are not logged in or all who ask for their history, or too many new accounts of its address; `retryAfter` says how many milliseconds to wait"
        case .invalidName: "the name has what a name may not have, or is kept for the host"
        case .nameTaken: "somebody has this name or one that looks like it"
        case .wrongSecret: "the secret is not that account's"
        case .accountDisabled: "the host has closed this account: ask the host"
        case .wrongOwner: "`owner` is no code that makes an owner, or it is used or over; the login is not carried out"
        case .alreadyLoggedIn: "this connection is logged in"
        case .notLoggedIn: "only `login`, `available`, `lobby`, `rules`, `options` and `ping` go without a login"
        case .banned: "the host does not want this address here"
        case .serverFull:
            "no more players or accounts, as the answer to `login`, `sit` or what leads to another server; no more connections, as the first line, which is fatal"
        case .tooManyConnections:
            "too many connections from one address, or too fast; `retryAfter` has the time to wait in that case"
        case .draining: "the server is about to stop: no new players and no new seats"
        case .onTheWay:
            "the player is just being taken to another table on another connection, or the server that has the account or the table is not "
                + "reached, or too many ask for theirs; `retryAfter` says how many milliseconds to wait"
        case .invalidText: "the text of a chat has what it may not have"
        case .noSuchTable: "there is no table of that name"
        case .noTableNamed: "there are several tables, and none was named"
        case .wrongPass: "the table has a pass phrase, and `pass` is not it"
        case .tableCrowded: "too many watch this table"
        case .alreadyAtTable: "you have a seat at another table"
        case .notAtTable: "you are at no table"
        case .noSuchSeat: "the table has no such seat"
        case .seatTaken: "somebody sits there"
        case .tableFull:
            "every seat is taken, or others wait for one and your address, or its IPv6 /48, has half of them"
        case .tooManySeats: "you have as many seats as one player may have"
        case .seatNotYours: "you do not sit there"
        case .noSeatNamed: "you have several seats, and none was named"
        case .notSeated: "you have no seat"
        case .chipsOutOfRange: "you have no chips to play with, or too many"
        case .alreadyLeaving: "you are leaving already"
        case .sittingOut: "you sit out: `sitIn` first"
        case .alreadyDisconnected: "the player is away already"
        case .notDisconnected: "the player is not away"
        case .betNegative: "a bet has no sign"
        case .tableClosing: "the table takes no more rounds"
        case .tableClosed: "the table is closed"
        case .bettingClosed: "no bets are taken now: bet when the round is over"
        case .betBelowMinimum: "the bet is too small"
        case .betAboveMaximum: "the bet is too large"
        case .betNotInSteps: "the bet is not in the table's steps"
        case .waitForShuffle: "who comes in the middle of a shoe waits for the next one"
        case .insufficientChips: "it costs more than you have"
        case .rebuyLater:
            "you have less than the smallest bet, and the house gives new chips only later: `retryAfter` says in how many milliseconds"
        case .accountNeeded: "a guest has no history, and uses no code: log in with a secret"
        case .noHistory: "the server keeps no history"
        case .notOwner: "you are not the owner of the table"
        case .noSuchPlayer: "nobody else of that name is at the table; for `again`: nobody has that name"
        case .sentAway:
            "the owner of the table has sent you away; `retryAfter` says in how many milliseconds you may sit or watch there"
        case .notYourTurn: "somebody else is asked"
        case .stale:
            "`turn` is not the decision that is asked now, `round` not the round that the table shows, `server` or `list` not the digest of the item `next`, or `table` not the one you are at"
        case .wrongHand: "another hand of yours is asked"
        case .notAsked: "you are not asked that"
        case .alreadyAnswered: "you have answered"
        case .notAllowed: "the action is not legal now; `legal` has those that are"
        case .amountNotAllowed: "the amount is out of range"
        case .amountNotExpected: "the action takes no amount"
        case .noCeremony:
            "the table has no ceremony of a shoe that takes this now, you logged in without `fair`, or you withheld from this shoe"
        case .alreadyCommitted: "the list is closed, with another commitment of yours"
        case .notOnList: "you are not on the closed list"
        case .wrongContribution: "these are not the bytes to which you committed"
        case .noProof: "the shoe is still in play, has no proof, or is not among the last 8"
        case .shoeAlreadySupplied: "the shoe is there already"
        case .shoeHasCeremony: "the shoes of the table are made in ceremonies"
        }
    }
}

/// Why a line from a client could not be taken as a request. Each has a stable code for programs and a sentence for people.
public enum ProtocolError: Error, Equatable, Sendable {
    case lineTooLong(limit: Int)
    case json(JSONError)
    /// No such type of message.
    case unknownType(String)
    case invalidName(reason: String)
    case unsupportedVersion(Int)
    /// A line of chat with forbidden characters.
    case invalidText(reason: String)
    /// A field that the request does not have, on a pedantic connection.
    case unknownField(String, of: String)

    public var code: ErrorCode {
        switch self {
        case .lineTooLong: .lineTooLong
        case .json(.malformed): .invalidJSON
        case .json(.invalidUTF8): .invalidUTF8
        case .json(.tooDeep): .tooDeep
        case .json(.tooManyMembers): .tooManyMembers
        case .json(.duplicateKey): .duplicateKey
        case .json(.missing): .missingField
        case .json(.mismatch): .invalidField
        case .unknownType: .unknownType
        case .invalidName: .invalidName
        case .unsupportedVersion: .unsupportedVersion
        case .invalidText: .invalidText
        case .unknownField: .unknownField
        }
    }

    /// One sentence: what was wrong, and what would be right.
    public var message: String {
        switch self {
        case .lineTooLong(let limit): "A line has at most \(limit) bytes."
        case .json(.malformed(let expected, let offset)): "Not JSON: expected \(expected) at byte \(offset)."
        case .json(.invalidUTF8(let offset)): "Not UTF-8 at byte \(offset)."
        case .json(.tooDeep(let limit)): "At most \(limit) objects and arrays may stand inside each other."
        case .json(.tooManyMembers(let limit)): "An object has at most \(limit) members."
        case .json(.duplicateKey(let key)): "\"\(key.printable(upTo: 32))\" is there twice."
        case .json(.missing(let field)): "\"\(field)\" is missing."
        case .json(.mismatch("the message", let expected)): "The message must be \(expected)."
        case .json(.mismatch(let field, let expected)): "\"\(field)\" must be \(expected)."
        case .unknownType(let type):
            "Unknown type \"\(type.printable(upTo: 32))\": there are \(ClientMessage.types.joined(separator: ", "))."
        case .invalidName(let reason), .invalidText(let reason): reason
        case .unknownField(let field, let type): "\"\(type)\" has no field \"\(field.printable(upTo: 32))\"."
        case .unsupportedVersion(let version):
            "Version \(version) is not spoken here: \(WireLimits.versions.lowerBound) to \(WireLimits.versions.upperBound) are."
        }
    }
}

/// Why a request was refused.
public struct Refusal: Error, Equatable, Sendable {
    public var id: RequestID?
    /// The type of the request, if it could be read.
    public var type: String?
    /// Stable, in snake case, for programs; one of ``ErrorCode`` unless the server is newer.
    public var code: String
    /// For people.
    public var message: String
    /// The actions that would be legal, where the refusal is about one.
    public var legal: [Action]?
    /// Milliseconds after which a retry may succeed, if known.
    public var retryAfter: Int?
    /// The versions that are spoken, where the refusal is about that.
    public var versions: ClosedRange<Int>?
    /// Whether the same request may succeed later.
    public var isRetryable: Bool
    /// Whether the server closes the connection now.
    public var isFatal: Bool

    public init(
        id: RequestID? = nil, type: String? = nil, code: String, message: String, legal: [Action]? = nil,
        retryAfter: Int? = nil, versions: ClosedRange<Int>? = nil, isRetryable: Bool = false, isFatal: Bool = false
    ) {
        self.id = id
        self.type = type
        self.code = code
        self.message = message
        self.legal = legal
        self.retryAfter = retryAfter
        self.versions = versions
        self.isRetryable = isRetryable
        self.isFatal = isFatal
    }

    /// A refusal for one of the known reasons.
    public init(
        id: RequestID?, type: String?, _ code: ErrorCode, message: String, legal: [Action]? = nil, retryAfter: Int? = nil,
        versions: ClosedRange<Int>? = nil
    ) {
        self.init(
            id: id, type: type, code: code.rawValue, message: message, legal: legal, retryAfter: retryAfter, versions: versions,
            isRetryable: code.isRetryable, isFatal: code.isFatal)
    }

    /// Refuses a line that is no request.
    public init(id: RequestID?, type: String?, _ error: ProtocolError) {
        let versions = if case .unsupportedVersion = error { WireLimits.versions } else { nil as ClosedRange<Int>? }
        self.init(id: id, type: type, error.code, message: error.message, versions: versions)
    }
}

extension Refusal: WireObject {
    static var blank: Self { Self(code: "", message: "") }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        let codes = TextBounds(.max) { .reference(.errorCode) }
        try visitor.optional("id", &id, "the request's, if it had one")
        try visitor.optional("to", &type, .any, "the type of the request, as far as it could be read")
        try visitor.required("code", &code, codes, "stable, for programs")
        try visitor.required("message", &message, .any, "a sentence, for people")
        try visitor.optional("legal", &legal, .any, "the actions that would be legal, where it is about one")
        try visitor.optional(
            "retryAfter", &retryAfter, WholeNumber(WireRange.wait),
            "milliseconds after which it makes sense to try again, where that is known")
        try visitor.optional("versions", &versions, "the versions that are spoken, where it is about that")
        try visitor.optional("retryable", &isRetryable, absent: false, "whether the same request may succeed later")
        try visitor.optional("fatal", &isFatal, absent: false, "whether the server closes the connection now")
    }
}
