import Rules
import TableEngine
import Wire

/// Why the casino refuses what no table has to judge. Each has a stable code for programs and a sentence for people.
enum CasinoRefusal: Error, Equatable {
    case notLoggedIn
    case alreadyLoggedIn
    case nameTaken
    case wrongToken
    case serverFull
    case noSuchTable
    case noTableNamed
    case alreadyAtTable(String)
    case notAtTable
    case wrongPass
    case tableCrowded
    case idReused
    case draining
    case onTheWay
    case banned
    case tooManyConnections
    case rateLimited(retryAfter: Int)

    var code: ErrorCode {
        switch self {
        case .notLoggedIn: .notLoggedIn
        case .alreadyLoggedIn: .alreadyLoggedIn
        case .nameTaken: .nameTaken
        case .wrongToken: .wrongToken
        case .serverFull: .serverFull
        case .noSuchTable: .noSuchTable
        case .noTableNamed: .noTableNamed
        case .alreadyAtTable: .alreadyAtTable
        case .notAtTable: .notAtTable
        case .wrongPass: .wrongPass
        case .tableCrowded: .tableCrowded
        case .idReused: .idReused
        case .draining: .draining
        case .onTheWay: .onTheWay
        case .banned: .banned
        case .tooManyConnections: .tooManyConnections
        case .rateLimited: .rateLimited
        }
    }

    /// Milliseconds after which it makes sense to try again, where that is known. Being handed from loop to loop takes less than that.
    var wait: Int? {
        switch self {
        case .rateLimited(let wait): wait
        case .onTheWay: 100
        default: nil
        }
    }

    var message: String {
        switch self {
        case .notLoggedIn: "Log in first: {\"type\":\"login\",\"name\":\"ann\"}."
        case .alreadyLoggedIn: "This connection is logged in already."
        case .nameTaken: "Somebody has this name or one that looks like it, or it is kept for a lost connection: choose another."
        case .wrongToken: "This token is not that player's: log in without one under another name."
        case .serverFull: "The house is full: try again later."
        case .noSuchTable: "There is no such table: ask for the lobby."
        case .noTableNamed: "There are several tables: name one."
        case .alreadyAtTable(let name): "You have a seat at table \(name): leave it first."
        case .notAtTable: "You are at no table: sit down first."
        case .wrongPass: "This table has a pass phrase: say it as \"pass\"."
        case .tableCrowded: "Too many watch this table: try again later."
        case .idReused: "This id was that of another request a moment ago: choose another."
        case .onTheWay: "This player is on the way to a table on another connection: try again."
        case .banned: "The host does not want this address here."
        case .tooManyConnections: "Too many connections come from this address."
        case .rateLimited(let wait): "Too many requests: wait \(wait) milliseconds."
        case .draining: "The server is about to stop: no new seats."
        }
    }
}

extension Refusal {
    init(id: RequestID?, type: String?, _ refusal: CasinoRefusal) {
        self.init(id: id, type: type, refusal.code, message: refusal.message, retryAfter: refusal.wait)
    }

    init(id: RequestID?, type: String?, _ rejection: Rejection) {
        let legal = if case .notAllowed(_, let legal) = rejection { legal.actions } else { nil as [Action]? }
        guard let code = ErrorCode(rawValue: rejection.code) else {
            preconditionFailure("every code of a table is in the protocol: \(rejection.code)")
        }
        self.init(id: id, type: type, code, message: rejection.message, legal: legal)
    }
}
