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

    var code: String {
        switch self {
        case .notLoggedIn: "not_logged_in"
        case .alreadyLoggedIn: "already_logged_in"
        case .nameTaken: "name_taken"
        case .wrongToken: "wrong_token"
        case .serverFull: "server_full"
        case .noSuchTable: "no_such_table"
        case .noTableNamed: "no_table_named"
        case .alreadyAtTable: "already_at_table"
        case .notAtTable: "not_at_table"
        }
    }

    var message: String {
        switch self {
        case .notLoggedIn: "Log in first: {\"type\":\"login\",\"name\":\"ann\"}."
        case .alreadyLoggedIn: "This connection is logged in already."
        case .nameTaken: "Somebody has this name, or it is kept for a lost connection: choose another."
        case .wrongToken: "This token is not that player's: log in without one under another name."
        case .serverFull: "The house is full: try again later."
        case .noSuchTable: "There is no such table: ask for the lobby."
        case .noTableNamed: "There are several tables: name one."
        case .alreadyAtTable(let name): "You have a seat at table \(name): leave it first."
        case .notAtTable: "You are at no table: sit down first."
        }
    }
}

extension Refusal {
    init(id: RequestID?, type: String?, _ refusal: CasinoRefusal) {
        self.init(id: id, type: type, code: refusal.code, message: refusal.message)
    }

    init(id: RequestID?, type: String?, _ rejection: Rejection) {
        let legal = if case .notAllowed(_, let legal) = rejection { legal.actions } else { nil as [Action]? }
        self.init(id: id, type: type, code: rejection.code, message: rejection.message, legal: legal)
    }
}
