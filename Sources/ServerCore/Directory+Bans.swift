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

    /// Lifts the operator's ban of exactly this block.
    func unban(_ block: AddressBlock, at now: Int64) -> Unbanning {
        banList.withLock { bans in
            Unbanning(isLifted: bans.unban(block, at: now) != nil, left: bans.entry(for: block, at: now))
        }
    }

    /// The active bans: at most `limit`, and the number of the others.
    func bans(at now: Int64, limit: Int) -> (entries: [BanList.Entry], others: Int) {
        banList.withLock { $0.list(at: now, limit: limit) }
    }

    /// The ban that covers a whole block, if any.
    func ban(on block: AddressBlock, at now: Int64) -> BanList.Entry? {
        banList.withLock { $0.entry(for: block, at: now) }
    }

    /// Whether the configuration or the operator bans an address, which also closes its open connections.
    func isBanned(_ address: IPAddress, at now: Int64) -> Bool { banList.withLock { $0.bans(address, at: now) } }
}

/// The result of lifting the bans of a block.
public struct Unbanning: Sendable, Equatable {
    /// Whether the operator had banned it.
    public let isLifted: Bool
    /// The ban that still covers the whole block: its own or that of an enclosing block.
    public let left: BanList.Entry?
}
