import Sockets
import TableEngine

/// Absent players by address scope: IPv4 address, or IPv6 /64, /56 and /48. Under pressure, evicts the longest absent player of the widest
/// block with the most absent players. All operations are O(1).
struct AwayPlayers: Sendable {
    private struct Entry {
        var address: IPAddress?
        var isSeated: Bool
    }

    private struct Group {
        /// Without a seat: can be evicted at once.
        var idle = OrderedQueue<PlayerID>()
        /// With a seat, which must be given up first.
        var seated = OrderedQueue<PlayerID>()
        var count: Int { idle.count + seated.count }
    }

    /// Players without an address form one block.
    private struct Block: Hashable {
        var base: IPAddress?
        var scope = AddressScope.address

        /// Widest first.
        static func all(of address: IPAddress?) -> [Self] {
            guard let address else { return [Self()] }
            return AddressScope.all(of: address.family).map { Self(base: $0.block(of: address), scope: $0) }
        }
    }

    private var entries: [PlayerID: Entry] = [:]
    private var groups: [Block: Group] = [:]
    /// Widest blocks by number of idle players.
    private var ranks: [Int: OrderedQueue<Block>] = [:]
    private var largest = 0

    var count: Int { entries.count }

    /// Adds or updates an absent player.
    mutating func insert(_ id: PlayerID, from address: IPAddress?, isSeated: Bool) {
        remove(id)
        entries[id] = Entry(address: address, isSeated: isSeated)
        let blocks = Block.all(of: address)
        for block in blocks {
            if isSeated {
                groups[block, default: Group()].seated.append(id)
            } else {
                groups[block, default: Group()].idle.append(id)
            }
        }
        if !isSeated { rank(blocks[0], by: 1) }
    }

    /// - Returns: whether the player was absent.
    @discardableResult
    mutating func remove(_ id: PlayerID) -> Bool {
        guard let entry = entries.removeValue(forKey: id) else { return false }
        let blocks = Block.all(of: entry.address)
        for block in blocks {
            if entry.isSeated { groups[block]?.seated.remove(id) } else { groups[block]?.idle.remove(id) }
        }
        if !entry.isSeated { rank(blocks[0], by: -1) }
        for block in blocks where groups[block]?.count == 0 { groups[block] = nil }
        return true
    }

    /// Marks a player as without a seat.
    mutating func leaveSeat(_ id: PlayerID) {
        guard let entry = entries[id], entry.isSeated else { return }
        insert(id, from: entry.address, isSeated: false)
    }

    /// The player to evict if the address or its network has too many absent players: the longest absent one without a seat, else the
    /// longest absent one with a seat; nil if there are not too many.
    /// - Parameters:
    /// - limit: of an address.
    /// - total: the bound on players.
    func surplus(from address: IPAddress?, limit: Int, total: Int) -> PlayerID? {
        for block in Block.all(of: address).reversed() {
            guard let group = groups[block], group.count > block.scope.part(of: limit, total: total) else { continue }
            return group.idle.first ?? group.seated.first
        }
        return nil
    }

    /// The player to evict first: without a seat, of the widest block with the most such players.
    var first: PlayerID? { ranks[largest]?.first.flatMap { groups[$0]?.idle.first } }

    /// Updates the rank of a block after it gained (1) or lost (-1) an idle player.
    private mutating func rank(_ block: Block, by step: Int) {
        let count = groups[block]?.idle.count ?? 0
        ranks[count - step]?.remove(block)
        if ranks[count - step]?.count == 0 { ranks[count - step] = nil }
        if count > 0 { ranks[count, default: OrderedQueue()].append(block) }
        largest = max(largest, count)
        if ranks[largest] == nil { largest = max(0, largest - 1) }
    }
}

/// A FIFO queue of unique elements with O(1) removal of any.
struct OrderedQueue<Element: Hashable & Sendable>: Sendable {
    private struct Link: Sendable {
        var before: Element?
        var after: Element?
    }

    private var links: [Element: Link] = [:]
    private(set) var first: Element?
    private var last: Element?

    var count: Int { links.count }

    func contains(_ element: Element) -> Bool { links[element] != nil }

    /// The elements, oldest first.
    var elements: some Sequence<Element> {
        sequence(state: first) { next in
            defer { next = next.flatMap { links[$0]?.after } }
            return next
        }
    }

    /// An element of the queue keeps its place.
    mutating func append(_ element: Element) {
        guard links[element] == nil else { return }
        links[element] = Link(before: last)
        if let last { links[last]?.after = element } else { first = element }
        last = element
    }

    mutating func remove(_ element: Element) {
        guard let link = links.removeValue(forKey: element) else { return }
        if let before = link.before { links[before]?.after = link.after } else { first = link.after }
        if let after = link.after { links[after]?.before = link.before } else { last = link.before }
    }
}
