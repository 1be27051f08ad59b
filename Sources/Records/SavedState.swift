import Fairness
import Rules
import TableEngine
import Wire

/// The state of a server as its records give it: what a start restores and a checkpoint keeps.
public struct SavedState: Equatable, Sendable {
    /// The id of the house: 16 hexadecimal digits.
    public package(set) var house: String
    /// The highest account id so far.
    public internal(set) var lastID: UInt64 = 0
    /// Chips of the bank: the negative of everything issued. Wraps around instead of trapping, as the sums of tables do.
    public internal(set) var bank = 0
    public internal(set) var former = FormerTables()
    public internal(set) var accounts: [PlayerID: SavedAccount] = [:]
    /// Open tables by name.
    public internal(set) var tables: [String: SavedTable] = [:]
    /// Proofs of tables that are closed and forgotten, those closed last at the end.
    package internal(set) var formerProofs: [FormerProofs] = []
    /// Decisions of owners by the table's name, also of tables that are not open.
    public internal(set) var decisions: [String: OwnerDecisions] = [:]
    /// Banned address blocks with the end of each ban in milliseconds since 1970; nil: for ever.
    public internal(set) var bans: [String: Int64?] = [:]
    /// Used invitations, by the SHA-256 of their codes, with the account that used each.
    public internal(set) var invitations: [Digest: PlayerID] = [:]
    /// The latest time of any record, in milliseconds since 1970.
    public internal(set) var time: Int64 = 0
    /// The program version of the last start; empty before the first.
    public internal(set) var version = ""
    /// Whether the last start was followed by a stop: nothing was cut off.
    public internal(set) var isStopped = true

    public init(house: String) { self.house = house }

    /// Bank + accounts + chips brought to tables less those taken + the net of former tables. Always 0: chips are conserved.
    ///
    /// Sums over all accounts and tables; ``apply(_:at:)`` checks each table that it touches.
    public var ledger: Int {
        var sum = bank &+ former.houseNet
        for account in accounts.values { sum &+= account.chips }
        for saved in tables.values { sum &+= saved.table.chipsOnTable &+ saved.table.houseNet }
        return sum
    }
}

/// The totals of tables that are closed and forgotten.
public struct FormerTables: Hashable, Sendable {
    public var tables = 0
    public var rounds = 0
    /// In chips; negative: the house lost.
    public var houseNet = 0

    public init() {}
}

/// An account as records give it.
public struct SavedAccount: Equatable, Sendable {
    public internal(set) var id: PlayerID
    public internal(set) var name: String
    public internal(set) var isBot: Bool
    /// The SHA-256 of the secret; nil for a guest.
    public internal(set) var secret: Digest?
    /// Chips that are not at a table.
    public internal(set) var chips: Int
    /// All chips issued so far, corrections included.
    public internal(set) var issued: Int
    public internal(set) var isDisabled = false
    /// The time of the first sit, in milliseconds since 1970.
    public internal(set) var created: Int64
    /// When the player was here last, in milliseconds since 1970, to the hour. Older records do not say: the first sit then.
    public internal(set) var lastSeen: Int64
    /// Whether the account goes after ``expiry`` without its player: it has played no round, used no invitation, and the host has not
    /// changed it.
    public internal(set) var mayExpire = false
    /// The time of the last rebuy, in milliseconds since 1970; nil before the first.
    public internal(set) var lastRebuy: Int64?
    /// The table that holds the other chips.
    public internal(set) var table: String?
    /// The last answers, oldest first, at most `WireLimits.retries`.
    public internal(set) var answers: [SavedAnswer] = []

    /// Milliseconds without its player after which an account that never played goes.
    public static let expiry: Int64 = 7 * 86_400_000
}

/// An answer that a retry gets.
public struct SavedAnswer: Equatable, Sendable {
    public var id: RequestID
    public var request: ClientMessage
    public var answer: RecordedAnswer
    /// The time of the latest record before it, in milliseconds since 1970.
    public var time: Int64
}

/// An open table as records give it.
public struct SavedTable: Equatable, Sendable {
    public internal(set) var table: Table
    /// The pass phrase; nil: everybody may sit.
    public internal(set) var pass: String?
    /// The account that owns the table; nil: the house.
    public let owner: PlayerID?
    /// In milliseconds since 1970.
    public let opened: Int64
    /// The time of the last facts, in milliseconds since 1970.
    public internal(set) var time: Int64

    public var rules: HouseRules { table.rules }
    public var pace: Pace { table.pace }
}
