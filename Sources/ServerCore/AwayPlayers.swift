import Operations
import TableEngine

/// The players who are away and still known, by the address that they came from: where there are too many, the longest away of the address
/// with the most makes room. Each operation takes the same time, however many there are.
struct AwayPlayers: Sendable {
    /// One of them, and where.
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
        /// Without a seat: forgotten at once where that has to be.
        var idle = OrderedQueue<PlayerID>()
        /// With a seat, which has to be left first.
        var seated = OrderedQueue<PlayerID>()
        var count: Int { idle.count + seated.count }
    }

    private var entries: [PlayerID: Entry] = [:]
    private var groups: [IPAddress?: Group] = [:]
    /// Addresses by how many idle players they have.
    private var ranks: [Int: OrderedQueue<IPAddress?>] = [:]
    private var largest = 0

    var count: Int { entries.count }
    func count(from address: IPAddress?) -> Int { groups[address?.counted]?.count ?? 0 }

    /// Counts a player among those who are away, in place of what was known of them.
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

    /// - Returns: whether the player was among them.
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

    /// A player who is away has given up the seat.
    mutating func leaveSeat(_ id: PlayerID) {
        guard let entry = entries[id], entry.isSeated else { return }
        insert(entry.member, from: entry.address, isSeated: false)
    }

    /// The player of an address who makes room first: the one longest away of those without a seat, or else of those with one.
    func first(from address: IPAddress?) -> Member? {
        guard let group = groups[address?.counted], let id = group.idle.first ?? group.seated.first else { return nil }
        return entries[id]?.member
    }

    /// The player who makes room first: without a seat, of the address with the most of those.
    var first: Member? {
        guard let address = ranks[largest]?.first, let id = groups[address]?.idle.first else { return nil }
        return entries[id]?.member
    }

    /// An address has one more idle player, or one less.
    private mutating func rank(_ address: IPAddress?, by step: Int) {
        let count = groups[address]?.idle.count ?? 0
        ranks[count - step]?.remove(address)
        if ranks[count - step]?.count == 0 { ranks[count - step] = nil }
        if count > 0 { ranks[count, default: OrderedQueue()].append(address) }
        largest = max(largest, count)
        if ranks[largest] == nil { largest = max(0, largest - 1) }
    }
}

/// A queue of different elements, any of which can be taken out.
struct OrderedQueue<Element: Hashable & Sendable>: Sendable {
    private struct Link: Sendable {
        var before: Element?
        var after: Element?
    }

    private var links: [Element: Link] = [:]
    private(set) var first: Element?
    private var last: Element?

    var count: Int { links.count }

    /// - Parameter element: none that is there.
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
