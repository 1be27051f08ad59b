import Sockets

extension SocketAddress {
    /// The address as a number; nil for other families. Ignores the zone of a link-local address (`%eth0`).
    public var ip: IPAddress? { IPAddress(host.prefix { $0 != "%" }) }
}
