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

/// A block of addresses in CIDR notation: `192.0.2.0/24`, `2001:db8::/32`, or a single address.
public struct AddressBlock: Sendable, Hashable, CustomStringConvertible {
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

    /// - Parameters:
    ///   - bits: zero behind the prefix.
    init(family: IPAddress.Family, bits: UInt128, prefix: Int) {
        base = IPAddress(family: family, bits: bits)
        self.prefix = prefix
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

    /// `192.0.2.0/24`; a single address without its prefix.
    public var description: String { prefix == base.width ? base.description : "\(base)/\(prefix)" }
}

/// Values keyed by address block, one tree per address family.
struct AddressBlockMap<Value: Sendable>: Sendable {
    private var version4: PrefixTree<UInt32, Value>
    private var version6: PrefixTree<UInt128, Value>

    /// - Parameters:
    ///   - version4: IPv4 blocks to reserve.
    ///   - version6: IPv6 blocks to reserve.
    init(version4: Int = 0, version6: Int = 0) {
        self.version4 = PrefixTree(capacity: version4)
        self.version6 = PrefixTree(capacity: version6)
    }

    var count: Int { version4.count + version6.count }

    /// The value of exactly this block.
    subscript(block: AddressBlock) -> Value? {
        get {
            let prefix = UInt8(block.prefix)
            return switch block.base.family {
            case .v4: version4.value(at: UInt32(truncatingIfNeeded: block.base.bits), prefix: prefix)
            case .v6: version6.value(at: block.base.bits, prefix: prefix)
            }
        }
        set {
            let prefix = UInt8(block.prefix)
            switch block.base.family {
            case .v4: version4.set(newValue, at: UInt32(truncatingIfNeeded: block.base.bits), prefix: prefix)
            case .v6: version6.set(newValue, at: block.base.bits, prefix: prefix)
            }
        }
    }

    /// Visits every block that contains an address, widest first.
    func forEachBlock(of address: IPAddress, _ body: (_ value: Value, _ prefix: Int) -> Void) {
        switch address.family {
        case .v4: version4.forEachPrefix(of: UInt32(truncatingIfNeeded: address.bits)) { body($0, Int($1)) }
        case .v6: version6.forEachPrefix(of: address.bits) { body($0, Int($1)) }
        }
    }

    /// Visits all blocks in address order, IPv4 first, until `body` returns false.
    func visit(_ body: (AddressBlock, Value) -> Bool) {
        var goesOn = true
        version4.visit { bits, prefix, value in
            goesOn = body(AddressBlock(family: .v4, bits: UInt128(bits), prefix: Int(prefix)), value)
            return goesOn
        }
        guard goesOn else { return }
        version6.visit { bits, prefix, value in body(AddressBlock(family: .v6, bits: bits, prefix: Int(prefix)), value) }
    }
}

/// A set of blocks; lookup time is independent of its size. Built off the loops, then handed over whole.
public struct AddressBlockSet: Sendable {
    private struct Member: Sendable {}

    private var members: AddressBlockMap<Member>

    public init() { members = AddressBlockMap() }

    /// Duplicates count once.
    public init(_ blocks: some Collection<AddressBlock>) {
        let version4 = blocks.count { $0.base.family == .v4 }
        members = AddressBlockMap(version4: version4, version6: blocks.count - version4)
        for block in blocks { insert(block) }
    }

    public var count: Int { members.count }

    public mutating func insert(_ block: AddressBlock) { members[block] = Member() }

    /// The widest member that contains an address.
    public func block(around address: IPAddress) -> AddressBlock? {
        var prefix: Int?
        members.forEachBlock(of: address) { if prefix == nil { prefix = $1 } }
        return prefix.flatMap { AddressBlock(address, prefix: $0) }
    }

    /// The first blocks in address order.
    public func prefix(_ limit: Int) -> [AddressBlock] {
        var blocks: [AddressBlock] = []
        guard limit > 0 else { return [] }
        members.visit { block, _ in
            blocks.append(block)
            return blocks.count < limit
        }
        return blocks
    }
}

/// Longest-prefix map: a path-compressed binary radix tree in one array. A lookup visits at most one node per bit and allocates
/// nothing; n prefixes take fewer than 2n nodes.
struct PrefixTree<Bits: FixedWidthInteger & UnsignedInteger & Sendable, Value: Sendable>: Sendable {
    private struct Node {
        /// Left-aligned; zero behind the prefix.
        let bits: Bits
        /// Child indices by next bit; 0 for none, as the root is no child.
        var zero: UInt32 = 0
        var one: UInt32 = 0
        let prefix: UInt8
        var value: Value?

        init(_ bits: Bits, _ prefix: UInt8, _ value: Value? = nil) {
            self.bits = bits
            self.prefix = prefix
            self.value = value
        }

        var childCount: Int { (zero == 0 ? 0 : 1) + (one == 0 ? 0 : 1) }
    }

    /// The root, the empty prefix, comes first.
    private var nodes: [Node] = [Node(0, 0)]
    /// Indices of unused nodes.
    private var free: [UInt32] = []
    private(set) var count = 0

    /// - Parameter capacity: prefixes to reserve.
    init(capacity: Int = 0) { if capacity > 0 { nodes.reserveCapacity(2 * capacity) } }

    /// Sets a prefix's value; nil removes it.
    mutating func set(_ value: Value?, at bits: Bits, prefix: UInt8) {
        if let value { insert(value, bits, prefix) } else { remove(bits, prefix) }
    }

    /// The value of exactly this prefix.
    func value(at bits: Bits, prefix: UInt8) -> Value? {
        var index = 0
        while nodes[index].prefix < prefix {
            index = child(of: index, toward: bits)
            guard index != 0, isPrefix(index, of: bits) else { return nil }
        }
        return nodes[index].prefix == prefix && isPrefix(index, of: bits) ? nodes[index].value : nil
    }

    /// Visits the values of all prefixes of `bits`, shortest first.
    func forEachPrefix(of bits: Bits, _ body: (_ value: Value, _ prefix: UInt8) -> Void) {
        var index = 0
        repeat {
            guard isPrefix(index, of: bits) else { return }
            if let value = nodes[index].value { body(value, nodes[index].prefix) }
            guard nodes[index].prefix < Bits.bitWidth else { return }
            index = child(of: index, toward: bits)
        } while index != 0
    }

    /// Visits values in bit order, shorter prefixes first, until `body` returns false.
    func visit(_ body: (_ bits: Bits, _ prefix: UInt8, _ value: Value) -> Bool) {
        var stack: [UInt32] = [0]
        while let index = stack.popLast() {
            let node = nodes[Int(index)]
            if let value = node.value, !body(node.bits, node.prefix, value) { return }
            if node.one != 0 { stack.append(node.one) }
            if node.zero != 0 { stack.append(node.zero) }
        }
    }

    // MARK: Changing

    private mutating func insert(_ value: Value, _ bits: Bits, _ prefix: UInt8) {
        var index = 0
        while nodes[index].prefix < prefix {
            let next = child(of: index, toward: bits)
            guard next != 0 else { return link(index, bits, to: make(Node(bits, prefix, value), isValue: true)) }
            let other = nodes[next]
            let common = min(UInt8((bits ^ other.bits).leadingZeroBitCount), prefix, other.prefix)
            guard common < other.prefix else {
                index = next
                continue
            }
            // The paths diverge here.
            guard common < prefix else {
                let branch = make(Node(bits, prefix, value), isValue: true)
                link(branch, other.bits, to: next)
                return link(index, bits, to: branch)
            }
            let branch = make(Node(bits & Self.mask(common), common), isValue: false)
            link(branch, other.bits, to: next)
            link(branch, bits, to: make(Node(bits, prefix, value), isValue: true))
            return link(index, bits, to: branch)
        }
        if nodes[index].value == nil { count += 1 }
        nodes[index].value = value
    }

    private mutating func remove(_ bits: Bits, _ prefix: UInt8) {
        var path: [Int] = [0]
        while nodes[path[path.count - 1]].prefix < prefix {
            let next = child(of: path[path.count - 1], toward: bits)
            guard next != 0, isPrefix(next, of: bits) else { return }
            path.append(next)
        }
        let index = path[path.count - 1]
        guard nodes[index].prefix == prefix, nodes[index].value != nil else { return }
        nodes[index].value = nil
        count -= 1
        // Prunes nodes without a value and with fewer than two children; the root stays.
        while let index = path.popLast(), let parent = path.last, nodes[index].value == nil, nodes[index].childCount < 2 {
            link(parent, nodes[index].bits, to: Int(max(nodes[index].zero, nodes[index].one)))
            free.append(UInt32(index))
        }
    }

    private mutating func make(_ node: Node, isValue: Bool) -> Int {
        if isValue { count += 1 }
        guard let index = free.popLast() else {
            nodes.append(node)
            return nodes.count - 1
        }
        nodes[Int(index)] = node
        return Int(index)
    }

    private mutating func link(_ index: Int, _ bits: Bits, to child: Int) {
        if isOne(bits, nodes[index].prefix) { nodes[index].one = UInt32(child) } else { nodes[index].zero = UInt32(child) }
    }

    // MARK: Bits

    private func child(of index: Int, toward bits: Bits) -> Int {
        Int(isOne(bits, nodes[index].prefix) ? nodes[index].one : nodes[index].zero)
    }

    private func isPrefix(_ index: Int, of bits: Bits) -> Bool {
        (bits ^ nodes[index].bits) & Self.mask(nodes[index].prefix) == 0
    }

    private func isOne(_ bits: Bits, _ position: UInt8) -> Bool { bits >> (Bits.bitWidth - 1 - Int(position)) & 1 == 1 }

    private static func mask(_ prefix: UInt8) -> Bits { ~0 << (Bits.bitWidth - Int(prefix)) }
}
