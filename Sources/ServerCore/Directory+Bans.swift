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

    /// Bans a block by a rule of the server's own. False when as many are banned as may be.
    /// - Parameter end: the moment it ends, in milliseconds.
    @discardableResult
    func banAutomatically(_ block: AddressBlock, until end: Int64, at now: Int64) -> Bool {
        banList.withLock { $0.banAutomatically(block, until: end, at: now) }
    }

    /// Lifts what the operator and the server itself have banned of this very block.
    func unban(_ block: AddressBlock, at now: Int64) -> Unbanning {
        banList.withLock { bans in
            let lifted = bans.unban(block, at: now).map(\.source)
            return Unbanning(lifted: lifted, left: bans.entry(for: block, at: now))
        }
    }

    /// The bans that have not ended, at most so many, and how many others there are.
    func bans(at now: Int64, limit: Int) -> (entries: [BanList.Entry], others: Int) {
        banList.withLock { $0.list(at: now, limit: limit) }
    }

    /// The ban that keeps a block out, if any does.
    func ban(on block: AddressBlock, at now: Int64) -> BanList.Entry? { banList.withLock { $0.entry(for: block, at: now) } }

    /// Whether the host keeps an address out, not only the server itself for a while: connections from there are closed.
    func isBannedByHost(_ address: IPAddress, at now: Int64) -> Bool { banList.withLock { $0.hostBans(address, at: now) } }

    /// Whether an address is kept out.
    func isBanned(_ address: IPAddress, at now: Int64) -> Bool { banList.withLock { $0.bans(address, at: now) } }
}

/// What became of lifting the ban of a block.
public struct Unbanning: Sendable, Equatable {
    /// Who banned this very block and does not any more; empty if nobody did.
    public let lifted: [BanList.Source]
    /// The ban that keeps all of the block out still: of itself or of one around it.
    public let left: BanList.Entry?
}
