import Fairness
import Records
import Sockets
import TableEngine
import Wire

/// A resident player: the account, and what the server knows of the player.
final class Account {
    let id: PlayerID
    /// Changed by ``Shard/apply(_:to:)`` and by the facts of its table. Has no chips until the account opens.
    var state: AccountState
    /// The name in the player's spelling.
    var name: PlayerName
    /// The chips with which the account opens, at the first sit. nil once it is open.
    var firstChips: Int?
    /// The table with the player's other chips; nil without a seat.
    var table: HostedTable?
    /// The session that acts for the player; nil while they are away.
    var session: Session?
    /// End of the time for which an absent player's seat is kept, in milliseconds.
    var heldUntil: Int64 = 0
    /// Whether the player counts as connected since a restart, until ``heldUntil``.
    var isExpected = false
    /// The last connection's address; nil for a peer without one.
    var address: IPAddress?
    /// Whether limits on the address apply.
    var isLimited = false
    /// Whether the player was kicked, and leaves the table at the end of the hand.
    var isKicked = false
    /// Whether the player stops being a resident as soon as they have left the table.
    var isExpired = false
    /// Whether the player has left by a connection that asked for the account to end then.
    var isBrief = false
    /// Results of recent rounds, for a player who comes back. No exclusive access checks: one loop, and no access spans a call to foreign code.
    @exclusivity(unchecked) var results = RecentResults()
    /// Kept here, not in the session, so that neither a new connection nor a logout refills them.
    var budgets: PlayerBudgets

    /// - Parameter firstChips: nil for an account that is open.
    init(_ state: AccountState, _ budgets: PlayerBudgets = PlayerBudgets(), firstChips: Int? = nil) {
        id = state.id
        self.state = state
        name = state.playerName
        self.firstChips = firstChips
        self.budgets = budgets
    }

    var isOpen: Bool { firstChips == nil }

    /// Whether the account outlives the player's leaving.
    var lasts: Bool { state.lasts && !isBrief }

    /// Chips to show: a new player has them before the first sit, which issues them.
    var shownChips: Int { firstChips ?? state.chips }
}

extension AccountSecret {
    /// The SHA-256 of the secret: the server stores nothing else of it.
    var digest: Digest { SHA256.hash(bytes) }

    /// Compares digests in constant time.
    func opens(_ digest: Digest) -> Bool { self.digest.isSame(as: digest) }
}

/// The state of a player's rate limits.
struct PlayerBudgets: Equatable, Sendable {
    var chat = TokenBucket()
    /// Reactions, within those of chat.
    var reactions = TokenBucket()
    /// Questions about the past, and charts.
    var questions = TokenBucket()
    /// Questions for pages of history.
    var pages = TokenBucket()
    /// Of a relayed connection, which may return.
    var requests = TokenBucket()
}

/// Budgets of the players who left last, so that returning does not refill them.
struct UsedBudgets: Sendable {
    static let capacity = 1024

    private var used: [PlayerID: PlayerBudgets] = [:]
    private var recent = OrderedQueue<PlayerID>()

    /// A full budget takes no room from another.
    mutating func keep(_ budgets: PlayerBudgets, of id: PlayerID) {
        guard budgets != PlayerBudgets() else { return }
        if used[id] != nil {
            recent.remove(id)
        } else if used.count == Self.capacity, let oldest = recent.first {
            recent.remove(oldest)
            used[oldest] = nil
        }
        recent.append(id)
        used[id] = budgets
    }

    subscript(id: PlayerID) -> PlayerBudgets { used[id] ?? PlayerBudgets() }
}

/// The dormant accounts, by name: those without a connection and without chips at a table. About 300 bytes each, since names are kept as
/// hashes.
struct AccountStore: Sendable {
    /// nil for a vacant slot.
    private var slots: [AccountState?] = []
    private var vacant: [UInt32] = []
    /// Of slots.
    private var names = NameIndex<UInt32>()
    /// Slots of replaceable accounts, in the order in which their players left.
    private var replaceable = OrderedQueue<UInt32>()
    /// The chips of all accounts.
    private(set) var chips = 0

    var count: Int { slots.count - vacant.count }

    /// Every account, in no particular order.
    var accounts: some Sequence<AccountState> { slots.lazy.compactMap(\.self) }

    /// The accounts in a range of slots. In slices, so that the loop is not held up.
    func accounts(inSlots range: Range<Int>) -> [AccountState] { slots[range.clamped(to: slots.indices)].compactMap(\.self) }

    /// Number of slots, vacant ones included.
    var slotCount: Int { slots.count }

    /// The replaceable account whose player left first.
    var firstReplaceable: AccountState? { replaceable.first.flatMap { slots[Int($0)] } }

    /// The account with a name, case-insensitively.
    func account(named name: FoldedName) -> AccountState? { names[name].flatMap { slots[Int($0)] } }

    /// The account with a name, or with one that looks like it.
    func account(like name: FoldedName) -> AccountState? { names.place(like: name).flatMap { slots[Int($0)] } }

    /// - Parameter name: of the account; no other account has it.
    mutating func insert(_ account: AccountState, _ name: FoldedName) {
        precondition(self.account(like: name) == nil, "one name has one account")
        chips &+= account.chips
        let slot = vacant.popLast() ?? UInt32(slots.count)
        if slot == slots.count { slots.append(account) } else { slots[Int(slot)] = account }
        names.insert(slot, name)
        if account.isReplaceable { replaceable.append(slot) }
    }

    /// A match with a round of an account is over.
    mutating func count(_ match: Evening.Match, _ id: PlayerID, _ name: FoldedName) {
        if let slot = names[name], slots[Int(slot)]?.id == id { slots[Int(slot)]?.count(match) }
    }

    /// - Parameter name: of the account, not of a look-alike.
    /// - Returns: nil if the account is not here.
    @discardableResult
    mutating func remove(_ id: PlayerID, _ name: FoldedName) -> AccountState? {
        guard let slot = names[name], let account = slots[Int(slot)], account.id == id else { return nil }
        chips &-= account.chips
        slots[Int(slot)] = nil
        if account.isReplaceable { replaceable.remove(slot) }
        vacant.append(slot)
        names.remove(slot, name)
        return account
    }
}

/// An operator's change of an account.
public enum AccountChange: Sendable, Equatable {
    /// Adds chips from the bank; negative: returns chips to it.
    case credit(Int)
    case rename(PlayerName)
    /// Disables or enables logins.
    case disable(Bool)
    case secret(AccountSecret)
    /// Erases name and secret; the chips return to the bank.
    case delete
}

/// Why an operator's change of an account is refused, without effect.
public enum AccountRefusal: Error, Equatable, Sendable {
    case noSuchAccount(String)
    /// A guest has no lasting account.
    case guest(String)
    /// The change needs a player without a seat.
    case seated(String, table: String)
    /// The account would have fewer than 0 chips, or more than ``WireLimits/chips``.
    case chips(String, has: Int)
    case nameInUse(String)
    /// The name is reserved for the host.
    case reserved(String)
    /// The player was changing tables at every attempt.
    case moving(String)
    /// The registry does not answer.
    case unknown(String)
    /// Another server of the house has the account.
    case elsewhere(String, server: String)
    /// The server stops, and its journal is closed.
    case stopping

    /// The refusal's code, for programs.
    public var code: String {
        switch self {
        case .noSuchAccount: "no_such_account"
        case .guest: "guest"
        case .seated: "seated"
        case .chips: "invalid_chips"
        case .nameInUse: "name_in_use"
        case .reserved: "reserved_name"
        case .moving, .unknown: "try_again"
        case .elsewhere: "elsewhere"
        case .stopping: "shutting_down"
        }
    }
}

extension AccountRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchAccount(let name): "There is no account \(name). A player gets one by taking a seat."
        case .guest(let name): "\(name) is a guest, whose account ends with the connection."
        case .seated(let name, let table): "\(name) has a seat at table \(table) and must leave it first."
        case .chips(let name, let has): "\(name) has \(has) chips; an account can have 0 to \(WireLimits.chips)."
        case .nameInUse(let name): "The name \(name) is in use, or looks like one in use."
        case .reserved(let name): "The name \(name) is reserved for the host and its bots."
        case .moving(let name): "\(name) is moving to another table: try again."
        case .unknown(let name): "The database does not respond, so the server of \(name) is unknown: try again."
        case .elsewhere(let name, let server): "\(name) is on another server of the house: ask \(server)."
        case .stopping: "The server is stopping: ask again after its restart."
        }
    }
}

/// An account as operators see it.
@dynamicMemberLookup
public struct AccountSummary: Sendable, Equatable {
    public let account: AccountState
    public let name: String
    /// Chips at the table, without open bets.
    public let chipsAtTable: Int
    public let isConnected: Bool
    /// Whether the account is in its database row, because its player is away.
    public private(set) var isInRow = false

    /// An account that is in its row; nil if it is elsewhere.
    init?(away row: AccountRow) {
        guard row.place == 0, let state = row.state else { return nil }
        self.init(dormant: state)
        isInRow = true
    }

    init(_ account: AccountState, name: String, at table: Table?, isConnected: Bool) {
        (self.account, self.name, self.isConnected) = (account, name, isConnected)
        chipsAtTable = table?.bankroll(of: account.id) ?? 0
    }

    /// An account of a running server without a resident player.
    init(dormant account: AccountState) { self.init(account, name: account.name, at: nil, isConnected: false) }

    /// The order by name.
    public static func precedes(_ a: Self, _ b: Self) -> Bool { (a.name, a.id.rawValue) < (b.name, b.id.rawValue) }

    public subscript<Value>(dynamicMember path: KeyPath<AccountState, Value>) -> Value { account[keyPath: path] }
}

extension Account {
    var summary: AccountSummary {
        AccountSummary(state, name: name.text, at: table?.engine, isConnected: session != nil)
    }
}

extension AccountState {
    /// The changed account and the record of the change, for resident and dormant accounts. The caller checks that a new name is free.
    func changed(by change: AccountChange, at time: Int64) throws(AccountRefusal) -> (account: AccountState, record: Record) {
        let name = playerName.text
        if isGuest { throw .guest(name) }
        if let table, change.needsNoSeat { throw .seated(name, table: table) }
        let record: Record
        switch change {
        case .credit(let chips):
            let (sum, overflow) = self.chips.addingReportingOverflow(chips)
            guard !overflow, (0...WireLimits.chips).contains(sum) else { throw .chips(name, has: self.chips) }
            record = .issued(id, chips: chips, reason: .credit, time: time)
        case .rename(let new): record = .renamed(id, name: new.text)
        case .disable(let isDisabled): record = .disabled(id, isDisabled)
        case .secret(let secret): record = .secret(id, secret.digest)
        case .delete: record = .closed(id, time: time)
        }
        var changed = self
        changed.follow(record)
        return (changed, record)
    }

    /// Applies a record that was made for this account.
    mutating func follow(_ record: Record) {
        do { try apply(record) } catch { preconditionFailure("our own record fits: \(error)") }
    }
}

extension SavedState {
    /// The account with a name, case-insensitively; look-alikes do not count.
    public func account(named text: String) -> AccountState? {
        // Folding 100,000 names takes half a second, so the exact name is tried first.
        if let account = accounts.values.first(where: { $0.name == text }) { return account }
        guard let key = (try? PlayerName(text))?.key else { return nil }
        return accounts.values.first { $0.playerName.key == key }
    }
}

extension AccountChange {
    /// Refuses to rename a player to a reserved name, and to change a house bot's account.
    func check(of name: PlayerName, reserved: ReservedNames) throws(AccountRefusal) {
        switch self {
        case .rename(let new): if reserved.contains(new) { throw .reserved(new.text) }
        case .secret: if reserved.contains(name) { throw .reserved(name.text) }
        case .credit, .disable, .delete: break
        }
    }

    /// Whether the player must have no seat: a table shows the name and holds the chips.
    fileprivate var needsNoSeat: Bool {
        switch self {
        case .credit, .rename, .delete: true
        case .disable, .secret: false
        }
    }
}
