import Fairness
import TableEngine
import Wire

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
    /// Time of the first sit, in milliseconds since 1970.
    var created: Int64
    var isBot: Bool
    var isDisabled: Bool
    /// See ``SavedAccount/mayExpire``.
    var mayExpire: Bool
    /// Time at which the player was here last.
    var lastSeen: UnixSecond
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
    /// Accounts whose remembered answers are kept, of the latest to become dormant: 5 KB each.
    static let answeringAccounts = 1024

    /// nil for a vacant slot.
    private var slots: [DormantAccount?] = []
    private var vacant: [UInt32] = []
    /// Slots by the hash of a name's key and of its skeleton.
    private var keys: [Int: UInt32] = [:]
    private var skeletons: [Int: UInt32] = [:]
    /// Slots of accounts that may expire, in the order in which their players left.
    private var expiring = OrderedQueue<UInt32>()
    private var answers: [PlayerID: [RecentAnswers.Entry]] = [:]
    private var answering = OrderedQueue<PlayerID>()
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

    /// Keeps the first account that may expire: it owns a table.
    mutating func keepFirstExpiring() { if let first = expiring.first { expiring.remove(first) } }

    /// The account with a name, or with one that looks like it.
    func account(named name: FoldedName) -> DormantAccount? {
        (keys[name.key.digest] ?? skeletons[name.skeleton.digest]).flatMap { slots[Int($0)] }
    }

    /// - Parameter name: of the account; no other account has it.
    mutating func insert(_ account: DormantAccount, _ name: FoldedName, answers: [RecentAnswers.Entry]) {
        precondition(self.account(named: name) == nil, "one name has one account")
        bank &-= account.chips
        let slot = vacant.popLast() ?? UInt32(slots.count)
        if slot == slots.count { slots.append(account) } else { slots[Int(slot)] = account }
        keys[name.key.digest] = slot
        skeletons[name.skeleton.digest] = slot
        if account.mayExpire { expiring.append(slot) }
        guard !answers.isEmpty else { return }
        if answering.count == Self.answeringAccounts, let oldest = answering.first {
            answering.remove(oldest)
            self.answers[oldest] = nil
        }
        answering.append(account.id)
        self.answers[account.id] = answers
    }

    /// - Parameter name: of the account, not of a look-alike.
    /// - Returns: nil if the account is not here.
    mutating func remove(_ id: PlayerID, _ name: FoldedName) -> (account: DormantAccount, answers: [RecentAnswers.Entry])? {
        guard let slot = keys[name.key.digest], let account = slots[Int(slot)], account.id == id else { return nil }
        bank &+= account.chips
        slots[Int(slot)] = nil
        if account.mayExpire { expiring.remove(slot) }
        vacant.append(slot)
        keys[name.key.digest] = nil
        skeletons[name.skeleton.digest] = nil
        let answers = answers.removeValue(forKey: id) ?? []
        if !answers.isEmpty { answering.remove(id) }
        return (account, answers)
    }
}
