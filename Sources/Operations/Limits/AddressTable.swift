/// Connections per address. IPv6 counts per /64, the usual allocation of one customer.
///
/// Holds one entry per address with an open connection, so the limit on connections bounds its size.
public struct AddressTable: Sendable {
    /// Why a connection is refused.
    public enum Refusal: Error, Sendable, Equatable {
        /// The total limit is reached.
        case full
        /// The address's limit is reached.
        case tooManyFromAddress
        /// New connections from this address arrive too fast.
        case tooFast(retryAfter: Int64)
        /// The address is banned for a while after repeated refusals.
        case keptOut(retryAfter: Int64)
        /// The address is banned: see ``BanList``.
        case banned
    }

    /// Connections in all. A lower value keeps open connections.
    public var capacity: Int
    /// Connections per address.
    public var capacityPerAddress: Int
    /// Open connections.
    public private(set) var count = 0
    private var counts: [IPAddress: Int32] = [:]

    public init(capacity: Int, capacityPerAddress: Int) {
        self.capacity = capacity
        self.capacityPerAddress = capacityPerAddress
    }

    /// Addresses with an open connection.
    public var addresses: Int { counts.count }

    /// Counts a connection in, or refuses it. Balance each success with ``release(_:)``.
    /// - Parameter address: nil for a peer without an address, such as a Unix-domain socket: counts to the total only.
    public mutating func admit(_ address: IPAddress?) throws(Refusal) {
        guard count < capacity else { throw .full }
        if let key = address?.counted {
            let present = counts[key] ?? 0
            guard present < capacityPerAddress else { throw .tooManyFromAddress }
            counts[key] = present + 1
        }
        count += 1
    }

    /// Counts an admitted connection out.
    public mutating func release(_ address: IPAddress?) {
        count -= 1
        guard let key = address?.counted, let present = counts[key] else { return }
        counts[key] = present > 1 ? present - 1 : nil
    }

    public func connections(from address: IPAddress) -> Int { Int(counts[address.counted] ?? 0) }
}

extension IPAddress {
    /// The unit of counting: an IPv4 address, or an IPv6 /64.
    package var counted: IPAddress { family == .v4 ? self : IPAddress(family: .v6, bits: (bits >> 64) << 64) }
}
