import TableModel
import Wire

/// Reasons to refuse a request without consulting a table.
extension Rejection {
    static let webRequest = Self(
        .invalidJSON, "Not JSON but HTTP or TLS. The connection ends, since a web page could send any line.",
        closes: true)
    static let notLoggedIn = Self(.notLoggedIn, "Log in first: {\"type\":\"login\",\"name\":\"ann\"}.")
    static let alreadyLoggedIn = Self(.notAllowed, "This connection is already logged in.")
    static let nameTaken = Self(
        .nameTaken,
        "This name, or one that looks like it, is taken: choose another, or log in with the secret of your account.")
    static let wrongSecret = Self(.wrongSecret, "Wrong secret for this account: choose another name.")
    static let accountDisabled = Self(.notAllowed, "The host has disabled this account.")
    static let wrongOwner = Self(
        .wrongOwner,
        "This owner code is wrong, used or expired: log in without it, or ask the host for another.")
    static let reservedName = Self(.invalidName, "This name is reserved for the host: choose another.")
    static let serverFull = Self(.serverFull, "The server is full: try again later.")
    static let accountsFull = Self(
        .serverFull, "There are too many accounts: try again later, or log in without a secret, as a guest.")
    static let draining = Self(.draining, "The server is stopping: no new seats.")
    static let banned = Self(.banned, "The host has banned this address.")
    static let accountNeeded = Self(.accountNeeded, "A guest has no history: log in with a secret.")
    static let guestWithCode = Self(.accountNeeded, "An owner code needs an account: add its \"secret\".")

    static let noSuchTable = Self(.noSuchTable, "No such table: ask for the lobby.")
    static let noTableNamed = Self(.invalidField, "There are several tables: name one.")
    static let notAtTable = Self(.notSeated, "You are not at a table: sit down first.")
    static let passNeeded = Self(.wrongPass, "This table needs a pass phrase: add \"pass\" to the request.")
    static let wrongPass = Self(.wrongPass, "Wrong pass phrase for this table.")
    static let tableCrowded = Self(.tableFull, "This table has too many viewers: try again later.")
    static let othersWait = Self(
        .tableFull,
        "Your network has half of the seats here and others are waiting: choose another table, or try again later.")
    static let noProof = Self(.notFound, "No proof of that shoe: it is in play, or not among the last 8.")
    static let noHistory = Self(.notFound, "This server keeps no history.")
    static let noSuchPlayer = Self(.notFound, "No other player with that name is here or was kicked.")
    static let otherReaction = Self(.invalidField, "The text of a reaction is its word.")
    static let houseBot = Self(.notFound, "House bots cannot be kicked.")

    /// An account in transit arrives within 100 ms.
    static let onTheWay = Self(
        .onTheWay, "This player is changing tables on another connection: try again.", retryAfter: 100)
    /// The server with the account or the table, or the registry, does not answer.
    static let elsewhere = Self(
        .onTheWay, "The server responsible for this is unreachable or busy: try again.", retryAfter: 500)

    static func alreadyAtTable(_ table: String) -> Self {
        Self(.notAllowed, "You have a seat at table \(table): leave it first.")
    }

    /// The request names another table than the player's.
    static func elsewhereNow(_ table: String) -> Self {
        Self(.stale, "You are at table \(table), but the request names another one.")
    }

    /// A match that begins after an earlier round than the last one.
    static func staleMatch(_ named: Int, current: Int) -> Self {
        Self(.stale, "The request names round \(named), but the table is at round \(current): check the table.")
    }

    static func notOwner(table: String) -> Self { Self(.notOwner, "Only the owner of table \(table) can do that.") }

    static func insufficientChips(chips: Int, minimum: Int) -> Self {
        Self(.insufficientChips, "You have \(chips) chips, and the minimum bet here is \(minimum).")
    }

    // MARK: Again, after a while

    static func rateLimited(retryAfter wait: Int) -> Self {
        Self(.rateLimited, "Too many requests: wait \(UniversalTime.duration(wait)).", retryAfter: wait)
    }

    /// A secret, code or phrase is not checked: the answer is the same for a right one.
    static func guessesLimited(retryAfter wait: Int64) -> Self {
        Self(
            .rateLimited,
            "Too many wrong attempts: wait \(UniversalTime.duration(Int(wait))).",
            retryAfter: Int(wait))
    }

    static func newAccountsLimited(retryAfter wait: Int) -> Self {
        Self(
            .rateLimited,
            "Too many new accounts from your address: wait \(UniversalTime.duration(wait)), or log in without a secret, as a guest.",
            retryAfter: wait)
    }

    static let connectionsFull = Self(
        .tooManyConnections, "The server has no room for more connections.", retryAfter: 10_000)

    static func tooManyConnections(retryAfter wait: Int) -> Self {
        Self(.tooManyConnections, "Too many connections come from this address.", retryAfter: wait)
    }

    static func sentAway(retryAfter wait: Int) -> Self {
        Self(
            .sentAway, "The owner has kicked you from this table. You may return in \(UniversalTime.duration(wait)).",
            retryAfter: wait)
    }
}
