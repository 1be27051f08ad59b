import Operations

/// Bans of addresses. See ``BanList``.
extension Directory {
    /// Replaces the bans from the configuration. Bans from other sources stay.
    func configure(bans: AddressBlockSet) {
        // Returned, so that the old set is freed outside the lock.
        _ = banList.withLock { $0.configure(bans) }
    }

    /// Bans a block for the operator. False if the operator's bans have reached the limit.
    /// - Parameter end: end of the ban, in milliseconds; nil for never.
    func ban(_ block: AddressBlock, until end: Int64?, at now: Int64) -> Bool {
        banList.withLock { $0.ban(block, until: end, at: now) }
    }

    /// Lifts the operator's and the automatic ban of exactly this block.
    func unban(_ block: AddressBlock, at now: Int64) -> Unbanning {
        let automatic = budgets.withLock { $0.unban(block, at: now) }
        return banList.withLock { bans in
            let lifted = [bans.unban(block, at: now), automatic].compactMap { $0?.source }
            return Unbanning(lifted: lifted, left: bans.entry(for: block, at: now))
        }
    }

    /// The active bans: at most `limit`, and the number of the others.
    func bans(at now: Int64, limit: Int) -> (entries: [BanList.Entry], others: Int) {
        let automatic = budgets.withLock { $0.bans(at: now) }
        let listed = automatic.prefix(limit)
        let rest = banList.withLock { $0.list(at: now, limit: limit - listed.count) }
        return (listed + rest.entries, automatic.count - listed.count + rest.others)
    }

    /// The ban that covers a whole block, if any.
    func ban(on block: AddressBlock, at now: Int64) -> BanList.Entry? {
        banList.withLock { $0.entry(for: block, at: now) } ?? budgets.withLock { $0.ban(of: block, at: now) }
    }

    /// Whether the configuration or the operator bans an address, which also closes its open connections. An automatic ban
    /// refuses only new connections.
    func isBanned(_ address: IPAddress, at now: Int64) -> Bool { banList.withLock { $0.bans(address, at: now) } }
}

/// The result of lifting the bans of a block.
public struct Unbanning: Sendable, Equatable {
    /// Sources of the lifted bans; empty if there were none.
    public let lifted: [BanList.Source]
    /// The ban that still covers the whole block: its own or that of an enclosing block.
    public let left: BanList.Entry?
}
