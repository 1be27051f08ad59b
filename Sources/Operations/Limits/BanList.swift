/// Blocks of addresses that the configuration or the operator bans; each ban has its own end. A block is banned until both have ended.
/// Lookups take the same time for any number of bans.
public struct BanList: Sendable {
    /// The source of a ban.
    public enum Source: String, CaseIterable, Sendable {
        /// Settings: replaced as a whole, without end.
        case configuration
        /// `bjserver ctl ban`.
        case `operator`
    }

    /// A ban: block, source and end.
    public struct Entry: Sendable, Equatable {
        public let block: AddressBlock
        public let source: Source
        /// End in milliseconds; nil for never.
        public let until: Int64?

        public init(block: AddressBlock, source: Source, until: Int64?) {
            (self.block, self.source, self.until) = (block, source, until)
        }
    }

    /// Blocks banned by the operator. A lower value keeps existing bans.
    public var capacity: Int
    private var configured = AddressBlockSet()
    /// When each of the operator's bans ends, in milliseconds; `.max` for never.
    private var issued = AddressBlockMap<Int64>()
    /// No ban ends before this moment, so looking for one that has would find none.
    private var nextEnd = Int64.max

    public init(capacity: Int = 1_000_000) { self.capacity = capacity }

    /// The operator's bans, including those that have ended and are not removed yet.
    public var operatorCount: Int { issued.count }

    // MARK: Banning

    /// Replaces the configured bans.
    /// - Returns: the previous ones, to be released outside a lock: freeing a million blocks takes time.
    public mutating func configure(_ blocks: AddressBlockSet) -> AddressBlockSet {
        defer { configured = blocks }
        return configured
    }

    /// Bans a block for the operator, replacing the operator's ban of exactly this block.
    /// - Parameter until: the end in milliseconds; nil for never.
    /// - Returns: false at capacity (expired bans do not count); then nothing changed.
    public mutating func ban(_ block: AddressBlock, until: Int64?, at now: Int64) -> Bool {
        if issued[block] == nil {
            if issued.count >= capacity { sweep(at: now) }
            guard issued.count < capacity else { return false }
        }
        let end = max(1, until ?? .max)
        issued[block] = end
        nextEnd = min(nextEnd, end)
        return true
    }

    /// Lifts the operator's ban of this very block.
    /// - Returns: the ban that was lifted, if it had not ended.
    public mutating func unban(_ block: AddressBlock, at now: Int64) -> Entry? {
        defer { issued[block] = nil }
        return issued[block].flatMap { Self.entry($0, of: block, at: now) }
    }

    /// Removes the operator's bans that have ended.
    private mutating func sweep(at now: Int64) {
        guard nextEnd <= now else { return }
        var ended: [AddressBlock] = []
        nextEnd = .max
        issued.visit { block, end in
            if end <= now { ended.append(block) } else { nextEnd = min(nextEnd, end) }
            return true
        }
        for block in ended { issued[block] = nil }
    }

    // MARK: Lookup

    /// The longest ban in effect for an address, or nil.
    public func entry(for address: IPAddress, at now: Int64) -> Entry? {
        AddressBlock(address, prefix: address.width).flatMap { entry(for: $0, at: now) }
    }

    /// The longest ban that covers a whole block, or nil.
    public func entry(for block: AddressBlock, at now: Int64) -> Entry? {
        if let wider = configured.block(around: block.base), wider.prefix <= block.prefix {
            return Entry(block: wider, source: .configuration, until: nil)
        }
        var found: (prefix: Int, end: Int64)?
        issued.forEachBlock(of: block.base) { end, prefix in
            if prefix <= block.prefix, end > max(now, found?.end ?? 0) { found = (prefix, end) }
        }
        guard let found, let block = AddressBlock(block.base, prefix: found.prefix) else { return nil }
        return Self.entry(found.end, of: block, at: now)
    }

    /// Whether the configuration or the operator bans an address.
    public func bans(_ address: IPAddress, at now: Int64) -> Bool {
        if configured.block(around: address) != nil { return true }
        var isBanned = false
        issued.forEachBlock(of: address) { end, _ in if end > now { isBanned = true } }
        return isBanned
    }

    /// Bans in effect on exactly this block.
    public func entries(of block: AddressBlock, at now: Int64) -> [Entry] {
        let first = configured.contains(block) ? [Entry(block: block, source: .configuration, until: nil)] : []
        return first + (issued[block].flatMap { Self.entry($0, of: block, at: now) }.map { [$0] } ?? [])
    }

    /// The bans that have not ended: the operator's, then the configuration's, each in the order of addresses.
    /// - Parameter limit: the most that are listed.
    /// - Returns: the first so many, and how many others there are.
    public func list(at now: Int64, limit: Int) -> (entries: [Entry], others: Int) {
        var entries: [Entry] = []
        var others = 0
        issued.visit { block, end in
            guard let entry = Self.entry(end, of: block, at: now) else { return true }
            if entries.count < limit { entries.append(entry) } else { others += 1 }
            return true
        }
        let blocks = configured.prefix(limit - entries.count)
        entries += blocks.map { Entry(block: $0, source: .configuration, until: nil) }
        return (entries, others + configured.count - blocks.count)
    }

    private static func entry(_ end: Int64, of block: AddressBlock, at now: Int64) -> Entry? {
        end > now ? Entry(block: block, source: .operator, until: end == .max ? nil : end) : nil
    }
}
