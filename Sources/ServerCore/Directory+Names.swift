import Fairness
import Records
import TableEngine
import Wire

/// Names, residents and dormant accounts. A name belongs to one of them at every instant: both locks are held for a change between them.
extension Directory {
    /// A player's identity, and where the account is.
    struct PlayerLocation {
        let id: PlayerID
        /// The loop that has the account; nil for a dormant one.
        let loop: Int?
    }

    /// A player whose account is on a loop.
    struct Resident {
        let id: PlayerID
        var loop: Int
        /// Whether the residence is about to end, for another player's.
        var isLeaving = false
    }

    /// The player with a name, or with one that looks like it.
    func location(of name: PlayerName) -> PlayerLocation? {
        let name = FoldedName(name)
        return state.withLock { state in
            if let resident = state.resident(named: name) { return PlayerLocation(id: resident.id, loop: resident.loop) }
            return store.withLock { $0.account(named: name) }.map { PlayerLocation(id: $0.id, loop: nil) }
        }
    }

    /// The dormant account with a name, or with one that looks like it.
    func dormantAccount(named name: PlayerName) -> DormantAccount? {
        let name = FoldedName(name)
        return store.withLock { $0.account(named: name) }
    }

    /// Registers a new player's name on a loop. Returns nil if the name, or one that looks like it, is in use.
    /// - Throws: ``RequestRefusal/serverFull`` if the limit on residents is reached.
    func register(_ name: PlayerName, on loop: Int) throws(RequestRefusal) -> PlayerID? {
        let name = FoldedName(name)
        let result = state.withLock { state -> Result<PlayerID?, RequestRefusal> in
            guard state.resident(named: name) == nil, store.withLock({ $0.account(named: name) }) == nil else {
                return .success(nil)
            }
            guard state.residents < state.configuration.maximumPlayers else { return .failure(.serverFull) }
            state.lastID += 1
            let id = PlayerID(state.lastID)
            state.admit(id, name, on: loop)
            return .success(id)
        }
        return try result.get()
    }

    /// - Parameter name: as passed to ``register(_:on:)``.
    func move(_ name: PlayerName, of id: PlayerID, to loop: Int) {
        let name = FoldedName(name)
        state.withLock { if $0.players[name.key]?.id == id { $0.players[name.key]?.loop = loop } }
    }

    /// Frees the name of a player whose account is not kept.
    /// - Parameter name: as passed to ``register(_:on:)``.
    func forget(_ name: PlayerName, of id: PlayerID) {
        let name = FoldedName(name)
        state.withLock { $0.dismiss(id, name) }
    }

    /// Frees the name of a player whose account is deleted.
    func erase(_ name: PlayerName, of id: PlayerID) {
        let name = FoldedName(name)
        state.withLock { state in
            state.dismiss(id, name)
            state.openAccounts -= 1
        }
    }

    /// Number of name keys and skeletons of residents.
    var knownNames: Int { state.withLock { $0.players.count + $0.keys.count } }

    // MARK: Accounts

    /// Counts a new account, and redeems its invitation. At the limit on accounts the one that may expire makes room whose player left
    /// first.
    /// - Parameters:
    ///   - isGuest: whether the account ends with its connection; such accounts are not counted.
    ///   - record: called with the record of an account that makes room, before its name is free.
    /// - Throws: ``RequestRefusal/inviteNeeded`` for a code that has opened an account, or is none of the house's;
    ///   ``RequestRefusal/serverFull`` at the limit on accounts.
    func open(
        isGuest: Bool, redeeming invite: Digest?, at now: Int64, record: (Record) -> Void
    ) throws(RequestRefusal) {
        let refusal = state.withLock { state -> RequestRefusal? in
            if let invite {
                let isKnown = state.configuration.invites?.digests.contains(invite) ?? true
                guard isKnown, !state.redeemed.contains(invite) else { return .inviteNeeded }
            }
            if !isGuest {
                guard state.openAccounts < state.configuration.maximumAccounts || expireFirst(&state, at: now, record) else {
                    return .serverFull
                }
                state.openAccounts += 1
            }
            if let invite { state.redeemed.insert(invite) }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Ends accounts that have never played and whose players have not been here for ``SavedAccount/expiry``.
    /// - Parameter limit: accounts at most.
    func expireAccounts(limit: Int, at now: Int64, record: (Record) -> Void) {
        for _ in 0..<limit {
            let isDone = state.withLock { state in
                !expireFirst(&state, seenBefore: now - SavedAccount.expiry, at: now, record)
            }
            if isDone { return }
        }
    }

    /// When the next account expires; nil if none may.
    var nextExpiry: Int64? { store.withLock { $0.firstExpiring }.map { $0.lastSeen.milliseconds + SavedAccount.expiry } }

    /// Ends the account that may expire whose player left first.
    /// - Returns: false if there is none.
    private func expireFirst(
        _ state: inout State, seenBefore end: Int64 = .max, at now: Int64, _ record: (Record) -> Void
    ) -> Bool {
        let owners = state.owners
        let expired = store.withLock { store -> DormantAccount? in
            while let account = store.firstExpiring, account.lastSeen.milliseconds <= end {
                let name = FoldedName(PlayerName(kept: account.name, of: account.id))
                guard !owners.contains(name.key) else {
                    store.keepFirstExpiring()
                    continue
                }
                record(.closed(account.id, time: now))
                return store.remove(account.id, name)?.account
            }
            return nil
        }
        guard let expired else { return false }
        state.openAccounts -= 1
        forgetDecisions(of: expired.id)
        metrics.expiredAccounts.add()
        return true
    }

    /// Whether a code has opened an account.
    func hasRedeemed(_ invite: Digest) -> Bool { state.withLock { $0.redeemed.contains(invite) } }

    /// A resident's account becomes dormant.
    func store(_ account: DormantAccount, _ name: PlayerName, answers: [RecentAnswers.Entry]) {
        let name = FoldedName(name)
        state.withLock { state in
            state.dismiss(account.id, name)
            store.withLock { $0.insert(account, name, answers: answers) }
        }
    }

    /// A dormant account becomes a resident's, on a loop.
    /// - Parameter name: of the account, not of a look-alike.
    /// - Returns: nil if it is not dormant any longer.
    /// - Throws: ``RequestRefusal/serverFull`` if the limit on residents is reached.
    func wake(
        _ id: PlayerID, _ name: PlayerName, on loop: Int
    ) throws(RequestRefusal) -> (account: DormantAccount, answers: [RecentAnswers.Entry])? {
        typealias Stored = (account: DormantAccount, answers: [RecentAnswers.Entry])
        let name = FoldedName(name)
        let result = state.withLock { state -> Result<Stored?, RequestRefusal> in
            guard state.residents < state.configuration.maximumPlayers else { return .failure(.serverFull) }
            guard let stored = store.withLock({ $0.remove(id, name) }) else { return .success(nil) }
            state.admit(id, name, on: loop)
            return .success(stored)
        }
        return try result.get()
    }

    /// Changes a resident's name. False if the new one, or one that looks like it, is another player's.
    func rename(_ id: PlayerID, from old: PlayerName, to new: PlayerName) -> Bool {
        let (old, new) = (FoldedName(old), FoldedName(new))
        return state.withLock { state in
            guard let resident = state.players[old.key], resident.id == id, !resident.isLeaving else { return false }
            if let other = state.resident(named: new), other.id != id { return false }
            guard store.withLock({ $0.account(named: new) }) == nil else { return false }
            state.dismiss(id, old)
            state.admit(id, new, on: resident.loop)
            return true
        }
    }

    /// The chips of dormant accounts.
    var ledger: Ledger { store.withLock { $0.ledger } }

    /// Number of accounts with a secret, resident and dormant.
    var openAccounts: Int { state.withLock { $0.openAccounts } }

    /// Number of dormant accounts.
    package var dormantAccounts: Int { store.withLock { $0.count } }
}

extension Directory.State {
    /// Players who take up room: those about to leave do not.
    var residents: Int { players.count - leaving }

    func resident(named name: FoldedName) -> Directory.Resident? {
        players[name.key] ?? keys[name.skeleton].flatMap { players[$0] }
    }

    mutating func admit(_ id: PlayerID, _ name: FoldedName, on loop: Int) {
        players[name.key] = Directory.Resident(id: id, loop: loop)
        keys[name.skeleton] = name.key
    }

    /// Ends a residence and frees the name, unless another player has it.
    fileprivate mutating func dismiss(_ id: PlayerID, _ name: FoldedName) {
        away.remove(id)
        guard let resident = players[name.key], resident.id == id else { return }
        if resident.isLeaving { leaving -= 1 }
        players[name.key] = nil
        keys[name.skeleton] = nil
    }
}
