/// Open connections per address; of IPv6 per /64, /56 and /48: see ``AddressScope``.
public struct AddressTable: Sendable {
    /// Why a connection is refused.
    public enum Refusal: Error, Sendable, Equatable {
        /// The total limit is reached.
        case full
        /// The limit of the address, or of its network, is reached.
        case tooManyFromAddress
        /// New connections from this address arrive too fast.
        case tooFast(retryAfter: Int64)
        /// The address is banned: see ``BanList``.
        case banned
    }

    /// Connections in all. A lower value keeps open connections.
    public var capacity: Int
    /// Connections per address. A network has several times as many, and at most a quarter of all.
    public var capacityPerAddress: Int
    /// Open connections.
    public private(set) var count = 0
    private var counts = AddressCounts()

    public init(capacity: Int, capacityPerAddress: Int) {
        self.capacity = capacity
        self.capacityPerAddress = capacityPerAddress
    }

    /// Counts a connection in, or refuses it. Balance each success with ``release(_:)``.
    /// - Parameter address: nil for a peer without an address, such as a Unix-domain socket: counts to the total only.
    public mutating func admit(_ address: IPAddress?) throws(Refusal) {
        guard count < capacity else { throw .full }
        if let address {
            guard counts.hasRoom(for: address, limit: capacityPerAddress, total: capacity) else { throw .tooManyFromAddress }
            counts.add(1, for: address)
        }
        count += 1
    }

    /// Counts an admitted connection out.
    public mutating func release(_ address: IPAddress?) {
        count -= 1
        if let address { counts.add(-1, for: address) }
    }
}
