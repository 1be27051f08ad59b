/// The blocks of addresses that are counted: an IPv4 address; of IPv6 the /64, /56 and /48 around an address, any of which one customer may
/// have. A wider block has several times what a narrower one has, not what all its narrower ones have together.
package enum AddressScope: Int, CaseIterable, Sendable {
    case network48, network56, network64, address

    /// The scopes of a family, widest first.
    package static func all(of family: IPAddress.Family) -> ArraySlice<Self> { family == .v6 ? version6 : version4 }

    private static let version6 = allCases[..<3]
    private static let version4 = allCases[3...]

    /// Multiple of what the narrowest scope has.
    var share: Int {
        switch self {
        case .network48: 16
        case .network56: 4
        case .network64, .address: 1
        }
    }

    /// Bits of IPv6 behind the prefix.
    private var hostBits: UInt128 {
        switch self {
        case .network48: 80
        case .network56: 72
        case .network64, .address: 64
        }
    }

    /// The first address of the block.
    package func block(of address: IPAddress) -> IPAddress {
        address.family == .v4 ? address : IPAddress(family: .v6, bits: (address.bits >> hostBits) << hostBits)
    }

    /// The block's part of a limit, of which the narrowest has all. A wider one has several times that, and at most a quarter of the total.
    package func part(of limit: Int, total: Int) -> Int { limit < total / 4 ? min(limit * share, total / 4) : limit }
}

extension IPAddress {
    /// The narrowest unit of counting: an IPv4 address, or an IPv6 /64.
    package var counted: IPAddress { AddressScope.network64.block(of: self) }
}

/// Counts per scope of each address. Holds an entry per counted block, so whoever bounds the things that are counted bounds its size.
package struct AddressCounts: Sendable {
    private var counts = [[IPAddress: Int]](repeating: [:], count: AddressScope.allCases.count)

    package init() {}

    package mutating func add(_ step: Int, for address: IPAddress) {
        for scope in AddressScope.all(of: address.family) {
            let block = scope.block(of: address)
            let count = (counts[scope.rawValue][block] ?? 0) + step
            counts[scope.rawValue][block] = count == 0 ? nil : count
        }
    }

    /// Whether one more fits in every scope.
    package func hasRoom(for address: IPAddress, limit: Int, total: Int) -> Bool {
        AddressScope.all(of: address.family).allSatisfy {
            counts[$0.rawValue][$0.block(of: address)] ?? 0 < $0.part(of: limit, total: total)
        }
    }
}
