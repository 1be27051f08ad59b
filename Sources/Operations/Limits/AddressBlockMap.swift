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

    /// True for exactly this block.
    public func contains(_ block: AddressBlock) -> Bool { members[block] != nil }

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
