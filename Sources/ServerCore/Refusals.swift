import Rules
import TableEngine
import Wire

/// Reasons to refuse a request without consulting a table. Each has an error code for programs and a sentence for people.
enum RequestRefusal: Error, Equatable {
    case notLoggedIn
    case alreadyLoggedIn
    case nameTaken
    case wrongSecret
    case accountDisabled
    case wrongOwner
    case insufficientChips(chips: Int, minimum: Int)
    case rebuyLater(retryAfter: Int)
    case serverFull
    case accountsFull
    case noSuchTable
    case noTableNamed
    case alreadyAtTable(String)
    case notAtTable
    case wrongPass
    case tableCrowded
    /// The request names another table than this one, where the player is.
    case elsewhereNow(String)
    case draining
    case onTheWay
    /// Another server of the house has the account or the table, or the registry, and does not answer.
    case elsewhere
    case banned
    case tooManyConnections(retryAfter: Int?)
    case reservedName
    case rateLimited(retryAfter: Int)
    case newAccountsLimited(retryAfter: Int)
    case noProof
    case noHistory
    case accountNeeded
    /// A code is for an account, which a guest has not.
    case guestWithCode
    case notOwner(table: String)
    case noSuchPlayer
    case noSuchName
    /// An owner cannot send the host's own bots away.
    case houseBot
    case sentAway(retryAfter: Int)
    case othersWait

    var code: ErrorCode {
        switch self {
        case .notLoggedIn: .notLoggedIn
        case .alreadyLoggedIn: .alreadyLoggedIn
        case .nameTaken: .nameTaken
        case .wrongSecret: .wrongSecret
        case .accountDisabled: .accountDisabled
        case .wrongOwner: .wrongOwner
        case .insufficientChips: .insufficientChips
        case .rebuyLater: .rebuyLater
        case .serverFull, .accountsFull: .serverFull
        case .noSuchTable: .noSuchTable
        case .noTableNamed: .noTableNamed
        case .alreadyAtTable: .alreadyAtTable
        case .notAtTable: .notAtTable
        case .wrongPass: .wrongPass
        case .tableCrowded: .tableCrowded
        case .elsewhereNow: .stale
        case .draining: .draining
        case .onTheWay, .elsewhere: .onTheWay
        case .banned: .banned
        case .tooManyConnections: .tooManyConnections
        case .reservedName: .invalidName
        case .rateLimited, .newAccountsLimited: .rateLimited
        case .noProof: .noProof
        case .noHistory: .noHistory
        case .accountNeeded, .guestWithCode: .accountNeeded
        case .notOwner: .notOwner
        case .noSuchPlayer, .noSuchName, .houseBot: .noSuchPlayer
        case .sentAway: .sentAway
        case .othersWait: .tableFull
        }
    }

    /// Milliseconds until a retry can succeed, if known. An account on its way takes less than 100.
    var retryAfter: Int? {
        switch self {
        case .rateLimited(let wait), .newAccountsLimited(let wait), .rebuyLater(let wait), .sentAway(let wait): wait
        case .onTheWay: 100
        case .elsewhere: 500
        case .tooManyConnections(let wait): wait
        default: nil
        }
    }

    /// States the problem and the remedy.
    var message: RefusalText {
        switch self {
        case .notLoggedIn: "Log in first: {\"type\":\"login\",\"name\":\"ann\"}."
        case .alreadyLoggedIn: "This connection is logged in already."
        case .nameTaken:
            "Somebody has this name or one that looks like it: choose another, or log in with the secret of your account."
        case .wrongSecret: "This is not the secret of that account: choose another name."
        case .accountDisabled: "The host has closed this account: ask the host."
        case .wrongOwner:
            "This is no code that makes an owner, or it is used or over: ask the host for another, and log in without it."
        case .insufficientChips(let chips, let minimum): "You have \(chips) chips, and the smallest bet here is \(minimum)."
        case .rebuyLater(let wait): "The house gives you new chips in \(wait) milliseconds."
        case .serverFull: "The server is full: try again later."
        case .accountsFull: "There are too many accounts: try again later, or log in without a secret, as a guest."
        case .noSuchTable: "There is no such table: ask for the lobby."
        case .noTableNamed: "There are several tables: name one."
        case .alreadyAtTable(let name): "You have a seat at table \(name): leave it first."
        case .notAtTable: "You are at no table: sit down first."
        case .wrongPass: "This table needs a pass phrase: add \"pass\" to the request."
        case .tableCrowded: "This table has too many viewers: try again later."
        case .elsewhereNow(let table): "You are at table \(table), and this is about another one."
        case .onTheWay: "This player is moving to a table on another connection: try again."
        case .elsewhere: "The server of the house that has this cannot be reached, or too many ask: try again."
        case .banned: "The host does not want this address here."
        case .tooManyConnections: "Too many connections come from this address."
        case .reservedName: "This name is kept for the host: choose another."
        case .rateLimited(let wait): "Too many requests: wait \(wait) milliseconds."
        case .newAccountsLimited(let wait):
            "Too many new accounts from your address: wait \(wait) milliseconds, or log in without a secret, as a guest."
        case .noProof: "That shoe cannot be proved: it is in play, or not among the last 8."
        case .noHistory: "This server keeps no history."
        case .accountNeeded: "A guest has no history: log in with a secret."
        case .guestWithCode: "A code is for an account, which lasts: add its \"secret\"."
        case .notOwner(let table): "Only the owner of table \(table) may do that."
        case .noSuchPlayer: "Nobody else of that name is at this table."
        case .noSuchName: "Nobody has that name."
        case .houseBot: "That is a bot of the house: only the host can send it away."
        case .othersWait:
            "Others wait for a seat here, and your network has half of them: sit down elsewhere, or when nobody waits."
        case .sentAway(let wait): "The owner has sent you away from this table: you may sit here again in \(wait) milliseconds."
        case .draining: "The server is about to stop: no new seats."
        }
    }
}

extension Rejection {
    /// The protocol's error code of the same name.
    var errorCode: ErrorCode {
        switch self {
        case .notSeated: .notSeated
        case .noSuchSeat: .noSuchSeat
        case .seatTaken: .seatTaken
        case .tableFull: .tableFull
        case .tooManySeats: .tooManySeats
        case .seatNotYours: .seatNotYours
        case .noSeatNamed: .noSeatNamed
        case .chipsOutOfRange: .chipsOutOfRange
        case .alreadyLeaving: .alreadyLeaving
        case .alreadyDisconnected: .alreadyDisconnected
        case .notDisconnected: .notDisconnected
        case .tableClosing: .tableClosing
        case .tableClosed: .tableClosed
        case .bettingClosed: .bettingClosed
        case .sittingOut: .sittingOut
        case .betNegative: .betNegative
        case .betBelowMinimum: .betBelowMinimum
        case .betAboveMaximum: .betAboveMaximum
        case .betNotInSteps: .betNotInSteps
        case .insufficientChips: .insufficientChips
        case .waitForShuffle: .waitForShuffle
        case .notYourTurn: .notYourTurn
        case .stale: .stale
        case .wrongHand: .wrongHand
        case .notAsked: .notAsked
        case .alreadyAnswered: .alreadyAnswered
        case .notAllowed: .notAllowed
        case .amountNotAllowed: .amountNotAllowed
        case .amountNotExpected: .amountNotExpected
        case .noCeremony, .notContributing, .hasWithheld: .noCeremony
        case .staleCommitment, .staleList: .stale
        case .alreadyCommitted: .alreadyCommitted
        case .notOnList: .notOnList
        case .wrongContribution: .wrongContribution
        case .shoeAlreadySupplied: .shoeAlreadySupplied
        case .shoeHasCeremony: .shoeHasCeremony
        }
    }

    /// The legal actions, for a refused action.
    var legalActions: ActionSet? { if case .notAllowed(_, let legal) = self { legal } else { nil } }
}
