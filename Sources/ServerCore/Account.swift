import Fairness
import Records
import Sockets
import TableEngine
import Wire

/// A resident player's account: chips, table and recent answers. Confined to the loop that has it.
final class Account {
    let id: PlayerID
    var name: PlayerName
    let isBot: Bool
    /// SHA-256 of the secret's bytes; nil for a guest, whose account ends with the connection.
    var digest: Digest?
    /// Chips that are not at a table.
    var chips = 0
    /// The chips with which the account opens.
    let firstChips: Int
    /// Whether the account has its chips: from the first login on, a guest's from the first sit on.
    var isOpen = false
    /// Time at which the house last gave chips, in milliseconds.
    var stakedAt: Int64 = 0
    /// All chips issued so far, corrections included.
    var issued = 0
    /// When the account was opened, in milliseconds since 1970.
    var created: Int64 = 0
    /// Time at which the player was here last, in milliseconds since 1970, as recorded.
    var lastSeen: Int64 = 0
    /// See ``SavedAccount/mayExpire``.
    var mayExpire = false
    /// Whether the host refuses its logins.
    var isDisabled = false
    /// The table that holds the other chips.
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
    /// Whether the player stops being a resident as soon as they have left the table.
    var isExpired = false
    /// No exclusive access checks: one loop, and no access spans a call to foreign code.
    @exclusivity(unchecked) var answers = RecentAnswers()
    /// Results of recent rounds, for `resume`.
    @exclusivity(unchecked) var results = RecentResults()
    /// Rate limit on chat. Kept here, not in the session, so that neither a new connection nor a logout refills it.
    var chat = TokenBucket()
    /// Rate limit on questions about the past and on charts, kept here for the same reason.
    var questions = TokenBucket()

    /// A new player, whose account is not open yet.
    init(id: PlayerID, name: PlayerName, digest: Digest?, isBot: Bool, firstChips: Int) {
        self.id = id
        self.name = name
        self.digest = digest
        self.isBot = isBot
        self.firstChips = firstChips
    }

    /// A dormant account that becomes resident.
    init(_ account: DormantAccount, name: PlayerName, _ recent: RecentActivity) {
        id = account.id
        self.name = name
        digest = account.digest
        isBot = account.isBot
        chips = account.chips
        firstChips = account.chips
        isOpen = true
        stakedAt = account.stakedAt
        (issued, created, lastSeen) = (account.issued, account.created, account.lastSeen.milliseconds)
        mayExpire = account.mayExpire
        isDisabled = account.isDisabled
        answers = RecentAnswers(recent.answers)
        (chat, questions) = (recent.chat, recent.questions)
    }

    /// Kept when the account becomes dormant.
    var recentActivity: RecentActivity { RecentActivity(answers: answers.all, chat: chat, questions: questions) }

    var isGuest: Bool { digest == nil }

    /// Chips to show: a guest has theirs before the first sit, which issues them.
    var shownChips: Int { isOpen ? chips : firstChips }

    /// The account without its player; nil for a guest's and for one that is not open.
    var dormant: DormantAccount? {
        guard isOpen, let digest else { return nil }
        return DormantAccount(
            id: id, name: name.text, chips: chips, digest: digest, stakedAt: stakedAt, issued: issued,
            created: created, isBot: isBot, isDisabled: isDisabled, mayExpire: mayExpire,
            lastSeen: UnixSecond(milliseconds: lastSeen))
    }
}

extension AccountSecret {
    /// The only trace of a secret that the server keeps.
    var digest: Digest { SHA256.hash(bytes) }

    /// Compares digests in a time that does not depend on them.
    func opens(_ digest: Digest) -> Bool {
        zip(self.digest.bytes, digest.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// An account without a resident player: nobody is connected, and no table holds its chips.
struct DormantAccount: Sendable {
    var id: PlayerID
    /// The name as its owner wrote it.
    var name: String
    var chips: Int
    /// SHA-256 of the secret's bytes.
    var digest: Digest
    /// Time at which the house last gave chips, in milliseconds.
    var stakedAt: Int64
    /// All chips issued so far, corrections included.
    var issued: Int
    /// When the account was opened, in milliseconds since 1970.
    var created: Int64
    var isBot: Bool
    var isDisabled: Bool
    /// See ``SavedAccount/mayExpire``.
    var mayExpire: Bool
    /// Time at which the player was here last.
    var lastSeen: UnixSecond
}

/// An account's last requests: answers for retries, and what its player has used of its budgets.
struct RecentActivity: Sendable {
    var answers: [RecentAnswers.Entry] = []
    var chat = TokenBucket()
    var questions = TokenBucket()

    var isEmpty: Bool { answers.isEmpty && chat == TokenBucket() && questions == TokenBucket() }
}

/// Seconds since 1970, up to 2106, in 4 bytes.
struct UnixSecond: Equatable {
    private let seconds: UInt32

    /// Rounds down to a second.
    init(milliseconds: Int64) { seconds = UInt32(clamping: milliseconds / 1000) }

    var milliseconds: Int64 { Int64(seconds) * 1000 }
}

/// The dormant accounts, found by name. About 200 bytes for an account, whose names are kept as hashes.
///
/// A name is in use if a hash of 64 bits says so: a collision of the seeded hash, one in 10^14 for 100,000 names, refuses a free name.
struct AccountStore: Sendable {
    /// Accounts whose recent activity is kept, of the latest to become dormant: 5 KB each.
    static let recentAccounts = 1024

    /// nil for a vacant slot.
    private var slots: [DormantAccount?] = []
    private var vacant: [UInt32] = []
    /// Slots by the hash of a name's key and of its skeleton.
    private var keys: [Int: UInt32] = [:]
    private var skeletons: [Int: UInt32] = [:]
    /// Slots of accounts that may expire, in the order in which their players left.
    private var expiring = OrderedQueue<UInt32>()
    private var activities: [PlayerID: RecentActivity] = [:]
    private var recent = OrderedQueue<PlayerID>()
    /// Minus the chips that arrived with accounts, plus those that left.
    private var bank = 0

    var count: Int { slots.count - vacant.count }

    /// The chips of all accounts, and minus those that came in: the sum is always 0.
    var ledger: Ledger { Ledger(bank: bank, accounts: accounts.reduce(0) { $0 &+ $1.chips }) }

    /// Every account, in no particular order.
    var accounts: some Sequence<DormantAccount> { slots.lazy.compactMap(\.self) }

    /// The accounts in a range of slots: a part of all, so that the lock is held for a short time.
    func accounts(inSlots range: Range<Int>) -> [DormantAccount] { slots[range.clamped(to: slots.indices)].compactMap(\.self) }

    /// Number of slots, vacant ones included.
    var slotCount: Int { slots.count }

    /// Changes an account; its name and id stay.
    /// - Parameter name: of the account, not of a look-alike.
    mutating func update(_ name: FoldedName, _ body: (inout DormantAccount) -> Void) {
        guard let slot = keys[name.key.digest], var account = slots[Int(slot)] else { return }
        bank &+= account.chips
        let mayExpire = account.mayExpire
        body(&account)
        bank &-= account.chips
        slots[Int(slot)] = account
        if mayExpire, !account.mayExpire { expiring.remove(slot) }
    }

    /// The account that may expire whose player left first.
    var firstExpiring: DormantAccount? { expiring.first.flatMap { slots[Int($0)] } }

    /// The account with a name, or with one that looks like it.
    func account(named name: FoldedName) -> DormantAccount? {
        (keys[name.key.digest] ?? skeletons[name.skeleton.digest]).flatMap { slots[Int($0)] }
    }

    /// - Parameter name: of the account; no other account has it.
    mutating func insert(_ account: DormantAccount, _ name: FoldedName, _ activity: RecentActivity) {
        precondition(self.account(named: name) == nil, "one name has one account")
        bank &-= account.chips
        let slot = vacant.popLast() ?? UInt32(slots.count)
        if slot == slots.count { slots.append(account) } else { slots[Int(slot)] = account }
        keys[name.key.digest] = slot
        skeletons[name.skeleton.digest] = slot
        if account.mayExpire { expiring.append(slot) }
        guard !activity.isEmpty else { return }
        if recent.count == Self.recentAccounts, let oldest = recent.first {
            recent.remove(oldest)
            activities[oldest] = nil
        }
        recent.append(account.id)
        activities[account.id] = activity
    }

    /// - Parameter name: of the account, not of a look-alike.
    /// - Returns: nil if the account is not here.
    mutating func remove(_ id: PlayerID, _ name: FoldedName) -> (account: DormantAccount, activity: RecentActivity)? {
        guard let slot = keys[name.key.digest], let account = slots[Int(slot)], account.id == id else { return nil }
        bank &+= account.chips
        slots[Int(slot)] = nil
        if account.mayExpire { expiring.remove(slot) }
        vacant.append(slot)
        keys[name.key.digest] = nil
        skeletons[name.skeleton.digest] = nil
        let activity = activities.removeValue(forKey: id)
        if activity != nil { recent.remove(id) }
        return (account, activity ?? RecentActivity())
    }
}

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
        case .noSuchAccount(let name): "There is no account \(name). A name gets an account at its first login with a secret."
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
    /// When the account was opened, in milliseconds since 1970.
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
