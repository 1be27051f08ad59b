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
