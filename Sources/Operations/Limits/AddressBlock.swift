/// A block of addresses in CIDR notation: `192.0.2.0/24`, `2001:db8::/32`, or a single address.
public struct AddressBlock: Sendable, Hashable, CustomStringConvertible {
    /// The first address of the block.
    public let base: IPAddress
    /// Common leading bits: 0…32 for IPv4, 0…128 for IPv6.
    public let prefix: Int

    /// The block of `prefix` leading bits around an address; nil if the address has fewer bits.
    public init?(_ address: IPAddress, prefix: Int) {
        guard (0...address.width).contains(prefix) else { return nil }
        let hostBits = address.width - prefix
        self.prefix = prefix
        base = IPAddress(family: address.family, bits: hostBits == 128 ? 0 : (address.bits >> hostBits) << hostBits)
    }

    /// - Parameters:
    ///   - bits: zero behind the prefix.
    init(family: IPAddress.Family, bits: UInt128, prefix: Int) {
        base = IPAddress(family: family, bits: bits)
        self.prefix = prefix
    }

    /// Parses `ADDRESS` or `ADDRESS/BITS`. Refuses set bits beyond the prefix: `10.0.0.1/8` is probably a mistake.
    public init?(_ text: String) {
        guard let (address, prefix) = Self.parts(of: text) else { return nil }
        self.init(address, prefix: prefix)
        guard base == address else { return nil }
    }

    /// Parses `ADDRESS` or `ADDRESS/BITS`, and clears the bits beyond the prefix.
    init?(masking text: String) {
        guard let (address, prefix) = Self.parts(of: text) else { return nil }
        self.init(address, prefix: prefix)
    }

    private static func parts(of text: String) -> (address: IPAddress, prefix: Int)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]), parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (address, address.width) }
        guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
            let prefix = Int(parts[1])
        else { return nil }
        return (address, prefix)
    }

    public func contains(_ address: IPAddress) -> Bool {
        guard address.family == base.family else { return false }
        return AddressBlock(address, prefix: prefix) == self
    }

    /// `192.0.2.0/24`; a single address without its prefix.
    public var description: String { prefix == base.width ? base.description : "\(base)/\(prefix)" }
}
