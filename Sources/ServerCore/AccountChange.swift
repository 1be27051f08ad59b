import Fairness
import Records
import TableEngine
import Wire

/// An operator's change of an account.
public enum AccountChange: Sendable, Equatable {
    /// Chips of the bank; negative: back to the bank.
    case credit(Int)
    case rename(PlayerName)
    /// Refuses logins, or admits them again.
    case disable(Bool)
    case secret(AccountSecret)
    /// The name and the secret are erased; the chips return to the bank.
    case delete
}

/// Why an operator's change of an account is refused. Nothing has changed then.
public enum AccountRefusal: Error, Equatable, Sendable {
    case noSuchAccount(String)
    /// A guest has no secret, and no account that lasts.
    case guest(String)
    /// The change needs a player without a seat.
    case seated(String, table: String)
    /// The account would have fewer than 0 chips, or more than ``WireLimits/chips``.
    case chips(String, has: Int)
    case nameInUse(String)
    /// The name is kept for the host: no player gets it, and the secret of its account is the host's.
    case reserved(String)
    /// The player moves between tables at every attempt.
    case moving(String)
    /// The server stops, and its journal is closed.
    case stopping

    /// For programs.
    public var code: String {
        switch self {
        case .noSuchAccount: "no_such_account"
        case .guest: "guest"
        case .seated: "seated"
        case .chips: "invalid_chips"
        case .nameInUse: "name_in_use"
        case .reserved: "reserved_name"
        case .moving: "try_again"
        case .stopping: "shutting_down"
        }
    }
}

extension AccountRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchAccount(let name): "There is no account \(name). A name gets an account when it first sits down."
        case .guest(let name): "\(name) is a guest: without a secret, the account ends with its connection."
        case .seated(let name, let table): "\(name) has a seat at table \(table): the player has to leave it first."
        case .chips(let name, let has): "\(name) has \(has) chips; an account has 0 to \(WireLimits.chips)."
        case .nameInUse(let name): "The name \(name) is in use, or looks like one in use."
        case .reserved(let name): "The name \(name) is kept for the host and its bots."
        case .moving(let name): "\(name) is on the way to another table: try again."
        case .stopping: "The server stops: change the accounts in its folder once it has ended."
        }
    }
}

/// An account as operators see it.
public struct AccountSummary: Sendable, Equatable {
    public let id: UInt64
    public let name: String
    public let isBot: Bool
    /// Whether a secret opens it.
    public let hasSecret: Bool
    /// Chips that are not at a table.
    public let chips: Int
    /// The table that holds the other chips; nil for a player without a seat.
    public let table: String?
    /// Chips at the table, without open bets.
    public let chipsAtTable: Int
    public let isDisabled: Bool
    /// All chips issued so far, corrections included.
    public let issued: Int
    /// Time of the first sit, in milliseconds since 1970.
    public let created: Int64
    /// When the player was here last, in milliseconds since 1970, to the hour.
    public let lastSeen: Int64
    /// Whether the player is connected; nil if no server runs.
    public let isConnected: Bool?

    init(_ account: DormantAccount) {
        id = account.id.rawValue
        name = account.name
        isBot = account.isBot
        hasSecret = true
        chips = account.chips
        table = nil
        chipsAtTable = 0
        isDisabled = account.isDisabled
        (issued, created, lastSeen) = (account.issued, account.created, account.lastSeen.milliseconds)
        isConnected = false
    }

    /// - Parameter account: open.
    init(_ account: Account) {
        id = account.id.rawValue
        name = account.name.text
        isBot = account.isBot
        hasSecret = !account.isGuest
        chips = account.chips
        table = account.table?.name
        chipsAtTable = account.table?.engine.bankroll(of: account.id) ?? 0
        isDisabled = account.isDisabled
        (issued, created, lastSeen) = (account.issued, account.created, account.lastSeen)
        isConnected = account.session != nil
    }

    /// - Parameter tables: the tables of the account's state.
    public init(_ account: SavedAccount, tables: [String: SavedTable]) {
        id = account.id.rawValue
        name = account.shownName
        isBot = account.isBot
        hasSecret = account.secret != nil
        chips = account.chips
        table = account.table
        chipsAtTable = account.table.flatMap { tables[$0] }?.table.bankroll(of: account.id) ?? 0
        isDisabled = account.isDisabled
        (issued, created, lastSeen) = (account.issued, account.created, account.lastSeen)
        isConnected = nil
    }
}

extension SavedAccount {
    /// The name under which a start restores the account.
    public var shownName: String { PlayerName(kept: name, of: id).text }
}

extension SavedState {
    /// The account with a name, whatever its case; names that only look alike are others.
    public func account(named text: String) -> SavedAccount? {
        // Folding 100,000 names takes half a second, so the exact name is tried first.
        if let account = accounts.values.first(where: { $0.name == text }) { return account }
        guard let key = (try? PlayerName(text))?.key else { return nil }
        return accounts.values.first { PlayerName(kept: $0.name, of: $0.id).key == key }
    }

    /// The record of a change, which fits this state.
    func record(_ change: AccountChange, of account: SavedAccount, at time: Int64) throws(AccountRefusal) -> Record {
        let name = account.shownName
        guard account.secret != nil else { throw .guest(name) }
        if let table = account.table, change.needsNoSeat { throw .seated(name, table: table) }
        switch change {
        case .credit(let chips):
            guard AccountChange.sum(of: account.chips, credited: chips) != nil else { throw .chips(name, has: account.chips) }
            return .issued(account.id, chips: chips, reason: .credit, time: time)
        case .rename(let new):
            let isInUse = accounts.values.contains { other in
                let known = PlayerName(kept: other.name, of: other.id)
                return other.id != account.id && (known.key == new.key || known.skeleton == new.skeleton)
            }
            guard !isInUse else { throw .nameInUse(new.text) }
            return .renamed(account.id, name: new.text)
        case .disable(let isDisabled): return .disabled(account.id, isDisabled)
        case .secret(let secret): return .secret(account.id, secret.digest)
        case .delete: return .closed(account.id, time: time)
        }
    }
}

extension AccountChange {
    /// Refuses a change that would give a player a name of the host, or the account of a house bot.
    func check(of name: PlayerName, reserved: ReservedNames) throws(AccountRefusal) {
        switch self {
        case .rename(let new): if reserved.contains(new) { throw .reserved(new.text) }
        case .secret: if reserved.contains(name) { throw .reserved(name.text) }
        case .credit, .disable, .delete: break
        }
    }

    /// The chips of an account after a credit; nil for fewer than 0, and for more than ``WireLimits/chips``.
    static func sum(of chips: Int, credited: Int) -> Int? {
        let (sum, overflow) = chips.addingReportingOverflow(credited)
        return !overflow && (0...WireLimits.chips).contains(sum) ? sum : nil
    }

    /// Whether a table that shows the player's name or holds their chips stands in the way.
    var needsNoSeat: Bool {
        switch self {
        case .credit, .rename, .delete: true
        case .disable, .secret: false
        }
    }
}
