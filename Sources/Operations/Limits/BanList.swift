/// Blocks of addresses that are not let in. A block is banned by a set of sources, each with its own end, and is let in when none of
/// them bans it. Lookups do not grow with the number of bans.
public struct BanList: Sendable {
    /// Who bans a block.
    public enum Source: String, CaseIterable, Sendable {
        /// Settings: replaced as a whole, without end.
        case configuration
        /// `bjserver ctl ban`.
        case `operator`
        /// The server itself, always for a while.
        case automatic
    }

    /// A block, one of the sources that ban it, and until when.
    public struct Entry: Sendable, Equatable {
        public let block: AddressBlock
        public let source: Source
        /// The moment it ends, in milliseconds; nil for never.
        public let until: Int64?
    }

    /// When the bans of one block that are not in the configuration end, in milliseconds; `.max` for never, 0 for none.
    private struct Ends {
        var byOperator: Int64 = 0
        var automatic: Int64 = 0

        var last: Int64 { max(byOperator, automatic) }
    }

    /// The most blocks that the operator bans. May be changed at any time; those that are banned stay so.
    public var capacity: Int
    /// The most blocks that are banned automatically: an attacker causes them.
    public static let automaticCapacity = 65_536

    private var configured = AddressBlockSet()
    private var issued = AddressBlockMap<Ends>()
    private var operatorCount = 0
    private var automaticCount = 0
    /// No ban ends before this moment, so looking for one that has would find none.
    private var nextEnd = Int64.max

    public init(capacity: Int = 1_000_000) { self.capacity = capacity }

    /// Blocks by source, those whose bans have ended and were not taken out yet included.
    public func count(of source: Source) -> Int {
        switch source {
        case .configuration: configured.count
        case .operator: operatorCount
        case .automatic: automaticCount
        }
    }

    // MARK: Banning

    /// Bans what the configuration says, and nothing else that an earlier one said.
    /// - Returns: what was banned by it before: to be let go of outside a lock, since a million blocks take a while to free.
    public mutating func configure(_ blocks: AddressBlockSet) -> AddressBlockSet {
        defer { configured = blocks }
        return configured
    }

    /// Bans a block for the operator, in place of what the operator said of this very block before.
    /// - Parameter until: the moment it ends, in milliseconds; nil for never.
    /// - Returns: false when the operator bans as many as may be, without those that have ended at `now`; nothing was changed then.
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

    /// Bans a block by a rule of the server's own. It never shortens an automatic ban that lasts longer.
    /// - Parameter until: the moment it ends, in milliseconds.
    /// - Returns: false when as many are banned as may be, without those that have ended at `now`; nothing was changed then.
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

    /// Lifts the operator's and the automatic ban of this very block. What the configuration bans stays banned.
    /// - Returns: the bans that were lifted.
    public mutating func unban(_ block: AddressBlock, at now: Int64) -> [Entry] {
        let lifted = entries(of: block, at: now).filter { $0.source != .configuration }
        if let ends = issued[block] { put(Ends(), insteadOf: ends, block) }
        return lifted
    }

    /// Takes out what has ended.
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

    // MARK: Asking

    /// The ban that keeps an address out, if any does: the one that lasts longest.
    public func entry(for address: IPAddress, at now: Int64) -> Entry? {
        AddressBlock(address, prefix: address.width).flatMap { entry(for: $0, at: now) }
    }

    /// The ban that keeps the whole of a block out, if any does: the one that lasts longest.
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

    /// Whether an address is kept out.
    public func bans(_ address: IPAddress, at now: Int64) -> Bool { bans(address) { $0.last > now } }

    /// Whether the host keeps an address out, by the configuration or as the operator: that ends connections too. An automatic ban keeps
    /// newcomers out and nobody else.
    public func hostBans(_ address: IPAddress, at now: Int64) -> Bool { bans(address) { $0.byOperator > now } }

    private func bans(_ address: IPAddress, _ isLive: (Ends) -> Bool) -> Bool {
        if configured.block(around: address) != nil { return true }
        var isBanned = false
        issued.forEachBlock(of: address) { ends, _ in if isLive(ends) { isBanned = true } }
        return isBanned
    }

    /// The bans of this very block that have not ended.
    public func entries(of block: AddressBlock, at now: Int64) -> [Entry] {
        let first = configured.contains(block) ? [Entry(block: block, source: .configuration, until: nil)] : []
        return first + (issued[block].map { Self.entries($0, of: block, at: now) } ?? [])
    }

    /// The bans that have not ended: the operator's and the automatic ones, then the configuration's, each in the order of addresses.
    /// - Parameter limit: the most that are listed.
    /// - Returns: the first so many, and how many others there are.
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
