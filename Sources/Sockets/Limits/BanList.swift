/// Blocks of addresses that the configuration or the operator bans; each ban has its own end. A block is banned until both have ended.
/// A lookup asks for each block around an address: some µs, for any number of bans.
public struct BanList: Sendable {
    /// Bans of each source.
    public static let limit = 10_000

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

    /// Blocks banned by the configuration.
    public var configured: Set<AddressBlock>
    /// When each of the operator's bans ends, in milliseconds; `.max` for never.
    private var issued: [AddressBlock: Int64] = [:]
    private let capacity: Int

    /// - Parameter capacity: of the operator's bans.
    public init(configured: Set<AddressBlock> = [], capacity: Int = Self.limit) {
        (self.configured, self.capacity) = (configured, capacity)
    }

    // MARK: Banning

    /// Bans a block for the operator, replacing the operator's ban of exactly this block.
    /// - Parameter until: the end in milliseconds; nil for never.
    /// - Returns: false at capacity (expired bans do not count); then nothing changed.
    public mutating func ban(_ block: AddressBlock, until: Int64?, at now: Int64) -> Bool {
        if issued[block] == nil, issued.count >= capacity {
            issued = issued.filter { $0.value > now }
            guard issued.count < capacity else { return false }
        }
        issued[block] = max(1, until ?? .max)
        return true
    }

    /// Lifts the operator's ban of this very block.
    /// - Returns: the ban that was lifted, if it had not ended.
    public mutating func unban(_ block: AddressBlock, at now: Int64) -> Entry? {
        issued.removeValue(forKey: block).flatMap { Self.entry($0, of: block, at: now) }
    }

    // MARK: Lookup

    /// Whether the configuration or the operator bans an address.
    public func bans(_ address: IPAddress, at now: Int64) -> Bool {
        AddressBlock(address, prefix: address.width).flatMap { entry(for: $0, at: now) } != nil
    }

    /// The longest ban that covers a whole block, or nil.
    public func entry(for block: AddressBlock, at now: Int64) -> Entry? {
        let around = (0...block.prefix).lazy.compactMap { AddressBlock(block.base, prefix: $0) }
        if !configured.isEmpty, let wider = around.first(where: configured.contains) {
            return Entry(block: wider, source: .configuration, until: nil)
        }
        guard !issued.isEmpty else { return nil }
        return around.compactMap { block in issued[block].flatMap { Self.entry($0, of: block, at: now) } }
            .max { ($0.until ?? .max) < ($1.until ?? .max) }
    }

    /// The bans that have not ended: the operator's, then the configuration's, each in the order of addresses.
    public func list(at now: Int64) -> [Entry] {
        issued.compactMap { Self.entry($1, of: $0, at: now) }.sorted { $0.block < $1.block }
            + configured.sorted().map { Entry(block: $0, source: .configuration, until: nil) }
    }

    private static func entry(_ end: Int64, of block: AddressBlock, at now: Int64) -> Entry? {
        end > now ? Entry(block: block, source: .operator, until: end == .max ? nil : end) : nil
    }
}

/// A block of addresses in CIDR notation: `192.0.2.0/24`, `2001:db8::/32`, or a single address.
public struct AddressBlock: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The first address of the block.
    public let base: IPAddress
    /// Common leading bits: 0…32 for IPv4, 0…128 for IPv6.
    public let prefix: Int

    /// The block of `prefix` leading bits around an address; nil if the address has fewer bits.
    public init?(_ address: IPAddress, prefix: Int) {
        guard (0...address.width).contains(prefix) else { return nil }
        let hostBits = address.width - prefix
        self.prefix = prefix
        base = IPAddress(family: address.family, bits: hostBits == 128 ? 0 : (address.bits >> hostBits) << hostBits)
    }

    /// Parses `ADDRESS` or `ADDRESS/BITS`. Refuses set bits beyond the prefix: `10.0.0.1/8` is probably a mistake.
    public init?(_ text: String) {
        guard let (address, prefix) = Self.parts(of: text) else { return nil }
        self.init(address, prefix: prefix)
        guard base == address else { return nil }
    }

    /// Parses `ADDRESS` or `ADDRESS/BITS`, and clears the bits beyond the prefix.
    public init?(masking text: String) {
        guard let (address, prefix) = Self.parts(of: text) else { return nil }
        self.init(address, prefix: prefix)
    }

    private static func parts(of text: String) -> (address: IPAddress, prefix: Int)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]), parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (address, address.width) }
        guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
            let prefix = Int(parts[1])
        else { return nil }
        return (address, prefix)
    }

    public func contains(_ address: IPAddress) -> Bool {
        guard address.family == base.family else { return false }
        return AddressBlock(address, prefix: prefix) == self
    }

    /// Whether a ban of it is likely to be a mistake: it is larger than /8, or /16 of IPv6, or has loopback.
    public var isBroad: Bool {
        prefix < (base.family == .v4 ? 8 : 16) || base.isLoopback || IPAddress("::1").map(contains) ?? false
    }

    /// IPv4 first, by address, wider blocks first.
    public static func < (a: Self, b: Self) -> Bool {
        (a.base.width, a.base.bits, a.prefix) < (b.base.width, b.base.bits, b.prefix)
    }

    /// `192.0.2.0/24`; a single address without its prefix.
    public var description: String { prefix == base.width ? base.description : "\(base)/\(prefix)" }
}
