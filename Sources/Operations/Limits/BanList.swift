/// Blocks of addresses that are not let in, each for ever or until a moment. Bounded; looked up in a time that does not grow with the
/// number of bans, but with the number of their different sizes.
public struct BanList: Sendable {
    /// One block that is banned.
    public struct Entry: Sendable, Equatable {
        public let block: AddressBlock
        /// The moment it ends, in milliseconds; nil for never.
        public let until: Int64?
    }

    private struct Size: Hashable {
        let family: IPAddress.Family
        let prefix: Int

        init(_ block: AddressBlock) {
            family = block.base.family
            prefix = block.prefix
        }
    }

    /// The most entries.
    public let capacity: Int
    private var ends: [AddressBlock: Int64] = [:]
    /// How many entries there are of each size.
    private var sizes: [Size: Int] = [:]

    public init(capacity: Int = 4096) { self.capacity = capacity }

    public var count: Int { ends.count }

    /// Bans a block, instead of what was said of the very same block before.
    /// - Parameter until: the moment it ends, in milliseconds; nil for never.
    /// - Returns: false when the list is full even after what has ended at `now` was taken out; nothing was changed then.
    @discardableResult
    public mutating func ban(_ block: AddressBlock, until: Int64?, at now: Int64) -> Bool {
        if ends[block] == nil {
            if ends.count >= capacity { sweep(at: now) }
            guard ends.count < capacity else { return false }
            sizes[Size(block), default: 0] += 1
        }
        ends[block] = until ?? .max
        return true
    }

    /// Lifts the ban of this very block.
    /// - Returns: whether there was one.
    @discardableResult
    public mutating func unban(_ block: AddressBlock) -> Bool {
        guard ends.removeValue(forKey: block) != nil else { return false }
        let size = Size(block)
        let left = (sizes[size] ?? 1) - 1
        sizes[size] = left == 0 ? nil : left
        return true
    }

    /// The ban that keeps an address out, if any does: the one that lasts longest.
    public func entry(for address: IPAddress, at now: Int64) -> Entry? {
        var found: (block: AddressBlock, end: Int64)?
        for size in sizes.keys where size.family == address.family {
            guard let block = AddressBlock(address, prefix: size.prefix), let end = ends[block], end > now else { continue }
            if end > found?.end ?? now { found = (block, end) }
        }
        return found.map { Entry(block: $0.block, until: $0.end == .max ? nil : $0.end) }
    }

    /// Whether an address is kept out.
    public func bans(_ address: IPAddress, at now: Int64) -> Bool { entry(for: address, at: now) != nil }

    /// Every ban that has not ended, by its text.
    public func entries(at now: Int64) -> [Entry] {
        ends.filter { $0.value > now }.map { Entry(block: $0.key, until: $0.value == .max ? nil : $0.value) }
            .sorted { $0.block.description < $1.block.description }
    }

    /// Takes out what has ended.
    public mutating func sweep(at now: Int64) {
        for (block, end) in ends where end <= now { unban(block) }
    }
}
