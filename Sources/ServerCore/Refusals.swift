import TableModel
import Wire

/// Reasons to refuse a request without consulting a table.
extension Rejection {
    static let notLoggedIn = Self(.notLoggedIn, "Log in first: {\"type\":\"login\",\"name\":\"ann\"}.")
    static let alreadyLoggedIn = Self(.notAllowed, "This connection is logged in already.")
    static let nameTaken = Self(
        .nameTaken,
        "Somebody has this name or one that looks like it: choose another, or log in with the secret of your account.")
    static let wrongSecret = Self(.wrongSecret, "This is not the secret of that account: choose another name.")
    static let accountDisabled = Self(.notAllowed, "The host has closed this account: ask the host.")
    static let wrongOwner = Self(
        .wrongOwner,
        "This is no code that makes an owner, or it is used or over: ask the host for another, and log in without it.")
    static let reservedName = Self(.invalidName, "This name is kept for the host: choose another.")
    static let serverFull = Self(.serverFull, "The server is full: try again later.")
    static let accountsFull = Self(
        .serverFull, "There are too many accounts: try again later, or log in without a secret, as a guest.")
    static let draining = Self(.draining, "The server is about to stop: no new seats.")
    static let banned = Self(.banned, "The host does not want this address here.")
    static let accountNeeded = Self(.accountNeeded, "A guest has no history: log in with a secret.")
    /// A code is for an account, which a guest has not.
    static let guestWithCode = Self(.accountNeeded, "A code is for an account, which lasts: add its \"secret\".")

    static let noSuchTable = Self(.noSuchTable, "There is no such table: ask for the lobby.")
    static let noTableNamed = Self(.invalidField, "There are several tables: name one.")
    static let notAtTable = Self(.notSeated, "You are at no table: sit down first.")
    static let passNeeded = Self(.wrongPass, "This table needs a pass phrase: add \"pass\" to the request.")
    static let wrongPass = Self(.wrongPass, "This is not the pass phrase of the table.")
    static let tableCrowded = Self(.tableFull, "This table has too many viewers: try again later.")
    static let othersWait = Self(
        .tableFull,
        "Others wait for a seat here, and your network has half of them: sit down elsewhere, or when nobody waits.")
    static let noProof = Self(.notFound, "That shoe cannot be proved: it is in play, or not among the last 8.")
    static let noHistory = Self(.notFound, "This server keeps no history.")
    static let noSuchPlayer = Self(.notFound, "Nobody else of that name is here, or was sent away.")
    /// An owner cannot send the host's own bots away.
    static let houseBot = Self(.notFound, "That is a bot of the house: only the host can send it away.")

    /// An account on its way takes less than 100 ms.
    static let onTheWay = Self(
        .onTheWay, "This player is moving to a table on another connection: try again.", retryAfter: 100)
    /// Another server of the house has the account or the table, or the registry, and does not answer.
    static let elsewhere = Self(
        .onTheWay, "The server of the house that has this cannot be reached, or too many ask: try again.", retryAfter: 500)

    static func alreadyAtTable(_ table: String) -> Self {
        Self(.notAllowed, "You have a seat at table \(table): leave it first.")
    }

    /// The request names another table than this one, where the player is.
    static func elsewhereNow(_ table: String) -> Self {
        Self(.stale, "You are at table \(table), and this is about another one.")
    }

    static func notOwner(table: String) -> Self { Self(.notOwner, "Only the owner of table \(table) may do that.") }

    static func insufficientChips(chips: Int, minimum: Int) -> Self {
        Self(.insufficientChips, "You have \(chips) chips, and the smallest bet here is \(minimum).")
    }

    // MARK: Again, after a while

    static func rateLimited(retryAfter wait: Int) -> Self {
        Self(.rateLimited, "Too many requests: wait \(UniversalTime.duration(wait)).", retryAfter: wait)
    }

    /// A secret, code or phrase is not examined: the answer is the same for a right one.
    static func guessesLimited(retryAfter wait: Int64) -> Self {
        Self(
            .rateLimited,
            "Too many wrong ones were shown, so this one is not looked at yet: wait \(UniversalTime.duration(Int(wait))).",
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
            .sentAway, "The owner has sent you away from this table: you may sit here again in \(UniversalTime.duration(wait)).",
            retryAfter: wait)
    }
}
