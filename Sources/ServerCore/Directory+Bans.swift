import Operations

/// Which addresses are kept out, and by whom. See ``BanList``.
extension Directory {
    /// Bans what the configuration says from now on, and nothing else that it said before. Bans by others stay.
    func configure(bans: AddressBlockSet) {
        // The former set is freed after the lock is.
        _ = banList.withLock { $0.configure(bans) }
    }

    /// Bans a block for the operator. False when the operator bans as many as may be.
    /// - Parameter end: the moment it ends, in milliseconds; nil for never.
    func ban(_ block: AddressBlock, until end: Int64?, at now: Int64) -> Bool {
        banList.withLock { $0.ban(block, until: end, at: now) }
    }

    /// Lifts the operator's and the automatic ban of this very block.
    func unban(_ block: AddressBlock, at now: Int64) -> Unbanning {
        let automatic = budgets.withLock { $0.unban(block, at: now) }
        return banList.withLock { bans in
            let lifted = [bans.unban(block, at: now), automatic].compactMap { $0?.source }
            return Unbanning(lifted: lifted, left: bans.entry(for: block, at: now))
        }
    }

    /// The bans that have not ended: at most `limit`, and the number of the others.
    func bans(at now: Int64, limit: Int) -> (entries: [BanList.Entry], others: Int) {
        let automatic = budgets.withLock { $0.bans(at: now) }
        let listed = automatic.prefix(limit)
        let rest = banList.withLock { $0.list(at: now, limit: limit - listed.count) }
        return (listed + rest.entries, automatic.count - listed.count + rest.others)
    }

    /// The ban that keeps a whole block out, if any does.
    func ban(on block: AddressBlock, at now: Int64) -> BanList.Entry? {
        banList.withLock { $0.entry(for: block, at: now) } ?? budgets.withLock { $0.ban(of: block, at: now) }
    }

    /// Whether the configuration or the operator bans an address: its open connections are closed, too.
    /// An automatic ban keeps out newcomers alone.
    func isBanned(_ address: IPAddress, at now: Int64) -> Bool { banList.withLock { $0.bans(address, at: now) } }
}

/// What became of lifting the ban of a block.
public struct Unbanning: Sendable, Equatable {
    /// Who banned this very block and does not any more; empty if nobody did.
    public let lifted: [BanList.Source]
    /// The ban that keeps all of the block out still: of itself or of one around it.
    public let left: BanList.Entry?
}
