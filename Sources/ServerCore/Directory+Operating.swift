import Records
import TableEngine
import Wire

/// An operator's view and changes of dormant accounts.
///
/// An account is either resident, confined to the loop where its player is connected or seated, or dormant, in the directory's store.
/// A loop changes a resident one without a lock; a dormant one is changed here under two: `state` (names in use, residents), then
/// `store`, always in that order. Holding both keeps the account from waking between the check of the name and
/// the change. The record is handed over inside the locks, before a login can see the change and write records that presume it.
extension Directory {
    /// Accounts read under one lock: some 50 µs.
    private static let accountsPerLock = 1024

    /// The dormant accounts. One that wakes or falls asleep meanwhile may be missing, or be there although it is resident.
    var dormantAccountList: [DormantAccount] {
        var list: [DormantAccount] = []
        var next = 0
        while true {
            let (part, count) = store.withLock { ($0.accounts(inSlots: next..<next + Self.accountsPerLock), $0.slotCount) }
            list += part
            next += Self.accountsPerLock
            if next >= count { return list }
        }
    }

    /// Changes a dormant account.
    /// - Parameters:
    ///   - name: in any case; a name that only looks like it is another.
    ///   - record: called with the record of the change before anybody sees it.
    /// - Returns: the account after the change; nil if it is not dormant.
    func change(
        _ name: PlayerName, _ change: AccountChange, at time: Int64, record: (Record) -> Void
    ) throws(AccountRefusal) -> AccountSummary? {
        let folded = FoldedName(name)
        let newName: PlayerName? = if case .rename(let new) = change { new } else { nil }
        let foldedNew = newName.map { FoldedName($0) }
        let result = state.withLock { state in
            Result { () throws(AccountRefusal) -> AccountSummary? in
                let isInUse = foldedNew.map { state.resident(named: $0) != nil } ?? false
                let result = store.withLock { store in
                    Result { () throws(AccountRefusal) -> AccountSummary? in
                        guard let account = store.account(named: folded), account.isNamed(name) else { return nil }
                        if isInUse, let newName { throw .nameInUse(newName.text) }
                        return try store.change(account, folded, change, foldedNew, at: time, record: record)
                    }
                }
                let changed = try result.get()
                if changed != nil, change == .delete { state.openAccounts -= 1 }
                return changed
            }
        }
        return try result.get()
    }

    /// The dormant account with a name, in any case; a name that only looks like it is another.
    func dormantAccount(of name: PlayerName) -> DormantAccount? {
        dormantAccount(named: name).flatMap { $0.isNamed(name) ? $0 : nil }
    }

    /// Whether a player has this name, in any case, and not one that only looks like it.
    func hasName(_ name: PlayerName) -> Bool {
        let folded = FoldedName(name)
        return state.withLock { $0.players[folded.key] != nil } || dormantAccount(of: name) != nil
    }
}

extension DormantAccount {
    fileprivate func isNamed(_ name: PlayerName) -> Bool { (try? PlayerName(self.name))?.key == name.key }
}

extension AccountStore {
    fileprivate mutating func change(
        _ account: DormantAccount, _ name: FoldedName, _ change: AccountChange, _ newName: FoldedName?, at time: Int64,
        record: (Record) -> Void
    ) throws(AccountRefusal) -> AccountSummary {
        var changed = account
        switch change {
        case .credit(let chips):
            guard let sum = AccountChange.sum(of: account.chips, credited: chips) else {
                throw .chips(account.name, has: account.chips)
            }
            changed.chips = sum
            changed.issued &+= chips
            changed.mayExpire = false
            record(.issued(account.id, chips: chips, reason: .credit, time: time))
        case .rename(let new):
            if let newName, let other = self.account(named: newName), other.id != account.id { throw .nameInUse(new.text) }
            (changed.name, changed.mayExpire) = (new.text, false)
            record(.renamed(account.id, name: new.text))
        case .disable(let isDisabled):
            (changed.isDisabled, changed.mayExpire) = (isDisabled, false)
            record(.disabled(account.id, isDisabled))
        case .secret(let secret):
            (changed.digest, changed.mayExpire) = (secret.digest, false)
            record(.secret(account.id, secret.digest))
        case .delete: record(.closed(account.id, time: time))
        }
        if change == .delete || newName != nil {
            let answers = remove(account.id, name)?.answers ?? []
            if let newName { insert(changed, newName, answers: answers) }
        } else {
            update(name) { $0 = changed }
        }
        return AccountSummary(changed)
    }
}
