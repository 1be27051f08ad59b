/// How many connections each address has, so that one of them can't take them all. An IPv6 customer gets a whole /64 as a rule, so that
/// is what counts as one address there.
///
/// It holds a key and a number for each address with a connection, and nothing for one without, so its size is bounded by the bound on
/// connections.
public struct AddressTable: Sendable {
    /// Why a connection is not let in.
    public enum Refusal: Error, Sendable, Equatable {
        /// No more connections at all.
        case full
        /// No more from this address.
        case tooManyFromAddress
        /// New connections come too fast from this address.
        case tooFast(retryAfter: Int64)
        /// Too much was refused to this address just now.
        case keptOut(retryAfter: Int64)
        /// The address is banned: see ``BanList``.
        case banned
    }

    /// The most connections in all. May be changed at any time; those that are there stay.
    public var capacity: Int
    /// The most connections of one address.
    public var capacityPerAddress: Int
    /// The connections that are there.
    public private(set) var count = 0
    private var counts: [IPAddress: Int32] = [:]

    public init(capacity: Int, capacityPerAddress: Int) {
        self.capacity = capacity
        self.capacityPerAddress = capacityPerAddress
    }

    /// How many addresses have a connection.
    public var addresses: Int { counts.count }

    /// Counts a connection in, or says why not. Each one let in must be counted out by ``release(_:)``.
    /// - Parameter address: nil for a peer without an address, such as that of a Unix-domain socket: only the total counts for it.
    public mutating func admit(_ address: IPAddress?) throws(Refusal) {
        guard count < capacity else { throw .full }
        if let key = address?.counted {
            let present = counts[key] ?? 0
            guard present < capacityPerAddress else { throw .tooManyFromAddress }
            counts[key] = present + 1
        }
        count += 1
    }

    /// Counts a connection out that was let in before.
    public mutating func release(_ address: IPAddress?) {
        count -= 1
        guard let key = address?.counted, let present = counts[key] else { return }
        counts[key] = present > 1 ? present - 1 : nil
    }

    /// The connections of an address.
    public func connections(from address: IPAddress) -> Int { Int(counts[address.counted] ?? 0) }
}

extension IPAddress {
    /// What is counted as one address: itself, or the /64 that it is in.
    package var counted: IPAddress { family == .v4 ? self : IPAddress(family: .v6, bits: (bits >> 64) << 64) }
}
