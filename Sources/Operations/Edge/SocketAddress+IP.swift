import Sockets

extension SocketAddress {
    /// The address as a number; nil if it is none of IPv4 or IPv6. The zone of a link-local address (`%eth0`) is of no interest.
    public var ip: IPAddress? { IPAddress(host.prefix { $0 != "%" }) }
}
