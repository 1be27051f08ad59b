import Operations
import TableEngine

/// Absent players by address. Under pressure, evicts the longest absent player of the address with the most. All operations are
/// O(1).
struct AwayPlayers: Sendable {
    /// An absent player, and the loop of the account.
    struct Member: Sendable {
        let id: PlayerID
        let name: FoldedName
        let loop: Int
    }

    private struct Entry {
        var member: Member
        var address: IPAddress?
        var isSeated: Bool
    }

    private struct Group {
        /// Without a seat: can be evicted at once.
        var idle = OrderedQueue<PlayerID>()
        /// With a seat, which has to be given up first.
        var seated = OrderedQueue<PlayerID>()
        var count: Int { idle.count + seated.count }
    }

    private var entries: [PlayerID: Entry] = [:]
    private var groups: [IPAddress?: Group] = [:]
    /// Addresses by number of idle players.
    private var ranks: [Int: OrderedQueue<IPAddress?>] = [:]
    private var largest = 0

    var count: Int { entries.count }
    func count(from address: IPAddress?) -> Int { groups[address?.counted]?.count ?? 0 }

    /// Adds or updates an absent player.
    mutating func insert(_ member: Member, from address: IPAddress?, isSeated: Bool) {
        remove(member.id)
        let address = address?.counted
        entries[member.id] = Entry(member: member, address: address, isSeated: isSeated)
        if isSeated {
            groups[address, default: Group()].seated.append(member.id)
        } else {
            groups[address, default: Group()].idle.append(member.id)
            rank(address, by: 1)
        }
    }

    /// - Returns: whether the player was absent.
    @discardableResult
    mutating func remove(_ id: PlayerID) -> Bool {
        guard let entry = entries.removeValue(forKey: id) else { return false }
        if entry.isSeated {
            groups[entry.address]?.seated.remove(id)
        } else {
            groups[entry.address]?.idle.remove(id)
            rank(entry.address, by: -1)
        }
        if groups[entry.address]?.count == 0 { groups[entry.address] = nil }
        return true
    }

    /// The player has given up the seat.
    mutating func leaveSeat(_ id: PlayerID) {
        guard let entry = entries[id], entry.isSeated else { return }
        insert(entry.member, from: entry.address, isSeated: false)
    }

    /// The address's player to evict first: the longest absent without a seat, else the longest absent with one.
    func first(from address: IPAddress?) -> Member? {
        guard let group = groups[address?.counted], let id = group.idle.first ?? group.seated.first else { return nil }
        return entries[id]?.member
    }

    /// The player to evict first: without a seat, of the address with the most such players.
    var first: Member? {
        guard let address = ranks[largest]?.first, let id = groups[address]?.idle.first else { return nil }
        return entries[id]?.member
    }

    /// Updates the rank of an address after it gained (1) or lost (-1) an idle player.
    private mutating func rank(_ address: IPAddress?, by step: Int) {
        let count = groups[address]?.idle.count ?? 0
        ranks[count - step]?.remove(address)
        if ranks[count - step]?.count == 0 { ranks[count - step] = nil }
        if count > 0 { ranks[count, default: OrderedQueue()].append(address) }
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

    /// - Parameter element: not in the queue.
    mutating func append(_ element: Element) {
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
