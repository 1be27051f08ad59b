/// Values by blocks of addresses, IPv4 and IPv6 apart.
struct AddressBlockMap<Value: Sendable>: Sendable {
    private var version4: PrefixTree<UInt32, Value>
    private var version6: PrefixTree<UInt128, Value>

    /// - Parameters:
    ///   - version4: blocks of IPv4 to make room for at once.
    ///   - version6: blocks of IPv6.
    init(version4: Int = 0, version6: Int = 0) {
        self.version4 = PrefixTree(capacity: version4)
        self.version6 = PrefixTree(capacity: version6)
    }

    var count: Int { version4.count + version6.count }

    /// The value of this very block.
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

    /// Visits every block that an address lies in, the widest first.
    func forEachBlock(of address: IPAddress, _ body: (_ value: Value, _ prefix: Int) -> Void) {
        switch address.family {
        case .v4: version4.forEachPrefix(of: UInt32(truncatingIfNeeded: address.bits)) { body($0, Int($1)) }
        case .v6: version6.forEachPrefix(of: address.bits) { body($0, Int($1)) }
        }
    }

    /// Visits every block, IPv4 first, in the order of addresses, until told to stop.
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

/// Blocks of addresses, a million as quick to look up as one. Built off the loops, then handed over as a whole.
public struct AddressBlockSet: Sendable {
    private struct Member: Sendable {}

    private var members: AddressBlockMap<Member>

    public init() { members = AddressBlockMap() }

    /// The set of these blocks, each counted once.
    public init(_ blocks: some Collection<AddressBlock>) {
        let version4 = blocks.count { $0.base.family == .v4 }
        members = AddressBlockMap(version4: version4, version6: blocks.count - version4)
        for block in blocks { insert(block) }
    }

    public var count: Int { members.count }

    public mutating func insert(_ block: AddressBlock) { members[block] = Member() }

    /// Whether this very block is in it.
    public func contains(_ block: AddressBlock) -> Bool { members[block] != nil }

    /// The widest of its blocks that an address lies in.
    public func block(around address: IPAddress) -> AddressBlock? {
        var prefix: Int?
        members.forEachBlock(of: address) { if prefix == nil { prefix = $1 } }
        return prefix.flatMap { AddressBlock(address, prefix: $0) }
    }

    /// The first blocks in the order of addresses.
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
