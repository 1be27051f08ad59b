/// Banned address blocks. Each source bans a block independently, with its own end. Lookup time is independent of the number of
/// bans.
public struct BanList: Sendable {
    /// The source of a ban.
    public enum Source: String, CaseIterable, Sendable {
        /// Settings: replaced as a whole, without end.
        case configuration
        /// `bjserver ctl ban`.
        case `operator`
        /// The server's own rules; always temporary.
        case automatic
    }

    /// A ban: block, source and end.
    public struct Entry: Sendable, Equatable {
        public let block: AddressBlock
        public let source: Source
        /// End in milliseconds; nil for never.
        public let until: Int64?
    }

    /// Ends of a block's operator and automatic bans, in milliseconds; `.max` for never, 0 for none.
    private struct Ends {
        var byOperator: Int64 = 0
        var automatic: Int64 = 0

        var last: Int64 { max(byOperator, automatic) }
    }

    /// Blocks banned by the operator. A lower value keeps existing bans.
    public var capacity: Int
    /// Automatic bans: bounded, since attackers cause them.
    static let automaticCapacity = 65_536

    private var configured = AddressBlockSet()
    private var issued = AddressBlockMap<Ends>()
    private var operatorCount = 0
    private var automaticCount = 0
    /// A lower bound on the next end: skips sweeps that would find nothing.
    private var nextEnd = Int64.max

    public init(capacity: Int = 1_000_000) { self.capacity = capacity }

    /// Blocks by source, including expired bans not yet swept.
    public func count(of source: Source) -> Int {
        switch source {
        case .configuration: configured.count
        case .operator: operatorCount
        case .automatic: automaticCount
        }
    }

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
        if operatorCount >= capacity, issued[block]?.byOperator ?? 0 == 0 { sweep(at: now) }
        var ends = issued[block] ?? Ends()
        if ends.byOperator == 0 {
            guard operatorCount < capacity else { return false }
            operatorCount += 1
        }
        ends.byOperator = max(1, until ?? .max)
        put(ends, block)
        return true
    }

    /// Bans a block automatically. Never shortens an automatic ban.
    /// - Parameter until: the end in milliseconds.
    /// - Returns: false at capacity (expired bans do not count); then nothing changed.
    public mutating func banAutomatically(_ block: AddressBlock, until: Int64, at now: Int64) -> Bool {
        if automaticCount >= Self.automaticCapacity, issued[block]?.automatic ?? 0 == 0 { sweep(at: now) }
        var ends = issued[block] ?? Ends()
        if ends.automatic == 0 {
            guard automaticCount < Self.automaticCapacity else { return false }
            automaticCount += 1
        }
        ends.automatic = max(1, until, ends.automatic)
        put(ends, block)
        return true
    }

    private mutating func put(_ ends: Ends, _ block: AddressBlock) {
        issued[block] = ends
        for end in [ends.byOperator, ends.automatic] where end > 0 { nextEnd = min(nextEnd, end) }
    }

    /// Lifts the operator's and the automatic ban of exactly this block. Configured bans stay.
    /// - Returns: the lifted bans.
    public mutating func unban(_ block: AddressBlock, at now: Int64) -> [Entry] {
        let lifted = entries(of: block, at: now).filter { $0.source != .configuration }
        if let ends = issued[block] { put(Ends(), insteadOf: ends, block) }
        return lifted
    }

    /// Removes expired bans.
    private mutating func sweep(at now: Int64) {
        guard nextEnd <= now else { return }
        var ended: [(AddressBlock, Ends)] = []
        var next = Int64.max
        issued.visit { block, ends in
            let live = [ends.byOperator, ends.automatic].filter { $0 > now }
            next = live.reduce(next, min)
            if live.count < (ends.byOperator > 0 ? 1 : 0) + (ends.automatic > 0 ? 1 : 0) { ended.append((block, ends)) }
            return true
        }
        for (block, ends) in ended {
            var left = ends
            if left.byOperator <= now { left.byOperator = 0 }
            if left.automatic <= now { left.automatic = 0 }
            put(left, insteadOf: ends, block)
        }
        nextEnd = next
    }

    private mutating func put(_ ends: Ends, insteadOf old: Ends, _ block: AddressBlock) {
        if old.byOperator > 0, ends.byOperator == 0 { operatorCount -= 1 }
        if old.automatic > 0, ends.automatic == 0 { automaticCount -= 1 }
        issued[block] = ends.last == 0 ? nil : ends
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
        var found: (prefix: Int, ends: Ends)?
        issued.forEachBlock(of: block.base) { ends, prefix in
            if prefix <= block.prefix, ends.last > max(now, found?.ends.last ?? 0) { found = (prefix, ends) }
        }
        guard let found, let block = AddressBlock(block.base, prefix: found.prefix) else { return nil }
        return Self.entries(found.ends, of: block, at: now).max { $0.until ?? .max < $1.until ?? .max }
    }

    /// True while an address is banned.
    public func bans(_ address: IPAddress, at now: Int64) -> Bool { bans(address) { $0.last > now } }

    /// True for configured and operator bans, which also close open connections. Automatic bans refuse new ones only.
    public func hostBans(_ address: IPAddress, at now: Int64) -> Bool { bans(address) { $0.byOperator > now } }

    private func bans(_ address: IPAddress, _ isLive: (Ends) -> Bool) -> Bool {
        if configured.block(around: address) != nil { return true }
        var isBanned = false
        issued.forEachBlock(of: address) { ends, _ in if isLive(ends) { isBanned = true } }
        return isBanned
    }

    /// Bans in effect on exactly this block.
    public func entries(of block: AddressBlock, at now: Int64) -> [Entry] {
        let first = configured.contains(block) ? [Entry(block: block, source: .configuration, until: nil)] : []
        return first + (issued[block].map { Self.entries($0, of: block, at: now) } ?? [])
    }

    /// Bans in effect: operator and automatic ones, then configured ones, each in address order.
    /// - Parameter limit: entries listed at most.
    /// - Returns: the listed bans and the number of others.
    public func list(at now: Int64, limit: Int) -> (entries: [Entry], others: Int) {
        var entries: [Entry] = []
        var others = 0
        issued.visit { block, ends in
            for entry in Self.entries(ends, of: block, at: now) {
                if entries.count < limit { entries.append(entry) } else { others += 1 }
            }
            return true
        }
        let blocks = configured.prefix(limit - entries.count)
        entries += blocks.map { Entry(block: $0, source: .configuration, until: nil) }
        return (entries, others + configured.count - blocks.count)
    }

    private static func entries(_ ends: Ends, of block: AddressBlock, at now: Int64) -> [Entry] {
        [(Source.operator, ends.byOperator), (.automatic, ends.automatic)].compactMap { source, end in
            end > now ? Entry(block: block, source: source, until: end == .max ? nil : end) : nil
        }
    }
}
